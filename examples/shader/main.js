// Each frame of a video goes through a network and to the screen without leaving the GPU: the page
// opens the device, lanthorn computes on it, and the page's own render pass draws the tensor's buffer.
import { fromPixels, init, nn, noGrad, scope, tensor } from 'lanthorn';
import { SHADER } from './shader.js';
import { drawnVideo, webcam } from './video.js';

const status = document.querySelector('#status');
const canvas = document.querySelector('canvas');

/** Edges in x and in y, and brightness: the filters of a convolution, as training would find them. */
function network() {
  const layer = new nn.Conv2d(1, 3, 3, { padding: 1, bias: false });
  const filters = [
    [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    [[0, 0, 0], [0, 0.5, 0], [0, 0, 0]],
  ];
  noGrad(() => layer.weight.copy_(tensor(filters).unsqueeze(1)));
  return new nn.Sequential(layer, new nn.Hardtanh({ minVal: -1, maxVal: 1 }));
}

try {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error('This page needs WebGPU.');
  const gpu = await adapter.requestDevice();
  await init({ gpuDevice: gpu });

  const context = canvas.getContext('webgpu');
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device: gpu, format });
  const module = gpu.createShaderModule({ code: SHADER });
  const pipeline = gpu.createRenderPipeline({ layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format }] } });
  const net = network();

  let video = await drawnVideo(canvas.width, canvas.height);
  document.querySelector('#webcam').onclick = async () => { video = await webcam(canvas.width, canvas.height); };

  /** Draws three planes of numbers from -1 to 1. */
  function draw(planes) {
    const group = gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: planes }] });
    const encoder = gpu.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    gpu.queue.submit([encoder.finish()]);
  }

  let frames = 0;
  const start = performance.now();
  const frame = async () => {
    await scope(async () => {
      const input = fromPixels(video, { mode: 'gray', dtype: 'float32' }).unsqueeze(0);
      const planes = await noGrad(() => net.call(input)).gpuBuffer();
      draw(planes);
      planes.release();
    });
    // The page goes on when the GPU has drawn, so that frames never pile up.
    await gpu.queue.onSubmittedWorkDone();
    frames += 1;
    status.textContent = `${frames} frames, ${(frames / (performance.now() - start) * 1000).toFixed(0)} a second`;
    document.documentElement.dataset.frames = frames;
    requestAnimationFrame(() => frame().catch(fail));
  };
  frame().catch(fail);
} catch (error) {
  fail(error);
}

function fail(error) {
  status.textContent = error.message;
  document.documentElement.dataset.state = 'error';
}
