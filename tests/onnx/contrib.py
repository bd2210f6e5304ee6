"""Writes small models of `com.microsoft` and `ai.onnx.ml`, and edges of `ai.onnx`, with ONNX Runtime's answers
into one file.

    python tests/onnx/contrib.py tests/onnx/contrib.safetensors

Each tensor of the file is the bytes of a file of a test, in the layout that `cases.py` writes, and
`index.tsv` lists the tests: kind, name, relative and absolute tolerance. `lanthorn-onnx`'s test `backend`
runs them.
"""

import json
import math
import sys

import edges
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
ML = "ai.onnx.ml"
CASES = []


def case(
    name, op, inputs, outputs, weights=(), rtol=1e-4, atol=1e-5, domain=MICROSOFT, equal=None, wanted=None, version=17,
    **attributes,
):
    """A test of one node. `inputs` are arrays or None; those at the indices `weights` are initializers.

    `equal` are other inputs with the same answer, for a form that only GPUs have, and `wanted` answers of
    NumPy, for operators that only GPUs have or whose answer ONNX Runtime leaves open.
    """
    node = (op, outputs, set(weights), domain, version, attributes)
    CASES.append((name, node, inputs, equal or inputs, wanted, rtol, atol))


def model_of(node, inputs):
    op, outputs, weights, domain, version, attributes = node
    names = ["" if value is None else f"x{index}" for index, value in enumerate(inputs)]
    results = ["" if wanted is False else f"y{index}" for index, wanted in enumerate(outputs)]
    values = {name: value for name, value in zip(names, inputs) if name}

    def proto(value, name):
        return value[1](name) if isinstance(value, tuple) else numpy_helper.from_array(value, name)

    held = {f"x{index}" for index in weights}
    attributes = {name: value(name) if callable(value) else value for name, value in attributes.items()}
    node = helper.make_node(op, names, results, domain=domain, **attributes)
    initializers = [proto(value, name) for name, value in values.items() if name in held]
    given = {name: value for name, value in values.items() if name not in held}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in given.items()
    ]
    wanted = [helper.make_empty_tensor_value_info(name) for name in results if name]
    graph = helper.make_graph([node], "g", infos, wanted, initializers)
    imports = [helper.make_opsetid("", version), helper.make_opsetid(MICROSOFT, 1), helper.make_opsetid(ML, 4)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9 if version > 18 else 8)
    return model, given


def answers(model, given):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    # Of several threads, each quantizes the states of some sequences by their own range.
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, given)


class Numbers:
    """Random numbers with few bits, so that the file is small when it is compressed."""

    def __init__(self):
        self.random = np.random.default_rng(7)

    def __call__(self, *shape, scale=1.0):
        return (np.round(self.random.uniform(-1, 1, shape) * 64) / 64 * scale).astype(np.float32)

    def bytes(self, *shape, dtype=np.uint8):
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max + 1, shape).astype(dtype)


N = Numbers()


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


def activations():
    x, bias = N(2, 3, 8, scale=3), N(8)
    case("bias_gelu", "BiasGelu", [x, bias], [1])
    case("fast_gelu", "FastGelu", [x], [1])
    case("fast_gelu_bias", "FastGelu", [x, bias], [1])
    case("gelu", "Gelu", [x], [1])
    case("quick_gelu", "QuickGelu", [x], [1])
    case("quick_gelu_alpha", "QuickGelu", [x], [1], alpha=1.0)


