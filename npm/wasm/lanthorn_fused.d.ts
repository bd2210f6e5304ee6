/** The module of the fused micro-kernels, in base64. */
export declare const FUSED: string;
