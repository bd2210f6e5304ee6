/** Modules, losses, containers, and their functions. */
export { BuiltinModule } from './builtin.js';
export { ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential } from './containers.js';
export * as functional from './functional.js';
export * as init from './init.js';
export {
  buffer, Module, Parameter, parameter, type BackwardHook, type BackwardPreHook, type ForwardHook, type ForwardPreHook, type Mismatch, type ParameterOptions,
} from './module.js';
export * from '../generated/modules.js';
export {
  Embedding, EmbeddingBag, GRU, LinearCrossEntropyLoss, LSTM, MultiheadAttention, RNN, TripletMarginWithDistanceLoss, type PackedLSTMOutput,
  type PackedOutput,
} from './static.js';
export {
  Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer, type Activation,
} from './transformer.js';
export * as utils from './utils.js';
export { summary, type Summary, type SummaryRow } from './summary.js';
