/**
 * Starts the worker that runs programs. The worker is a classic one that imports the module, so
 * that it can run a program as a separate script: a script, unlike a function made of text, has
 * lines in the stacks of all browsers.
 */
import address from './run.worker.ts?worker&url';

export function startWorker(): Worker {
  const script = URL.createObjectURL(new Blob([bootOf(new URL(address, import.meta.url).href)], { type: 'text/javascript' }));
  const worker = new Worker(script, { name: 'run' });
  // Fetched by then, or never.
  worker.addEventListener('message', () => URL.revokeObjectURL(script), { once: true });
  worker.addEventListener('error', () => URL.revokeObjectURL(script), { once: true });
  return worker;
}

/** Messages that come before the module listens are kept for it. */
function bootOf(module: string): string {
  return `
    const early = [];
    const hold = ({ data }) => early.push(data);
    addEventListener('message', hold);
    import(${JSON.stringify(module)}).then(() => {
      removeEventListener('message', hold);
      early.forEach((data) => dispatchEvent(new MessageEvent('message', { data })));
    }, (error) => setTimeout(() => { throw error; }));
  `;
}
