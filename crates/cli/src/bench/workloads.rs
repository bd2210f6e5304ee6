//! Workloads, written as user code without any support in the library. Sizes and data are equal to
//! `tests/bench`, so every engine does the same work.

use super::{Arithmetic, Constructor, Run, Workload};
use lanthorn::{Approximate, Device, GradOptions, Result, Tensor, grad, nn::CrossEntropyLoss, no_grad};

/// Every workload.
pub(super) static WORKLOADS: &[Workload] = &[
    workload("matmul256", 3.4e7, |device| matmul(256, device)),
    workload("matmul512", 2.7e8, |device| matmul(512, device)),
    workload("matmul1024", 2.15e9, |device| matmul(1024, device)),
    workload("elementwise", 0.0, elementwise),
    workload("softmax", 0.0, |device| of_rows(4, device, |x| x.softmax(-1))),
    workload("sum", 0.0, |device| of_rows(4, device, |x| x.sum(1, false))),
    workload("layernorm", 0.0, |device| of_rows(5, device, normalize)),
    workload("conv2d", 4.62e8, conv2d),
    workload("mlpTrain", 0.0, mlp),
    workload("cnnTrain", 0.0, cnn),
    workload("gptTrain", 0.0, gpt),
];

/// Creates a workload. `operations` are the multiplications and additions of a run, if products
/// dominate it.
const fn workload(name: &'static str, operations: f64, make: fn(&Device) -> Result<Run>) -> Workload {
    Workload { name, arithmetic: Arithmetic::Float32, make: Constructor::Page(make, operations) }
}

/// Returns the numbers of a linear congruential generator, as in the workloads of the other
/// engines.
fn congruential(seed: u32) -> impl Iterator<Item = u32> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), next).skip(1)
}

/// Returns numbers in `[-scale, scale)`.
fn array(shape: &[i64], seed: u32, scale: f64, device: &Device) -> Result<Tensor> {
    let count = shape.iter().product::<i64>() as usize;
    let numbers: Vec<f32> =
        congruential(seed).take(count).map(|word| ((f64::from(word) / 2_147_483_648.0 - 1.0) * scale) as f32).collect();
    Tensor::from_slice(&numbers, shape, device)
}

/// Returns class indices below `classes`.
fn labels(count: usize, classes: u32, seed: u32, device: &Device) -> Result<Tensor> {
    let indices: Vec<i32> = congruential(seed).take(count).map(|word| (word % classes) as i32).collect();
    Tensor::from_slice(&indices, [count as i64], device)
}

/// Runs a forward pass, and reads its first element.
fn forward(f: impl Fn() -> Result<Tensor> + 'static) -> Result<Run> {
    Ok(Box::new(move || no_grad(|| f()?.reshape(-1)?.select(0, 0))))
}

/// Minimizes `loss` by stochastic gradient descent, and reads it in every step.
fn train(parameters: Vec<Tensor>, lr: f64, loss: impl Fn() -> Result<Tensor> + 'static) -> Result<Run> {
    for parameter in &parameters {
        parameter.requires_grad_(true)?;
    }
    Ok(Box::new(move || {
        let value = loss()?;
        let gradients = grad(std::slice::from_ref(&value), &parameters, &[], GradOptions::default())?;
        no_grad(|| {
            for (parameter, gradient) in parameters.iter().zip(gradients.iter().flatten()) {
                parameter.copy_(&parameter.sub_with(gradient, lr)?)?;
            }
            Ok::<(), lanthorn::Error>(())
        })?;
        Ok(value.detach())
    }))
}

fn matmul(n: i64, device: &Device) -> Result<Run> {
    let (a, b) = (array(&[n, n], 1, 1.0, device)?, array(&[n, n], 2, 1.0, device)?);
    forward(move || a.matmul(&b))
}

fn elementwise(device: &Device) -> Result<Run> {
    let x = array(&[1 << 20], 3, 1.0, device)?;
    forward(move || x.mul(&x)?.add(&x)?.tanh()?.mul(&x.sigmoid()?))
}

fn of_rows(seed: u32, device: &Device, f: fn(&Tensor) -> Result<Tensor>) -> Result<Run> {
    let x = array(&[1024, 1024], seed, 1.0, device)?;
    forward(move || f(&x))
}

fn normalize(x: &Tensor) -> Result<Tensor> {
    let centered = x.sub(&x.mean(-1, true)?)?;
    centered.div(&centered.square()?.mean(-1, true)?.add(1e-5)?.sqrt()?)
}

fn conv2d(device: &Device) -> Result<Run> {
    let (x, w) = (array(&[4, 32, 56, 56], 6, 1.0, device)?, array(&[64, 32, 3, 3], 7, 1.0, device)?);
    forward(move || x.conv2d(&w, None, 1, 1, 1, 1))
}

