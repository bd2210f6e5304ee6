/* tslint:disable */
/* eslint-disable */

export function aliveTensors(): Array<any>;

export function associativeScanCall(xs: Uint32Array | number[], dim: number, reverse: boolean, is_generic: boolean, run: Function): Uint32Array;

export function calculateGain(nonlinearity: string, param?: number | null): number;

export function checkShape(op: string, shape: Float64Array | number[]): number;

export function checkpointCall(inputs: Uint32Array | number[], run: Function): Uint32Array;

export function clipGradNorm(parameters: Uint32Array | number[], max_norm: number, norm_type: number): number;

export function clipGradValue(parameters: Uint32Array | number[], clip_value: number): void;

export function clipGradsWithNorm(parameters: Uint32Array | number[], max_norm: number, total_norm: number): void;

export function compiledAbort(handle: number): void;

export function compiledBreak(reason: string): void;

export function compiledDispose(handle: number): boolean;

export function compiledFinish(handle: number, results: Uint32Array | number[]): number | undefined;

export function compiledNew(has_higher_derivatives: boolean): number;

export function compiledReads(): number;

export function compiledReplay(handle: number, _arguments: Uint32Array | number[]): Uint32Array | undefined;

export function compiledReport(handle: number): Array<any>;

export function compiledStart(handle: number, _arguments: Uint32Array | number[], constants: Uint8Array | number[]): Uint32Array;

export function condCall(taken: Function, other: Function, operands: Uint32Array | number[], truth: boolean): Uint32Array;

export function deviceFlush(): void;

export function deviceLost(): string | undefined;

export function deviceStats(): object;

export function deviceSynchronize(): Promise<any>;

export function emptyCache(): void;

export function explainStart(): void;

export function explainStop(): object;

export function funcAbort(handle: number): void;

export function funcDispose(handle: number): boolean;

export function funcGradients(handle: number, value: number): Uint32Array;

export function funcLinearize(handle: number, outputs: Uint32Array | number[]): Uint32Array;

export function funcProducts(handle: number, vectors: Uint32Array | number[]): Uint32Array;

export function funcStart(op: string, primals: Uint32Array | number[]): Uint32Array;

export function funcVjp(handle: number, outputs: Uint32Array | number[]): Uint32Array;

export function functionApply(name: string, once: boolean, inputs: Uint32Array | number[], forward: Function, backward: Function): Uint32Array;

export function getTotalNorm(tensors: Uint32Array | number[], norm_type: number): number;

export function gpuBufferRelease(handle: number): void;

export function gpuDevice(): any;

export function gradOf(outputs: Uint32Array | number[], inputs: Uint32Array | number[], grads: Uint32Array | number[], retain_graph: boolean, create_graph: boolean): Uint32Array;

export function handleRelease(dtype: string, numbers: Float64Array | number[]): void;

export function histogramCount(number: number, words: Float64Array | number[], strings: string[], row: Float64Array | number[], values: Float32Array | number[]): Float64Array;

export function histogramQParams(number: number, words: Float64Array | number[], strings: string[], row: Float64Array | number[]): Uint32Array;

export function hookRemove(handle: number): void;

export function initDevice(name: string): Promise<object>;

export function initialize(number: number, words: Float64Array | number[], strings: string[]): void;

export function isGradEnabled(): boolean;

export function libraryDefine(schema: string, autocast: string, once_differentiable: boolean, parts: any): Array<any>;

export function libraryPointwise(name: string, text: string, autocast: string): Array<any>;

export function liveBytes(): number;

export function loopAbort(handle: number): void;

export function loopFinish(handle: number): Uint32Array;

export function loopNew(goes_on: Function, body: Function, carried: Uint32Array | number[]): number;

export function loopStart(handle: number): number;

export function loopStep(handle: number): number;

export function manualSeed(seed: number): void;

export function moduleCall(number: number, words: Float64Array | number[], strings: string[]): any;

export function moduleTensors(number: number, words: Float64Array | number[], strings: string[]): Array<any>;

export function multiHookRemove(handle: number): void;

export function nodeDispose(handle: number): boolean;

export function nodeName(handle: number): string;

export function nodeNext(handle: number): Uint32Array;

