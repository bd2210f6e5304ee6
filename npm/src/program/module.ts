/** The WebAssembly modules of programs, each fetched at its first use: PyTorch's archives, ONNX, and its writer. */
import startOnnx, * as onnxModule from '../../wasm/lanthorn_onnx.js';
import startWriter, * as writerModule from '../../wasm/lanthorn_onnx_writer.js';
import startProgram, * as programModule from '../../wasm/lanthorn_program.js';
import { lazyModule, type ModuleSource } from '../core/wasm-module.js';

/** The source of the module of programs. */
export type InitProgramOptions = ModuleSource;

/** The source of ONNX's module. */
export type InitOnnxOptions = ModuleSource;

/** The source of the module that writes models of ONNX. */
export type InitOnnxWriterOptions = ModuleSource;

const programs = lazyModule({
  name: 'program',
  title: 'the module of programs',
  content: 'program',
  init: 'initProgram',
  file: () => new URL('../../wasm/lanthorn_program_bg.wasm', import.meta.url),
  start: startProgram,
  exports: programModule,
});

const onnx = lazyModule({
  name: 'onnx',
  title: "ONNX's module",
  content: 'model',
  init: 'initOnnx',
  file: () => new URL('../../wasm/lanthorn_onnx_bg.wasm', import.meta.url),
  start: startOnnx,
  exports: onnxModule,
});

const writer = lazyModule({
  name: 'onnx_writer',
  title: "ONNX's writer",
  content: 'model',
  init: 'initOnnxWriter',
  file: () => new URL('../../wasm/lanthorn_onnx_writer_bg.wasm', import.meta.url),
  start: startWriter,
  exports: writerModule,
});

/**
 * Runs a call of an object of a module. A promise that it returns rejects with errors of the same
 * kind.
 */
export type CallModule = <T>(op: string, run: () => T) => T;

/** Runs a call into the module of programs. */
export const callModule = programs.call;

/** Runs a call into ONNX's module. */
export const callOnnx = onnx.call;

/** Runs a call into the module that writes models of ONNX. */
export const callWriter = writer.call;

/**
 * Loads the module of PyTorch's archives and TorchScript before its first use, or from another URL.
 *
 * @example
 * await initProgram({ wasmUrl: '/assets/lanthorn_program_bg.wasm' });
 */
export function initProgram(options: InitProgramOptions = {}): Promise<void> {
  return programs.init(options);
}

/**
 * Loads ONNX's module before its first use, or from another URL.
 *
 * @example
 * await initOnnx({ wasmUrl: '/assets/lanthorn_onnx_bg.wasm' });
 */
export function initOnnx(options: InitOnnxOptions = {}): Promise<void> {
  return onnx.init(options);
}

/**
 * Loads the module that writes models of ONNX before its first use, or from another URL.
 *
 * @example
 * await initOnnxWriter({ wasmUrl: '/assets/lanthorn_onnx_writer_bg.wasm' });
 */
export function initOnnxWriter(options: InitOnnxWriterOptions = {}): Promise<void> {
  return writer.init(options);
}
