// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The names of the functions that make configurations. */
export type ConfigName = 'Int4WeightOnly' | 'Int8WeightOnly' | 'Int8DynamicActivationInt8Weight' | 'BlockWeightOnly';

/** The formats of GGUF that weights can be written in; see `dequantize` of the package. */
export type BlockFormat = 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0';

/** Whether the range is symmetric around 0. */
export type QScheme = 'per_tensor_affine' | 'per_tensor_symmetric' | 'per_channel_affine' | 'per_channel_symmetric';

/** The names of the tensors of a quantized weight, in the core's order. */
export const PACKED_NAMES = ['qdata', 'scale', 'zero_point'] as const;