fn mlp(device: &Device) -> Result<Run> {
    let (x, y) = (array(&[128, 784], 8, 1.0, device)?, labels(128, 10, 7, device)?);
    let mut layers = Vec::new();
    for (seed, (inputs, outputs)) in (9..).zip([(784, 512), (512, 256), (256, 10)]) {
        layers.push((array(&[inputs, outputs], seed, (inputs as f64).powf(-0.5), device)?, Tensor::zeros([outputs])?));
    }
    let parameters = layers.iter().flat_map(|(weight, bias)| [weight.clone(), bias.clone()]).collect();
    let criterion = CrossEntropyLoss::default();
    train(parameters, 0.01, move || {
        let mut h = x.clone();
        for (index, (weight, bias)) in layers.iter().enumerate() {
            h = h.matmul(weight)?.add(bias)?;
            if index + 1 < layers.len() {
                h = h.relu()?;
            }
        }
        criterion.forward(&h, &y)
    })
}

fn cnn(device: &Device) -> Result<Run> {
    let (x, y) = (array(&[64, 1, 28, 28], 8, 1.0, device)?, labels(64, 10, 7, device)?);
    let (w1, w2) = (array(&[16, 1, 3, 3], 11, 0.3, device)?, array(&[32, 16, 3, 3], 12, 0.1, device)?);
    let (w3, b3) = (array(&[32 * 49, 10], 13, 0.03, device)?, Tensor::zeros([10])?);
    let criterion = CrossEntropyLoss::default();
    train(vec![w1.clone(), w2.clone(), w3.clone(), b3.clone()], 0.01, move || {
        let h = x.conv2d(&w1, None, 2, 1, 1, 1)?.relu()?.conv2d(&w2, None, 2, 1, 1, 1)?.relu()?;
        criterion.forward(&h.reshape([64, 32 * 49])?.matmul(&w3)?.add(&b3)?, &y)
    })
}

/// The parameters of a block of the small GPT.
struct Block {
    qkv: Tensor,
    projection: Tensor,
    up: Tensor,
    down: Tensor,
    gains: [Tensor; 2],
}

/// 4 blocks of 4 heads and width 128, batches of 8 × 64 characters out of 65.
fn gpt(device: &Device) -> Result<Run> {
    let (batch, length, vocabulary, heads, width) = (8, 64, 65, 4, 128);
    let count = (batch * length) as usize;
    let (ids, targets) = (labels(count, 65, 21, device)?, labels(count, 65, 22, device)?);
    let causal = |i: i64| if i % length <= i / length { 0.0 } else { -1e9 };
    let mask: Vec<f32> = (0..length * length).map(causal).collect();
    let mask = Tensor::from_slice(&mask, [length, length], device)?;
    let mut seed = 29;
    let mut weight = |rows: i64, columns: i64, scale: Option<f64>| {
        seed += 1;
        array(&[rows, columns], seed, scale.unwrap_or((rows as f64).powf(-0.5)), device)
    };
    let (embedding, position) = (weight(vocabulary, width, None)?, weight(length, width, Some(0.02))?);
    let output = weight(width, vocabulary, None)?;
    let mut blocks = Vec::new();
    for _ in 0..4 {
        let (qkv, projection) = (weight(width, 3 * width, None)?, weight(width, width, None)?);
        let (up, down) = (weight(width, 4 * width, None)?, weight(4 * width, width, None)?);
        blocks.push(Block { qkv, projection, up, down, gains: [Tensor::ones([width])?, Tensor::ones([width])?] });
    }
    let mut parameters = vec![embedding.clone(), position.clone(), output.clone()];
    for Block { qkv, projection, up, down, gains: [first, second] } in &blocks {
        parameters.extend([qkv, projection, up, down, first, second].map(Tensor::clone));
    }
    let criterion = CrossEntropyLoss::default();
    train(parameters, 1e-3, move || {
        let mut h = embedding.index_select(0, &ids)?.reshape([batch, length, width])?.add(&position)?;
        for Block { qkv, projection, up, down, gains: [first, second] } in &blocks {
            let split = [batch, length, 3, heads, width / heads];
            let qkv = normalize(&h)?.mul(first)?.matmul(qkv)?.reshape(split)?.permute([2, 0, 3, 1, 4])?;
            let [q, k, v] = [qkv.select(0, 0)?, qkv.select(0, 1)?, qkv.select(0, 2)?];
            let scale = ((width / heads) as f64).powf(-0.5);
            let scores = q.matmul(&k.transpose(-1, -2)?)?.mul(scale)?.add(&mask)?.softmax(-1)?;
            let mixed = scores.matmul(&v)?.permute([0, 2, 1, 3])?.reshape([batch, length, width])?;
            h = h.add(&mixed.matmul(projection)?)?;
            h = h.add(&normalize(&h)?.mul(second)?.matmul(up)?.gelu_with(Approximate::Tanh)?.matmul(down)?)?;
        }
        criterion.forward(&h.matmul(&output)?.reshape([batch * length, vocabulary])?, &targets)
    })
}
