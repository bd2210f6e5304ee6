/** Pages that restrict what may run, or take the package from elsewhere. */
import { TRAINING } from '../lib/programs.mjs';

/** A policy that allows nothing but WebAssembly, and no text where code is expected. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "worker-src 'self'",
  'img-src data:',
  "require-trusted-types-for 'script'",
  'trusted-types app',
].join('; ');

/** A page under that policy: the URL of its worker is the only text that it trusts. */
export const STRICT = {
  'main.js': `
import { trainSomeSteps } from './training.js';

const policy = trustedTypes.createPolicy('app', { createScriptURL: (url) => url });

function trainInWorker(device) {
  const worker = new Worker(policy.createScriptURL('./worker.js'), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(device);
  }).finally(() => worker.terminate());
}

window.train = { page: trainSomeSteps, worker: trainInWorker };
`,
};

/** A page with an import map to a server of packages, which ELSEWHERE stands for. */
export const AT_ANOTHER_ORIGIN = {
  'index.html': `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "lanthorn": "ELSEWHERE/lanthorn/js/index.js", "lanthorn/io": "ELSEWHERE/lanthorn/js/io/index.js" } }</script>
<script type="module">
  import { trainSomeSteps } from './training.js';
  window.train = { page: trainSomeSteps };
</script>
`,
  'training.js': TRAINING,
};
