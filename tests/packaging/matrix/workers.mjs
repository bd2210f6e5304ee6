/** A page that trains in workers of every kind. They answer on the port of a MessageChannel. */

const answering = (listen) => `
import { trainSomeSteps } from './training.js';

const answer = async ({ data, ports: [port] }) => {
  port.postMessage(await trainSomeSteps(data).catch((error) => ({ error: String(error) })));
};
${listen}
`;

export const WORKERS = {
  'worker.js': answering('self.onmessage = answer;'),
  'shared.js': answering('self.onconnect = ({ ports: [connection] }) => { connection.onmessage = answer; };'),
  'service.js': answering(`
self.onmessage = (event) => event.waitUntil(answer(event));
self.oninstall = () => self.skipWaiting();
`),
  'main.js': `
function ask(worker, device) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    port1.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(device, [port2]);
  });
}

async function activeService() {
  const registration = await navigator.serviceWorker.register('./service.js', { type: 'module' });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  while (worker.state !== 'activated') await new Promise((changed) => worker.addEventListener('statechange', changed, { once: true }));
  return worker;
}

window.train = {
  worker: (device) => ask(new Worker('./worker.js', { type: 'module' }), device),
  shared: (device) => ask(new SharedWorker('./shared.js', { type: 'module' }).port, device),
  service: async (device) => ask(await activeService(), device),
};
`,
};
