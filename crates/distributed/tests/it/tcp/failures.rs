//! Ranks that end, hang or differ: the others receive an error in time.

use super::common::*;
use lanthorn_distributed::{
    Backend, DdpOptions, DistributedDataParallel, InitOptions, ReduceOp, destroy_process_group, init_process_group,
};
use lanthorn_nn::{Layer, Linear, Module};
use lanthorn_tensor::{Error, Tensor};
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

fn short(options: InitOptions) -> InitOptions {
    InitOptions { timeout: Duration::from_millis(600), ..options }
}

/// The errors of all ranks, which must arrive within seconds.
fn errors<T: Send + 'static>(results: Vec<Result<T>>, begin: Instant) -> Vec<Error> {
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
    assert!(errors.iter().all(Error::is_distributed), "{errors:?}");
    errors
}

#[test]
fn ranks_that_call_different_things_get_both_names() {
    let begin = Instant::now();
    let results = try_ranks(
        2,
        |options| options,
        |group| {
            let x = Tensor::zeros([group.rank() as i64 + 4])?;
            if group.rank() == 0 { group.all_reduce(&x, ReduceOp::Sum) } else { group.broadcast(&x, 0) }
        },
    );
    let errors = errors(results, begin);
    assert_eq!(errors.len(), 2);
    let text = errors[0].to_string();
    assert!(
        text.contains("all_reduce (sum) of 4 float32") && text.contains("broadcast of 5 float32 from rank 0"),
        "{text}"
    );
}

#[test]
fn shapes_of_different_sizes_are_an_error_on_all_ranks() {
    let begin = Instant::now();
    let results = try_ranks(
        4,
        |options| options,
        |group| group.all_reduce(&Tensor::zeros([if group.rank() == 2 { 5 } else { 4 }])?, ReduceOp::Sum),
    );
    assert_eq!(errors(results, begin).len(), 4);
}

#[test]
fn a_rank_that_hangs_is_an_error_after_the_timeout() {
    let begin = Instant::now();
    let results = try_ranks(3, short, |group| {
        if group.rank() == 1 {
            std::thread::sleep(Duration::from_secs(3));
            return Ok(());
        }
        group.barrier()
    });
    let errors = errors(results, begin);
    assert_eq!(errors.len(), 2);
    // The first timeout may be on a rank that waits for another rank that waits for rank 1.
    assert!(errors.iter().any(|error| error.message().contains("did not answer within 600ms")), "{errors:?}");
}

#[test]
fn a_rank_that_leaves_is_an_error_at_once_and_a_new_group_works() {
    let begin = Instant::now();
    let results = try_ranks(
        4,
        |options| options,
        |group| {
            let x = Tensor::ones([3])?;
            group.all_reduce(&x, ReduceOp::Sum)?;
            if group.rank() == 2 {
                return Ok(());
            }
            let first = group.all_reduce(&x, ReduceOp::Sum).unwrap_err();
            let later = group.barrier().unwrap_err();
            assert!(later.is_distributed() && later.message().contains("not usable"), "{later}");
            // The tensor keeps the last result.
            assert_eq!(read(&x), [4.0; 3]);
            Err::<(), _>(first)
        },
    );
    assert_eq!(errors(results, begin).len(), 3);
    assert_eq!(ranks(2, |group| group.all_reduce(&Tensor::ones([1])?, ReduceOp::Sum)).len(), 2);
}

#[test]
fn a_message_that_never_comes_is_an_error() {
    let begin = Instant::now();
    let results = try_ranks(2, short, |group| {
        if group.rank() == 0 {
            group.recv(&Tensor::zeros([1])?, 1, 0)
        } else {
            std::thread::sleep(Duration::from_secs(2));
            Ok(())
        }
    });
    assert_eq!(errors(results, begin).len(), 1);
    let begin = Instant::now();
    let results = try_ranks(2, short, |group| match group.rank() {
        0 => group.recv(&Tensor::zeros([1])?, 1, 0),
        _ => group.send(&Tensor::zeros([2])?, 0, 0),
    });
    let errors = errors(results, begin);
    assert!(errors[0].message().contains("send of 2 float32"), "{errors:?}");
}

