#!/usr/bin/env python3
"""Writes the small language models of this folder and what `transformers` computes with them.

    pip install torch transformers safetensors numpy gguf
    python3 make.py [NAME...]

A model has random weights, large enough that greedy tokens differ, and a folder as `save_pretrained`
writes it, with `expected.json`: the logits of two prompts of different lengths, and the 50 tokens that
follow each of them. Seeds are tried until the two largest logits are clearly apart at every token, so that
rounding cannot change a token. Three models are written as GGUF, too, with the names and the order of
weights that llama.cpp reads, and two with their weights in blocks: their answers are those of the model that has the
numbers of the blocks.
"""
import json
import shutil
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers as hf

HERE = Path(__file__).parent
PROMPTS = [[5, 17, 42, 8, 91, 63, 2, 30, 77, 11, 54, 29, 3], [60, 9, 33, 85, 12, 70, 21]]
# Its last logits only.
SHORT = [44, 18, 73, 90]
NEW_TOKENS = 50
# The least distance between the two largest logits at every greedy token.
MARGIN = 1e-3
# The least number of different tokens among the 50 of a prompt.
VARIETY = 12

SIZES = dict(
    vocab_size=96, hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=95, pad_token_id=0,
)


def sizes(**changes):
    return {**SIZES, **changes}


def rope(theta=10000.0, kind="default", **others):
    return dict(rope_parameters=dict(rope_theta=theta, rope_type=kind, **others))


# name: (configuration, options of save_pretrained, changes of config.json to its form before
# transformers 5)
MODELS = {
    "gpt2": (
        hf.GPT2Config(vocab_size=96, n_embd=32, n_layer=2, n_head=4, n_positions=128, n_inner=40,
                      bos_token_id=1, eos_token_id=95),
        {}, None),
    "llama2": (hf.LlamaConfig(**sizes(num_key_value_heads=4), **rope()), dict(max_shard_size="40KB"), None),
    "llama3": (
        hf.LlamaConfig(**sizes(num_hidden_layers=2), **rope(
            500000.0, "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
            original_max_position_embeddings=16)),
        {}, lambda c: older(c, rope_scaling=dict(
            factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16,
            rope_type="llama3"))),
    "mistral": (hf.MistralConfig(**sizes(), sliding_window=8, **rope()), {}, None),
    "qwen2": (hf.Qwen2Config(**sizes(), tie_word_embeddings=True, **rope(1000000.0)), {}, None),
    "qwen3": (
        hf.Qwen3Config(**sizes(), head_dim=16, tie_word_embeddings=False, **rope(
            1000000.0, "yarn", factor=4.0, original_max_position_embeddings=32)),
        {}, None),
    "gemma2": (
        hf.Gemma2Config(**sizes(), head_dim=8, sliding_window=8, query_pre_attn_scalar=8,
                        attn_logit_softcapping=3.0, final_logit_softcapping=1.0, **rope()),
        {}, lambda c: older(c)),
    "gemma3": (
        hf.Gemma3TextConfig(**sizes(num_hidden_layers=3), head_dim=8, sliding_window=8, query_pre_attn_scalar=12,
                            layer_types=["sliding_attention", "sliding_attention", "full_attention"],
                            rope_parameters=dict(
                                full_attention=dict(rope_theta=1000000.0, rope_type="linear", factor=8.0),
                                sliding_attention=dict(rope_theta=10000.0, rope_type="default"))),
        {}, lambda c: older(c, rope_theta=1000000.0, rope_local_base_freq=10000.0,
                            rope_scaling=dict(factor=8.0, rope_type="linear"), sliding_window_pattern=3)),
    "phi3": (
        # The prompts are longer than the original length, and have the long factors; `short` has
        # the others.
        hf.Phi3Config(**sizes(), original_max_position_embeddings=6, sliding_window=40, **rope(
            10000.0, "longrope", original_max_position_embeddings=6,
            short_factor=[1.0, 1.1, 1.2, 1.4], long_factor=[1.0, 1.5, 2.5, 4.0])),
        {}, lambda c: older(c, original_max_position_embeddings=6, rope_scaling=dict(
            type="longrope", short_factor=[1.0, 1.1, 1.2, 1.4], long_factor=[1.0, 1.5, 2.5, 4.0]))),
}


def older(config, rope_scaling=None, rope_theta=None, **others):
    """The configuration as folders from before transformers 5 have it."""
    parameters = config.pop("rope_parameters")
    config["rope_theta"] = rope_theta or parameters["rope_theta"]
    config["rope_scaling"] = rope_scaling
    config["torch_dtype"] = config.pop("dtype", "float32")
    config.pop("layer_types", None)
    return {**config, **others}


