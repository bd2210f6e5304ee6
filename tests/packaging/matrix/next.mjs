/** A page of Next: a sum from the server, and a component that trains in the browser. */
import { TRAINING } from '../lib/programs.mjs';

/** The page that the server renders. */
export const NEXT_RENDERS = '<p id="sum">6</p>';

export const NEXT = {
  'training.js': TRAINING,
  // Its bundle for the server names files as the page would.
  'next.config.mjs': "export default { serverExternalPackages: ['lanthorn'] };\n",
  'app/layout.jsx': `
export default function Layout({ children }) {
  return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
}
`,
  'app/page.jsx': `
import { init, tensor } from 'lanthorn';
import { Train } from './train.jsx';

export default async function Page() {
  await init({ device: 'cpu' });
  return <main><p id="sum">{await tensor([1, 2, 3]).sum().item()}</p><Train /></main>;
}
`,
  'app/train.jsx': `
'use client';
import { useEffect } from 'react';
import { trainSomeSteps } from '../training.js';

function trainInWorker(device) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(device);
  }).finally(() => worker.terminate());
}

export function Train() {
  useEffect(() => { window.train = { page: trainSomeSteps, worker: trainInWorker }; }, []);
  return null;
}
`,
  'app/worker.js': `
import { trainSomeSteps } from '../training.js';

self.onmessage = async ({ data }) => {
  self.postMessage(await trainSomeSteps(data).catch((error) => ({ error: String(error) })));
};
`,
};
