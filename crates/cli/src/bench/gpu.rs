//! Workloads at the sizes of a GPU, written as user code. The device creates the data.
//! `tests/bench/torch_gpu.py` has the same workloads in PyTorch, and must change together with this
//! file.

use super::{
    Arithmetic::{self, Bfloat16, Float32, Tf32},
    Run, Task, Workload,
    networks::{Gpt, ResNet18},
};
use lanthorn::{
    DType, Result, Tensor,
    nn::{Conv2d, CrossEntropyLoss, Layer, LayerNorm, Linear, Module, ReLU, Sequential},
    no_grad,
    optim::{AdamW, AdamWOptions, Optimizer, Sgd, SgdOptions},
};

/// Every workload.
pub(super) static WORKLOADS: &[Workload] = &[
    // The cost of starting a run and reading its result, which is a lower bound for every workload.
    workload("read", Float32, |_| map([1], |x| x.neg())),
    workload("copy", Float32, |shrink| map([shrink.of(GIBIBYTE)], |x| x.neg())),
    workload("elementwise", Float32, |shrink| {
        map([shrink.of(GIBIBYTE)], |x| x.mul(x)?.add(x)?.tanh()?.mul(&x.sigmoid()?))
    }),
    workload("sum", Float32, |shrink| map([shrink.of(GIBIBYTE)], |x| x.sum((), false))),
    workload("softmax", Float32, |shrink| map([shrink.of(8192); 2], |x| x.softmax(-1))),
    workload("layernorm", Float32, |shrink| layer_norm(shrink.of(8192))),
    workload("matmul1024", Float32, |shrink| matmul(shrink.of(1024), Float32)),
    workload("matmul2048", Float32, |shrink| matmul(shrink.of(2048), Float32)),
    workload("matmul4096", Float32, |shrink| matmul(shrink.of(4096), Float32)),
    workload("matmul8192", Float32, |shrink| matmul(shrink.of(8192), Float32)),
    workload("matmul1024Tf32", Tf32, |shrink| matmul(shrink.of(1024), Tf32)),
    workload("matmul2048Tf32", Tf32, |shrink| matmul(shrink.of(2048), Tf32)),
    workload("matmul4096Tf32", Tf32, |shrink| matmul(shrink.of(4096), Tf32)),
    workload("matmul8192Tf32", Tf32, |shrink| matmul(shrink.of(8192), Tf32)),
    workload("matmul1024Bf16", Bfloat16, |shrink| matmul(shrink.of(1024), Bfloat16)),
    workload("matmul2048Bf16", Bfloat16, |shrink| matmul(shrink.of(2048), Bfloat16)),
    workload("matmul4096Bf16", Bfloat16, |shrink| matmul(shrink.of(4096), Bfloat16)),
    workload("matmul8192Bf16", Bfloat16, |shrink| matmul(shrink.of(8192), Bfloat16)),
    workload("conv2d", Float32, conv2d),
    workload("attention", Float32, |shrink| attention(shrink, Float32, false)),
    workload("attentionTrain", Float32, |shrink| attention(shrink, Float32, true)),
    workload("attentionBf16", Bfloat16, |shrink| attention(shrink, Bfloat16, false)),
    workload("attentionTrainBf16", Bfloat16, |shrink| attention(shrink, Bfloat16, true)),
    workload("mlpTrain", Float32, mlp),
    workload("resnetTrain", Float32, resnet),
    workload("gptTrain", Float32, gpt),
];

const fn workload(name: &'static str, arithmetic: Arithmetic, make: fn(Shrink) -> Result<Task>) -> Workload {
    Workload { name, arithmetic, make: super::Constructor::Counted(make) }
}

/// The number of float32 elements in 1 GiB.
const GIBIBYTE: i64 = 1 << 28;

/// The divisor of all sizes, with which a test can run every workload.
#[derive(Clone, Copy)]
pub(super) struct Shrink(pub i64);

impl Shrink {
    pub(super) fn of(self, size: i64) -> i64 {
        (size / self.0).max(1)
    }
}

fn bytes_of<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> f64 {
    tensors.into_iter().map(|tensor| tensor.shape().elements() as f64 * tensor.dtype().size() as f64).sum()
}

/// Runs a forward pass, and reads its first element. The counted bytes are its inputs and its
/// result.
fn forward(inputs: &[&Tensor], operations: f64, f: impl Fn() -> Result<Tensor> + 'static) -> Result<Task> {
    let bytes = bytes_of(inputs.iter().copied()) + bytes_of([&no_grad(&f)?]);
    let run: Run = Box::new(move || no_grad(|| f()?.reshape(-1)?.select(0, 0)));
    Ok(Task { run, bytes, operations })
}

/// Takes steps of an optimizer on a loss, and reads the loss. `slots` is the number of state
/// elements that the optimizer keeps for each element of a parameter.
///
/// The lower bound for a step is to read and write the parameters and their state, and to read the
/// gradients.
fn train(optimizer: Optimizer, slots: usize, forward: f64, loss: impl Fn() -> Result<Tensor> + 'static) -> Task {
    let bytes = bytes_of(&optimizer.parameters()) * (3 + 2 * slots) as f64;
    let run: Run = Box::new(move || {
        optimizer.zero_grad()?;
        let value = loss()?;
        value.backward()?;
        optimizer.step()?;
        Ok(value.detach())
    });
    Task { run, bytes, operations: 3.0 * forward }
}

fn map<const D: usize>(shape: [i64; D], f: fn(&Tensor) -> Result<Tensor>) -> Result<Task> {
    let x = Tensor::rand(shape)?;
    forward(&[&x.clone()], 0.0, move || f(&x))
}

fn layer_norm(n: i64) -> Result<Task> {
    let (x, layer) = (Tensor::rand([n, n])?, LayerNorm::new([n])?);
    forward(&[&x.clone()], 0.0, move || layer.forward(&x))
}