def randomize(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if "norm" in name or "ln_" in name:
                start = 0.0 if "gemma" in type(model).__name__.lower() or name.endswith("bias") else 1.0
                parameter.copy_(start + 0.2 * noise)
            elif "embed_tokens" in name and "gemma" in type(model).__name__.lower():
                # They are scaled, and tied: with larger ones, each token would be followed by the
                # same token.
                parameter.copy_(noise * 0.1)
            else:
                parameter.copy_(noise * (0.5 if name.endswith("bias") else 0.35))


def greedy(model, prompt):
    """Tokens, and the least distance of the two largest logits; without a cache, so that there is none to trust."""
    ids, least = list(prompt), float("inf")
    for _ in range(NEW_TOKENS):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
        (first, second), _ = logits.topk(2)
        least = min(least, (first - second).item())
        ids.append(int(logits.argmax()))
    return ids[len(prompt):], least


def find(config, change=lambda model: None):
    for seed in range(400):
        # eager: the other implementations of attention leave out soft caps.
        model = hf.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
        randomize(model, seed)
        change(model)
        answers = []
        for prompt in PROMPTS:
            tokens, least = greedy(model, prompt)
            if least <= MARGIN or len(set(tokens)) < VARIETY:
                break
            answers.append(tokens)
        else:
            return model, answers, seed
    raise SystemExit(f"no seed gives varied tokens for {type(config).__name__}")


def expected(model, tokens, seed):
    logits = [model(torch.tensor([prompt]), use_cache=False).logits[0] for prompt in PROMPTS]
    rounded = [[[float(f"{value:.7g}") for value in row] for row in one.tolist()] for one in logits]
    short = model(torch.tensor([SHORT]), use_cache=False).logits[0, -1].tolist()
    return dict(
        seed=seed, prompts=PROMPTS, logits=rounded, tokens=tokens,
        short=dict(prompt=SHORT, logits=[float(f"{value:.7g}") for value in short]))


def permuted(weight, heads):
    """The rows of a query or key in llama.cpp's order: pairs of neighbours are rotated."""
    rows, *others = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, *others).swapaxes(1, 2).reshape(weight.shape)


# The parts of a name in Hugging Face's folders and in GGUF.
PARTS = [
    ("model.layers.", "blk."), ("transformer.h.", "blk."), ("self_attn.q_proj", "attn_q"), ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"), ("self_attn.o_proj", "attn_output"), ("self_attn.qkv_proj", "attn_qkv"),
    ("self_attn.q_norm", "attn_q_norm"), ("self_attn.k_norm", "attn_k_norm"), ("mlp.gate_up_proj", "ffn_up"),
    ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"),
    ("post_attention_layernorm", "ffn_norm"), ("input_layernorm", "attn_norm"), ("model.embed_tokens", "token_embd"),
    ("model.norm", "output_norm"), ("lm_head", "output"),
]
GEMMA_PARTS = [
    ("post_attention_layernorm", "post_attention_norm"), ("pre_feedforward_layernorm", "ffn_norm"),
    ("post_feedforward_layernorm", "post_ffw_norm"),
]


def write_gguf(name, arch, model, extra=lambda writer, config: None, parts=PARTS, transform=lambda name, value: value):
    config = model.config
    writer = gguf.GGUFWriter(HERE / f"{name}.gguf", arch)
    writer.add_name(f"{name} with random weights")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(95)
    extra(writer, config)
    for key, value in model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        short = key
        for long, abbreviation in parts:
            short = short.replace(long, abbreviation)
        writer.add_tensor(short, np.ascontiguousarray(transform(key, value.float().numpy())))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama3_gguf(model):
    config = model.config
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}

    def transform(key, value):
        count = next((heads[part] for part in heads if part in key), None)
        return value if count is None else permuted(value, count)

    def extra(writer, config):
        head = config.hidden_size // config.num_attention_heads
        writer.add_rope_dimension_count(head)
        writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
        # llama.cpp reads the scaling of Llama 3 as factors, one for each frequency.
        plain = 1.0 / config.rope_parameters["rope_theta"] ** (np.arange(0, head, 2, dtype=np.float32) / head)
        scaled = hf.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")[0].numpy()
        writer.add_tensor("rope_freqs.weight", (plain / scaled).astype(np.float32))

    write_gguf("llama3", "llama", model, extra, transform=transform)


