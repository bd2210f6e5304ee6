/**
 * Calls that return several tensors, something other than a tensor, or a promise, and overloaded
 * calls.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'several results, by name and by position': async ({ tensor, stack }) => {
    const x = tensor([[1, 5, 3], [9, 2, 4]]);
    const { values, indices } = x.topk(2);
    equal(await values.tolist(), [[5, 3], [9, 4]]);
    equal(await indices.tolist(), [[1, 2], [0, 2]]);
    ok(indices.dtype === 'int32', `the type of indices: ${indices.dtype}`);
    const [largest, positions] = x.max(1);
    equal(await largest.data(), [5, 9]);
    equal(await positions.data(), [1, 0]);
    const { var: variance, mean } = x.varMean({ dim: 1, correction: 0 });
    close(await stack([variance, mean]).tolist(), [[8 / 3, 26 / 3], [3, 5]]);
    equal((await Promise.all(x.split([1, 2], 1).map((part) => part.tolist())))[1], [[5, 3], [2, 4]]);
  },

  'gradients go through the results that are used': async ({ tensor }) => {
    const x = tensor([3, 1, 2], { requiresGrad: true });
    const { values } = x.sort();
    values.mul(tensor([1, 10, 100])).sum().backward();
    equal(await x.grad.data(), [100, 1, 10]);
  },

  'overloads are told apart by their arguments': async ({ tensor, rand }) => {
    const [x, y] = [tensor([[1, 5], [9, 2]]), tensor([[4, 4], [4, 4]])];
    equal(await x.max().item(), 9);
    equal(await x.max(0).values.data(), [9, 5]);
    equal(await x.max({ dim: 0, keepdim: true }).indices.tolist(), [[1, 0]]);
    equal(await x.max(y).tolist(), [[4, 5], [9, 4]]);
    equal(await x.clamp(2, 5).tolist(), [[2, 5], [5, 2]]);
    equal(await x.clip({ min: y }).tolist(), [[4, 5], [9, 4]]);
    equal(await x.clone().clamp_(y).tolist(), [[4, 5], [9, 4]]);
    equal(await x.clone().clip_({ max: 4 }).tolist(), [[1, 4], [4, 2]]);
    equal(x.clone().bernoulli_(0.5).shape, [2, 2]);
    const image = rand(1, 4, 4);
    equal(image.adaptiveMaxPool2d(2, 2).shape, [1, 2, 2]);
    const [pooled, from] = image.adaptiveMaxPool2d(2, true);
    equal([pooled.shape, from.shape], [[1, 2, 2], [1, 2, 2]]);
    equal(image.adaptiveAvgPool2d([null, 2]).shape, [1, 4, 2], 'null keeps a size');
    await refuses(() => image.reshape([null, 4]), 'argument', /^reshape: /, /shape/);
    await refuses(() => x.max('1'), 'argument', /^max: /);
    await refuses(() => x.clamp_('1'), 'argument', /^clamp_?: /);
  },

  'numbers in place of letters, and a distance of one\'s own': async ({ tensor, einsum, tripletMarginWithDistanceLoss: triplet, tripletMarginLoss }) => {
    const [x, y] = [tensor([[1, 2], [3, 4]]), tensor([[0, 1], [1, 0]])];
    equal(await einsum(x, [0, 1], y, [1, 2], [0, 2]).tolist(), await x.matmul(y).tolist());
    equal(await einsum(x, ['...', 3]).tolist(), await einsum('...d', [x]).tolist());
    equal(await einsum('ij->j', [x]).data(), [4, 6]);
    await refuses(() => einsum(x, [0, 52]), 'argument', /^einsum: /, /52/);
    await refuses(() => einsum(x, y), 'argument', /sublist/);
    const far = tensor([[5, 5], [9, 9]]);
    const largest = (a, b) => a.sub(b).abs().amax(-1);
    equal(await triplet(x, y, far, { distanceFunction: largest, margin: 4, reduction: 'none' }).data(), [1, 2]);
    close(await triplet(x, y, far, { margin: 9 }).item(), await tripletMarginLoss(x, y, far, { margin: 9 }).item());
    await refuses(() => triplet(x, y, far, { margin: -1 }), 'argument', /^tripletMarginWithDistanceLoss: /, /margin/);
    await refuses(() => triplet(x, y, far, { distance: largest }), 'argument', /distance/);
  },

  'results whose shape depends on the elements are awaited': async ({ tensor }) => {
    const x = tensor([0, 3, 0, 5]);
    equal(await (await tensor([1, 0], { dtype: 'int32' }).oneHot()).tolist(), [[0, 1], [1, 0]]);
    ok(x.nonzero() instanceof Promise, 'a promise');
    equal(await (await x.nonzero()).tolist(), [[1], [3]]);
    equal(await (await x.maskedSelect(x.gt(3))).data(), [5]);
    const [values, counts] = await x.unique({ returnCounts: true });
    equal([await values.data(), await counts.data()].map((list) => Array.from(list)), [[0, 3, 5], [2, 1, 1]]);
    await refuses(() => x.maskedSelect(tensor([true, false])), 'shape', /masked_?select/i);
  },

  'what an awaited call read is what stood there when it was made': async ({ tensor }) => {
    const x = tensor([0, 3]);
    const positions = x.nonzero();
    x.fill_(1);
    equal(await (await positions).tolist(), [[1]]);
  },

  'results that are no tensors': ({ tensor, broadcastShapes, canCast, resultType, promoteTypes }) => {
    equal(broadcastShapes([2, 1], [3]), [2, 3]);
    ok(canCast('int32', 'float32') && !canCast('float32', 'int32'), 'casts');
    ok(resultType(tensor([1], { dtype: 'int32' }), 0.5) === 'float32' && promoteTypes('uint8', 'bool') === 'uint8', 'types');
  },

  'functions stand in PyTorch\'s modules': async ({ tensor, fft, linalg, polygamma, special, signal, ones }) => {
    close(await fft.rfft(ones(4)).tolist(), [[4, 0], [0, 0], [0, 0]]);
    close(await fft.irfft(fft.rfft(tensor([1, 2, 3, 4])), { n: 4 }).data(), [1, 2, 3, 4]);
    close(await special.entr(tensor([0, 0.5])).data(), [0, 0.5 * Math.LN2]);
    close(await polygamma(1, tensor([1, 2])).data(), [Math.PI ** 2 / 6, Math.PI ** 2 / 6 - 1]);
    close(await special.polygamma(1, [1]).data(), [Math.PI ** 2 / 6]);
    close(await signal.windows.hann(8, { sym: false }).select(0, 4).item(), 1);
    close(await linalg.vectorNorm(tensor([3, 4])).item(), 5);
  },

  'transposes are properties': async ({ tensor }) => {
    const x = tensor([[[1, 2], [3, 4]]]);
    equal(await x.mT.tolist(), [[[1, 3], [2, 4]]]);
    equal(await x.select(0, 0).T.tolist(), [[1, 3], [2, 4]]);
  },
};
