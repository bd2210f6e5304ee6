"""Operators of `ai.onnx` where PyTorch's operator of the name is defined otherwise: at infinities, NaN, ties,
empty inputs and integers, and by the version of the operator set.

`contrib.py` writes these rows with ONNX Runtime's answers. Where ONNX Runtime leaves open what ONNX defines,
a row has the right value itself.
"""

import numpy as np

NAN, INF = float("nan"), float("inf")
EDGES = [NAN, INF, -INF, -0.0, 0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 30.0, -30.0]


def f32(values):
    return np.array(values, np.float32)


def i32(values):
    return np.array(values, np.int32)


def i64(values):
    return np.array(values, np.int64)


E = f32(EDGES)
PAIRS = [f32([NAN, 1, NAN, INF, -INF, -0.0, 5, -5, 5.5, -5.5]), f32([1, NAN, NAN, -INF, INF, 0.0, 3, 3, -3, -3])]

# Elementwise operators of one input, with the version of the operator set and attributes.
UNARY = [
    ("Abs", 13, {}),
    ("Ceil", 13, {}),
    ("Floor", 13, {}),
    ("Round", 11, {}),
    ("Sign", 13, {}),
    ("Relu", 14, {}),
    ("Sigmoid", 13, {}),
    ("Tanh", 13, {}),
    ("Exp", 13, {}),
    ("Log", 13, {}),
    ("Sqrt", 13, {}),
    ("Reciprocal", 13, {}),
    ("Erf", 13, {}),
    ("Softplus", 1, {}),
    ("Softsign", 1, {}),
    ("Elu", 6, {"alpha": 0.5}),
    ("Celu", 12, {"alpha": 2.0}),
    ("Selu", 6, {}),
    ("Selu", 6, {"alpha": 2.0, "gamma": 3.0}),
    ("LeakyRelu", 16, {"alpha": 0.25}),
    ("ThresholdedRelu", 10, {"alpha": 1.0}),
    ("ThresholdedRelu", 10, {"alpha": -1.0}),
    ("HardSigmoid", 6, {}),
    ("HardSigmoid", 6, {"alpha": 1 / 6, "beta": 0.5}),
    ("HardSwish", 14, {}),
    ("Mish", 18, {}),
    ("Gelu", 20, {}),
    ("Gelu", 20, {"approximate": "tanh"}),
    ("Shrink", 9, {"bias": 0.25, "lambd": 0.75}),
    ("Shrink", 9, {"bias": 0.0}),
    ("IsInf", 10, {}),
    ("IsInf", 10, {"detect_negative": 0}),
    ("IsInf", 10, {"detect_positive": 0}),
    ("IsInf", 10, {"detect_positive": 0, "detect_negative": 0}),
    ("IsNaN", 13, {}),
    ("Clip", 6, {"min": -1.0, "max": 1.0}),
    ("Clip", 6, {"max": 1.0}),
    ("Softmax", 13, {}),
    ("LogSoftmax", 13, {}),
    ("Cast", 13, {"to": 9}),
    ("Neg", 13, {}),
    ("Atan", 7, {}),
    ("Sinh", 9, {}),
    ("Acosh", 9, {}),
    ("Asin", 7, {}),
]
BINARY = [
    ("Add", 14, {}), ("Sub", 14, {}), ("Mul", 14, {}), ("Div", 14, {}), ("Pow", 15, {}),
    ("Max", 13, {}), ("Min", 13, {}), ("Mod", 13, {"fmod": 1}),
    ("Greater", 13, {}), ("GreaterOrEqual", 16, {}), ("Less", 13, {}), ("LessOrEqual", 16, {}), ("Equal", 13, {}),
    ("PRelu", 16, {}), ("Mean", 13, {}), ("Sum", 13, {}),
]
REDUCE = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]


def rows(case):
    """Passes each row to `case`, the function of `contrib.py`."""
    def row(name, op, inputs, outputs=(1,), version=17, **options):
        case(f"edge_{name}", op, inputs, list(outputs), domain="", version=version, **options)

    for index, (op, version, attributes) in enumerate(UNARY):
        row(f"{op.lower()}_{index}", op, [E], version=version, **attributes)
    for op, version, attributes in BINARY:
        row(op.lower(), op, PAIRS, version=version, **attributes)
    integers(row)
    limits(row)
    reductions(row)
    searches(row)
    others(row)


