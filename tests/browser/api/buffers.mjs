/** Buffers of WebGPU that the program shares with tensors. */
import { equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const { COPY_SRC, COPY_DST, STORAGE, MAP_READ } = globalThis.GPUBufferUsage ?? {};

/** A buffer with these bytes. */
function createFilled(device, bytes, usage = COPY_SRC) {
  const buffer = device.createBuffer({ size: bytes.byteLength, usage: usage | COPY_DST });
  device.queue.writeBuffer(buffer, 0, bytes);
  return buffer;
}

/** The bytes of a shared buffer, by commands of the program's own. */
async function bytesOf(device, { buffer, offset, size }) {
  const to = device.createBuffer({ size: Math.ceil(size / 4) * 4, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, to, 0, to.size);
  device.queue.submit([encoder.finish()]);
  await to.mapAsync(GPUMapMode.READ);
  return to.getMappedRange().slice(0, size);
}

const onWebGpu = {
  'a buffer is copied in, in the order of the queue': async ({ gpuDevice, fromGPUBuffer }) => {
    const device = gpuDevice();
    const buffer = createFilled(device, Float32Array.from({ length: 8 }, (_, index) => index));
    const x = fromGPUBuffer(buffer, { shape: [2, 3], offset: 8 });
    device.queue.writeBuffer(buffer, 0, new Float32Array(8));
    equal([x.dtype, await x.mul(2).tolist()], ['float32', [[4, 6, 8], [10, 12, 14]]]);
    const bytes = fromGPUBuffer(createFilled(device, new Uint8Array([1, 2, 3, 4])), { shape: [3], dtype: 'uint8' });
    equal(await bytes.tolist(), [1, 2, 3]);
    equal(await fromGPUBuffer(buffer, { shape: [0, 3] }).tolist(), []);
  },

  'what cannot be copied in is refused': async ({ gpuDevice, fromGPUBuffer }) => {
    const device = gpuDevice();
    const buffer = createFilled(device, new Float32Array(4));
    await refuses(() => fromGPUBuffer(buffer, { shape: [5] }), 'argument', /20 bytes from byte 0 of a buffer of 16 bytes/);
    await refuses(() => fromGPUBuffer(buffer, { shape: [1], offset: 2 }), 'argument', /whole words/);
    await refuses(() => fromGPUBuffer(buffer, { shape: [1], offset: -4 }), 'argument', /offset/);
    await refuses(() => fromGPUBuffer(buffer, { shape: [1], dtype: 'bool' }), 'dtype', /uint8/);
    await refuses(() => fromGPUBuffer(buffer, { shape: [1], dtype: 'int64' }), 'dtype', /int64/);
    await refuses(() => fromGPUBuffer(buffer, { shape: [1.5] }), 'shape', /whole number/);
    await refuses(() => fromGPUBuffer(buffer, {}), 'argument', /shape/);
    await refuses(() => fromGPUBuffer(new Float32Array(4), { shape: [4] }), 'argument', /no buffer of WebGPU/);
    await refuses(() => fromGPUBuffer(null, { shape: [4] }), 'argument', /no buffer of WebGPU/);
    await refuses(() => fromGPUBuffer(createFilled(device, new Float32Array(4), STORAGE), { shape: [4] }), 'argument', /COPY_SRC/);
  },

  'a buffer that is shared stays as it is': async ({ gpuDevice, tensor }) => {
    const device = gpuDevice();
    const x = tensor([1, 2, 3, 4]);
    const y = x.mul(10);
    const shared = await y.gpuBuffer();
    y.add_(1);
    equal(await y.tolist(), [11, 21, 31, 41]);
    y.dispose();
    for (let time = 0; time < 4; time++) await x.mul(7).tolist();
    equal([shared.size, Array.from(new Float32Array(await bytesOf(device, shared)))], [16, [10, 20, 30, 40]]);
    shared.release();
    shared.release();
  },

  'a view is shared where it can be bound, and otherwise as a copy': async ({ gpuDevice, arange }) => {
    const device = gpuDevice();
    const x = arange(128).reshape(2, 64);
    const read = async (view) => {
      const shared = await view.gpuBuffer();
      const values = Array.from(new Int32Array(await bytesOf(device, shared)));
      shared.release();
      return [shared.offset, values];
    };
    equal((await read(x.select(0, 1)))[0], 256);
    equal(await read(x.select(0, 1).narrow(0, 1, 2)), [0, [65, 66]]);
    equal(await read(x.narrow(1, 0, 2).t()), [0, [0, 64, 1, 65]]);
  },

  'a released buffer is used again, and one that is kept is not': async ({ ones, memory, scope }) => {
    await settled(memory);
    const before = memory().bytes;
    const shared = await scope(() => ones(1024).mul(2).gpuBuffer());
    ok(memory().bytes >= before + 4096, 'the program holds it');
    shared.release();
    equal(memory().bytes, before);
  },

  'the program and tensors take turns on the device': async ({ gpuDevice, fromGPUBuffer, tensor }) => {
    const device = gpuDevice();
    const module = device.createShaderModule({
      code: '@group(0) @binding(0) var<storage> x: array<f32>; @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n'
        + '@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = x[id.x] + 0.5; }',
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const result = device.createBuffer({ size: 16, usage: STORAGE | COPY_SRC });
    let x = tensor([1, 2, 3, 4]);
    for (let turn = 0; turn < 3; turn++) {
      const shared = await x.mul(2).gpuBuffer();
      const entries = [{ binding: 0, resource: shared }, { binding: 1, resource: { buffer: result } }];
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([encoder.finish()]);
      x = fromGPUBuffer(result, { shape: [4] });
      shared.release();
    }
    equal(await x.tolist(), [11.5, 19.5, 27.5, 35.5]);
  },
};

const onCpu = {
  'the CPU has no buffers to share': async ({ gpuDevice, fromGPUBuffer, tensor }) => {
    await refuses(() => gpuDevice(), 'device', /no GPUDevice/);
    await refuses(() => tensor([1]).gpuBuffer(), 'device', /no buffers to share/);
    await refuses(() => fromGPUBuffer({ size: 4, usage: 4 }, { shape: [1] }), 'device', /no buffers to share/);
  },
};

/** Each device has its own cases. */
const only = (device, cases) => Object.entries(cases).map(([name, run]) => [name, (lanthorn, on) => (on === device ? run(lanthorn) : undefined)]);

export const cases = Object.fromEntries([...only('webgpu', onWebGpu), ...only('cpu', onCpu)]);