def products():
    a, b = N(2, 3, 4), N(2, 4, 5)
    case("fused_matmul", "FusedMatMul", [a, b], [1], alpha=0.5)
    case("fused_matmul_trans", "FusedMatMul", [N(2, 4, 3), N(2, 5, 4)], [1], transA=1, transB=1)
    case("fused_matmul_trans_batch", "FusedMatMul", [N(3, 2, 4), b], [1], transBatchA=1)
    case("transpose_matmul", "TransposeMatMul", [a, N(2, 5, 4)], [1], transB=1)
    case("fused_gemm", "FusedGemm", [N(3, 4), N(5, 4), N(5)], [1], transB=1, activation="Relu")
    case("fused_gemm_leaky", "FusedGemm", [N(3, 4), N(4, 5)], [1], activation="LeakyRelu", activation_alpha=0.25)
    x, w = N(1, 2, 5, 5), N(3, 2, 3, 3)
    case("fused_conv_relu", "FusedConv", [x, w, N(3)], [1], activation="Relu", pads=[1, 1, 1, 1])
    case("fused_conv_sum", "FusedConv", [x, w, N(3), N(1, 3, 3, 3)], [1], activation="Relu")
    case("fused_conv_clip", "FusedConv", [x, w], [1], activation="Clip", activation_params=[-0.5, 0.75])
    hard = {"activation": "HardSigmoid", "activation_params": [0.25, 0.5]}
    case("fused_conv_hard_sigmoid", "FusedConv", [x, w], [1], **hard)


def norms():
    x, skip, gamma, beta, bias = N(2, 3, 8), N(2, 3, 8), N(8), N(8), N(8)
    case("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta, bias], [1], epsilon=1e-5)
    case("skip_layer_norm_sum", "SkipLayerNormalization", [x, skip, gamma, beta], [1, False, False, 1])
    case("skip_layer_norm_broadcast", "SkipLayerNormalization", [x, skip[:1], gamma], [1])
    case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma], [1, False, False, 1], epsilon=1e-6)
    case("skip_rms_norm_bias", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], [1])
    case("rms_norm", "SimplifiedLayerNormalization", [x, gamma], [1], domain="", axis=-1, epsilon=1e-6)
    ids = N.random.integers(0, 6, (2, 4)).astype(np.int32)
    segments = N.random.integers(0, 2, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    tables = [N(6, 8), N(5, 8), N(2, 8), gamma, beta]
    case("embed_layer_norm", "EmbedLayerNormalization", [ids, segments, *tables, mask], [1, 1])
    plain = [ids, None, tables[0], tables[1], None, gamma, beta]
    case("embed_layer_norm_plain", "EmbedLayerNormalization", plain, [1, 1, 1])
    positions = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)
    case("embed_layer_norm_positions", "EmbedLayerNormalization", [*plain, None, positions], [1, 1])


def rotations():
    cos, sin = N(10, 4), N(10, 4)
    positions = np.array([[0, 1, 2], [5, 6, 7]], np.int64)
    case("rotary", "RotaryEmbedding", [N(2, 3, 16), positions, cos, sin], [1])
    case("rotary_interleaved", "RotaryEmbedding", [N(2, 3, 16), positions, cos, sin], [1], interleaved=1)
    case("rotary_offset", "RotaryEmbedding", [N(2, 3, 16), np.array([2], np.int64), cos, sin], [1])
    case("rotary_heads", "RotaryEmbedding", [N(2, 2, 3, 8), positions, cos, sin], [1])
    part = {"rotary_embedding_dim": 4, "num_heads": 2}
    case("rotary_partial", "RotaryEmbedding", [N(2, 3, 16), positions, cos[:, :2], sin[:, :2]], [1], **part)


