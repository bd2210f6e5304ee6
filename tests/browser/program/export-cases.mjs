/** Cases of exported programs. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const classifier = ({ nn }) => class extends nn.Module {
  constructor() {
    super();
    this.conv = new nn.Conv2d(1, 4, 3, { padding: 1 });
    this.norm = new nn.BatchNorm2d(4);
    this.pool = new nn.MaxPool2d(2);
    this.head = new nn.Linear(4 * 4 * 4, 3);
  }

  forward(image) {
    const x = this.pool.call(this.norm.call(this.conv.call(image)).relu());
    return { scores: this.head.call(x.reshape([x.shape[0], -1])), features: [x.mean([2, 3])] };
  }
};

export const exportCases = {
  'a module is exported, called with other sizes, saved and loaded': async ({ lanthorn, program }) => {
    lanthorn.manualSeed(3);
    const net = new (classifier(lanthorn))().eval();
    const exported = await program.exportProgram(net, [lanthorn.randn([2, 1, 8, 8])], {
      dynamicShapes: [{ 0: program.Dim('batch', { max: 16 }) }],
    });
    ok(/aten\.batch_norm\.default\(%conv2d, %p_norm_weight/.test(String(exported)), String(exported));
    ok(/aten\.sym_size\.int\(%image, 0\)/.test(String(exported)), String(exported));
    const { inputs, outputs, state } = exported.toJSON();
    equal([inputs, outputs, state.p_head_bias], [['image'], ['scores', 'features.0'], 'head.bias']);
    const other = lanthorn.randn([5, 1, 8, 8]);
    const values = async (result) => [await result.scores.tolist(), await result.features[0].tolist()];
    const expected = await values(net.call(other));
    equal(await values(exported.call(other)), expected);
    await refuses(() => exported.call(lanthorn.randn([17, 1, 8, 8])), 'argument', /dimension 0 is 17, the program takes 2 to 16/);
    // The current parameters are saved.
    lanthorn.noGrad(() => exported.parameters()[0].mul_(2));
    const again = await program.load(await exported.save());
    equal(await values(again.call(other)), await values(exported.call(other)));
    ok(JSON.stringify(await values(again.call(other))) !== JSON.stringify(expected), 'a parameter was changed');
    equal(Object.keys(again.stateDict()).sort(), Object.keys(net.stateDict()).sort());
    const compiled = lanthorn.compile(again);
    for (let i = 0; i < 3; i += 1) equal(await values(compiled(other)), await values(again.call(other)));
    for (const each of [exported, again]) each.dispose();
    await refuses(() => exported.save(), 'disposed', /used after dispose/);
  },

  'modules of the package and compiled functions are exported as their operations': async ({ lanthorn, program }) => {
    const { compile, nn, randn } = lanthorn;
    const layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true }).eval();
    const gelu = compile((x) => x.gelu());
    gelu(randn([2, 3, 8]));
    const traced = await program.trace((x, scale) => gelu(layer.call(x)).mul(scale), [randn([2, 3, 8]), 0.5], {
      dynamicShapes: [{ 0: 'batch', 1: 'length' }],
    });
    const text = String(traced);
    ok(/scaled_dot_product_attention/.test(text) && /aten\.gelu/.test(text) && /%x, %scale\)/.test(text), text);
    const x = randn([3, 7, 8]);
    close(await traced.call(x, 0.5).tolist(), await layer.call(x).gelu().mul(0.5).tolist(), { absolute: 1e-6 });
    await refuses(() => traced.call(x, 2), 'argument', /scale/);
    traced.dispose();
  },

  'writes in place are part of a program': async ({ lanthorn, program }) => {
    const { nn, noGrad, randn, tensor } = lanthorn;
    const norm = new nn.BatchNorm1d(3);
    const x = randn([4, 3]);
    const exported = await program.exportProgram(norm, [x]);
    const [mean, now] = [Object.fromEntries(exported.namedBuffers()).running_mean, norm.runningMean];
    equal(await mean.tolist(), await now.tolist());
    noGrad(() => [exported.call(x), norm.call(x)]);
    equal(await mean.tolist(), await now.tolist());
    const filled = await program.trace((x) => { const y = x.mul(2); y.select(0, 0).fill_(7); y.add_(1); return y; }, [x]);
    equal(await filled.call(tensor([[1, 2, 3], [4, 5, 6], [0, 0, 0], [1, 1, 1]])).tolist(), [[8, 8, 8], [9, 11, 13], [1, 1, 1], [3, 3, 3]]);
    for (const each of [exported, filled]) each.dispose();
  },

  'what cannot be exported is refused, and leaves nothing behind': async ({ lanthorn, program }) => {
    const { randn } = lanthorn;
    const x = randn([4, 6]);
    await program.initProgram();
    const before = await settled(lanthorn.memory);
    const refusesTrace = (fn, message, dynamicShapes) => refuses(() => program.trace(fn, [x], { dynamicShapes }), 'argument', message);
    await refusesTrace(async (x) => x.relu(), /the function is async/);
    await refusesTrace((x) => x.nonzero(), /the function is async/);
    await refusesTrace((x) => x.narrow(1, (x.shape[0] * x.shape[0]) % 5, 1), /is no formula of the dynamic sizes/, [{ 0: 'batch' }]);
    await refusesTrace((x) => (x.shape[0] > 6 ? x.relu() : x.exp()), /another operation for other sizes/, [{ 0: 'batch' }]);
    await refusesTrace((x) => x.relu(), /has no dimension 2/, [{ 2: 'batch' }]);
    await refusesTrace((x) => x.relu(), /4 in one example and 6/, [{ 0: 'n', 1: 'n' }]);
    await refusesTrace((x) => x.relu(), /is a Dim or a name, not a number/, [{ 0: 3 }]);
    await refusesTrace(() => { throw new lanthorn.LanthornError('argument', 'mine', 'as it is'); }, /as it is/);
    await refuses(() => program.exportProgram((x) => x, [x]), 'argument', /takes a module/);
    await refuses(() => program.trace(3, [x]), 'argument', /function/);
    await refuses(() => program.trace((x) => x, x), 'argument', /an array of arguments/);
    equal(lanthorn.memory().tensors, before);
    const identity = await program.trace((x) => x.mul(1), [x]);
    equal(await identity.call(x).tolist(), await x.tolist());
    identity.dispose();
  },
};
