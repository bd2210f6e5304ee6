/** The built package, in a page's worker and in Node. */
const base = typeof importScripts === 'function' || typeof document !== 'undefined' || globalThis.location?.origin?.startsWith('http')
  ? `${location.origin}/npm/js` : new URL('../../../target/npm/js', import.meta.url).href;
export const L = await import(`${base}/index.js`);
export const W = await import(`${base}/workers/index.js`);
