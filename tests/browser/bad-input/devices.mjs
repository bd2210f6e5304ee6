/** Features that only one device supports, and devices that do not exist. */
import { equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'float64 is for the CPU': async ({ tensor, ones }, device) => {
    if (device === 'cpu') {
      equal(await tensor([1 / 3], { dtype: 'float64' }).data(), [1 / 3]);
      return;
    }
    await refuses(() => tensor([1], { dtype: 'float64' }), 'dtype', /^tensor: /, /float64/, /float32, or the CPU/);
    await refuses(() => ones(2).to('float64'), 'dtype', /^to: /, /float64/);
    await refuses(() => ones([2], { dtype: 'float64' }), 'dtype', /^ones: /, /float64/);
  },

  'dataSync is for the CPU': async ({ tensor }, device) => {
    const x = tensor([1, 2]).add(1);
    if (device === 'cpu') {
      equal(x.dataSync(), [2, 3]);
      return;
    }
    await refuses(() => x.dataSync(), 'device', /^dataSync: /, /await data\(\)/);
    equal(await x.data(), [2, 3]);
  },

  'a device that does not exist leaves the one in use': async ({ init, tensor }, device) => {
    const x = tensor([1]);
    await refuses(() => init({ device: 'tpu' }), 'device', /^init: /, /"tpu"/, /webgpu, cpu or auto/);
    await refuses(() => init({ device: 5 }), 'device', /^init: /);
    await refuses(() => init('cpu'), 'argument', /^init: /);
    equal(await x.data(), [1]);
    equal((await init({ device })).device, device);
    equal(await x.data(), [1], 'asking for the same device changes nothing');
  },

  'tensors of an earlier device are gone': async ({ init, tensor, nn, ones }, device) => {
    const [x, net] = [tensor([1]), new nn.Linear(1, 1)];
    const other = device === 'cpu' ? 'auto' : 'cpu';
    await init({ device: other });
    await refuses(() => x.add(1), 'disposed', /earlier init/);
    await refuses(() => net.call(ones(1, 1)), 'disposed', /earlier init/);
    x.dispose();
    equal(await ones(2).data(), [1, 1]);
    ok((await init({ device })).device === device, 'and back again');
  },
};