def qwen3_gguf(model):
    def extra(writer, config):
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
        writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(config.rope_parameters["factor"])
        writer.add_rope_scaling_orig_ctx_len(config.rope_parameters["original_max_position_embeddings"])

    write_gguf("qwen3", "qwen3", model, extra)


def gemma2_gguf(model):
    def extra(writer, config):
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
        writer.add_sliding_window(config.sliding_window)

    # llama.cpp's files have 1 added to the weights of these norms.
    def transform(key, value):
        return value + 1 if "norm" in key else value

    write_gguf("gemma2", "gemma2", model, extra, GEMMA_PARTS + PARTS, transform)


# name: (architecture, configuration, format of the linear layers, format of the embedding and the
# output layer)
QUANTIZED = {
    "llama_q4": (
        "llama", hf.LlamaConfig(**sizes(hidden_size=64, intermediate_size=96), **rope()),
        gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q8_0),
    "gpt2_q8": (
        "gpt2", hf.GPT2Config(vocab_size=96, n_embd=64, n_layer=2, n_head=4, n_positions=128, n_inner=96,
                              bos_token_id=1, eos_token_id=95),
        gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.Q5_1),
}
GPT2_PARTS = [
    ("transformer.h.", "blk."), ("transformer.wte", "token_embd"), ("transformer.wpe", "position_embd"),
    ("transformer.ln_f", "output_norm"), ("attn.c_attn", "attn_qkv"), ("attn.c_proj", "attn_output"),
    ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down"), ("ln_1", "attn_norm"), ("ln_2", "ffn_norm"),
]


def blocks_of(name, value, linear, table):
    """The format of a tensor, and its blocks; none for norms, biases and learned positions."""
    if value.ndim < 2 or "norm" in name or "wpe" in name:
        return None, value
    format = table if "embed" in name or "wte" in name or "lm_head" in name else linear
    return format, gguf.quants.quantize(value, format)


def write_quantized(name):
    """A file with blocks, and the answers of the model that has the numbers of the blocks."""
    arch, config, linear, table = QUANTIZED[name]
    is_gpt2 = arch == "gpt2"

    def own(key, value):
        """A weight as the file has it: `[out, in]`."""
        is_turned = is_gpt2 and ("c_" in key) and value.ndim == 2
        return np.ascontiguousarray(value.T) if is_turned else value

    def rounded(model):
        for key, parameter in model.named_parameters():
            value = own(key, parameter.numpy())
            format, blocks = blocks_of(key, value, linear, table)
            if format is not None:
                numbers = gguf.quants.dequantize(blocks, format)
                parameter.copy_(torch.from_numpy(numbers.T if numbers.shape != parameter.shape or (is_gpt2 and "c_" in key) else numbers))

    model, tokens, seed = find(config, rounded)
    writer = gguf.GGUFWriter(HERE / f"{name}.gguf", arch)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.n_inner if is_gpt2 else config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(95)
    if is_gpt2:
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
    else:
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
        writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    heads = {} if is_gpt2 else {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for key, value in model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        short = key
        for long, abbreviation in GPT2_PARTS if is_gpt2 else PARTS:
            short = short.replace(long, abbreviation)
        # Rows change their order, not their numbers.
        count = next((heads[part] for part in heads if part in key), None)
        value = own(key, value.float().numpy())
        value = value if count is None else permuted(value, count)
        format, blocks = blocks_of(key, np.ascontiguousarray(value), linear, table)
        writer.add_tensor(short, blocks, raw_dtype=format)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    text = json.dumps(expected(model, tokens, seed), separators=(",", ":"))
    (HERE / f"{name}.json").write_text(text + "\n")
    print(name, "seed", seed, [len(set(row)) for row in tokens])


def main():
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    for name in QUANTIZED:
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            write_quantized(name)
    for name, (config, options, change) in MODELS.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        model, tokens, seed = find(config)
        model.save_pretrained(folder, **options)
        (folder / "generation_config.json").unlink(missing_ok=True)
        for file in folder.iterdir():
            file.chmod(0o644)
        if change:
            path = folder / "config.json"
            path.write_text(json.dumps(change(json.loads(path.read_text())), indent=2, sort_keys=True) + "\n")
        (folder / "expected.json").write_text(json.dumps(expected(model, tokens, seed), separators=(",", ":")) + "\n")
        print(name, "seed", seed, [len(set(row)) for row in tokens], sum(p.stat().st_size for p in folder.iterdir()), "bytes")
        {"llama3": llama3_gguf, "qwen3": qwen3_gguf, "gemma2": gemma2_gguf}.get(name, lambda _: None)(model)


if __name__ == "__main__":
    main()
