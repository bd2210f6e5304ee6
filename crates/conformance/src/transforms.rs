//! Every op within [`vmap`](func::vmap): values, backward and forward derivatives of a batch
//! compared with its samples one by one; and forward derivatives compared with backward
//! ones.

use crate::{
    Report,
    compare::{Tolerance, close},
    samples::{RANDOM, converts_beyond, host, tensors, with_tensors},
    selection,
};
use lanthorn::{
    DType, Device, Result, Tensor, func,
    ops::{Arg, Op},
    testing::cotangent,
};

/// Float32 results of two orders of summation.
const TOLERANCE: Tolerance = Tolerance { atol: 4e-5, rtol: 2e-5 };

fn is_real(x: &Tensor) -> bool {
    x.dtype().is_floating_point()
}

/// The results of an op, the gradients of its real inputs, and the forward derivatives of its real
/// results, with how many of each there are.
fn everything(op: &'static Op, args: &[Arg], given: &[Tensor], device: &Device) -> Result<(Vec<Tensor>, [usize; 3])> {
    let real: Vec<Tensor> = given.iter().filter(|x| is_real(x)).cloned().collect();
    let run = |real: &[Tensor]| -> Result<Vec<Tensor>> {
        // Every call draws the same random numbers.
        device.manual_seed(7);
        let mut real = real.iter();
        let all: Vec<Tensor> = given
            .iter()
            .map(|x| if is_real(x) { real.next().cloned().unwrap_or_else(|| x.clone()) } else { x.clone() })
            .collect();
        Ok(op.run(&with_tensors(args, all)?)?.tensors().to_vec())
    };
    let only_real = |real: &[Tensor]| Ok(run(real)?.into_iter().filter(is_real).collect::<Vec<_>>());
    let mut results = run(&real)?;
    let count = results.len();
    let differentiable: Vec<Tensor> = results.iter().filter(|x| is_real(x)).cloned().collect();
    if real.is_empty() || differentiable.is_empty() {
        return Ok((results, [count, 0, 0]));
    }
    let like = |x: &Tensor| cotangent(x, x.dtype());
    let (_, vjp) = func::vjp(only_real, &real)?;
    results.extend(vjp.call(&differentiable.iter().map(like).collect::<Result<Vec<_>>>()?)?);
    let tangents = real.iter().map(like).collect::<Result<Vec<_>>>()?;
    results.extend(func::jvp(only_real, &real, &tangents)?.1);
    Ok((results, [count, real.len(), differentiable.len()]))
}

/// The difference between a batch of two samples and the samples one by one.
async fn check_batch(op: &'static Op, samples: [&[Arg]; 2], device: &Device) -> std::result::Result<(), String> {
    let text = |error: lanthorn::Error| error.to_string();
    let given = samples.map(tensors);
    let batch: Result<Vec<Tensor>> =
        given[0].iter().zip(&given[1]).map(|(a, b)| Tensor::stack(&[a.clone(), b.clone()], 0)).collect();
    let options = func::VmapOptions { randomness: func::Randomness::Same, ..Default::default() };
    let batched = func::vmap(|x: &[Tensor]| Ok(everything(op, samples[0], x, device)?.0), options);
    let results = batched(&batch.map_err(text)?).map_err(text)?;
    let alone = [0, 1].map(|index| everything(op, samples[index], &given[index], device));
    let [(first, counts), (second, _)] = {
        let [first, second] = alone;
        [first.map_err(text)?, second.map_err(text)?]
    };
    for (index, result) in results.iter().enumerate() {
        let pair = Tensor::stack(&[first[index].clone(), second[index].clone()], 0).map_err(text)?;
        let (got, want) = (host(result).await.map_err(text)?, host(&pair).await.map_err(text)?);
        let kind = ["result", "gradient", "forward derivative"];
        let what = kind[usize::from(index >= counts[0]) + usize::from(index >= counts[0] + counts[1])];
        if got.shape != want.shape {
            return Err(format!("{what} {index}: shape {:?}, expected {:?}", got.shape, want.shape));
        }
        close(&got.values, &want.values, TOLERANCE.of(got.dtype)).map_err(|why| format!("{what} {index}: {why}"))?;
    }
    check_products(&first, counts, &given[0]).await
}

/// `u . (J t) = (u J) . t` for the cotangents u and the tangents t.
async fn check_products(all: &[Tensor], counts: [usize; 3], given: &[Tensor]) -> std::result::Result<(), String> {
    let text = |error: lanthorn::Error| error.to_string();
    let mut sums = [0.0, 0.0];
    let mut magnitude = 0.0;
    let results = all[..counts[0]].iter().filter(|x| is_real(x));
    let forward = results.zip(&all[counts[0] + counts[1]..]);
    let backward = given.iter().filter(|x| is_real(x)).zip(&all[counts[0]..]).take(counts[1]);
    for (side, (like, derivative)) in forward.map(|pair| (0, pair)).chain(backward.map(|pair| (1, pair))) {
        let weights = host(&cotangent(like, like.dtype()).map_err(text)?).await.map_err(text)?.values;
        let values = host(derivative).await.map_err(text)?.values;
        let products = weights.iter().zip(&values).map(|(a, b)| a * b).filter(|product| product.is_finite());
        for product in products {
            sums[side] += product;
            magnitude += product.abs();
        }
    }
    let difference = (sums[0] - sums[1]).abs();
    match difference <= 1e-4 * (1.0 + magnitude) {
        true => Ok(()),
        false => Err(format!("the forward derivative {} does not fit the gradient {}", sums[0], sums[1])),
    }
}

/// Checks the ops that `wanted` accepts on a device in float32. The second sample of a batch has
/// the first one's numbers, a little smaller.
pub async fn check(device: &Device, wanted: impl Fn(&str) -> bool) -> Report {
    device.set_default();
    let mut report = Report::default();
    let excluded = |op: &'static Op| op.is_async() || RANDOM.contains(&op.base_name()) || converts_beyond(op, device);
    let checked = |op: &&'static Op| wanted(op.name()) && !excluded(op);
    for op in selection::ops().filter(checked) {
        for (number, sample) in (op.samples)().iter().enumerate() {
            let other = |x: Tensor| if is_real(&x) { x.mul(0.875) } else { Ok(x) };
            let made = [sample.make(DType::F32, device, Ok), sample.make(DType::F32, device, other)];
            let [Ok(first), Ok(second)] = made else { continue };
            if tensors(&first).is_empty() {
                continue;
            }
            let outcome = check_batch(op, [&first, &second], device).await;
            report.check(format_args!("{} sample {number} within vmap", op.name()), outcome);
        }
    }
    report
}
