/**
 * `lanthorn/io` in a page: every case gets the package, its io, the device, and the address of a
 * file server (`lib/file-server.mjs`).
 */
import { close, equal, numbers as noise, ok, refuses } from '../lib/expect.mjs';

/** A failure leaves no tensors. */
async function leavesNothing(lanthorn, fails) {
  const before = lanthorn.memory().tensors;
  await fails();
  // Fewer, where tensors dropped by earlier cases were collected in between.
  ok(lanthorn.memory().tensors <= before, `${lanthorn.memory().tensors} tensors are left of ${before}`);
}

async function equalStates(one, other) {
  equal(Object.keys(one).sort(), Object.keys(other).sort());
  for (const [name, tensor] of Object.entries(one)) {
    equal(other[name].shape, tensor.shape, name);
    equal(other[name].dtype, tensor.dtype, name);
    equal(Array.from(await other[name].data()), Array.from(await tensor.data()), name);
  }
}

export const cases = {
  'what PyTorch saved in two formats is the same': async ({ lanthorn, io, files }) => {
    for (const model of ['gpt', 'resnet']) {
      await equalStates(await io.load(`${files}/file/${model}.pt`), await io.load(`${files}/plain/${model}.safetensors`));
    }
  },

  'checkpoints from before 1.6, and values of other classes': async ({ io, files }) => {
    await equalStates(await io.load(`${files}/file/legacy.pt`), await io.load(`${files}/file/resnet.safetensors`));
    const training = await io.load(`${files}/old/training.pt`);
    equal([training.best, training.epoch, training.done, training.half, training.big], [0.75, -3, true, 0.5, 4e9]);
    equal([await training.model.turned.tolist(), await training.mean.tolist()], [[[1, 4], [2, 5], [3, 6]], [[1, 2], [3, 4]]]);
    for (const name of ['objects.pt', 'objects_legacy.pt']) {
      await refuses(() => io.load(`${files}/old/${name}`), 'file', /argparse\.Namespace \(args\)/);
      let left;
      const loaded = await io.load(`${files}/old/${name}`, { tensorsOnly: (all) => { left = all; } });
      equal(await loaded.model.weight.tolist(), [1, 2]);
      equal([loaded.classes, loaded.lr, 'args' in loaded], [[null, 'a', null, 3], 0.5, false]);
      equal([left.length, left[2]], [9, { path: 'module', type: 'torch.nn.modules.linear.Linear' }]);
    }
  },

  'a checkpoint is a tree of plain values': async ({ lanthorn, io, files }) => {
    const checkpoint = await io.load(`${files}/file/training.pt`);
    equal([checkpoint.epoch, checkpoint.best, checkpoint.note], [3, 0.25, 'three steps – größer']);
    equal(checkpoint.flags, [true, false, null, [1, 'a']]);
    equal(checkpoint.big, 2 ** 40);
    ok(checkpoint.bytes instanceof Uint8Array && checkpoint.bytes[255] === 255);
    ok(checkpoint.optimizer.state instanceof Map, 'numbers are keys of a map');
    equal(checkpoint.optimizer.state.get(0).exp_avg.shape, [8, 4]);
    equal(checkpoint.optimizer.param_groups[0].betas, [0.9, 0.999]);
    ok(checkpoint.model['0.weight'] instanceof lanthorn.Tensor);
  },

  'arrays of NumPy': async ({ lanthorn, io, files, device }) => {
    const grid = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]];
    for (const name of ['c', 'fortran', 'big_endian']) equal(await (await io.load(`${files}/file/${name}.npy`)).tolist(), grid, name);
    if (device === 'cpu') {
      const arrays = await io.load(`${files}/file/deflated.npz`);
      for (const name of ['c', 'fortran', 'big_endian']) equal(await arrays[name].tolist(), grid, name);
      return;
    }
    // One of its arrays has numbers that exceed an int32.
    await leavesNothing(lanthorn, () => refuses(() => io.load(`${files}/file/deflated.npz`), 'dtype', /int64: the int64 -?4611686018427387904/, /load it on the CPU/));
  },

  'types that a device has not become those that it has': async ({ io, files, device }) => {
    const views = await io.load(`${files}/file/views.pt`);
    equal([views.int64.dtype, views.float64.dtype], device === 'cpu' ? ['int64', 'float64'] : ['int32', 'float32']);
    equal([views.int8.dtype, views.int16.dtype, views.bfloat16.dtype], ['int32', 'int32', 'bfloat16']);
    equal(await views.transposed.tolist(), [[0, 6, 12, 18], [1, 7, 13, 19], [2, 8, 14, 20], [3, 9, 15, 21], [4, 10, 16, 22], [5, 11, 17, 23]]);
    equal(await views.expanded.tolist(), [[1.5, 1.5, 1.5], [2.5, 2.5, 2.5]]);
    equal(views.empty.shape, [0, 3]);
  },

  'tensors of a checkpoint that share memory share it here': async ({ io, files, lanthorn }) => {
    for (const way of ['file', 'plain', 'chunked']) {
      const views = await io.load(`${files}/${way}/views.pt`);
      const [rows, turned] = [await views.base.tolist(), await views.transposed.tolist()];
      equal(views.transposed.stride(), [1, 6]);
      lanthorn.noGrad(() => views.base.add_(100));
      equal(await views.transposed.tolist(), turned.map((row) => row.map((number) => number + 100)));
      equal(await views.base.tolist(), rows.map((row) => row.map((number) => number + 100)));
      // A view stays when the others are gone.
      views.base.dispose();
      equal((await views.transposed.tolist()).length, 6);
      equal(views.empty.shape, [0, 3]);
    }
  },

  'quantized tensors are float32': async ({ io, files }) => {
    const tensors = await io.load(`${files}/file/quantized.gguf`);
    equal([tensors.Q4_K.dtype, tensors.Q4_K.shape], ['float32', [2, 512]]);
    ok(Array.from(await tensors.Q6_K.data()).every(Number.isFinite));
  },

  'quantized tensors stay in their blocks where that is asked for': async ({ io, files, lanthorn }) => {
    for (const way of ['file', 'plain']) {
      const [numbers, { tensors, metadata }] = [await io.load(`${files}/${way}/quantized.gguf`), await io.loadGguf(`${files}/${way}/quantized.gguf`)];
      ok(typeof metadata === 'object' && metadata !== null);
      equal(Object.keys(tensors), Object.keys(numbers));
      equal([tensors.Q4_K.format, tensors.Q4_K.shape, tensors.Q4_K.nbytes], ['q4_k', [2, 512], 2 * 2 * 144]);
      for (const [name, tensor] of Object.entries(tensors)) {
        if (!(tensor instanceof io.QuantizedTensor)) continue;
        equal(await tensor.dequantize().tolist(), await numbers[name].tolist(), name);
        const rows = lanthorn.tensor([1, 0], { dtype: 'int32' });
        equal(await tensor.rows(rows).tolist(), (await numbers[name].tolist()).toReversed(), name);
      }
      const kept = await io.load(`${files}/${way}/quantized.gguf`, { dequantize: false });
      equal(Object.keys(kept), Object.keys(tensors));
    }
    await leavesNothing(lanthorn, () => refuses(() => io.loadGguf(new TextEncoder().encode('GGUF and no more')), 'file', /GGUF/));
    await leavesNothing(lanthorn, () => refuses(() => io.load(`${files}/file/quantized.gguf`, { names: ['Q4_K'] }), 'argument', /by names/));
    await refuses(() => new io.QuantizedTensor(lanthorn.zeros(2, 17, { dtype: 'uint8' }), 'q4_0'), 'shape', /whole blocks of 18 bytes/);
    await refuses(() => new io.QuantizedTensor(lanthorn.zeros(2, 18), 'q4_0'), 'dtype', /uint8/);
    await refuses(() => new io.QuantizedTensor(lanthorn.zeros(2, 18, { dtype: 'uint8' }), 'q9'), 'argument', /there are q4_0/);
  },

  'products read blocks as they read numbers': async ({ io, files, lanthorn }) => {
    const [numbers, { tensors }] = [await io.load(`${files}/file/quantized.gguf`), await io.loadGguf(`${files}/file/quantized.gguf`)];
    const blocks = Object.entries(tensors).filter(([, tensor]) => tensor instanceof io.QuantizedTensor);
    ok(blocks.length >= 10, `${blocks.length} formats`);
    for (const [name, tensor] of blocks) {
      const width = tensor.shape.at(-1);
      // One row has a separate kernel, which rounds it to 16 bits.
      for (const rows of [1, 3]) {
        const x = lanthorn.tensor(noise(rows * width), { shape: [rows, width] });
        const product = (matrix) => lanthorn.nn.functional.linear(x, matrix).data();
        const [found, expected] = [await product(tensor.dequantize()), await product(numbers[name])];
        const most = Math.max(...(await numbers[name].abs().data()));
        close(Array.from(found), Array.from(expected), { absolute: 3e-5 * most * width ** 0.5, relative: 1e-4 }, `${name}, ${rows}`);
      }
    }
  },

  'progress is told': async ({ io, files }) => {
    for (const way of ['file', 'plain']) {
      const told = [];
      await io.load(`${files}/${way}/large.safetensors`, { onProgress: (progress) => told.push(progress) });
      ok(told.length > 1);
      ok(told.every(({ loaded }, index) => index === 0 || loaded > told[index - 1].loaded), 'it only grows');
      equal(told.at(-1).loaded, told.at(-1).total);
    }
    const told = [];
    await io.load(`${files}/chunked/resnet.safetensors`, { onProgress: (progress) => told.push(progress) });
    equal(told.at(-1).total, undefined);
  },

  'some tensors of a file': async ({ io, files, sent }) => {
    await sent();
    const state = await io.load(`${files}/file/large.safetensors`, { names: ['last'] });
    equal(Object.keys(state), ['last']);
    equal(await state.last.tolist(), [1, 2, 3, 4]);
    ok((await sent()) < 100_000, 'the rest is not fetched');
    equal(await (await io.load(`${files}/plain/large.safetensors`, { names: ['last'] })).last.tolist(), [1, 2, 3, 4]);
    await refuses(() => io.load(`${files}/file/large.safetensors`, { names: ['lost'] }), 'argument', /no tensor lost/);
  },

  'a model in several files': async ({ io, files }) => {
    const state = await io.load(`${files}/file/model.safetensors.index.json`);
    equal([await state.a.item(), await state.b.item()], [1, 2]);
    await refuses(() => io.load(`${files}/file/wrong.safetensors.index.json`), 'argument', /no tensor c/);
  },

  'what a network does is refused, and leaves nothing': async ({ lanthorn, io, files }) => {
    const cases = [
      ['file/absent.pt', /404/],
      ['failing/gpt.pt', /500/],
      ['file/empty', /416/],
      ['truncated/gpt.pt', /./],
      ['truncated/resnet.safetensors', /./],
      ['truncated/large.safetensors', /./],
      ['short/gpt.pt', /truncated/],
      ['short/resnet.safetensors', /its header tells of/],
      ['changing/large.safetensors', /changed while it was read/],
      ['file/refused.pt', /pathlib\.PurePosixPath/],
      ['file/objects.npy', /"\|O"/],
      ['file/manifest.json', /./],
    ];
    for (const [path, reason] of cases) {
      await leavesNothing(lanthorn, () => refuses(() => io.load(`${files}/${path}`), 'file', reason));
    }
    await leavesNothing(lanthorn, () => refuses(() => io.load('http://127.0.0.1:9/absent'), 'file', /./));
  },

  'an abort ends loading, and leaves nothing': async ({ lanthorn, io, files }) => {
    const isAbort = async (loading) => {
      const error = await loading.then(() => undefined, (error) => error);
      equal(error?.name, 'AbortError');
    };
    await leavesNothing(lanthorn, async () => {
      await isAbort(io.load(`${files}/file/gpt.pt`, { signal: AbortSignal.abort() }));
      for (const name of ['gpt.pt', 'large.safetensors']) {
        const controller = new AbortController();
        const loading = io.load(`${files}/stalled/${name}`, { signal: controller.signal, onProgress: () => setTimeout(() => controller.abort(), 50) });
        await isAbort(loading);
      }
      const reason = new Error('enough');
      const controller = new AbortController();
      const loading = io.load(`${files}/stalled/gpt.pt`, { signal: controller.signal, onProgress: () => controller.abort(reason) });
      equal(await loading.catch((error) => error === reason), true);
    });
  },

  'what is saved is loaded again, from a blob, a file and bytes': async ({ lanthorn, io }) => {
    const { tensor } = lanthorn;
    const state = {
      weight: tensor([[1, 2.5], [-3, 0]]), flags: tensor([true, false]), ints: tensor([1, -2], { dtype: 'int32' }),
      half: tensor([0.5, 65504], { dtype: 'float16' }), ['__proto__']: tensor(1), 'größe': tensor([]),
    };
    for (const format of ['safetensors', 'npz', 'pt']) {
      const blob = await io.save(state, { format });
      await equalStates(state, await io.load(blob));
      await equalStates(state, await io.load(new File([blob], 'state')));
      await equalStates(state, await io.load(await blob.arrayBuffer()));
      await equalStates(state, await io.load(new Uint8Array(await blob.arrayBuffer())));
    }
    equal(await (await io.load(await io.save(state.weight, { format: 'npy' }))).tolist(), [[1, 2.5], [-3, 0]]);
    const checkpoint = { model: state, epoch: 3, rate: 0.1, big: 2n ** 60n, none: null, list: [1, [true, 'x']], map: new Map([[0, { step: 2 }]]) };
    const loaded = await io.load(await io.save(checkpoint));
    await equalStates(state, loaded.model);
    equal([loaded.epoch, loaded.rate, loaded.big === 2n ** 60n, loaded.none, loaded.list, loaded.map.get(0)], [3, 0.1, true, null, [1, [true, 'x']], { step: 2 }]);
  },

  'what is saved is what was there at the call': async ({ lanthorn, io }) => {
    const x = lanthorn.tensor([1, 2]);
    const saving = io.save({ x });
    x.mul_(10);
    equal(await (await io.load(await saving)).x.tolist(), [1, 2]);
  },

  'what cannot be saved or loaded is named': async ({ lanthorn, io }) => {
    const x = lanthorn.tensor([1]);
    await refuses(() => io.save({ x: () => 1 }, { format: 'pt' }), 'argument', /no file holds/);
    await refuses(() => io.save({ x: new Date() }), 'argument', /cannot write/);
    await refuses(() => io.save({ x, step: 1 }, { format: 'safetensors' }), 'argument', /tensors by name/);
    await refuses(() => io.save({ x }, { format: 'npy' }), 'argument', /one tensor/);
    await refuses(() => io.save({ x }, { format: 'zip' }), 'argument', /there is no format "zip"/);
    const circle = {};
    circle.circle = circle;
    await refuses(() => io.save(circle), 'argument', /contain themselves/);
    await refuses(() => io.load(7), 'argument', /an address, a File, a Blob or bytes/);
    await refuses(() => io.load(new Uint8Array(100)), 'file', /none of safetensors/);
    await refuses(() => io.load(new Uint8Array()), 'file', /./);
    const disposed = lanthorn.tensor([1]);
    disposed.dispose();
    await refuses(() => io.save({ disposed }), 'disposed', /./);
  },

  'files of the page stay, are listed, replaced and removed': async ({ lanthorn, io }) => {
    const { opfs } = io;
    const net = new lanthorn.nn.Linear(3, 2);
    await opfs.save('net.pt', { model: net.stateDict(), epoch: 1 });
    await opfs.save('net.pt', { model: net.stateDict(), epoch: 2 });
    await opfs.save('net.safetensors', net.stateDict());
    equal((await opfs.list()).map(({ name }) => name), ['net.pt', 'net.safetensors']);
    ok((await opfs.list()).every(({ size }) => size > 32));
    const other = new lanthorn.nn.Linear(3, 2);
    const checkpoint = await opfs.load('net.pt');
    other.loadStateDict(checkpoint.model);
    equal(checkpoint.epoch, 2);
    await equalStates(net.stateDict(), other.stateDict());
    await refuses(() => opfs.load('absent.pt'), 'file', /absent\.pt/);
    await refuses(() => opfs.save('net.txt', net.stateDict()), 'argument', /end the name in/);
    await refuses(() => opfs.save('a/b.pt', net.stateDict()), 'file', /a\/b\.pt/);
    for (const { name } of await opfs.list()) await opfs.remove(name);
    equal(await opfs.list(), []);
    await refuses(() => opfs.remove('net.pt'), 'file', /net\.pt/);
  },

  'a file that is saved and loaded at once is whole': async ({ lanthorn, io }) => {
    const { opfs } = io;
    const save = (value) => opfs.save('both.safetensors', { x: lanthorn.full([1 << 20], value) });
    const load = async () => {
      const { x } = await opfs.load('both.safetensors');
      equal(await x.min().item(), await x.max().item());
    };
    await save(0.5);
    await Promise.all(Array.from({ length: 16 }, (_, index) => (index % 2 ? load() : save(index + 0.5))));
    await opfs.remove('both.safetensors');
  },

  'a blob and a file are read to their ends while garbage is collected': async ({ lanthorn, io }) => {
    const { opfs } = io;
    const state = { x: lanthorn.full([1 << 20], 0.5) };
    const blob = await io.save(state);
    await opfs.save('collected.safetensors', state);
    const { load } = io;
    for (const read of [() => load(blob), () => opfs.load('collected.safetensors')]) {
      let loaded;
      const reading = read().then((state) => { loaded = state; });
      const limit = performance.now() + 10_000;
      while (!loaded && performance.now() < limit) {
        await globalThis.gc();
        await new Promise((resolve) => { setTimeout(resolve); });
      }
      ok(loaded, 'the read ends');
      await reading;
      equal(await loaded.x.sum().item(), 1 << 19);
    }
    await opfs.remove('collected.safetensors');
  },
};
