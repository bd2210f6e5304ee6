//! Inspection: recorded kernels, kernels after fusion, their times, the memory in use, and its
//! limit.

use crate::common::*;
use pollster::block_on;

#[test]
fn an_explanation_shows_the_graph_before_and_after() -> Result<()> {
    let device = device();
    let x = count(&[2, 3]);
    let explained = device.inspect().explain(|| x.t()?.mul(2.0)?.add(1.0)?.sum(1, false))?;
    for expected in
        ["float32[3, 2] = mul map", "float32[3, 2]@[1, 3]+0", "add map", "float32[3] kept = sum reduce", "Sum over [2]"]
    {
        assert!(explained.recorded.contains(expected), "{expected} in\n{}", explained.recorded);
    }
    assert_eq!(explained.rewritten.lines().filter(|line| line.starts_with('%')).count(), 1, "{}", explained.rewritten);
    let kernels: Vec<_> = explained.kernels.iter().map(|kernel| (kernel.op, kernel.kind)).collect();
    assert_eq!(kernels, [("sum", "reduce")]);
    assert!(explained.to_string().starts_with("recorded:\n%"));
    Ok(())
}

#[test]
fn a_plan_made_before_is_explained_too_and_what_went_before_is_not() -> Result<()> {
    let device = device();
    let x = count(&[4]);
    let work = || x.exp()?.sum((), false);
    read(&work()?);
    let unrelated = x.sin()?;
    let [first, second] = [device.inspect().explain(work)?, device.inspect().explain(work)?];
    assert!(first.recorded.contains("exp") && !first.recorded.contains("sin"), "{}", first.recorded);
    assert_eq!(first.kernels, second.kernels);
    assert_eq!(read(&unrelated)[0], 0.0);
    Ok(())
}

#[test]
fn a_profile_counts_launches_by_kernel() -> Result<()> {
    let device = device();
    let x = count(&[8, 8]);
    read(&x.matmul(&x)?);
    device.inspect().start_profile();
    for _ in 0..3 {
        read(&x.matmul(&x)?);
        read(&x.exp()?);
    }
    let profile = block_on(device.inspect().stop_profile())?;
    let rows = profile.rows();
    let counts: Vec<_> = ["matmul", "exp"].map(|op| rows.iter().find(|row| row.op == op).map(|row| row.count)).into();
    assert_eq!(counts, [Some(3), Some(3)], "{profile}");
    assert!((rows.iter().map(|row| row.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(rows.windows(2).all(|pair| pair[0].total >= pair[1].total));
    assert!(profile.spans.windows(2).all(|pair| pair[0].start + pair[0].duration <= pair[1].start + 1e-3), "in order");
    assert!(profile.note.is_none() && profile.to_string().contains("matmul"));
    assert_eq!(profile.to_trace().matches("\"ph\":\"X\"").count(), 6);
    device.inspect().start_profile();
    assert!(block_on(device.inspect().stop_profile())?.spans.is_empty(), "each profile begins anew");
    Ok(())
}

#[test]
fn a_limit_frees_what_waits_then_refuses_and_work_goes_on() -> Result<()> {
    let device = device();
    device.memory().set_limit(Some(64 << 10));
    let x = count(&[4096]);
    let error = block_on(Tensor::ones([8, 4096])?.exp()?.to_vec::<f32>()).unwrap_err();
    assert!(error.is_out_of_memory() && ["ones", "exp"].contains(&error.op()), "{error}");
    assert!(error.message().contains("[8, 4096]") && error.message().contains("limit is 65536"), "{error}");
    let refused = Tensor::from_slice(&[0.0f32; 20_000], [20_000], &device).unwrap_err();
    assert!(refused.is_out_of_memory() && refused.op() == "tensor", "{refused}");
    // Free buffers of the pool are destroyed for another size.
    for size in [3000, 3500, 4000, 4500, 5000] {
        assert_eq!(read(&Tensor::ones([size])?.add(1.0)?)[0], 2.0);
    }
    assert_eq!(read(&x.add(1.0)?)[..2], [1.0, 2.0]);
    assert!(device.inspect().stats().memory.peak_bytes <= 64 << 10);
    device.memory().set_limit(None);
    assert_eq!(read(&Tensor::ones([8, 4096])?).len(), 8 * 4096);
    Ok(())
}

#[test]
fn the_cache_can_be_emptied() -> Result<()> {
    let device = device();
    drop(count(&[1000]));
    assert!(device.inspect().stats().memory.pooled_bytes > 0);
    device.memory().empty_cache();
    assert_eq!(device.inspect().stats().memory.pooled_bytes, 0);
    assert_eq!(read(&count(&[2]).add(1.0)?), [1.0, 2.0]);
    Ok(())
}

#[test]
fn a_long_training_holds_what_it_held_at_first() -> Result<()> {
    let device = device();
    let x = count(&[8, 16]).mul(0.01)?;
    let weight = Tensor::full([16, 4], 0.1)?.requires_grad_(true)?;
    let run = |steps: usize| -> Result<_> {
        for _ in 0..steps {
            let loss = x.matmul(&weight)?.tanh()?.square()?.mean((), false)?;
            loss.backward()?;
            no_grad(|| weight.sub_(weight.grad().unwrap().mul(0.01)?))?;
            weight.set_grad(None)?;
            item(&loss);
        }
        let stats = device.inspect().stats();
        Ok((stats.memory.live_bytes, stats.memory.pooled_bytes, stats.memory.buffers_created, stats.plan_misses))
    };
    let early = run(100)?;
    assert_eq!(run(900)?, early);
    Ok(())
}
