/** A worker that trains the digits, by Hogwild or in step with others. */
import { L, W } from './package.mjs';
import { network, tensors } from './digits.mjs';

W.serveTraining(network, async ({ rank, size, model, data, backward, send, group }) => {
  const { train, steps, batch, lr, fails } = data;
  const [images, labels] = tensors(train);
  const optimizer = new L.optim.Adam(model.parameters(), { lr });
  const count = Math.floor(train.labels.length / size);
  let loss;
  for (let step = 0; step < steps; step++) {
    if (fails?.rank === rank && step === fails.step) {
      if (fails.how === 'throw') throw new Error('no more of this');
      if (fails.how === 'exit') process.exit(3);
      if (fails.how === 'close') { send('closing'); close(); await new Promise(() => {}); }
    }
    L.scope(() => {
      const own = L.randint(0, count, [batch]).mul(size).add(rank);
      const value = L.nn.functional.crossEntropy(model.call(images.indexSelect(0, own)), labels.indexSelect(0, own));
      optimizer.zeroGrad();
      backward(value);
      optimizer.step();
      loss = value.detach().dataSync()[0];
    });
    if (step === 0) send({ rank, size, world: group.size, threads: L.getNumThreads() });
    // A page's worker hears that it is to end between two steps only.
    if (step % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return loss;
});
