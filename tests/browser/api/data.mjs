/** `lanthorn/data` in a page: workers, decoded pictures, and training from a loader. */
import { equal, ok, refuses } from '../lib/expect.mjs';

const open = () => import('/npm/js/data/index.js');
const NUMBERED = '/tests/data/numbered.mjs';

/** The checks of every batch. */
async function batches(loader) {
  const read = [];
  for await (const { image, drawn, name } of loader) read.push([await image.tolist(), image.dtype, await drawn.tolist(), name]);
  return read;
}

export const cases = {
  'batches do not depend on the workers': async () => {
    const { DataLoader } = await open();
    const { dataset, LENGTH } = await import(NUMBERED);
    const make = (options) => new DataLoader(dataset, { batchSize: 4, shuffle: true, seed: 3, ...options });
    const loaders = [make({}), make({ workers: 1, workerUrl: NUMBERED }), make({ workers: 4, workerUrl: new URL(NUMBERED, location) })];
    let last;
    for (let epoch = 0; epoch < 2; epoch += 1) {
      const [alone, one, four] = [await batches(loaders[0]), await batches(loaders[1]), await batches(loaders[2])];
      equal(one, alone);
      equal(four, alone);
      equal(alone.flatMap(([, , , names]) => names).sort(), Array.from({ length: LENGTH }, (_, index) => `n${index}`).sort());
      ok(alone[0][1] === 'uint8', 'the type arrives');
      ok(JSON.stringify(alone) !== last, 'epochs differ');
      last = JSON.stringify(alone);
    }
  },

  'a loader with workers resumes': async () => {
    const { DataLoader } = await open();
    const make = () => new DataLoader({ length: 23 }, { batchSize: 4, shuffle: true, workers: 2, workerUrl: () => new Worker(NUMBERED, { type: 'module' }) });
    const [whole, stopped, resumed] = [make(), make(), make()];
    const expected = await batches(whole);
    let seen = 0;
    for await (const batch of stopped) {
      batch.image.dispose();
      seen += 1;
      if (seen === 2) break;
    }
    resumed.loadStateDict(stopped.stateDict());
    equal(await batches(resumed), expected.slice(2));
  },

  'an error in a worker arrives, with its sample': async () => {
    const { DataLoader } = await open();
    const loader = new DataLoader({ length: 23 }, { batchSize: 4, workers: 3, workerUrl: `${NUMBERED}?fails=n9` });
    let count = 0;
    const error = await refuses(async () => { for await (const batch of loader) count += batch.name.length; }, 'data', /sample 9: n9 is broken/);
    equal(count, 8);
    ok(error.cause.name === 'RangeError' && error.cause.message === 'n9 is broken', String(error.cause));
  },

  'leaving an epoch, or a signal, ends the workers': async () => {
    const { DataLoader } = await open();
    const ended = [];
    class Watched extends Worker {
      terminate() {
        ended.push(this);
        super.terminate();
      }
    }
    const workerUrl = () => new Watched(NUMBERED, { type: 'module' });
    for await (const batch of new DataLoader({ length: 23 }, { workers: 3, workerUrl })) { batch.image.dispose(); break; }
    equal(ended.length, 3);
    for await (const batch of new DataLoader({ length: 4 }, { workers: 9, workerUrl })) batch.image.dispose();
    equal(ended.length, 3 + 4, 'no more workers than batches, and they end with the epoch');
    const controller = new AbortController();
    const loader = new DataLoader({ length: 23 }, { workers: 2, workerUrl, signal: controller.signal });
    let failure;
    try {
      for await (const batch of loader) { batch.image.dispose(); controller.abort(); }
    } catch (error) {
      failure = error;
    }
    ok(failure?.name === 'AbortError', String(failure));
    equal(ended.length, 3 + 4 + 2);
  },

  'a worker that does not start is an error': async () => {
    const { DataLoader } = await open();
    const module = URL.createObjectURL(new Blob(['throw new Error("not today")'], { type: 'text/javascript' }));
    const loader = new DataLoader({ length: 3 }, { workers: 2, workerUrl: module });
    await refuses(() => loader[Symbol.asyncIterator]().next(), 'data', /a worker failed: .*not today/);
  },

  "a user's collate keeps its arrays": async () => {
    const { DataLoader } = await open();
    const seen = [];
    for await (const [x, count] of new DataLoader({ length: 6 }, { batchSize: 4, workers: 1, workerUrl: '/tests/data/rows.mjs' })) {
      seen.push([await x.tolist(), count]);
    }
    equal(seen, [[[[1, 2], [3, 4]], 4], [[[1, 2], [3, 4]], 2]]);
  },

  'pictures are decoded': async () => {
    const { decodeImage } = await open();
    const canvas = new OffscreenCanvas(2, 1);
    const context = canvas.getContext('2d');
    context.fillStyle = 'rgb(255 0 0)';
    context.fillRect(0, 0, 1, 1);
    context.fillStyle = 'rgb(10 20 30)';
    context.fillRect(1, 0, 1, 1);
    const file = await canvas.convertToBlob({ type: 'image/png' });
    const image = await decodeImage(file);
    equal([image.shape, Array.from(image.data)], [[3, 1, 2], [255, 10, 0, 20, 0, 30]]);
    equal(Array.from((await decodeImage(file, 'gray')).data), [76, 18]);
    equal(Array.from((await decodeImage(file, 'rgba')).data).slice(6), [255, 255]);
    await refuses(() => decodeImage(new Blob(['no picture'])), 'file', /cannot be decoded/);
    await refuses(() => decodeImage(file, 'cmyk'), 'argument', /cmyk/);
  },

  'a network trains from a loader, and batches of one shape take one plan': async ({ nn, optim, scope, stats, manualSeed }) => {
    const { DataLoader, HostArray, TensorDataset } = await open();
    manualSeed(1);
    const values = Float32Array.from({ length: 64 }, (_, position) => Math.sin(position));
    const dataset = new TensorDataset(new HostArray(values, [32, 2]), Int32Array.from({ length: 32 }, (_, row) => Number(values[2 * row] > values[2 * row + 1])));
    const net = new nn.Sequential(new nn.Linear(2, 8), new nn.Tanh(), new nn.Linear(8, 2));
    const optimizer = new optim.Adam(net.parameters(), { lr: 0.1 });
    const criterion = new nn.CrossEntropyLoss();
    const loader = new DataLoader(dataset, { batchSize: 8, shuffle: true, seed: 1 });
    const losses = [];
    let steady;
    for (let epoch = 0; epoch < 20; epoch += 1) {
      for await (const [x, y] of loader) {
        losses.push(scope(() => {
          const loss = criterion.call(net.call(x), y);
          optimizer.zeroGrad();
          loss.backward();
          optimizer.step();
          return loss;
        }));
        x.dispose();
        y.dispose();
      }
      if (epoch === 9) steady = stats().planMisses;
    }
    equal(stats().planMisses, steady, 'no plan is made any more');
    const [first, last] = [await losses[0].item(), await losses.at(-1).item()];
    ok(last < first / 3, `the loss falls: ${first} to ${last}`);
  },
};