def attentions():
    x, w, b = N(2, 3, 8), N(8, 24), N(24)
    case("attention", "Attention", [x, w, b], [1], num_heads=2)
    case("attention_causal", "Attention", [x, w, b], [1], num_heads=2, unidirectional=1)
    lengths = np.array([2, 3], np.int32)
    case("attention_lengths", "Attention", [x, w, b, lengths], [1], num_heads=2)
    ranges = np.array([2, 3, 0, 1], np.int32)
    case("attention_ranges", "Attention", [x, w, b, ranges], [1], num_heads=2)
    mask = np.array([[1, 1, 0], [0, 1, 1]], np.int32)
    case("attention_mask", "Attention", [x, w, b, mask], [1], num_heads=2)
    case("attention_mask_causal", "Attention", [x, w, b, mask], [1], num_heads=2, unidirectional=1)
    square = N.random.integers(0, 2, (2, 3, 3)).astype(np.int32) | np.eye(3, dtype=np.int32)
    case("attention_mask_square", "Attention", [x, w, b, square], [1], num_heads=2)
    past = N(2, 2, 2, 2, 4)
    case("attention_past", "Attention", [x, w, b, None, past], [1, 1], num_heads=2, unidirectional=1)
    case("attention_bias", "Attention", [x, w, b, None, None, N(2, 2, 3, 3)], [1], num_heads=2)
    sizes = {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 4], "scale": 0.25}
    case("attention_sizes", "Attention", [x, N(8, 20), N(20)], [1], **sizes)

    q, k, v = N(2, 3, 8), N(2, 5, 8), N(2, 5, 8)
    case("mha", "MultiHeadAttention", [q, k, v], [1], num_heads=2)
    case("mha_bias", "MultiHeadAttention", [q, k, v, N(24)], [1], num_heads=2, scale=0.25)
    keys = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32)
    case("mha_mask", "MultiHeadAttention", [q, k, v, None, keys], [1], num_heads=2)
    case("mha_lengths", "MultiHeadAttention", [q, k, v, None, np.array([3, 5], np.int32)], [1], num_heads=2)
    case("mha_added", "MultiHeadAttention", [q, k, v, None, None, N(1, 2, 3, 5)], [1], num_heads=2)
    case("mha_mask_added", "MultiHeadAttention", [q, k, v, None, keys, N(2, 1, 3, 5)], [1], num_heads=2)
    packed = np.stack([k.reshape(2, 5, 2, 4), v.reshape(2, 5, 2, 4)], 3)
    case("mha_kv_packed", "MultiHeadAttention", [q, packed], [1], num_heads=2, equal=[q, k, v])
    packed = np.stack([x[:, :3].reshape(2, 3, 2, 4) for x in (q, k, v)], 3)
    case("mha_packed", "MultiHeadAttention", [packed], [1], num_heads=2, equal=[q, k[:, :3], v[:, :3]])
    case("mha_causal", "MultiHeadAttention", [q, k[:, :3], v[:, :3]], [1], num_heads=2, unidirectional=1)
    past = [N(2, 2, 4, 4), N(2, 2, 4, 4)]
    new = [q[:, :1], k[:, :1], v[:, :1]]
    case("mha_past", "MultiHeadAttention", [*new, None, None, None, *past], [1, 1, 1], num_heads=2)
    heads = [q, N(2, 2, 5, 4), N(2, 2, 5, 4)]
    case("mha_cross", "MultiHeadAttention", heads, [1], num_heads=2)


