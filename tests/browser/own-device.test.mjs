/** `init({ gpuDevice })`: tensors on a WebGPU device that the program has opened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPage, useBrowser } from './lib/package-page.mjs';

const opened = useBrowser({ webgpu: true });

test('computes on the device, and asks for no other', () =>
  opened.withPage(async (page) => {
    const seen = await inPage(page, async () => {
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter.requestDevice();
      const { requestDevice } = GPUAdapter.prototype;
      let asked = 0;
      GPUAdapter.prototype.requestDevice = function (...given) {
        asked += 1;
        return requestDevice.apply(this, given);
      };
      const { init, tensor, gpuDevice } = window.lanthorn;
      const info = await init({ gpuDevice: device });
      const again = await init();
      return {
        device: info.device,
        same: gpuDevice() === device && again.device === 'webgpu',
        asked,
        product: await tensor([[1, 2], [3, 4]]).matmul(tensor([[0, 1], [1, 0]])).tolist(),
        ownRequest: Object.hasOwn(navigator.gpu, 'requestAdapter'),
      };
    });
    assert.deepEqual(seen, { device: 'webgpu', same: true, asked: 0, product: [[2, 1], [4, 3]], ownRequest: false });
  }));

test('leaves the program its handler of uncaptured errors', () =>
  opened.withPage(async (page) => {
    const seen = await inPage(page, async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const messages = [];
      device.onuncapturederror = ({ error }) => messages.push(error.message);
      const own = device.onuncapturederror;
      await window.lanthorn.init({ gpuDevice: device });
      const kept = device.onuncapturederror === own;
      device.createBuffer({ size: 4, usage: 0 });
      await device.queue.onSubmittedWorkDone();
      await new Promise((resolve) => { setTimeout(resolve, 50); });
      return { kept, messages: messages.length, sum: await window.lanthorn.tensor([1, 2]).sum().item() };
    });
    assert.deepEqual(seen, { kept: true, messages: 1, sum: 3 });
  }, { expected: /usage/i }));

test('goes from device to device, and tells of what is none', () =>
  opened.withPage(async (page) => {
    const seen = await inPage(page, async () => {
      const { init, gpuDevice, tensor } = window.lanthorn;
      const open = async () => (await navigator.gpu.requestAdapter()).requestDevice();
      const [first, second] = [await open(), await open()];
      const openingError = async (options) => init(options).then(() => 'opened', (error) => `${error.kind}: ${error.message}`);
      await init({ gpuDevice: first });
      const x = tensor([1]);
      await init({ gpuDevice: second });
      const gone = await x.tolist().then(() => 'there', (error) => error.kind);
      const now = gpuDevice() === second;
      const odd = [await openingError({ gpuDevice: {} }), await openingError({ gpuDevice: second, device: 'cpu' })];
      const sum = await tensor([4]).item();
      await init({ device: 'cpu' });
      await init({ device: 'webgpu' });
      return { gone, now, odd, sum, other: gpuDevice() !== second, alive: await tensor([5]).item() };
    });
    assert.equal(seen.gone, 'disposed');
    assert.deepEqual([seen.now, seen.sum, seen.other, seen.alive], [true, 4, true, 5]);
    assert.match(seen.odd[0], /^argument: .*gpuDevice takes a GPUDevice/);
    assert.match(seen.odd[1], /^argument: .*gpuDevice is for the device webgpu/);
  }));

test('tells of the loss of the device', () =>
  opened.withPage(async (page) => {
    const kind = await inPage(page, async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const { init, ones } = window.lanthorn;
      await init({ gpuDevice: device });
      const x = ones(4);
      await x.tolist();
      device.destroy();
      return x.add(1).tolist().then(() => 'there', (error) => error.kind);
    });
    assert.equal(kind, 'device_lost');
  }));

test("a network's output is drawn by the program's render pass, without a copy", () =>
  opened.withPage(async (page) => {
    const seen = await inPage(page, async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      const { init, fromPixels, nn, manualSeed, tensor, noGrad } = window.lanthorn;
      await init({ gpuDevice: device });
      manualSeed(0);
      // An edge filter, as a network of one layer.
      const layer = new nn.Conv2d(1, 1, 3, { padding: 1, bias: false });
      noGrad(() => layer.weight.copy_(tensor([[[[0, 1, 0], [1, -4, 1], [0, 1, 0]]]])));
      const frame = new OffscreenCanvas(16, 8);
      const context = frame.getContext('2d');
      context.fillRect(0, 0, 16, 8);
      context.fillStyle = 'white';
      context.fillRect(8, 0, 8, 8);
      const module = device.createShaderModule({ code: `
        @group(0) @binding(0) var<storage> pixels: array<f32>;
        @vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
          return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
        }
        @fragment fn colour(@builtin(position) at: vec4f) -> @location(0) vec4f {
          return vec4f(vec3f(abs(pixels[u32(at.y) * 16u + u32(at.x)])), 1.0);
        }` });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, entryPoint: 'corner' },
        fragment: { module, entryPoint: 'colour', targets: [{ format: 'rgba8unorm' }] },
      });
      const target = device.createTexture({ size: [16, 8], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
      const bytes = device.createBuffer({ size: 8 * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const edges = layer.call(fromPixels(frame, { mode: 'gray', dtype: 'float32' }).unsqueeze(0));
      const shared = await edges.gpuBuffer();
      const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: shared }] });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(3);
      pass.end();
      encoder.copyTextureToBuffer({ texture: target }, { buffer: bytes, bytesPerRow: 256 }, [16, 8]);
      device.queue.submit([encoder.finish()]);
      shared.release();
      await bytes.mapAsync(GPUMapMode.READ);
      const row = new Uint8Array(bytes.getMappedRange(4 * 256, 256));
      return Array.from({ length: 16 }, (_, index) => row[4 * index]);
    });
    assert.deepEqual(seen, [0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 255]);
  }));
