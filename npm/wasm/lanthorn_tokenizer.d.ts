/* tslint:disable */
/* eslint-disable */

export class StreamHandle {
    free(): void;
    [Symbol.dispose](): void;
    finish(tokenizer: TokenizerHandle): string;
    constructor(skip_special_tokens: boolean);
    push(tokenizer: TokenizerHandle, ids: Uint32Array): string;
}

export class TokenizerHandle {
    free(): void;
    [Symbol.dispose](): void;
    addedTokens(): Array<any>;
    applyChatTemplate(messages: string, template: string | null | undefined, add_generation_prompt: boolean, variables: string | null | undefined, now: Float64Array | number[]): string;
    chatTemplate(name: string): string | undefined;
    decode(ids: Uint32Array | number[], skip_special_tokens: boolean): string;
    encode(texts: string[], pairs: string[], options: Float64Array | number[]): Array<any>;
    idToToken(id: number): string | undefined;
    constructor(bytes: Uint8Array | number[], config?: Uint8Array | number[] | null);
    tokenOfRole(role: string): string | undefined;
    tokenToId(token: string): number | undefined;
    readonly vocabSize: number;
}

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
