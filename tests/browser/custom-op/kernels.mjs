/**
 * Kernels of users: they run, their failures affect only their own results, and the device stays
 * usable.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const like = (x) => x;

/**
 * An operation with the same kernel on both devices: `wgsl` is a body, `cpu` a function of typed
 * arrays.
 */
const kernel = ({ library }, name, cpu, wgsl, more = {}) => library.customOp(`kern::${name}(Tensor x) -> Tensor`, { fake: like, cpu, wgsl, ...more });

const double = ({ x, out }) => x.data.forEach((value, i) => { out.data[i] = 2 * value; });

export const cases = {
  'values, after other operations and before them': async (lanthorn) => {
    const { tensor } = lanthorn;
    const twice = kernel(lanthorn, 'twice', double, 'set_out(i, 2.0 * x(i));');
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    equal(await twice(x.T.add(1)).sub(1).tolist(), [[3, 9], [5, 11], [7, 13]]);
    equal(await twice(twice(x)).data(), [4, 8, 12, 16, 20, 24]);
    equal(await twice(tensor(new Float32Array(0), { shape: [0, 3] })).data(), []);
  },

  'numbers, lists, sizes, optional tensors and several results': async ({ library, tensor }) => {
    const op = library.customOp('kern::many(Tensor x, Tensor? bias, float scale, int[] add, bool negate=False) -> (Tensor a, Tensor rows)', {
      fake: (x) => [x, { shape: [x.shape[0]], dtype: 'int32' }],
      cpu: ({ x, bias, scale, add, negate, a, rows }) => {
        x.data.forEach((value, i) => { a.data[i] = (negate ? -1 : 1) * value * scale + add[1] + (bias ? bias.data[0] : 0); });
        rows.data.fill(x.shape[1]);
      },
      wgsl: `a_value(i);
if (i < rows_numel()) { set_rows(i, i32(x_size(1u))); }`.replace('a_value(i);', `var v = x(i) * scale;
if (negate) { v = -v; }
v += f32(add(1u));
if (bias_given) { v += bias(0u); }
set_a(i, v);`),
    });
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    const { a, rows } = op(x, null, 2, [7, 10]);
    equal([await a.data(), await rows.data(), rows.dtype], [[12, 14, 16, 18, 20, 22], [3, 3], 'int32']);
    const [other] = op(x, tensor([100]), 1, [0, 0], { negate: true });
    equal(await other.data(), [99, 98, 97, 96, 95, 94]);
  },

  'half types are float32 in a kernel, and are rounded': async (lanthorn) => {
    const third = kernel(lanthorn, 'third', ({ x, out }) => x.data.forEach((value, i) => { out.data[i] = value / 3; }), 'set_out(i, x(i) / 3.0);');
    const y = third(lanthorn.tensor([1, 2], { dtype: 'float16' }));
    equal(y.dtype, 'float16');
    close(await y.data(), [0.333251953125, 0.66650390625], { absolute: 0, relative: 0 });
  },

  'a derivative, and none': async (lanthorn) => {
    const { tensor } = lanthorn;
    const own = kernel(lanthorn, 'own', double, 'set_out(i, 2.0 * x(i));', { backward: (ctx, grad) => grad.mul(2) });
    const x = tensor([1, 2], { requiresGrad: true });
    own(x).sum().backward();
    equal(await x.grad.data(), [2, 2]);
    const none = kernel(lanthorn, 'none', double, 'set_out(i, 2.0 * x(i));');
    await refuses(() => none(x).sum().backward(), 'autograd', /^kern::none: /, /no derivative/);
  },

  'an unknown type, another number of results, and a fake function that throws': async ({ library, tensor }) => {
    const x = tensor([1]);
    const withFake = (name, fake) => library.customOp(`kern::${name}(Tensor x) -> Tensor`, { fake, cpu: double, wgsl: 'set_out(i, x(i));' });
    await refuses(() => withFake('odd_type', ({ shape }) => ({ shape, dtype: 'float99' }))(x), 'dtype', /float99/);
    await refuses(() => withFake('two', (y) => [y, y])(x), 'argument', /^kern::two: /, /2 results/);
    await refuses(() => withFake('no_shape', () => ({ dtype: 'float32' }))(x), 'argument', /^kern::no_shape: /, /shape/);
    await refuses(() => withFake('minus', () => ({ dtype: 'float32', shape: [-1] }))(x), 'shape', /-1/);
    await refuses(() => withFake('later', async (y) => y)(x), 'argument', /async/);
    const exception = { mine: true };
    const throws = withFake('throws', () => { throw exception; });
    let caught;
    try {
      throws(x);
    } catch (error) {
      caught = error;
    }
    ok(caught === exception, 'the exception itself');
    await refuses(() => library.customOp('kern::bare(Tensor x) -> Tensor', { cpu: double, wgsl: '' }), 'argument', /fake/);
  },

  'WGSL that reads and writes out of bounds leaves its neighbours alone': async ({ library, tensor, zeros }, device) => {
    const before = zeros(64).add(1);
    const after = zeros(64).add(2);
    await Promise.all([before.data(), after.data()]);
    const wild = library.customOp('kern::wild(Tensor x) -> Tensor', {
      fake: like,
      cpu: ({ x, out }) => { for (let i = -64; i < 4096; i += 1) out.data[i] = (x.data[i] ?? 0) + 1; },
      wgsl: `set_out(i, x(i) + 1.0);
set_out(i + 1000u, x(i + 100000u) + 99.0);
set_out(0xffffffffu - i, 99.0);`,
    });
    const y = wild(tensor([1, 2, 3]));
    equal(await y.data(), [2, 3, 4], device);
    equal([await before.data(), await after.data()], [Array(64).fill(1), Array(64).fill(2)]);
  },

  'a closure that throws is the error of what depends on it': async (lanthorn, device) => {
    if (device !== 'cpu') return;
    const { tensor } = lanthorn;
    const thrower = kernel(lanthorn, 'thrower', () => { throw new RangeError('beyond me'); }, '');
    const x = tensor([1, 2]);
    const [fine, bad] = [x.mul(3), thrower(x)];
    const depends = bad.add(1);
    await refuses(() => bad.data(), 'kernel', /^kern::thrower: /, /RangeError: beyond me/);
    await refuses(() => depends.data(), 'kernel', /beyond me/);
    equal(await fine.data(), [3, 6]);
    const waits = kernel(lanthorn, 'waits', async () => {}, '');
    await refuses(() => waits(x).data(), 'kernel', /async/);
  },

  'a closure that calls back into the library': async (lanthorn, device) => {
    if (device !== 'cpu') return;
    const { tensor } = lanthorn;
    const x = tensor([1, 2]);
    let inside;
    const calls = kernel(lanthorn, 'calls', ({ x: given, out }) => {
      try {
        inside = tensor([5]).add(1).dataSync()[0];
      } catch (error) {
        inside = error.kind;
      }
      double({ x: given, out });
    }, '');
    equal(await calls(x).data(), [2, 4]);
    ok(inside === 6 || typeof inside === 'string', `inside: ${String(inside)}`);
    const lets = kernel(lanthorn, 'lets', () => tensor([5]).matmul(3), '');
    await refuses(() => lets(x).data(), 'kernel', /^kern::lets: /);
  },

  'WGSL that does not compile points into the text of its author': async (lanthorn, device) => {
    if (device !== 'webgpu') return;
    const { tensor } = lanthorn;
    const broken = kernel(lanthorn, 'broken', double, 'let y = x(i);\nset_out(i, y + nothing);');
    const x = tensor([1, 2]);
    const [fine, bad] = [x.mul(3), broken(x)];
    const error = await refuses(() => bad.data(), 'kernel', /^kern::broken: /, /line 2, column 16/, /nothing/);
    const lines = error.message.split('\n');
    equal(lines[2]?.indexOf('^'), lines[1]?.indexOf('nothing'), error.message);
    equal(await fine.data(), [3, 6]);
  },

  'a device without a kernel takes the fallback, or says what is missing': async ({ library, tensor }, device) => {
    const x = tensor([1, 2]);
    const other = device === 'cpu' ? { wgsl: 'set_out(i, x(i));' } : { cpu: double };
    const falls = library.customOp('kern::falls(Tensor x) -> Tensor', { ...other, fake: like, fallback: (y) => y.mul(7) });
    equal(await falls(x).data(), [7, 14]);
    const lacks = library.customOp('kern::lacks(Tensor x) -> Tensor', { ...other, fake: like });
    await refuses(() => lacks(x), 'kernel', /^kern::lacks: /, /no kernel/);
  },

  'a whole module, threads, and declarations': async ({ library, tensor }, device) => {
    if (device !== 'webgpu') return;
    const x = tensor([1, 2, 3, 4]);
    const pairs = library.customOp('kern::pairs(Tensor x) -> Tensor', {
      fake: like,
      wgsl: { declarations: 'const STEP = 2u;', body: 'set_out(STEP * i, x(STEP * i + 1u));\nset_out(STEP * i + 1u, x(STEP * i));', threads: (y) => y.numel / 2 },
    });
    equal(await pairs(x).data(), [2, 1, 4, 3]);
    const module = library.customOp('kern::module(Tensor x) -> Tensor', {
      fake: like,
      wgsl: {
        module: `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) at: vec3<u32>) { out[at.x] = x[at.x] * 5.0; }`,
        workgroups: (y) => [Math.ceil(y.numel / 4), 1],
      },
    });
    equal(await module(x).data(), [5, 10, 15, 20]);
    await refuses(() => library.customOp('kern::both(Tensor x) -> Tensor', { fake: like, wgsl: { module: '', body: '' } }), 'argument', /wgsl/);
  },
};