def integers(row):
    a, b = i32([7, -7, 7, -7, 0, 2**31 - 1]), i32([3, 3, -3, -3, 5, 2])
    for op in ("Div", "Mod", "Max", "Min"):
        row(f"{op.lower()}_int32", op, [a, b], version=13)
        row(f"{op.lower()}_int64", op, [a.astype(np.int64), b.astype(np.int64)], version=13)
    row("fmod_int32", "Mod", [a, b], version=13, fmod=1)
    row("mod_uint8", "Mod", [np.array([250, 7], np.uint8), np.array([7, 250], np.uint8)], version=13)
    row("div_uint8", "Div", [np.array([250, 7], np.uint8), np.array([7, 250], np.uint8)], version=14)
    row("pow_int32", "Pow", [i32([2, -3, 5, 0]), i32([10, 3, 0, 0])], version=15)
    row("pow_int_float", "Pow", [i32([2, -3, 9, 4]), f32([0.5, 3, 0.5, -1])], version=15)
    row("pow_float_int", "Pow", [f32([2, -3, 9, 0]), i64([-2, 3, 0, -1])], version=15)
    row("sign_int32", "Sign", [a], version=13)
    row("abs_int32", "Abs", [a], version=13)
    row("neg_int32", "Neg", [a[:5]], version=13)
    row("relu_int32", "Relu", [a], version=14)
    row("clip_int32", "Clip", [a, i32(-2), i32(3)], version=13)
    row("clip_int64_low", "Clip", [i64([2**40, -5]), i64(-2)], version=13)
    row("clip_uint8", "Clip", [np.array([250, 7], np.uint8), np.array(9, np.uint8)], version=13)
    row("shrink_int32", "Shrink", [a[:5]], version=9, lambd=1.5, bias=1.0)
    row("cast_to_int", "Cast", [f32([1.9, -1.9, 0.5, -0.5])], version=13, to=6)
    row("cast_to_uint8", "Cast", [i32([257, -1, 255, 3])], version=13, to=2)
    row("cast_to_int32", "Cast", [i64([2**32 + 5, -(2**32) - 5, 7])], version=13, to=6)
    row("range_int32", "Range", [i32(5), i32(-4), i32(-3)], version=11)
    row("range_float", "Range", [f32(0), f32(1), f32(0.1)], version=11)
    row("range_empty", "Range", [i64(3), i64(3), i64(1)], version=11)
    row("bit_shift", "BitShift", [np.array([255, 3], np.uint8), np.array([1, 7], np.uint8)], version=11, direction="LEFT")


def limits(row):
    row("clip_none", "Clip", [E], version=13)
    row("clip_both", "Clip", [E, f32(-1), f32(1)], version=13)
    row("clip_low", "Clip", [E, f32(-1)], version=13)
    row("clip_high", "Clip", [E, None, f32(1)], version=13)
    row("clip_crossed", "Clip", [E, f32(1), f32(-1)], version=13)
    row("where", "Where", [np.isnan(E), f32(1), E], version=16)
    x = f32([[3, 4], [0, 0], [INF, 1], [NAN, 1], [-3, -4]])
    for p in (1, 2):
        row(f"lp_norm_{p}", "LpNormalization", [x[[0, 1, 4]]], version=1, p=p, axis=-1)
    row("hardmax", "Hardmax", [f32([[1, 2, 2], [5, 5, 5]])], version=13)
    row("softmax_none", "Softmax", [f32([[-INF, -INF], [INF, 1], [1000, 1001]])], version=13)
    row("dynamic_zeros", "DynamicQuantizeLinear", [f32([0, 0, 0])], [1, 1, 1], version=11)
    row("quantize_ties", "QuantizeLinear", [f32([0.5, 1.5, -0.5, 2.5, 1000, -1000]), f32(1), np.array(0, np.int8)],
        version=13)


def reductions(row):
    x = f32([[NAN, 1, 2], [INF, 1, -INF], [-INF, -INF, -INF], [0, -0.0, 0], [3, 4, -5]])
    for name in REDUCE:
        op = f"Reduce{name}"
        last = 20 if name in ("Max", "Min") else 18
        row(f"{op}_values", op, [x], version=13 if name != "Sum" else 11, axes=[1], keepdims=0)
        # ONNX does not define the mean of nothing; it is NumPy's and PyTorch's.
        wanted = [np.full((2, 1, 3), NAN, np.float32)] if name == "Mean" else None
        row(f"{op}_empty", op, [np.zeros((2, 0, 3), np.float32), i64([1])], version=last, wanted=wanted)
        row(f"{op}_int32", op, [i32([[1, 2, 4], [7, 2, 2]]), i64([1])], version=last)
        row(f"{op}_noop", op, [f32([[1, 2], [3, 4]])], version=last, noop_with_empty_axes=1)
    row("mean_large", "ReduceMean", [i64([16777217, 16777217, 16777220]), i64([0])], version=18)
    row("mean_negative", "ReduceMean", [i32([-1, -2]), i64([0])], version=18)
    for op in ("ReduceMax", "ReduceMin"):
        for dtype in ("uint8", "int32", "int64"):
            row(f"{op}_empty_{dtype}", op, [np.zeros((0, 2), dtype), i64([0])], version=20)


