//! Attention, transformers and tables.

use crate::common::{assert_close, device, read};
use lanthorn_nn::{
    Activation, Embedding, EmbeddingBag, GELU, Layer, Module, MultiheadAttention, Transformer, TransformerDecoder,
    TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer, TransformerEncoderLayerBuilder,
    table::{argument, build},
};
use lanthorn_tensor::{BagMode, DType, Result, Scalar, Tensor, ops::Arg};
use std::rc::Rc;

#[test]
fn attention_without_weights_is_attention_with_them() -> Result<()> {
    let _device = device();
    let batch_first = MultiheadAttention::builder(8, 2).batch_first(true).build()?;
    let x = Tensor::randn([3, 5, 8])?;
    let causal = Transformer::generate_square_subsequent_mask(5)?;
    for mask in [None, Some(&causal)] {
        let (with, weights) = batch_first.forward(&x, &x, &x, None, true, mask, false, false)?;
        let (without, none) = batch_first.forward(&x, &x, &x, None, false, mask, false, mask.is_some())?;
        assert_close(&without, &with);
        assert!(none.is_none());
        let weights = weights.unwrap();
        assert_eq!(weights.shape().to_vec(), [3, 2, 5, 5]);
        assert_close(&weights.sum(-1, false)?, &Tensor::ones([3, 2, 5])?);
        if mask.is_some() {
            assert_close(&weights.triu(1)?, &Tensor::zeros([3, 2, 5, 5])?);
        }
        // Three tensors with the same numbers, each projected separately.
        let apart = batch_first.forward(&x, &x.clone_tensor()?, &x.clone_tensor()?, None, false, mask, false, false)?.0;
        assert_close(&apart, &with);
    }
    // A padded key has no effect.
    let padding = Tensor::from_slice(&[0, 0, 0, 1, 1], [1, 5], x.device())?.to(DType::Bool)?.expand([3, 5])?;
    let padded = batch_first.forward(&x, &x, &x, Some(&padding), false, None, true, false)?.0;
    let short = x.narrow(1, 0, 3)?;
    assert_close(&padded, &batch_first.forward(&x, &short, &short, None, false, None, true, false)?.0);
    Ok(())
}

#[test]
fn keys_and_values_may_have_sizes_of_their_own() -> Result<()> {
    let _device = device();
    let attention = MultiheadAttention::builder(4, 2).kdim(3).vdim(5).add_bias_kv(true).add_zero_attn(true).build()?;
    let names: Vec<String> = attention.named_parameters().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "q_proj_weight",
        "k_proj_weight",
        "v_proj_weight",
        "in_proj_bias",
        "bias_k",
        "bias_v",
        "out_proj.weight",
        "out_proj.bias",
    ];
    assert_eq!(names, expected);
    let (q, k, v) = (Tensor::randn([6, 2, 4])?, Tensor::randn([7, 2, 3])?, Tensor::randn([7, 2, 5])?);
    let (y, weights) = attention.forward(&q, &k, &v, None, true, None, true, false)?;
    assert_eq!((y.shape().to_vec(), weights.unwrap().shape().to_vec()), (vec![6, 2, 4], vec![2, 6, 9]));
    for (embed_dim, num_heads) in [(5, 2), (0, 1), (4, 0)] {
        assert!(MultiheadAttention::new(embed_dim, num_heads).is_err_and(|error| error.is_argument()));
    }
    assert!(attention.forward(&k, &k, &v, None, true, None, true, false).is_err());
    Ok(())
}

fn small_encoder() -> TransformerEncoderLayerBuilder {
    TransformerEncoderLayer::builder(8, 2).dim_feedforward(16).dropout(0.0).batch_first(true)
}

