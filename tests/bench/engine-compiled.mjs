// The workloads of engine.mjs, compiled.
export { setup, compiledCases as cases } from './engine.mjs';