def searches(row):
    ties = f32([[1, 3, 3, 0], [2, 2, 2, 2], [-INF, INF, INF, -INF]])
    for op in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            row(f"{op.lower()}_{last}", op, [ties], version=13, axis=1, select_last_index=last)
        row(f"{op.lower()}_axis", op, [ties], version=13, axis=-2, keepdims=0)
        row(f"{op.lower()}_int32", op, [i32([[4, 4, 1], [1, 1, 1]])], version=13, axis=1, select_last_index=1)
    for largest in (0, 1):
        row(f"topk_{largest}", "TopK", [ties, i64([3])], [1, 1], version=11, axis=1, largest=largest)
        row(f"topk_int64_{largest}", "TopK", [i64([5, 1, 5, 1, 5]), i64([4])], [1, 1], version=11, largest=largest)
    row("nonzero", "NonZero", [f32([[0, 1], [NAN, -0.0]])], version=13)
    row("onehot", "OneHot", [i64([0, -1, 3, -4, 2]), i64(3), f32([2, 5])], version=11)
    row("unique", "Unique", [f32([2, 1, 1, 3, 2])], [1, 1, 1, 1], version=11, sorted=0)


def others(row):
    image = f32(np.arange(16).reshape(1, 1, 4, 4))
    spots = image.copy()
    spots[0, 0, 0, 0], spots[0, 0, 3, 3] = NAN, INF
    sizes = i64([1, 1, 8, 8])
    for mode in ("nearest", "linear", "cubic"):
        row(f"resize_{mode}_image", "Resize", [image, None, None, sizes], version=13, mode=mode)
    # A pixel reaches its neighbours only.
    even = f32([1, 1, 2, 2])
    row("resize_spots", "Resize", [spots, None, even], version=13, mode="linear",
        coordinate_transformation_mode="half_pixel")
    row("resize_asymmetric", "Resize", [image, None, f32([1, 1, 0.6, 1.7])], version=13, mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    row("lrn", "LRN", [f32(np.arange(10).reshape(1, 5, 1, 2))], version=13, size=3, alpha=1.0, beta=0.5, bias=1.0)
    row("instance_norm_one", "InstanceNormalization", [f32([[[3], [4]]]), f32([1, 2]), f32([0.5, -0.5])], version=6)
    row("trilu", "Trilu", [f32([[NAN, INF], [1, NAN]])], version=14, upper=0)
    row("cumsum", "CumSum", [f32([1, INF, 2, -INF]), i32(0)], version=14)
    row("cumsum_exclusive", "CumSum", [f32([1, 2, INF]), i32(0)], version=14, exclusive=1, reverse=1)
    row("max_pool_low", "MaxPool", [f32([[[-INF, -3, -INF, -INF]]])], version=12, kernel_shape=[2], pads=[1, 1],
        wanted=[f32([[[-INF, -3, -3, -INF, -INF]]])])
    row("max_pool_int8", "MaxPool", [np.array([[[-128, -5, 7]]], np.int8)], version=12, kernel_shape=[2], pads=[1, 0])
    row("average_pool", "AveragePool", [f32([[[1, 2, 3]]])], version=11, kernel_shape=[2], pads=[1, 1],
        count_include_pad=0)
    row("lp_pool", "LpPool", [f32([[[-1, -2, 3]]])], version=18, kernel_shape=[2], p=3)
    row("gemm_beta", "Gemm", [f32([[1, 2]]), f32([[3], [4]]), f32([[INF]])], version=13, beta=0.5)
    # The function that defines the operator adds 1e-9 to the deviation.
    row("mean_variance", "MeanVarianceNormalization", [f32(np.full((1, 1, 2, 2), 3))], version=13,
        wanted=[f32(np.zeros((1, 1, 2, 2)))])
    row("upsample", "Upsample", [image, f32([1, 1, 2, 2])], version=9, mode="linear")
    row("matmul_int32", "MatMul", [i32([[1, 2]]), i32([[3], [2**24 + 1]])], version=13)
    row("pad_reflect", "Pad", [f32([[1, 2, 3]]), i64([0, 2, 0, 2])], version=13, mode="reflect")
    row("softmax_old", "Softmax", [f32(np.arange(8).reshape(2, 2, 2) / 4)], version=11)
    row("logsoftmax_old", "LogSoftmax", [f32(np.arange(8).reshape(2, 2, 2) / 4)], version=11, axis=0)
    row("hardmax_old", "Hardmax", [f32([[[1, 2], [2, 1]]])], version=11)
    row("dropout_old", "Dropout", [f32([1, 2])], version=10)
    row("batch_norm", "BatchNormalization", [f32([[1, 2], [3, 4]]), f32([1, 2]), f32([0, 1]), f32([1, 1]), f32([0, 4])],
        version=15)
