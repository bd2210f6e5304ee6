// The page: it starts the workers, and tests the model that they trained.
import { init, manualSeed, noGrad } from './node_modules/lanthorn/js/index.js';
import { dataParallel, hogwild } from './node_modules/lanthorn/js/workers/index.js';
import { network, spirals } from './model.js';

const status = document.querySelector('#status');
const show = (text) => { status.append(document.createElement('br'), text); };

try {
  await init({ device: 'cpu', threads: 2 });
  const [x, y] = spirals();
  for (const train of [hogwild, dataParallel]) {
    manualSeed(0);
    const model = network();
    await train(model, {
      workers: 2,
      worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
      data: { steps: 800 },
      onMessage: show,
    });
    const accuracy = await noGrad(() => model.call(x).argmax(1).eq(y).to('float32').mean()).item();
    show(`${train.name}: accuracy ${accuracy.toFixed(3)}`);
  }
  document.documentElement.dataset.state = 'done';
} catch (error) {
  show(error.message);
  document.documentElement.dataset.state = 'error';
}
