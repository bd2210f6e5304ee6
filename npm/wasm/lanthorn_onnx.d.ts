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
    metadata(): Array<any>;
    outputs(): string[];
    parameters(): string[];
    setPlanned(planned: boolean): void;
    setState(index: number, handle: number): void;
    state(): Array<any>;
}

export class OnnxLoader {
    free(): void;
    [Symbol.dispose](): void;
    begin(index: number): void;
    bytes(bytes: Uint8Array | number[]): void;
    end(): void;
    finishFile(): Array<any>;
    constructor(host: any);
    program(): ExportedHandle;
    push(bytes: Uint8Array | number[]): void;
    skeleton(): Uint8Array;
}

export function foreign(start: Uint8Array | number[]): string | undefined;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