def group_query():
    def gqa(name, batch, queries, past, total, lengths, packed=False, capacity=None, extra=None, **attributes):
        heads, shared, size = 2, 1, 16
        counts = {"num_heads": heads, "kv_num_heads": shared}
        if packed:
            qkv = [N(batch, queries, (heads + 2 * shared) * size), None, None]
        else:
            qkv = [N(batch, queries, count * size) for count in (heads, shared, shared)]
        capacity = past if capacity is None else capacity
        cache = [N(batch, shared, capacity, size), N(batch, shared, capacity, size)]
        inputs = [*qkv, *cache, np.array(lengths, np.int32), np.array(total, np.int32)]
        extra = dict(extra or {})
        names = ["cos", "sin", "position_ids", "attention_bias", "head_sink"]
        inputs += [extra.get(name) for name in names]
        while inputs[-1] is None:
            inputs.pop()
        case(f"gqa_{name}", "GroupQueryAttention", inputs, [1, 1, 1], **counts, **attributes)

    angles = {"cos": N(8, 8), "sin": N(8, 8)}
    gqa("prompt", 1, 4, 0, 4, [3])
    gqa("prompt_rotary", 2, 2, 0, 2, [1, 1], extra=angles, do_rotary=1)
    gqa("decode", 1, 1, 4, 5, [4], extra=angles, do_rotary=1)
    gqa("decode_interleaved", 1, 1, 4, 5, [4], extra=angles, do_rotary=1, rotary_interleaved=1)
    gqa("decode_batch", 2, 1, 4, 5, [4, 2], extra=angles, do_rotary=1)
    gqa("capacity", 1, 1, 4, 5, [4], capacity=6)
    gqa("packed", 2, 2, 0, 2, [1, 1], packed=True, extra=angles, do_rotary=1)
    gqa("more_prompt", 1, 2, 3, 5, [4], extra=angles, do_rotary=1)
    gqa("window", 1, 4, 0, 4, [3], local_window_size=2)
    gqa("window_decode", 1, 1, 6, 7, [6], local_window_size=3)
    gqa("softcap", 1, 4, 0, 4, [3], softcap=0.5)
    gqa("smooth", 1, 4, 0, 4, [3], smooth_softmax=1)
    gqa("sink", 1, 4, 0, 4, [3], extra={"head_sink": N(2)})
    gqa("added", 1, 4, 0, 4, [3], extra={"attention_bias": N(1, 2, 4, 4)})
    with_positions = {**angles, "position_ids": np.array([[5, 6, 7]], np.int64)}
    gqa("positions", 1, 3, 0, 3, [2], extra=with_positions, do_rotary=1)


