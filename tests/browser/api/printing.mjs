/** Tensors and modules as text. */
import { ok } from '../lib/expect.mjs';

const same = (text, expected) => ok(text === expected, `${text}\nis not\n${expected}`);
const inspect = (value) => value[Symbol.for('nodejs.util.inspect.custom')]();

export const cases = {
  'a tensor shows its elements where they can be read at once': ({ tensor, ones, arange, zeros }, device) => {
    const x = tensor([[1, 2.5], [-3, NaN]]);
    const facts = `dtype=float32, device=${device})`;
    if (device === 'webgpu') {
      same(String(x), `Tensor(shape=[2, 2], ${facts}`);
    } else {
      same(String(x), `Tensor([[1, 2.5],\n        [-3, NaN]],\n       shape=[2, 2], ${facts}`);
      same(String(tensor([[[1], [2]], [[3], [4]]])), `Tensor([[[1],\n         [2]],\n\n        [[3],\n         [4]]],\n       shape=[2, 2, 1], ${facts}`);
      same(String(tensor(1 / 3)), `Tensor(0.33333, shape=[], ${facts}`);
      same(String(tensor([true, false])), 'Tensor([true, false], shape=[2], dtype=bool, device=cpu)');
      same(String(arange(1001)), 'Tensor([0, 1, 2, ..., 998, 999, 1000], shape=[1001], dtype=int32, device=cpu)');
      same(String(zeros(0, 3)), `Tensor([], shape=[0, 3], ${facts}`);
      same(String(zeros([2, 2], { dtype: 'float64' }).T), 'Tensor([[0, 0],\n        [0, 0]],\n       shape=[2, 2], dtype=float64, device=cpu)');
    }
    same(inspect(x), String(x));
    ok(/requiresGrad=true\)$/.test(String(ones(1).requiresGrad_())), 'a leaf');
    ok(/gradFn=mul\)$/.test(String(ones(1).requiresGrad_().mul(2))), 'a result');
    x.dispose();
    same(String(x), 'Tensor(disposed)');
  },

  'a module is a tree': ({ nn }) => {
    class Net extends nn.Module {
      layers = new nn.Sequential(new nn.Linear(2, 3, { bias: false }), new nn.ReLU());
      list = [new nn.Conv2d(1, 2, 3, { padding: [1, 1] })];
    }
    const net = new Net();
    same(String(net), `Net(
  (layers): Sequential(
    (0): Linear(inFeatures=2, outFeatures=3, bias=false)
    (1): ReLU()
  )
  (list.0): Conv2d(inChannels=1, outChannels=2, kernelSize=3, padding=[1, 1])
)`);
    same(inspect(net), String(net));
  },

  'DevTools are told to show them': ({ tensor, nn }) => {
    const formatters = window.devtoolsFormatters;
    const headerOf = (value) => formatters.map((formatter) => formatter.header(value)).find((found) => found !== null);
    const [tag, , text] = headerOf(tensor([1]));
    ok(tag === 'div' && text.startsWith('Tensor('), text);
    ok(headerOf(new nn.ReLU())[2] === 'ReLU()', 'a module');
    ok([1, null, {}, [], 'x'].every((value) => headerOf(value) === undefined), 'nothing else');
    ok(formatters.length === 1, 'once, however often a device is opened');
  },
};
