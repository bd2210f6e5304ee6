/** The element types by name, as `torch.float32`: `zeros(3, { dtype: float16 })`. */
export const float32 = 'float32';
export const float64 = 'float64';
export const float16 = 'float16';
export const bfloat16 = 'bfloat16';
export const int32 = 'int32';
export const int64 = 'int64';
export const uint8 = 'uint8';
export const bool = 'bool';

// PyTorch's other names.
export const half = float16;
export const float = float32;
export const double = float64;
export const int = int32;
export const long = int64;