def weights_of_few_bits():
    def nbits(name, rows, k, n, block, bits, zeros=None, order=False, bias=False):
        blocks = -(-k // block)
        inputs = [N(*rows, k), N.bytes(n, blocks, block * bits // 8), N(n * blocks, scale=0.25)]
        if zeros == "packed":
            inputs.append(N.bytes(n * -(-blocks * bits // 8)))
        elif zeros == "float":
            inputs.append(N(n, blocks, scale=8))
        else:
            inputs.append(None)
        inputs.append(N.random.integers(0, blocks, k).astype(np.int32) if order else None)
        inputs.append(N(n) if bias else None)
        while inputs[-1] is None:
            inputs.pop()
        attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
        held = range(1, len(inputs))
        held = [index for index in held if inputs[index] is not None]
        case(f"nbits_{name}", "MatMulNBits", inputs, [1], weights=held, rtol=1e-3, atol=1e-4, **attributes)

    nbits("4", (2, 3), 32, 5, 16, 4)
    nbits("4_zeros", (3,), 48, 4, 16, 4, zeros="packed")
    nbits("4_zeros_float", (3,), 32, 4, 16, 4, zeros="float")
    nbits("4_rest", (3,), 40, 4, 16, 4, zeros="packed")
    # With zero points too, ONNX Runtime on the CPU leaves them out.
    nbits("4_order", (3,), 32, 4, 16, 4, order=True)
    nbits("4_bias", (3,), 32, 4, 32, 4, bias=True)
    nbits("8", (3,), 32, 4, 16, 8)
    nbits("8_zeros", (3,), 32, 4, 16, 8, zeros="packed")
    nbits("2", (3,), 32, 4, 16, 2)

    ids = np.array([[2, 0], [1, 3]], np.int64)
    both = {"block_size": 16, "bits": 4}
    table, scales = N.bytes(4, 16), N(4, 2)
    case("gather_packed", "GatherBlockQuantized", [table, ids, scales], [1], weights=[0, 2], quantize_axis=1, **both)
    zeros = N.bytes(4, 1)
    inputs = [table, ids, scales, zeros]
    case("gather_packed_zeros", "GatherBlockQuantized", inputs, [1], weights=[0, 2, 3], quantize_axis=1, **both)
    eight = {"block_size": 16, "bits": 8}
    wide = N.bytes(4, 32)
    case("gather_8", "GatherBlockQuantized", [wide, ids, scales], [1], weights=[0, 2], quantize_axis=1, **eight)
    for kind, low in ((TensorProto.UINT4, 0), (TensorProto.INT4, -8)):
        numbers = N.random.integers(low, low + 16, (4, 32))

        def proto(name, kind=kind, numbers=numbers):
            return helper.make_tensor(name, kind, numbers.shape, numbers.flatten().tolist())

        name = "gather_uint4" if low == 0 else "gather_int4"
        inputs = [(None, proto), ids, scales]
        case(name, "GatherBlockQuantized", inputs, [1], weights=[0, 2], quantize_axis=1, **both)


def scaled_integers():
    near = {"atol": 1.01, "rtol": 0}
    half, fine, zero, low = scalar(0.5), scalar(0.015625), scalar(128, np.uint8), scalar(3, np.int8)
    a, b = N.bytes(2, 3, 4), N.bytes(3, 4)
    small, signed = N.bytes(2, 3, 4, dtype=np.int8), N.bytes(3, 4, dtype=np.int8)
    case("qlinear_add", "QLinearAdd", [a, fine, zero, b, fine, zero, half, zero], [1], **near)
    case("qlinear_add_int8", "QLinearAdd", [small, fine, low, signed, fine, low, half, low], [1], **near)
    case("qlinear_mul", "QLinearMul", [a, fine, zero, b, fine, zero, fine, zero], [1], **near)
    case("qlinear_sigmoid", "QLinearSigmoid", [a, fine, zero, scalar(1 / 256), scalar(0, np.uint8)], [1],
         weights=[1, 2, 3, 4], **near)
    case("qlinear_leaky", "QLinearLeakyRelu", [a, fine, zero, fine, zero], [1], weights=[1, 2, 3, 4], alpha=0.25, **near)
    case("qlinear_softmax", "QLinearSoftmax", [a, fine, zero, scalar(1 / 256), scalar(0, np.uint8)], [1],
         weights=[1, 2, 3, 4], axis=-1, opset=13, **near)
    image = N.bytes(1, 2, 4, 4)
    pool = {"kernel_shape": [2, 2], "strides": [1, 1], "pads": [0, 0, 1, 1]}
    case("qlinear_average_pool", "QLinearAveragePool", [image, fine, zero, fine, zero], [1], **pool, **near)
    case("qlinear_global_pool", "QLinearGlobalAveragePool", [image, fine, zero, fine, zero], [1], **near)
    last = N.bytes(1, 4, 4, 2)
    case("qlinear_global_pool_last", "QLinearGlobalAveragePool", [last, fine, zero, fine, zero], [1], channels_last=1,
         **near)
    case("qlinear_concat", "QLinearConcat", [half, zero, a, fine, zero, N.bytes(2, 1, 4), half, zero], [1], axis=1,
         weights=[0, 1, 3, 4, 6, 7], **near)
    flags = N.random.integers(0, 2, (3, 4)).astype(bool)
    case("qlinear_where", "QLinearWhere", [flags, a, fine, zero, b, half, zero, half, zero], [1],
         weights=[2, 3, 5, 6, 7, 8], **near)
    x, w = N.bytes(3, 4), N.bytes(4, 5, dtype=np.int8)
    bias = N.random.integers(-200, 200, 5).astype(np.int32)
    gemm = [x, fine, zero, w, fine, low]
    case("qgemm", "QGemm", [*gemm, bias, half, zero], [1], weights=[1, 2, 4, 5, 6, 7, 8], **near)
    case("qgemm_float", "QGemm", [*gemm, bias], [1], weights=[1, 2, 4, 5, 6])
    many = [x, fine, zero, w.T.copy(), N(5, scale=0.125) + 0.5, N.bytes(5, dtype=np.int8)]
    case("qgemm_channels", "QGemm", many, [1], weights=[1, 2, 3, 4, 5], transB=1)
    case("integer_to_float", "MatMulIntegerToFloat", [x, w, fine, fine, zero, low, N(5)], [1])
    case("integer_to_float_columns", "MatMulIntegerToFloat", [x, w, fine, np.abs(N(5)) + 0.25], [1])
    case("dynamic_matmul", "DynamicQuantizeMatMul", [N(3, 4), w, fine, low, N(5)], [1])
    numbers = N(3, 4, scale=300)
    case("quantize", "QuantizeLinear", [numbers, half, zero], [1], **near)
    case("quantize_int16", "QuantizeLinear", [numbers, fine, scalar(-7, np.int16)], [1], weights=[1, 2], **near)
    case("dequantize", "DequantizeLinear", [x, half, zero], [1])
    axis = [x, N(4), N.bytes(4)]
    case("dequantize_axis", "DequantizeLinear", axis, [1], axis=1)
    case("dequantize_16", "DequantizeLinear", [N.bytes(3, 4, dtype=np.uint16), fine, scalar(20000, np.uint16)], [1])


def recurrent():
    """Layers that are not PyTorch's: sequences of several lengths, limits, other activations."""
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}
    x = N(5, 3, 2, scale=2)
    lengths = np.array([5, 2, 3], np.int32)

    def layer(name, op, direction="forward", sizes=None, peepholes=False, states=True, **attributes):
        count, hidden = (2 if direction == "bidirectional" else 1), 4
        weights = [N(count, gates[op] * hidden, width, scale=2) for width in (2, hidden)]
        inputs = [x, *weights, N(count, 2 * gates[op] * hidden), sizes, N(count, 3, hidden) if states else None]
        if op == "LSTM":
            inputs += [N(count, 3, hidden) if states else None, N(count, 3 * hidden) if peepholes else None]
        while inputs[-1] is None:
            inputs.pop()
        results = [1, 1, 1] if op == "LSTM" else [1, 1]
        options = {"hidden_size": hidden, "direction": direction, **attributes}
        case(f"recurrent_{name}", op, inputs, results, weights=[1, 2, 3], domain="", version=14, **options)

    usual = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
    for op in gates:
        low = op.lower()
        for direction in ("forward", "reverse", "bidirectional"):
            layer(f"{low}_{direction}_lengths", op, direction, lengths)
        layer(f"{low}_short", op, "bidirectional", np.array([2, 1, 2], np.int32), states=False)
        layer(f"{low}_clip", op, "bidirectional", clip=0.25)
        layer(f"{low}_clip_lengths", op, "reverse", lengths, clip=0.5)
        layer(f"{low}_usual", op, "bidirectional", activations=usual[op] * 2)
    layer("lstm_peepholes_clip", "LSTM", peepholes=True, clip=0.5)
    layer("lstm_coupled", "LSTM", input_forget=1)
    layer("lstm_hard", "LSTM", activations=["HardSigmoid", "Tanh", "Softsign"], activation_alpha=[0.25],
          activation_beta=[0.4])
    layer("gru_before", "GRU", "bidirectional", lengths, linear_before_reset=1, clip=0.5)
    layer("gru_other", "GRU", "bidirectional", activations=["HardSigmoid", "Elu", "Sigmoid", "ScaledTanh"],
          activation_alpha=[0.3, 0.5, 1.5], activation_beta=[0.6, 0.75])
    for name, alpha, beta in [("Relu", None, None), ("Affine", 0.5, 0.1), ("LeakyRelu", 0.2, None),
                              ("ThresholdedRelu", 0.3, None), ("Softplus", None, None), ("Elu", 0.7, None)]:
        options = {} if alpha is None else {"activation_alpha": [alpha]}
        options |= {} if beta is None else {"activation_beta": [beta]}
        layer(f"rnn_{name.lower()}", "RNN", activations=[name], **options)

    for name, direction, scales, kind in [("", "forward", 1, np.int8), ("_columns", "bidirectional", 16, np.uint8)]:
        count = 2 if direction == "bidirectional" else 1
        shape = (count,) if scales == 1 else (count, scales)
        quantized = [N.bytes(count, width, 16, dtype=kind) for width in (2, 4)]
        scale = [np.abs(N(*shape)) / 64 + np.float32(0.01) for _ in range(2)]
        zero = [np.full(shape, 3 if kind == np.int8 else 120, kind) for _ in range(2)]
        inputs = [x, *quantized, N(count, 32), None, None, None, None]
        inputs += [scale[0], zero[0], scale[1], zero[1]]
        case(f"lstm_of_8_bits{name}", "DynamicQuantizeLSTM", inputs, [1, 1, 1], weights=[1, 2, 3, 8, 9, 10, 11],
             rtol=1e-3, atol=1e-3, direction=direction, hidden_size=4)


def detection():
    boxes = np.abs(N(2, 6, 4, scale=4))
    scores = np.abs(N(2, 3, 6))
    limits = [scalar(2, np.int64), scalar(0.1)]
    case("nms", "NonMaxSuppression", [boxes, scores, *limits, scalar(0.25)], [1], domain="")
    case("nms_centers", "NonMaxSuppression", [boxes, scores, *limits], [1], domain="", center_point_box=1)
    rois = np.array([[0, 0, 6, 5], [1, 2, 3, 9], [-3, -2, 12, 4]], np.float32)
    images = [N(2, 2, 6, 7), rois, np.array([0, 1, 1], np.int64)]
    case("roi_align", "RoiAlign", images, [1], domain="", output_height=2, output_width=3)
    half = {"output_height": 2, "output_width": 2, "sampling_ratio": 2, "spatial_scale": 0.5}
    case("roi_align_half", "RoiAlign", images, [1], domain="", **half)


def traditional():
    x = N(4, 3, scale=4)
    case("ml_scaler", "Scaler", [x], [1], domain=ML, offset=[0.5, 1.0, -1.0], scale=[2.0, 0.5, 0.25])
    for norm in ("MAX", "L1", "L2"):
        # ONNX Runtime divides by the largest element as it is.
        rows = np.abs(x) if norm == "MAX" else x
        case(f"ml_normalizer_{norm.lower()}", "Normalizer", [rows], [1], domain=ML, norm=norm)
    case("ml_binarizer", "Binarizer", [x], [1], domain=ML, threshold=0.5)
    columns = np.array([[2, 0]], np.int64)
    case("ml_features", "ArrayFeatureExtractor", [x, columns], [1], domain=ML)
    weights = {"coefficients": [float(w) for w in N(6)], "intercepts": [0.25, -0.5]}
    case("ml_regressor", "LinearRegressor", [x], [1], domain=ML, targets=2, **weights)
    labels = {"classlabels_ints": [7, 3], "multi_class": 1}
    case("ml_classifier", "LinearClassifier", [x], [1, 1], domain=ML, **weights, **labels, post_transform="SOFTMAX")
    keys = np.array([[3, 1], [4, 2]], np.int64)
    floats = {"keys_int64s": [1, 2, 3], "values_floats": [0.5, 1.5, 2.5], "default_float": -1.0}
    case("ml_labels", "LabelEncoder", [keys], [1], domain=ML, **floats)
    ints = {"keys_floats": [0.5, 1.5], "values_int64s": [5, 6], "default_int64": 9}
    case("ml_labels_ints", "LabelEncoder", [np.array([1.5, 2.0, 0.5], np.float32)], [1], domain=ML, **ints)
    tensors = {
        "keys_tensor": lambda name: numpy_helper.from_array(np.array([1, 4], np.int64), name),
        "values_tensor": lambda name: numpy_helper.from_array(np.array([10, 40], np.int64), name),
        "default_tensor": lambda name: numpy_helper.from_array(np.array([-7], np.int64), name),
    }
    case("ml_labels_tensors", "LabelEncoder", [keys], [1], domain=ML, **tensors)


def on_gpus():
    """Operators without a kernel for processors, whose answers are those of their formulas in float64."""
    x, bias = N(2, 3, 8, scale=2), N(8)
    left, right = np.split(x.astype(np.float64) + bias, 2, -1)
    half = right * 0.5 * (1 + np.vectorize(math.erf)(right / np.sqrt(2)))
    case("bias_split_gelu", "BiasSplitGelu", [x, bias], [1], wanted=[(left * half).astype(np.float32)])

    def normed(x, gamma, beta, groups, silu, epsilon):
        batch, height, width, channels = x.shape
        parts = x.reshape(batch, height * width, groups, channels // groups)
        mean, variance = (f(parts, (1, 3), keepdims=True) for f in (np.mean, np.var))
        y = ((parts - mean) / np.sqrt(variance + epsilon)).reshape(x.shape) * gamma + beta
        return (y / (1 + np.exp(-y)) if silu else y).astype(np.float32)

    x, skip, gamma, beta = N(2, 2, 3, 8), N(2, 2, 3, 8), N(8), N(8)
    wide = x.astype(np.float64)
    for activation in (0, 1):
        options = {"groups": 4, "activation": activation, "epsilon": 1e-3}
        wanted = normed(wide, gamma, beta, 4, activation, 1e-3)
        case(f"group_norm_{activation}", "GroupNorm", [x, gamma, beta], [1], wanted=[wanted], **options)
    first = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    wanted = np.ascontiguousarray(wanted.transpose(0, 3, 1, 2))
    case("group_norm_nchw", "GroupNorm", [first, gamma, beta], [1], wanted=[wanted], channels_last=0, **options)
    options = {"groups": 2, "activation": 1}
    for name, other in (("skip_group_norm", skip), ("skip_group_norm_row", N(2, 8))):
        row = other if other.ndim == 4 else other[:, None, None]
        total = wide + row + bias
        wanted = [normed(total, gamma, beta, 2, True, 1e-5), total.astype(np.float32)]
        case(name, "SkipGroupNorm", [x, gamma, beta, other, bias], [1, 1], wanted=wanted, **options)


def save(path):
    files, rows, missing = {}, [], []
    for name, node, inputs, equal, wanted, rtol, atol in CASES:
        model, given = model_of(node, inputs)
        try:
            results = wanted if wanted is not None else answers(*model_of(node, equal))
        except Exception as error:  # The operator has no CPU kernel, or the case is wrong.
            missing.append(f"{name}: {str(error).splitlines()[0][:200]}")
            continue
        files[f"{name}/model.onnx"] = model.SerializeToString()
        for side, values in (("input", given.values()), ("output", results)):
            for index, value in enumerate(values):
                proto = numpy_helper.from_array(np.asarray(value))
                files[f"{name}/test_data_set_0/{side}_{index}.pb"] = proto.SerializeToString()
        rows.append(f"contrib\t{name}\t{rtol}\t{atol}\n")
    files["index.tsv"] = "".join(rows).encode()
    header, body = {}, b""
    for name, content in sorted(files.items()):
        offsets = [len(body), len(body) + len(content)]
        header[name] = {"dtype": "U8", "shape": [len(content)], "data_offsets": offsets}
        body += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + body)
    print(f"{len(rows)} tests by ONNX Runtime {onnxruntime.__version__} in {path}")
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    for family in (activations, products, norms, rotations, attentions, group_query, weights_of_few_bits):
        family()
    for family in (scaled_integers, detection, traditional, on_gpus, recurrent):
        family()
    edges.rows(case)
    save(sys.argv[1])
