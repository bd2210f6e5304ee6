// A worker: it trains the model that it is given, by itself or in step with the others.
import { optim, randint, scope } from './node_modules/lanthorn/js/index.js';
import { serveTraining } from './node_modules/lanthorn/js/workers/index.js';
import { network, spirals } from './model.js';

serveTraining(network, ({ rank, model, data: { steps }, backward, send }) => {
  const [x, y] = spirals();
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.005 });
  for (let step = 1; step <= steps; step += 1) {
    scope(() => {
      const batch = randint(0, 200, [64]); // other numbers in each worker
      optimizer.zeroGrad();
      const loss = model.call(x.indexSelect(0, batch)).crossEntropy(y.indexSelect(0, batch));
      backward(loss);
      optimizer.step();
      if (step % 200 === 0) send(`worker ${rank}, step ${step}: loss ${loss.dataSync()[0].toFixed(4)}`);
    });
  }
});
