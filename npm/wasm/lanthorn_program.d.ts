/* tslint:disable */
/* eslint-disable */

export class ExportedHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    call(inputs: Array<any>, signal?: any | null, grad_enabled?: boolean | null): any;
    explain(): Array<any>;
    graph(): string;
    inputs(): string[];
    json(): string;
    static load(file: Uint8Array | number[], host: any): ExportedHandle;
    metadata(): Array<any>;
    outputs(): string[];
    parameters(): string[];
    save(tensors: Array<any>): Uint8Array;
    setPlanned(planned: boolean): void;
    setState(index: number, handle: number): void;
    state(): Array<any>;
}

export class Exporter {
    free(): void;
    [Symbol.dispose](): void;
    addTrace(words: Float64Array | number[], strings: string[], values: Array<any>, handles: Uint32Array | number[], ids: Uint32Array | number[]): void;
    build(state: Array<any>, argument_names: string[]): Uint32Array;
    finish(tensors: Array<any>): ExportedHandle;
    isExported(op: number | null | undefined, in_place: boolean, words: Float64Array | number[], strings: string[], shapes: Float64Array | number[]): boolean;
    constructor(host: any, dims: Array<any>);
    sizes(): Array<any>;
}

export class ModuleHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    call(method: string, inputs: Array<any>, signal?: any | null): any;
    className(): string;
    handles(): Uint32Array;
    static load(file: Uint8Array | number[], host: any, steps?: number | null): ModuleHandle;
    methods(): string[];
    missing(): string[];
    parameters(method: string): string[];
    setState(index: number, handle: number): void;
    state(): Array<any>;
    train(mode: boolean): void;
}

export class ScriptHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    call(name: string, inputs: Array<any>, signal?: any | null): any;
    static compile(source: string, host: any, steps?: number | null): ScriptHandle;
    functions(): string[];
}

export function detect(file: Uint8Array | number[]): string;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
