import { init, optim, tensor } from 'lanthorn';
import { KILOGRAMS, PRICES } from './receipts';

// Returns a function that turns the knob by one step.
export async function learner(start: number) {
  await init({ device: 'cpu' });
  const kilograms = tensor(KILOGRAMS);
  const prices = tensor(PRICES);

  const knob = tensor(start, { requiresGrad: true });
  const optimizer = new optim.SGD([knob], { lr: 0.02 });

  return async () => {
    const guesses = knob.mul(kilograms);
    const loss = guesses.sub(prices).square().mean();
    optimizer.zeroGrad();
    loss.backward(); // asks: does the loss rise with the knob?
    optimizer.step(); // turns the knob the other way
    return {
      gradient: Number(await knob.grad!.item()),
      knob: Number(await knob.item()),
    };
  };
}
