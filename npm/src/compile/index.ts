/** Compiled functions, as `torch.compile`. */
export { compile, type Compiled, type CompileReport } from './compile.js';
