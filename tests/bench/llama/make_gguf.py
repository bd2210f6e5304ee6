"""Writes a Llama with random weights as GGUF, once for each format: llama-FORMAT.gguf.

    pip install gguf numpy
    python make_gguf.py FOLDER [f32 q8_0 q4_0 ...]

Six layers of 512 with 1536 hidden units and a vocabulary of 8192: 29 million parameters. llama.cpp loads no
model without a vocabulary that has bytes, so that it has one, of SentencePiece's kind.
"""

import sys
from pathlib import Path

import gguf
import numpy as np

LAYERS, WIDTH, HIDDEN, HEADS, VOCABULARY, CONTEXT = 6, 512, 1536, 8, 8192, 1024
FIRST_CHARACTER = 3 + 256


def matrices():
    """Names and shapes, `[out, in]`."""
    yield "token_embd.weight", (VOCABULARY, WIDTH)
    yield "output.weight", (VOCABULARY, WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{name}.weight", (WIDTH, WIDTH)
        yield f"blk.{layer}.ffn_gate.weight", (HIDDEN, WIDTH)
        yield f"blk.{layer}.ffn_up.weight", (HIDDEN, WIDTH)
        yield f"blk.{layer}.ffn_down.weight", (WIDTH, HIDDEN)


def norms():
    yield "output_norm.weight"
    for layer in range(LAYERS):
        yield f"blk.{layer}.attn_norm.weight"
        yield f"blk.{layer}.ffn_norm.weight"


def vocabulary():
    """Tokens, and their kinds: three that control, 256 bytes, and characters, which are a token each."""
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    while len(tokens) < VOCABULARY:
        tokens.append(chr(0x4E00 + len(tokens)))
        kinds.append(gguf.TokenType.NORMAL)
    return tokens, kinds


def write(path, name):
    format = gguf.GGMLQuantizationType[name.upper()]
    random = np.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(VOCABULARY)
    tokens, kinds = vocabulary()
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(index) for index in range(VOCABULARY)])
    writer.add_token_types(kinds)
    writer.add_add_space_prefix(False)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    for name, shape in matrices():
        values = random.normal(0, shape[1] ** -0.5, shape).astype(np.float32)
        if name == "output.weight":
            # Bytes never have the largest logit, because random bytes are not text.
            values[:FIRST_CHARACTER] = 0
        writer.add_tensor(name, gguf.quants.quantize(values, format), raw_dtype=format)
    for name in norms():
        writer.add_tensor(name, np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name in sys.argv[2:] or ["f32", "q8_0", "q4_0"]:
    write(folder / f"llama-{name}.gguf", name)