#[test]
fn stacks_are_copies_of_a_layer_with_parameters_of_their_own() -> Result<()> {
    let _device = device();
    let layer = small_encoder().build()?;
    let encoder = TransformerEncoder::new(&layer, 2, None)?;
    let x = Tensor::randn([2, 5, 8])?;
    let once = layer.forward(&x, None, None, false)?;
    assert_close(&encoder.forward(&x, None, None, None)?, &layer.forward(&once, None, None, false)?);
    let [first, second] = ["layers.0.linear1.weight", "layers.1.linear1.weight"].map(|name| {
        encoder.named_parameters().into_iter().find(|(own, _)| own == name).map(|(_, parameter)| parameter).unwrap()
    });
    assert_eq!(read(&first), read(&second));
    assert!(!first.shares_storage_with(&second));

    let decoder = {
        let layer =
            TransformerDecoderLayer::builder(8, 2).dim_feedforward(16).dropout(0.0).batch_first(true).build()?;
        TransformerDecoder::new(&layer, 2, None)?
    };
    let memory = Tensor::randn([2, 4, 8])?;
    assert_eq!(decoder.forward(&x, &memory, None, None, None, None, None, false)?.shape().to_vec(), [2, 5, 8]);
    Ok(())
}

#[test]
fn an_activation_is_a_name_or_a_module() -> Result<()> {
    let device = device();
    let x = Tensor::randn([2, 5, 8])?;
    let with = |activation: Activation| {
        device.manual_seed(3);
        small_encoder().activation(activation).build()?.forward(&x, None, None, false)
    };
    let named = with(Activation::Gelu)?;
    assert_close(&with(Activation::Module(Rc::new(GELU::builder().build()?)))?, &named);
    assert_ne!(read(&with(Activation::Relu)?), read(&named));
    // Built from the table, where a layer is an argument of a stack.
    let whole = |value| Arg::Scalar(Scalar::Int(value));
    let gelu = Rc::new(build("GELU", &[])?);
    let sizes = || [whole(8), whole(2), whole(16), Arg::Scalar(Scalar::Float(0.0))];
    let layer = Rc::new(build("TransformerEncoderLayer", &[&sizes()[..], &[argument(gelu)]].concat())?);
    let norm = Rc::new(build("LayerNorm", &[whole(8)])?);
    let encoder = build("TransformerEncoder", &[argument(layer), whole(2), argument(norm.clone())])?;
    assert!(encoder.module().named_parameters().iter().any(|(name, _)| name == "norm.weight"));
    assert_eq!(encoder.call(&[Arg::Tensor(x.clone())])?.tensors()[0].shape().to_vec(), [2, 5, 8]);
    assert!(build("TransformerEncoder", &[argument(norm), whole(2)]).is_err_and(|error| error.is_argument()));
    assert!(build("TransformerEncoderLayer", &[&sizes()[..], &[Arg::Str("nothing".into())]].concat()).is_err());
    Ok(())
}

#[test]
fn a_transformer_takes_an_encoder_of_its_own_and_checks_its_inputs() -> Result<()> {
    let _device = device();
    let own = Rc::new(TransformerEncoder::new(&small_encoder().build()?, 1, None)?);
    let net = Transformer::builder(8, 2).num_encoder_layers(6).num_decoder_layers(1).dim_feedforward(16);
    let net = net.dropout(0.0).batch_first(true).custom_encoder(own).build()?;
    let names: Vec<String> = net.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| !name.starts_with("encoder.layers.1") && !name.starts_with("encoder.norm")));
    assert!(names.contains(&"decoder.layers.0.multihead_attn.out_proj.bias".to_string()));
    let forward = |src: &[i64], tgt: &[i64]| {
        let (src, tgt) = (Tensor::randn(src)?, Tensor::randn(tgt)?);
        net.forward(&src, &tgt, None, None, None, None, None, None, None, None, false)
    };
    assert_eq!(forward(&[2, 5, 8], &[2, 3, 8])?.shape().to_vec(), [2, 3, 8]);
    assert_eq!(forward(&[5, 8], &[3, 8])?.shape().to_vec(), [3, 8]);
    for (src, tgt) in [(&[2, 5, 8][..], &[3, 5, 8][..]), (&[2, 5, 7], &[2, 5, 8]), (&[2, 5, 8], &[5, 8])] {
        assert!(forward(src, tgt).is_err_and(|error| error.is_shape()), "{src:?} {tgt:?}");
    }
    assert_eq!(read(&Transformer::generate_square_subsequent_mask(2)?), [0.0, f32::NEG_INFINITY, 0.0, 0.0]);
    Ok(())
}

