// The page: it shows what the worker tells, and a clock that never stops.
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const status = document.querySelector('#status');

const tick = () => {
  document.querySelector('#clock').textContent = `${(performance.now() / 1000).toFixed(1)} s`;
  requestAnimationFrame(tick);
};
tick();

worker.onmessage = ({ data }) => {
  status.textContent = data.error ?? `Step ${data.step} on ${data.device}: loss ${data.loss.toFixed(4)}`;
  document.documentElement.dataset.state = data.error ? 'error' : data.isLast ? 'done' : 'training';
};
worker.postMessage({ device: new URLSearchParams(location.search).get('device') ?? 'auto', steps: 100 });
