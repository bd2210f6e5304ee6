//! The backend `mpi`, in processes that `mpirun` starts. Each process is this program with one
//! test, [`rank`], and a variable that selects its part.

use lanthorn_distributed::{
    Backend, DdpOptions, DistributedDataParallel, InitOptions, ProcessGroup, ReduceOp, destroy_process_group,
    init_process_group,
};
use lanthorn_nn::{Layer, Linear, Module};
use lanthorn_tensor::{DType, Device, Result, Tensor};
use std::{
    process::{Command, Output},
    time::{Duration, Instant},
};

const PART: &str = "LANTHORN_TEST_PART";

/// Runs a part on `count` ranks.
fn mpirun(count: usize, part: &str) -> Output {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", &count.to_string()]);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", "mpi::rank", "--ignored", "--nocapture"]);
    command.env(PART, part).env("LANTHORN_NUM_THREADS", "1").output().expect("mpirun runs")
}

/// Runs a part with [`mpirun`], which must succeed on all ranks. Each rank prints a line.
fn succeed(count: usize, part: &str) {
    let output = mpirun(count, part);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{part} on {count} ranks: {text}\n{errors}");
    assert_eq!(text.matches(&format!("{part} done")).count(), count, "{text}\n{errors}");
}

fn read(tensor: &Tensor) -> Vec<f32> {
    pollster::block_on(tensor.to_vec::<f32>()).unwrap()
}

/// A rank of one of the tests below.
#[test]
#[ignore = "a process of another test"]
fn rank() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    let part = std::env::var(PART).unwrap();
    let timeout = if part == "hang" { Duration::from_secs(1) } else { Duration::from_secs(20) };
    let group = init_process_group(Backend::Mpi, InitOptions { timeout, ..Default::default() }).unwrap();
    let result = match part.as_str() {
        "collectives" => collectives(&group),
        "messages" => messages(&group),
        "training" => training(&group),
        "differ" => differ(&group),
        "hang" => hang(&group),
        "killed" => kill_rank(&group),
        _ => panic!("there is no part {part}"),
    };
    result.unwrap();
    // One write, so lines of different ranks do not mix.
    print!("{}", format_args!("{part} done\n"));
    drop(group);
    destroy_process_group().unwrap();
    assert!(init_process_group(Backend::Mpi, InitOptions::default()).map(drop).unwrap_err().is_distributed());
}

fn collectives(group: &ProcessGroup) -> Result<()> {
    let (me, count) = (group.rank(), group.world_size());
    assert_eq!(group.local_rank(), me);
    let ranks = || (0..count).map(|rank| rank as f32 + 1.0);
    let reductions: [(ReduceOp, f32); 5] = [
        (ReduceOp::Sum, ranks().sum()),
        (ReduceOp::Product, ranks().product()),
        (ReduceOp::Min, 1.0),
        (ReduceOp::Max, count as f32),
        (ReduceOp::Avg, ranks().sum::<f32>() / count as f32),
    ];
    for (op, expected) in reductions {
        let x = Tensor::full([1000], me as f64 + 1.0)?;
        group.all_reduce(&x, op)?;
        assert_eq!(read(&x), [expected; 1000], "{op:?}");
        let x = Tensor::full([3], me as f64 + 1.0)?;
        group.reduce(&x, count - 1, op)?;
        assert_eq!(read(&x), [if me == count - 1 { expected } else { me as f32 + 1.0 }; 3], "{op:?}");
        let blocks: Vec<Tensor> = (0..count).map(|_| Tensor::full([2], me as f64 + 1.0)).collect::<Result<_>>()?;
        assert_eq!(read(&group.reduce_scatter(&blocks, op)?), [expected; 2], "{op:?}");
    }
    for dtype in [DType::U8, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F64] {
        let x = Tensor::full_with([5], me as f64 + 1.0, dtype, None)?;
        group.all_reduce(&x, ReduceOp::Sum)?;
        assert_eq!(read(&x.to(DType::F32)?), [reductions[0].1; 5], "{dtype}");
    }
    for root in 0..count {
        let x = Tensor::full([4], me as f64)?;
        group.broadcast(&x, root)?;
        assert_eq!(read(&x), [root as f32; 4]);
        let gathered = group.gather(&Tensor::full([1], me as f64)?, root)?;
        assert_eq!(gathered.is_some(), me == root);
        for (from, tensor) in gathered.unwrap_or_default().iter().enumerate() {
            assert_eq!(read(tensor), [from as f32]);
        }
        let inputs: Vec<Tensor> = (0..count).map(|to| Tensor::full([2], to as f64 + 0.5)).collect::<Result<_>>()?;
        group.scatter(&x.narrow(0, 0, 2)?, if me == root { &inputs } else { &[] }, root)?;
        assert_eq!(read(&x)[..2], [me as f32 + 0.5; 2]);
    }
    let all = group.all_gather(&Tensor::full([2], me as f64)?)?;
    assert_eq!(
        all.iter().map(|tensor| read(tensor)[1]).collect::<Vec<_>>(),
        (0..count).map(|r| r as f32).collect::<Vec<_>>()
    );
    group.barrier()
}

