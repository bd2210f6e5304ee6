/**
 * Programs: files of `torch.export.save` and `torch.jit.save`, TorchScript, and models of ONNX.
 *
 * `import { jit, load } from 'lanthorn/program'`. The readers and interpreters are separate
 * WebAssembly modules, one for PyTorch's archives and one for ONNX, each fetched at its first use.
 */
export type { Source } from '../io/source.js';
export { ExportedProgram, GraphProgram, OnnxModel, Program, ScriptModule, type ProgramValue } from './classes.js';
export { Dim, exportProgram, trace, type DynamicShapes, type ExportOptions } from './export.js';
export type { Feed } from './feed.js';
export type { GraphJson, GraphModule, GraphNode, GraphOperand, GraphSymbol, GraphValue, ProgramJson } from './json.js';
export { jit, load, type LoadedProgram, type LoadProgramOptions, type ScriptOptions } from './load.js';
export {
  initOnnx, initOnnxWriter, initProgram, type InitOnnxOptions, type InitOnnxWriterOptions, type InitProgramOptions,
} from './module.js';
export { exportOnnx, type ExternalData } from './onnx.js';
export { withSignal } from './signal.js';
