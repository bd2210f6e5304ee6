/**
 * Memory that is not there: a GPU whose n-th buffer fails, in the middle of a step. Runs in the
 * page.
 */

/**
 * Makes `window.allocation.failAt` the number of the buffer, counted from its assignment, that the
 * GPU has no memory for, as browsers report it: an invalid buffer, or an exception for one that is
 * mapped.
 */
export function failingBuffers() {
  const { createBuffer, popErrorScope } = GPUDevice.prototype;
  const state = { count: 0, failAt: 0 };
  // The error scopes of the failed call: validation, memory, and internal errors.
  let pops = 0;
  window.allocation = state;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    state.count += 1;
    if (state.count !== state.failAt) return createBuffer.call(this, descriptor);
    if (descriptor.mappedAtCreation) throw new RangeError('createBuffer failed, size is too large for the implementation');
    pops = 2;
    return createBuffer.call(this, { ...descriptor, size: 2 ** 45 });
  };
  GPUDevice.prototype.popErrorScope = function () {
    const popped = popErrorScope.call(this);
    if (pops === 0) return popped;
    pops -= 1;
    return popped.then(() => (pops === 0 ? new GPUOutOfMemoryError('there is no memory for the test') : null));
  };
}

/** A step of a network whose parameters are always the same. */
function begin({ nn, optim, tensor }) {
  const wave = (count, pace) => Float32Array.from({ length: count }, (_, index) => Math.sin(pace * (index + 1)));
  const net = new nn.Sequential(new nn.Linear(6, 16), new nn.LayerNorm(16), new nn.GELU(), new nn.Linear(16, 4));
  for (const [index, parameter] of net.parameters().entries()) {
    const values = tensor(wave(parameter.numel, 0.3 + index), { shape: [...parameter.shape] });
    parameter.requiresGrad_(false).copy_(values).requiresGrad_();
  }
  const optimizer = new optim.Adam(net.parameters(), { lr: 0.1 });
  const [x, y] = [tensor(wave(30, 2.3), { shape: [5, 6] }), tensor([0, 1, 2, 3, 0], { dtype: 'int32' })];
  const step = () => {
    const loss = net.call(x).crossEntropy(y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { net, optimizer, step };
}

/** The losses of two steps of a new training. */
export async function losses(lanthorn) {
  return lanthorn.scope(async () => {
    const { net, optimizer, step } = begin(lanthorn);
    try {
      const first = await step().item();
      const second = await step().item();
      // Of all parameters, so that a read needs every buffer.
      const sum = lanthorn.cat(net.parameters().map((parameter) => parameter.flatten())).sum();
      return [first, second, await sum.item()];
    } finally {
      optimizer.dispose();
      net.dispose();
    }
  });
}