export function nodeVariable(handle: number): number | undefined;

export function observerObserve(number: number, words: Float64Array | number[], strings: string[], low: number, high: number, x: number): Uint32Array;

export function observerOptions(number: number, words: Float64Array | number[], strings: string[]): Array<any>;

export function observerQParams(number: number, words: Float64Array | number[], strings: string[], low: number, high: number): Uint32Array;

export function opCall(op: number, words: Float64Array | number[], strings: string[]): number;

export function opCallAny(op: number, words: Float64Array | number[], strings: string[]): any;

export function opCallInPlace(op: number, words: Float64Array | number[], strings: string[]): boolean;

export function opCallOverload(op: number, words: Float64Array | number[], strings: string[]): any;

export function opCallOverloadInPlace(op: number, words: Float64Array | number[], strings: string[]): any;

export function opCallReady(op: number, words: Float64Array | number[], strings: string[]): any;

export function opCallReadyInPlace(op: number, words: Float64Array | number[], strings: string[]): boolean;

export function opsList(): Array<any>;

export function optimizerAddGroup(handle: number, parameters: Uint32Array | number[], names: string[], values: Array<any>): void;

export function optimizerDefaults(handle: number): object;

export function optimizerDispose(handle: number): boolean;

export function optimizerGroups(handle: number): number;

export function optimizerLoadStateDict(handle: number, rows: Array<any>, groups: Array<any>): Promise<any>;

export function optimizerManual(parameters: Uint32Array | number[], names: string[], values: Array<any>): number;

export function optimizerNew(name: string, options: Array<any>, parameters: Uint32Array | number[], names: string[], values: Array<any>): number;

export function optimizerOption(handle: number, group: number, name: string): any;

export function optimizerSetOption(handle: number, group: number, name: string, value: any): void;

export function optimizerSetParameters(handle: number, group: number, parameters: Uint32Array | number[]): void;

export function optimizerStateDict(handle: number): Array<any>;

export function optimizerStep(handle: number): void;

export function optimizerStepWith(handle: number, closure: Function): Promise<any>;

export function optimizerZeroGrad(handle: number): void;

export function orthogonalNew(weight: number, map: string | null | undefined, use_trivialization: boolean): Uint32Array;

export function orthogonalValue(original: number, base: number | null | undefined, map: string): number;

export function panicForTest(): void;

export function profileStart(): void;

export function profileStop(): Promise<any>;

export function programBegin(handles: Uint32Array | number[], grad_enabled?: boolean | null): Uint32Array;

export function pruneMask(method: string, scores: number, mask: number, amount: number, is_fraction: boolean, n: number, dim: number, custom?: number | null): number;

export function quantizationCheck(op: string, layer: string, number: number, argument: number, weight: number): void;

export function quantizationPack(op: string, layer: string, number: number, argument: number, weight: number): Promise<any>;

export function quantizationRoundInput(number: number, argument: number, x: number): number;

export function quantizationRoundWeight(number: number, argument: number, weight: number): number;

export function quantizationUnpack(number: number, argument: number, tensors: Uint32Array | number[], shape: Uint32Array | number[], dtype: string): number;

export function registerMultiGradHook(handles: Uint32Array | number[], any: boolean, callback: Function): number;

export function releaseDevice(): void;

export function rngState(): BigUint64Array;

export function savedTensorsHooks(pack: Function, unpack: Function, run: Function): void;

export function scalerDispose(handle: number): boolean;

export function scalerNew(init_scale: number, growth_factor: number, backoff_factor: number, growth_interval: number, enabled: boolean): number;

export function scalerScale(handle: number, outputs: number): number;

export function scalerSetState(handle: number, scale: number, growth_tracker: number): void;

export function scalerState(handle: number): Float64Array;

export function scalerTakesStep(handle: number, optimizer: number): Promise<any>;

export function scalerUnscale(handle: number, optimizer: number): void;

export function scalerUpdate(handle: number): Promise<any>;

export function scanCall(init: Uint32Array | number[], xs: Uint32Array | number[], dim: number, reverse: boolean, length: number, run: Function): Uint32Array;

export function schedulerDispose(handle: number): boolean;