#[test]
fn models_that_differ_are_named_on_all_ranks() {
    let begin = Instant::now();
    let results = try_ranks(
        2,
        |options| options,
        |group| {
            let model = Linear::builder(3, 4 + group.rank() as i64).bias(group.rank() == 0).build()?;
            DistributedDataParallel::new(model, group, DdpOptions::default()).map(drop)
        },
    );
    let errors = errors(results, begin);
    assert_eq!(errors.len(), 2);
    for error in errors {
        let text = error.message();
        assert!(text.contains("weight (trained) is float32 [5, 3] on rank 1 and float32 [4, 3] on rank 0"), "{text}");
        assert!(text.contains("rank 1 has no bias"), "{text}");
    }
}

#[test]
fn ranks_that_do_not_come_are_named() {
    let _device = cpu();
    let port = free_port();
    let begin = Instant::now();
    let error = init_process_group(Backend::Tcp, short(options(0, 3, port))).map(drop).unwrap_err();
    assert!(error.is_distributed() && error.message().contains("ranks [1, 2]"), "{error}");
    let error = init_process_group(Backend::Tcp, short(options(1, 2, port))).map(drop).unwrap_err();
    assert!(error.is_distributed() && error.message().contains("rank 0 did not answer"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn ranks_with_the_same_number_or_another_world_are_refused() {
    let begin = Instant::now();
    for (count, change) in [(3, (Some(1), Some(3))), (2, (Some(1), Some(5)))] {
        let adjust = move |options: InitOptions| match options.rank {
            Some(0) => options,
            _ => InitOptions { rank: change.0, world_size: change.1, ..options },
        };
        let errors = errors(try_ranks(count, adjust, |_| Ok(())), begin);
        assert!(errors.len() >= 2 && begin.elapsed() < Duration::from_secs(9), "{errors:?}");
    }
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    let refused = |options: InitOptions| init_process_group(Backend::Tcp, options).map(drop).unwrap_err();
    assert!(refused(options(2, 2, 1)).is_argument());
    assert!(refused(options(0, 0, 1)).is_argument());
    assert!(refused(InitOptions { timeout: Duration::ZERO, ..options(0, 1, 1) }).is_argument());
    let error = refused(InitOptions { rank: None, ..options(0, 2, 1) });
    assert!(error.is_argument() && error.message().contains("RANK is not set"), "{error}");
    assert!(destroy_process_group().unwrap_err().is_argument());
    #[cfg(not(feature = "nccl"))]
    assert!(
        init_process_group(Backend::Nccl, options(0, 1, 1)).map(drop).unwrap_err().message().contains("feature `nccl`")
    );
}

/// Trains a small model. In a process of the test below, rank 1 is killed in the third step.
fn train(group: &lanthorn_distributed::ProcessGroup, dies: bool) -> Result<()> {
    let model = DistributedDataParallel::new(Linear::new(4, 2)?, group, DdpOptions::default())?;
    for step in 0..5 {
        let loss = model.forward(&Tensor::ones([3, 4])?)?.square()?.mean((), false)?;
        if dies && step == 2 && group.rank() == 1 {
            std::process::abort();
        }
        loss.backward()?;
        model.parameters().iter().try_for_each(|parameter| parameter.set_grad(None))?;
    }
    Ok(())
}

/// A rank of the test below, with options from the environment.
#[test]
#[ignore = "a process of another test"]
fn rank_of_a_killed_group() {
    let _device = cpu();
    let options = InitOptions { timeout: Duration::from_secs(5), ..Default::default() };
    let group = init_process_group(Backend::Tcp, options).unwrap();
    let error = train(&group, true).unwrap_err();
    assert!(error.is_distributed(), "{error}");
    println!("typed error: {error}");
}

#[test]
fn a_process_that_is_killed_in_a_step_ends_the_others_with_an_error() {
    let (port, begin) = (free_port(), Instant::now());
    let start = |rank: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tcp::failures::rank_of_a_killed_group", "--ignored", "--nocapture"]);
        command.envs([("RANK", rank.to_string()), ("LOCAL_RANK", rank.to_string()), ("WORLD_SIZE", "4".into())]);
        command.envs([("MASTER_ADDR", "127.0.0.1".to_string()), ("MASTER_PORT", port.to_string())]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(start).collect();
    for (rank, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        if rank == 1 {
            assert!(!output.status.success());
        } else {
            assert!(output.status.success() && text.contains("typed error: "), "rank {rank}: {text}");
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
