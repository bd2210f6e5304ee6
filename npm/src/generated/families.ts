/** The families of language models: crates/models/families.json. */
export const FAMILIES = {
  "ignored": [
    "_attn_implementation", "_commit_hash", "_name_or_path", "_num_labels", "add_cross_attention", "architectures", "attention_dropout",
    "attn_implementation", "attn_pdrop", "auto_map", "bad_words_ids", "begin_suppress_tokens", "bos_token_id",
    "cache_implementation", "chunk_size_feed_forward", "cross_attention_hidden_size", "decoder_start_token_id",
    "diversity_penalty", "do_sample", "dtype", "early_stopping", "embd_pdrop", "embedding_dropout",
    "encoder_no_repeat_ngram_size", "eos_token_id", "exponential_decay_length_penalty", "finetuning_task",
    "forced_bos_token_id", "forced_eos_token_id", "id2label", "initializer_range", "is_decoder", "is_encoder_decoder",
    "label2id", "length_penalty", "max_length", "min_length", "model_type", "no_repeat_ngram_size", "num_beam_groups", "num_beams",
    "num_return_sequences", "output_attentions", "output_hidden_states", "output_scores", "pad_token_id", "prefix",
    "pretraining_tp", "problem_type", "pruned_heads", "remove_invalid_values", "reorder_and_upcast_attn", "repetition_penalty", "resid_pdrop",
    "return_dict", "return_dict_in_generate", "sep_token_id", "summary_activation", "summary_first_dropout",
    "summary_proj_to_labels", "summary_type", "summary_use_proj", "suppress_tokens", "task_specific_params",
    "temperature", "tf_legacy_loss", "tie_encoder_decoder", "tokenizer_class", "top_k", "top_p", "torch_dtype",
    "torchscript", "transformers_version", "typical_p", "use_bfloat16", "use_cache", "n_ctx",
    "_sliding_window_pattern", "bos_token_ids"
  ],
  "gguf_fields": {
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_epsilon": "layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.sliding_window": "sliding_window",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "final_logit_softcapping": "final_logit_softcapping",
    "rope.freq_base": "rope_theta",
    "rope.freq_base_swa": "rope_local_base_freq",
    "vocab_size": "vocab_size"
  },
  "gguf_required": [
    "context_length", "embedding_length", "block_count", "feed_forward_length", "attention.head_count",
    "attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"
  ],
  "gguf_defaults": { "rope.freq_base": 10000.0, "attention.sliding_window": null },
  "gguf_read": [
    "attention.key_length", "attention.value_length", "attention.scale", "attention.sliding_window_pattern",
    "rope.dimension_count", "rope.scale_linear", "rope.scaling.type", "rope.scaling.factor",
    "rope.scaling.original_context_length", "rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"
  ],
  "gguf_ignored": [
    "vocab_size", "tensor_data_layout", "pooling_type", "rope.scaling.finetuned", "attention.layer_norm_rms_epsilon",
    "attention.layer_norm_epsilon"
  ],
  "gguf_without_effect": {
    "attention.causal": [true],
    "attention.clamp_kqv": [0],
    "attention.max_alibi_bias": [0],
    "attention.output_scale": [0, 1],
    "attention.sliding_window": [0],
    "attention.temperature_length": [0],
    "attention.temperature_scale": [0],
    "attn_logit_softcapping": [0],
    "embedding_scale": [0],
    "expert_count": [0],
    "expert_shared_count": [0],
    "expert_used_count": [0],
    "final_logit_softcapping": [0],
    "leading_dense_block_count": [0],
    "logit_scale": [0, 1],
    "nextn_predict_layers": [0],
    "residual_scale": [0, 1],
    "rope.freq_base_swa": [],
    "rope.scaling.alpha": [0],
    "rope.scaling.yarn_ext_factor": [1],
    "rope.scaling.yarn_log_multiplier": [0],
    "router_logit_softcapping": [0],
    "use_parallel_residual": [false]
  },
  "gguf_names": {
    "embedding": "token_embd", "positions": "position_embd", "layers": "blk", "norm": "output_norm", "head": "output",
    "attention_norm": "attn_norm", "query": "attn_q", "key": "attn_k", "value": "attn_v", "qkv": "attn_qkv",
    "output": "attn_output", "query_norm": "attn_q_norm", "key_norm": "attn_k_norm", "mlp_norm": "ffn_norm",
    "gate": "ffn_gate", "up": "ffn_up", "gate_up": "ffn_up", "down": "ffn_down",
    "post_attention_norm": "post_attention_norm", "post_mlp_norm": "post_ffw_norm"
  },
  "gguf_factors": ["rope_freqs", "rope_factors_long", "rope_factors_short"],
  "in_attention": ["query", "key", "value", "qkv", "output", "query_norm", "key_norm"],
  "in_mlp": ["gate", "up", "gate_up", "down"],
  "activations": {
    "gelu": "gelu", "gelu_fast": "gelu_tanh", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu",
    "silu": "silu", "swish": "silu"
  },
  "families": [
    {
      "name": "llama",
      "architectures": ["LlamaForCausalLM"],
      "gguf": "llama",
      "gguf_permuted": true,
      "fields": {
        "vocab_size": null, "hidden_size": null, "intermediate_size": null, "num_hidden_layers": null,
        "num_attention_heads": null, "num_key_value_heads": null, "head_dim": null, "max_position_embeddings": 2048,
        "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "rope_scaling": null,
        "rope_parameters": null, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false,
        "partial_rotary_factor": 1.0, "layer_types": null
      },
      "norm": { "kind": "rms", "eps": "rms_norm_eps", "offset": 0 },
      "activation": "hidden_act",
      "gated": true,
      "linear": "rows",
      "biases": { "qkv": "attention_bias", "output": "attention_bias", "mlp": "mlp_bias" },
      "rope": { "theta": "rope_theta" },
      "names": {
        "embedding": "model.embed_tokens", "layers": "model.layers", "norm": "model.norm", "head": "lm_head",
        "attention_norm": "input_layernorm", "attention": "self_attn", "query": "q_proj", "key": "k_proj",
        "value": "v_proj", "output": "o_proj", "mlp_norm": "post_attention_layernorm", "mlp": "mlp",
        "gate": "gate_proj", "up": "up_proj", "down": "down_proj"
      }
    },
    {
      "name": "mistral",
      "extends": "llama",
      "architectures": ["MistralForCausalLM"],
      "gguf": null,
      "fields": { "sliding_window": null, "attention_bias": false, "num_key_value_heads": 8, "max_position_embeddings": 131072 },
      "window": { "size": "sliding_window", "period": 0 }
    },
    {
      "name": "qwen2",
      "extends": "llama",
      "architectures": ["Qwen2ForCausalLM"],
      "gguf": "qwen2",
      "gguf_permuted": false,
      "fields": {
        "sliding_window": null, "use_sliding_window": false, "max_window_layers": 28,
        "max_position_embeddings": 32768
      },
      "biases": { "qkv": true, "output": false, "mlp": false },
      "window": { "size": "sliding_window", "if": "use_sliding_window", "from": "max_window_layers" }
    },
    {
      "name": "qwen3",
      "extends": "qwen2",
      "architectures": ["Qwen3ForCausalLM"],
      "gguf": "qwen3",
      "fields": { "head_dim": 128, "attention_bias": false },
      "biases": { "qkv": "attention_bias", "output": "attention_bias", "mlp": false },
      "names": { "query_norm": "q_norm", "key_norm": "k_norm" }
    },
    {
      "name": "gemma2",
      "extends": "llama",
      "architectures": ["Gemma2ForCausalLM"],
      "gguf": "gemma2",
      "gguf_permuted": false,
      "gguf_defaults": { "attention.sliding_window": 4096 },
      "fields": {
        "head_dim": 256, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": null, "tie_word_embeddings": true,
        "query_pre_attn_scalar": 256, "sliding_window": 4096, "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0, "max_position_embeddings": 8192,
        "sliding_window_size": null, "use_bidirectional_attention": false
      },
      "fixed": { "use_bidirectional_attention": [false, null] },
      "norm": { "kind": "rms", "eps": "rms_norm_eps", "offset": 1 },
      "activation": "hidden_activation",
      "biases": { "qkv": "attention_bias", "output": "attention_bias", "mlp": false },
      "scale": "query_pre_attn_scalar",
      "embedding_scale": true,
      "soft_caps": { "attention": "attn_logit_softcapping", "final": "final_logit_softcapping" },
      "window": { "size": "sliding_window", "period": 2 },
      "names": {
        "post_attention_norm": "post_attention_layernorm", "mlp_norm": "pre_feedforward_layernorm",
        "post_mlp_norm": "post_feedforward_layernorm"
      }
    },
    {
      "name": "gemma3",
      "extends": "gemma2",
      "architectures": ["Gemma3ForCausalLM"],
      "gguf": "gemma3",
      "gguf_defaults": {},
      "fields": {
        "attn_logit_softcapping": null, "final_logit_softcapping": null, "rope_theta": 1000000.0,
        "rope_local_base_freq": 10000.0, "sliding_window_pattern": 6, "max_position_embeddings": 131072
      },
      "rope": { "theta": "rope_theta", "sliding_theta": "rope_local_base_freq" },
      "window": { "size": "sliding_window", "period": "sliding_window_pattern" },
      "names": { "query_norm": "q_norm", "key_norm": "k_norm" }
    },
    {
      "name": "phi3",
      "extends": "llama",
      "architectures": ["Phi3ForCausalLM"],
      "gguf": "phi3",
      "gguf_permuted": false,
      "fields": { "sliding_window": null, "original_max_position_embeddings": null, "max_position_embeddings": 4096 },
      "biases": { "qkv": false, "output": false, "mlp": false },
      "window": { "size": "sliding_window", "period": 0 },
      "names": { "query": null, "key": null, "value": null, "gate": null, "up": null, "qkv": "qkv_proj", "gate_up": "gate_up_proj" }
    },
    {
      "name": "gpt2",
      "architectures": ["GPT2LMHeadModel"],
      "gguf": "gpt2",
      "optional_prefix": "transformer.",
      "renamed": {
        "n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads",
        "n_positions": "max_position_embeddings", "n_inner": "intermediate_size"
      },
      "fields": {
        "vocab_size": null, "hidden_size": null, "intermediate_size": null, "num_hidden_layers": null,
        "num_attention_heads": null, "max_position_embeddings": 1024, "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5, "tie_word_embeddings": true, "scale_attn_weights": true,
        "scale_attn_by_inverse_layer_idx": false
      },
      "fixed": { "scale_attn_weights": [true], "scale_attn_by_inverse_layer_idx": [false] },
      "norm": { "kind": "layer", "eps": "layer_norm_epsilon", "offset": 0 },
      "activation": "activation_function",
      "gated": false,
      "linear": "columns",
      "biases": { "qkv": true, "output": true, "mlp": true },
      "names": {
        "embedding": "transformer.wte", "positions": "transformer.wpe", "layers": "transformer.h",
        "norm": "transformer.ln_f", "head": "lm_head", "attention_norm": "ln_1", "attention": "attn",
        "qkv": "c_attn", "output": "c_proj", "mlp_norm": "ln_2", "mlp": "mlp", "up": "c_fc", "down": "c_proj"
      }
    }
  ]
} as const;