export function schedulerLastLr(handle: number): Float64Array;

export function schedulerLoadStateDict(handle: number, given: any): void;

export function schedulerNew(name: string, optimizer: number, options: Array<any>, own?: Function | null): number;

export function schedulerOfFunctions(optimizer: number, functions: Function[], chained: boolean, last_epoch: number): number;

export function schedulerOfSchedulers(handles: Uint32Array | number[], milestones?: Float64Array | number[] | null): number;

export function schedulerOwn(optimizer: number, _function: Function, last_epoch: number): number;

export function schedulerRates(handle: number): Float64Array;

export function schedulerStart(handle: number): void;

export function schedulerStateDict(handle: number): object;

export function schedulerStep(handle: number, measured?: number | null): void;

export function setAutocast(dtype?: string | null): string | undefined;

export function setDefaultDtype(name: string): void;

export function setGradEnabled(enabled: boolean): boolean;

export function setMemoryLimit(bytes: number): void;

export function setMicrokernels(functions: Function[]): number;

export function setPanicHandler(handler: Function): void;

export function setRngState(seed: bigint, offset: number): void;

export function sharedHolder(): number | undefined;

export function spectralNormNew(weight: number, iterations: number, eps: number, dim: number): Uint32Array;

export function spectralNormValue(handles: Uint32Array | number[], iterations: number, eps: number, dim: number, training: boolean): number;

export function tensorBackward(handle: number, grad: number | null | undefined, retain_graph: boolean, create_graph: boolean): void;

export function tensorCopy(handle: number, source: number): void;

export function tensorDetach(handle: number): number;

export function tensorDispose(handle: number): boolean;

export function tensorDtype(handle: number): string;

export function tensorFromBytes(dtype_name: string, bytes: Uint8Array | number[], shape: Float64Array | number[]): number;

export function tensorFromGpuBuffer(dtype_name: string, shape: Float64Array | number[], buffer: any, offset: number): number;

export function tensorFromHandle(dtype: string, numbers: Float64Array | number[]): number;

export function tensorFromNumbers(dtype_name: string, values: Float64Array | number[], shape: Float64Array | number[]): number;

export function tensorGpuBuffer(handle: number): Promise<any>;

export function tensorGrad(handle: number): number | undefined;

export function tensorGradFn(handle: number): number | undefined;

export function tensorHandle(tensor: number): Float64Array;

export function tensorIsLeaf(handle: number): boolean;

export function tensorIsShared(tensor: number): boolean;

export function tensorRead(handle: number): Promise<any>;

export function tensorReadSync(handle: number): Uint8Array;

export function tensorRegisterHook(handle: number, callback: Function): number;

export function tensorRequiresGrad(handle: number): boolean;

export function tensorRetainGrad(handle: number): void;

export function tensorSetGrad(handle: number, grad?: number | null): void;

export function tensorSetRequiresGrad(handle: number, wanted: boolean): void;

export function tensorShape(handle: number): Uint32Array;

export function tensorShare(handle: number): number;

export function tensorShareMemory(tensor: number): void;

export function tensorStorageOffset(handle: number): number;

export function tensorStride(handle: number): Int32Array;

export function traceEnd(): void;

export function traceFinish(results: Uint32Array | number[]): Array<any>;

export function traceStart(handles: Uint32Array | number[], is_exported: Function): Uint32Array;

export function traceTensor(id: number): number | undefined;

export function tuneStart(): void;

export function tuneStop(): Promise<any>;

export function tuningGet(): string;

export function tuningSet(text: string): void;

export function uploadBegin(dtype_name: string, shape: Float64Array | number[]): number;

export function uploadDispose(handle: number): void;

export function uploadFinish(handle: number): number;

export function uploadPush(handle: number, bytes: Uint8Array | number[]): void;

export function vmapEnd(handle: number): void;

export function vmapOutputs(handle: number, outputs: Uint32Array | number[], dims: Float64Array | number[]): Uint32Array;

export function vmapStart(inputs: Uint32Array | number[], dims: Float64Array | number[], randomness: number): Uint32Array;

export function weightNormNew(weight: number, dim: number): Uint32Array;

export function weightNormValue(length: number, direction: number, dim: number): number;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
