//! Operators on complex tensors, which the table has as pairs along a last dimension.

/// Operators with another one for complex numbers.
pub const RENAMED: [(&str, &str); 6] = [
    ("abs", "complex_abs"),
    ("angle", "complex_angle"),
    ("conj", "complex_conj"),
    ("_conj", "complex_conj"),
    ("conj_physical", "complex_conj"),
    ("mul", "complex_mul"),
];

/// Operators that move elements. Dimensions that count from the last one have one more after them.
pub const MOVES: [&str; 15] = [
    "transpose",
    "unsqueeze",
    "squeeze",
    "select",
    "slice",
    "cat",
    "stack",
    "flatten",
    "unbind",
    "chunk",
    "split",
    "index_select",
    "view",
    "reshape",
    "expand",
];
