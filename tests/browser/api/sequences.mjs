/**
 * Modules whose forward takes and returns more than one tensor: recurrent layers, attention,
 * transformers, embedding bags.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'a recurrent layer gives its output and its last states': async ({ nn, randn, zeros }) => {
    const x = randn(5, 2, 3);
    const lstm = new nn.LSTM(3, 4, { numLayers: 2, bidirectional: true });
    const [output, [h, c]] = lstm.call(x);
    equal([output.shape, h.shape, c.shape], [[5, 2, 8], [4, 2, 4], [4, 2, 4]]);
    ok(Object.keys(lstm.stateDict()).includes('weight_ih_l1_reverse'), 'parameters have the names of PyTorch');
    close(await lstm.call(x, [zeros(4, 2, 4), zeros(4, 2, 4)]).output.data(), await output.data());
    const gru = new nn.GRU(3, 4, { batchFirst: true });
    const { output: all, hN } = gru.call(randn(2, 5, 3));
    equal([all.shape, hN.shape], [[2, 5, 4], [1, 2, 4]]);
    const [next, state] = new nn.LSTMCell(3, 4).call(randn(2, 3));
    equal([next.shape, state.shape], [[2, 4], [2, 4]]);
    await refuses(() => lstm.call(x, [zeros(4, 2, 4)]), 'argument', /hx/);
    await refuses(() => gru.call(randn(2, 5, 7)), 'shape', /inputSize/);
  },

  'gradients reach the parameters of a recurrent layer': async ({ nn, randn }) => {
    const gru = new nn.GRU(3, 4);
    gru.call(randn(5, 2, 3)).hN.sum().backward();
    for (const [name, parameter] of gru.namedParameters()) ok((await parameter.grad.abs().sum().item()) > 0, name);
  },

  'attention gives weights, or null': async ({ nn, randn }) => {
    const attention = new nn.MultiheadAttention(8, 2, { batchFirst: true });
    const x = randn(3, 5, 8);
    const [output, weights] = attention.call(x, x, x);
    equal([output.shape, weights.shape], [[3, 5, 8], [3, 5, 5]]);
    const [same, none] = attention.call(x, x, x, { needWeights: false });
    equal(none, null);
    close(await same.data(), await output.data());
    const mask = nn.Transformer.generateSquareSubsequentMask(5);
    const causal = attention.call(x, x, x, { attnMask: mask, averageAttnWeights: false }).weights;
    equal(causal.shape, [3, 2, 5, 5]);
    close(await causal.triu(1).sum().item(), 0);
  },

  'a transformer is made of layers, which are arguments of stacks': async ({ nn, randn }) => {
    const layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, dropout: 0, batchFirst: true, activation: 'gelu' });
    const encoder = new nn.TransformerEncoder(layer, 2, { norm: new nn.LayerNorm(8) });
    equal(encoder.call(randn(3, 5, 8)).shape, [3, 5, 8]);
    const names = Object.keys(encoder.stateDict());
    ok(names.includes('layers.1.self_attn.out_proj.bias') && names.includes('norm.weight'), names.join(' '));
    const net = new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 16 });
    equal(net.call(randn(5, 2, 8), randn(3, 2, 8)).shape, [3, 2, 8]);
    await refuses(() => new nn.TransformerEncoder(new nn.Linear(2, 2), 1), 'argument', /encoderLayer/);
  },

  'tables are made of rows that were trained before': async ({ nn, tensor }) => {
    const rows = tensor([[1, 2], [3, 4], [5, 6]]);
    const table = nn.Embedding.fromPretrained(rows);
    equal(await table.call(tensor([2, 0], { dtype: 'int32' })).tolist(), [[5, 6], [1, 2]]);
    ok(!table.parameters()[0].requiresGrad, 'it is frozen');
    const bags = nn.EmbeddingBag.fromPretrained(rows, false, { mode: 'sum' });
    equal(await bags.call(tensor([0, 1, 2], { dtype: 'int32' }), tensor([0, 2], { dtype: 'int32' })).tolist(), [[4, 6], [5, 6]]);
    await refuses(() => new nn.Embedding(3, 2, { sparse: true }), 'argument', /sparse/);
  },

  'sequences are filled up to the longest': async ({ nn, ones }) => {
    const padded = nn.utils.rnn.padSequence([ones(3), ones(1)], { batchFirst: true, paddingValue: -1 });
    equal(await padded.tolist(), [[1, 1, 1], [1, -1, -1]]);
  },
};