fn messages(group: &ProcessGroup) -> Result<()> {
    let (me, count) = (group.rank(), group.world_size());
    let (next, before) = ((me + 1) % count, (me + count - 1) % count);
    let inbox = Tensor::zeros([300_000])?;
    let receiving = group.recv_async(&inbox, before, 3)?;
    let sending = group.send_async(&Tensor::full([300_000], me as f64)?, next, 3)?;
    receiving.wait()?;
    sending.wait()?;
    assert_eq!(read(&inbox)[299_999], before as f32);
    assert!(group.send_async(&inbox, next, 40_000).map(drop).unwrap_err().is_argument());
    group.barrier()
}

/// Compares steps with a part of the batch on each rank and steps with the whole batch.
fn training(group: &ProcessGroup) -> Result<()> {
    let device = Device::default_device()?;
    let model = |seed| -> Result<Linear> {
        device.manual_seed(seed);
        Linear::new(5, 3)
    };
    let loss = |model: &dyn Layer, batch: &Tensor| model.forward(batch)?.square()?.mean((), false);
    let shared = DistributedDataParallel::new(model(group.rank() as u64)?, group, DdpOptions::default())?;
    let whole = model(0)?;
    let step = |model: &dyn Layer, batch: &Tensor| -> Result<()> {
        model.parameters().iter().try_for_each(|parameter| parameter.set_grad(None))?;
        loss(model, batch)?.backward()?;
        let update = |parameter: &Tensor| {
            let Some(grad) = parameter.grad() else { return Ok(()) };
            lanthorn_tensor::no_grad(|| parameter.copy_(&parameter.sub_with(&grad, 0.1)?))
        };
        model.parameters().iter().try_for_each(update)
    };
    for seed in 0..4 {
        device.manual_seed(seed + 50);
        let batch = Tensor::randn([8, 5])?;
        let share = 8 / group.world_size() as i64;
        step(&shared, &batch.narrow(0, group.rank() as i64 * share, share)?)?;
        step(&whole, &batch)?;
    }
    for (found, expected) in shared.parameters().iter().zip(whole.parameters()) {
        for (found, expected) in read(found).iter().zip(read(&expected)) {
            assert!((found - expected).abs() <= 1e-6, "{found} and {expected}");
        }
    }
    Ok(())
}

fn differ(group: &ProcessGroup) -> Result<()> {
    let model = Linear::new(3, 4 + group.rank() as i64)?;
    let error = DistributedDataParallel::new(model, group, DdpOptions::default()).map(drop).unwrap_err();
    assert!(
        error.is_distributed() && error.message().contains("weight (trained) is float32 [5, 3] on rank 1"),
        "{error}"
    );
    // The ranks detect this before the call, so the group still works. Different calls end it.
    group.barrier()?;
    let x = Tensor::zeros([4])?;
    let error =
        if group.rank() == 0 { group.all_reduce(&x, ReduceOp::Sum) } else { group.broadcast(&x, 0) }.unwrap_err();
    assert!(error.is_distributed() && error.message().contains("all_reduce (sum) of 4 float32"), "{error}");
    Ok(())
}

fn hang(group: &ProcessGroup) -> Result<()> {
    if group.rank() == 1 {
        std::thread::sleep(Duration::from_secs(3));
        return Ok(());
    }
    let error = group.all_reduce(&Tensor::zeros([4])?, ReduceOp::Sum).unwrap_err();
    assert!(error.is_distributed() && error.message().contains("did not answer within 1s"), "{error}");
    println!("typed error");
    Ok(())
}

fn kill_rank(group: &ProcessGroup) -> Result<()> {
    let model = DistributedDataParallel::new(Linear::new(4, 2)?, group, DdpOptions::default())?;
    loop {
        let loss = model.forward(&Tensor::ones([3, 4])?)?.square()?.mean((), false)?;
        if group.rank() == 1 {
            std::process::abort();
        }
        loss.backward()?;
    }
}

#[test]
fn collectives_of_two_and_four_ranks() {
    succeed(2, "collectives");
    succeed(4, "collectives");
}

#[test]
fn messages_between_neighbours() {
    succeed(4, "messages");
}

#[test]
fn training_is_that_with_the_whole_batch() {
    succeed(2, "training");
    succeed(4, "training");
}

#[test]
fn ranks_that_differ_get_an_error() {
    let output = mpirun(2, "differ");
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("differ done").count(), 2, "{output:?}");
}

#[test]
fn a_rank_that_hangs_is_a_typed_error_after_the_timeout() {
    let begin = Instant::now();
    let output = mpirun(2, "hang");
    assert!(String::from_utf8_lossy(&output.stdout).contains("typed error"), "{output:?}");
    assert!(begin.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_rank_that_is_killed_in_a_step_ends_the_others() {
    let begin = Instant::now();
    let output = mpirun(4, "killed");
    assert!(!output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("done"));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_process_without_mpirun_gets_a_typed_error() {
    let error = init_process_group(Backend::Mpi, InitOptions::default()).map(drop).unwrap_err();
    assert!(error.is_distributed() && error.message().contains("mpirun -n 2"), "{error}");
}