#[test]
fn rows_are_read_with_every_option() -> Result<()> {
    let device = device();
    let rows = Tensor::from_slice(&[3.0f32, 4.0, 0.6, 0.8, 1.0, 0.0], [3, 2], &device)?;
    let indices = Tensor::from_slice(&[0, 1, 0], [3], &device)?;
    let table = Embedding::from_pretrained(&rows, false)?.max_norm(1.0).build()?;
    let read_rows = read(&table.forward(&indices)?);
    assert!((read_rows[0] - 0.6).abs() < 1e-5 && (read_rows[1] - 0.8).abs() < 1e-5, "{read_rows:?}");
    // The row is rescaled in place, so the tensor that the table shares it with is too.
    assert!((read(&rows)[0] - 0.6).abs() < 1e-5);
    let table = Embedding::from_pretrained(&rows, false)?.scale_grad_by_freq(true).padding_idx(-2).build()?;
    table.forward(&indices)?.sum((), false)?.backward()?;
    assert_eq!(read(&table.parameters()[0].grad().unwrap()), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let fresh = Embedding::builder(4, 2).padding_idx(1).build()?;
    assert_eq!(read(&fresh.parameters()[0])[2..4], [0.0, 0.0]);
    assert!(Embedding::builder(4, 2).padding_idx(4).build().is_err_and(|error| error.is_argument()));
    assert!(Embedding::from_pretrained(&indices, true).is_err_and(|error| error.is_shape()));
    let flag = |value| Arg::Scalar(Scalar::Bool(value));
    let whole = |value| Arg::Scalar(Scalar::Int(value));
    let sparse = [whole(4), whole(2), Arg::Missing, Arg::Missing, Arg::Missing, Arg::Missing, flag(true)];
    assert!(
        build("Embedding", &sparse)
            .is_err_and(|error| error.to_string().contains("sparse gradients are not supported"))
    );
    let frozen = [
        whole(3),
        whole(2),
        Arg::Missing,
        Arg::Missing,
        Arg::Missing,
        Arg::Missing,
        flag(false),
        Arg::Tensor(rows),
        flag(true),
    ];
    assert!(!build("Embedding", &frozen)?.module().parameters()[0].requires_grad());
    Ok(())
}

#[test]
fn bags_are_sums_means_and_maxima_of_rows() -> Result<()> {
    let device = device();
    let rows = Tensor::from_slice(&[1.0f32, 5.0, 2.0, 4.0, 3.0, 3.0, 9.0, 9.0], [4, 2], &device)?;
    let bags = |mode: BagMode, last: bool, padding_idx: Option<i64>| {
        EmbeddingBag::from_pretrained(&rows, false)?
            .mode(mode)
            .include_last_offset(last)
            .padding_idx(padding_idx)
            .build()
    };
    let indices = Tensor::from_slice(&[0, 1, 2, 3], [4], &device)?;
    let offsets = Tensor::from_slice(&[0, 3], [2], &device)?;
    let of = |mode: BagMode| {
        Ok::<_, lanthorn_tensor::Error>(read(&bags(mode, false, None)?.forward(&indices, Some(&offsets), None)?))
    };
    assert_eq!(of(BagMode::Sum)?, [6.0, 12.0, 9.0, 9.0]);
    assert_eq!(of(BagMode::Mean)?, [2.0, 4.0, 9.0, 9.0]);
    assert_eq!(of(BagMode::Max)?, [3.0, 5.0, 9.0, 9.0]);
    let ends = Tensor::from_slice(&[0, 1, 3], [3], &device)?;
    assert_eq!(read(&bags(BagMode::Sum, true, None)?.forward(&indices, Some(&ends), None)?), [1.0, 5.0, 5.0, 7.0]);
    let matrix = indices.reshape([2, 2])?;
    let weights = Tensor::from_slice(&[2.0f32, 0.5, 1.0, 0.0], [2, 2], &device)?;
    assert_eq!(read(&bags(BagMode::Sum, false, None)?.forward(&matrix, None, Some(&weights))?), [3.0, 12.0, 3.0, 3.0]);
    assert_eq!(read(&bags(BagMode::Mean, false, Some(3))?.forward(&matrix, None, None)?), [1.5, 4.5, 3.0, 3.0]);
    let mut median = vec![Arg::from(4), Arg::from(2), Arg::Missing, Arg::Missing, Arg::Missing];
    median.push(Arg::Str("median".into()));
    assert!(build("EmbeddingBag", &median).is_err_and(|error| error.is_argument()));
    assert!(
        bags(BagMode::Mean, false, None)?
            .forward(&matrix, None, Some(&weights))
            .is_err_and(|error| error.is_argument())
    );
    assert!(bags(BagMode::Sum, false, None)?.forward(&indices, None, None).is_err_and(|error| error.is_argument()));
    Ok(())
}

#[test]
fn an_empty_batch_and_empty_sequences_pass_through() -> Result<()> {
    let _device = device();
    let modules = [
        MultiheadAttention::new(4, 2)?,
        MultiheadAttention::builder(4, 2).add_bias_kv(true).add_zero_attn(true).build()?,
    ];
    for (attention, appended) in modules.iter().zip([0, 2]) {
        for [queries, keys, batch] in [[3, 5, 0], [0, 5, 2], [3, 0, 2], [0, 0, 0]] {
            let query = Tensor::zeros([queries, batch, 4])?.requires_grad_(true)?;
            let key = Tensor::ones([keys, batch, 4])?;
            let padding = Tensor::zeros_with([batch, keys], DType::Bool, None)?;
            let mask = Tensor::zeros([2 * batch, queries, keys])?;
            for need_weights in [true, false] {
                for (padding, mask) in [(None, None), (Some(&padding), None), (None, Some(&mask))] {
                    let (y, weights) =
                        attention.forward(&query, &key, &key, padding, need_weights, mask, true, false)?;
                    assert_eq!(y.shape().to_i64(), [queries, batch, 4]);
                    let shape = weights.map(|weights| weights.shape().to_i64());
                    assert_eq!(shape, need_weights.then(|| vec![batch, queries, keys + appended]));
                    y.sum((), false)?.backward()?;
                    assert_eq!(query.grad().unwrap().shape().to_i64(), [queries, batch, 4]);
                    assert!(read(&y).iter().all(|value| value.is_finite()));
                }
            }
        }
        let single = Tensor::zeros([0, 4])?;
        let (y, weights) = attention.forward(&single, &single, &single, None, true, None, true, false)?;
        assert_eq!((y.shape().to_i64(), weights.unwrap().shape().to_i64()), (vec![0, 4], vec![0, appended]));
    }
    Ok(())
}

#[test]
fn transformers_take_an_empty_batch() -> Result<()> {
    let device = device();
    for (name, inputs) in [("TransformerEncoderLayer", 1), ("TransformerDecoderLayer", 2)] {
        for batch_first in [false, true] {
            let mut args = [4, 2, 8].map(|number| Arg::Scalar(Scalar::Int(number))).to_vec();
            args.extend([Arg::Missing, Arg::Missing, Arg::Missing, Arg::Scalar(Scalar::Bool(batch_first))]);
            let layer = build(name, &args)?;
            for mode in [true, false] {
                layer.module().train(mode);
                for shape in [[3, 0, 4], [0, 2, 4]] {
                    let x = Arg::Tensor(Tensor::zeros_with(shape, DType::F32, Some(&device))?);
                    let y = layer.call(&vec![x; inputs])?.into_tensor(name)?;
                    assert_eq!(y.shape().to_i64(), shape, "{name}");
                }
            }
        }
    }
    Ok(())
}
