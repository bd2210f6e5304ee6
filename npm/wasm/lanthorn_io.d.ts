/* tslint:disable */
/* eslint-disable */

export class ArchiveHandle {
    free(): void;
    [Symbol.dispose](): void;
    array(index: number): PartHandle;
    names(): string[];
    constructor(tail: Uint8Array | number[], length: number, wide: boolean);
    open(bytes: Uint8Array | number[]): boolean;
    order(): PartHandle | undefined;
    outline(pickle: Uint8Array | number[], order: Uint8Array | number[] | null | undefined, tensors_only: boolean): OutlineHandle;
    pickle(): PartHandle;
    starts(): Float64Array;
    readonly end: number;
    readonly start: number;
}

export class OutlineHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    left(): Array<any>;
    part(index: number): PartHandle;
    value(): any;
    readonly length: number;
}

export class PartHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    static array(length: number, wide: boolean): PartHandle;
    finish(): void;
    push(bytes: Uint8Array | number[]): Array<any>;
    regions(): Array<any>;
    remaining(): number;
    static tensor(name: string, kind: string, shape: Float64Array | number[], start: number, end: number, wide: boolean): PartHandle;
    tensors(): Array<any>;
    readonly start: number;
}

export function formatOf(start: Uint8Array | number[]): string;

export function ggufHeader(start: Uint8Array | number[], length: number, last: boolean): object | undefined;

export function headerLength(start: Uint8Array | number[]): number;

export function legacyOutline(start: Uint8Array | number[], length: number, last: boolean, tensors_only: boolean, wide: boolean): OutlineHandle | undefined;

export function parseHeader(json: Uint8Array | number[]): Array<any>;

export function parseIndex(json: Uint8Array | number[]): Array<any>;

export function tailOf(length: number): number;

export function write(value: any, format: string): Uint8Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