/// Numbers in `[-1, 1)` of the compute type.
fn operand(shape: &[i64], arithmetic: Arithmetic) -> Result<Tensor> {
    let dtype = if let Bfloat16 = arithmetic { DType::BF16 } else { DType::F32 };
    Tensor::rand(shape)?.mul(2.0)?.sub(1.0)?.to(dtype)
}

fn matmul(n: i64, arithmetic: Arithmetic) -> Result<Task> {
    let (a, b) = (operand(&[n, n], arithmetic)?, operand(&[n, n], arithmetic)?);
    forward(&[&a.clone(), &b.clone()], 2.0 * (n as f64).powi(3), move || a.matmul(&b))
}

/// The convolution of 3 x 3 in the fourth stage of a ResNet-50.
fn conv2d(shrink: Shrink) -> Result<Task> {
    let (batch, channels, side) = (shrink.of(64), shrink.of(256), shrink.of(14));
    let layer = Conv2d::builder(channels, channels, 3).padding(1).bias(false).build()?;
    let x = operand(&[batch, channels, side, side], Float32)?;
    let operations = 18.0 * (batch * channels * channels * side * side) as f64;
    forward(&[&x.clone(), &layer.parameters()[0].clone()], operations, move || layer.forward(&x))
}

/// 8 batches, 16 heads of 64, 2048 queries and keys. Backward has five products where forward has
/// two.
fn attention(shrink: Shrink, arithmetic: Arithmetic, backward: bool) -> Result<Task> {
    let [batch, heads, length, width] = [8, 16, 2048, 64].map(|size| shrink.of(size));
    let operations = 4.0 * (batch * heads * length * width) as f64 * length as f64;
    let make = || operand(&[batch, heads, length, width], arithmetic);
    let (query, key, value) = (make()?, make()?, make()?);
    let inputs = [query.clone(), key.clone(), value.clone()];
    let attend = move || Tensor::scaled_dot_product_attention(&query, &key, &value, None, 0.0, false);
    if !backward {
        return forward(&inputs.each_ref(), operations, attend);
    }
    for input in &inputs {
        input.requires_grad_(true)?;
    }
    let gradient = make()?;
    // Backward reads three operands, the result and its gradient; the result and three gradients
    // are written.
    let bytes = 9.0 * bytes_of([&gradient]);
    let run: Run = Box::new(move || {
        let gradients = lanthorn::grad(&[attend()?], &inputs, std::slice::from_ref(&gradient), Default::default())?;
        let firsts = gradients
            .iter()
            .flatten()
            .map(|gradient| gradient.reshape(-1)?.select(0, 0))
            .collect::<Result<Vec<_>>>()?;
        Tensor::stack(&firsts, 0)?.sum((), false)
    });
    Ok(Task { run, bytes, operations: 3.5 * operations })
}

/// Layers of width 4096, batches of 4096.
fn mlp(shrink: Shrink) -> Result<Task> {
    let (batch, width, classes) = (shrink.of(4096), shrink.of(4096), shrink.of(1024));
    let model = Sequential::new(vec![
        Box::new(Linear::new(width, width)?),
        Box::new(ReLU),
        Box::new(Linear::new(width, width)?),
        Box::new(ReLU),
        Box::new(Linear::new(width, classes)?),
    ]);
    let operations = 2.0 * batch as f64 * (2 * width * width + width * classes) as f64;
    let (x, y) = (Tensor::rand([batch, width])?, Tensor::randint(classes, [batch])?);
    let optimizer = AdamW::new(model.parameters(), AdamWOptions { lr: 1e-4, ..Default::default() })?;
    let criterion = CrossEntropyLoss::default();
    Ok(train(optimizer, 2, operations, move || criterion.forward(&model.forward(&x)?, &y)))
}

/// 64 images of 224 x 224 in 1000 classes.
fn resnet(shrink: Shrink) -> Result<Task> {
    // A batch norm keeps two numbers per channel.
    let (batch, side, width, classes) = (shrink.of(64).max(2), shrink.of(224), shrink.of(64), shrink.of(1000));
    let model = ResNet18::new(width, classes)?;
    let (x, y) = (Tensor::rand([batch, 3, side, side])?, Tensor::randint(classes, [batch])?);
    let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 1e-2, momentum: 0.9, ..Default::default() })?;
    let criterion = CrossEntropyLoss::default();
    let operations = ResNet18::operations(width, classes, batch, side);
    Ok(train(optimizer, 1, operations, move || criterion.forward(&model.forward(&x)?, &y)))
}

/// GPT-2 small: 12 blocks of 12 heads of 64; 8 texts of 1024 tokens out of 50257.
fn gpt(shrink: Shrink) -> Result<Task> {
    let (batch, length, vocabulary, heads, layers) = (shrink.of(8), shrink.of(1024), shrink.of(50257), 12, 12);
    let width = heads * shrink.of(64);
    let model = Gpt::new(vocabulary, length, width, heads, layers)?;
    let (x, y) = (Tensor::randint(vocabulary, [batch, length])?, Tensor::randint(vocabulary, [batch * length])?);
    let optimizer = AdamW::new(model.parameters(), AdamWOptions { lr: 1e-4, ..Default::default() })?;
    let criterion = CrossEntropyLoss::default();
    // The products with weights, with the token table, and of queries with half of the keys and
    // half of the values.
    let weights = layers * 12 * width * width + vocabulary * width;
    let operations = 2.0 * (batch * length) as f64 * (weights + layers * length * width) as f64;
    Ok(train(optimizer, 2, operations, move || {
        criterion.forward(&model.forward(&x)?.reshape([batch * length, vocabulary])?, &y)
    }))
}
