//! Collectives and messages between two, three and four ranks.

use super::common::*;
use lanthorn_distributed::{ReduceOp, is_initialized, rank, world_size};
use lanthorn_tensor::{DType, Device, Tensor};

/// 10 elements that depend on the rank.
fn own(rank: usize, device: &Device) -> Result<Tensor> {
    let values: Vec<f32> = (0..10).map(|index| (rank * 10 + index) as f32 * 0.5 - 3.0).collect();
    Tensor::from_slice(&values, [2, 5], device)
}

fn combine_own(ranks: usize, combine: fn(f32, f32) -> f32) -> Vec<f32> {
    let value = |rank: usize, index: usize| (rank * 10 + index) as f32 * 0.5 - 3.0;
    (0..10).map(|index| (0..ranks).map(|rank| value(rank, index)).reduce(combine).unwrap()).collect()
}

#[test]
fn all_reduce_has_the_same_result_on_every_rank() {
    for count in [1, 2, 3, 4] {
        let results = ranks(count, |group| {
            let device = Device::default_device()?;
            let mut results = Vec::new();
            for op in [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Min, ReduceOp::Max, ReduceOp::Avg] {
                let tensor = own(group.rank(), &device)?;
                group.all_reduce(&tensor, op)?;
                assert_eq!(tensor.shape().to_vec(), [2, 5]);
                results.push(read(&tensor));
            }
            Ok(results)
        });
        let sum = combine_own(count, |a, b| a + b);
        let average: Vec<f32> = sum.iter().map(|sum| sum / count as f32).collect();
        for result in results {
            assert_eq!(result[0], sum);
            assert_eq!(result[1], combine_own(count, |a, b| a * b));
            assert_eq!(result[2], combine_own(count, f32::min));
            assert_eq!(result[3], combine_own(count, f32::max));
            assert_eq!(result[4], average);
        }
    }
}

#[test]
fn sums_have_the_same_bits_on_every_rank_and_in_every_run() {
    let run = || {
        ranks(4, |group| {
            let device = Device::default_device()?;
            let values: Vec<f32> = (0..1001).map(|i| ((i * 37 + group.rank() * 101) as f32).sin() * 1e3).collect();
            let tensor = Tensor::from_slice(&values, [1001], &device)?;
            group.all_reduce(&tensor, ReduceOp::Sum)?;
            Ok(read(&tensor).into_iter().map(f32::to_bits).collect::<Vec<u32>>())
        })
    };
    let first = run();
    assert!(first.iter().all(|bits| *bits == first[0]));
    assert_eq!(first, run());
}

#[test]
fn every_type_is_reduced_in_itself_and_half_types_in_float32() {
    ranks(2, |group| {
        let device = Device::default_device()?;
        for dtype in DType::ALL {
            let tensor = Tensor::full_with([3], group.rank() as f64 + 1.0, dtype, Some(&device))?;
            let sum = group.all_reduce(&tensor, ReduceOp::Sum);
            if dtype == DType::Bool {
                assert!(sum.unwrap_err().is_dtype());
                continue;
            }
            sum?;
            assert_eq!(tensor.dtype(), dtype);
            assert_eq!(pollster::block_on(tensor.to(DType::F32)?.to_vec::<f32>())?, [3.0; 3], "{dtype}");
        }
        // float16 has no 2049; the sum of 2048 and 1 rounds to even once.
        let half = Tensor::full_with([1], [2048.0, 1.0][group.rank()], DType::F16, Some(&device))?;
        group.all_reduce(&half, ReduceOp::Sum)?;
        assert_eq!(read(&half), [2048.0]);
        let flags = Tensor::full_with([2], group.rank() as f64, DType::Bool, Some(&device))?;
        group.all_reduce(&flags, ReduceOp::Max)?;
        assert_eq!(pollster::block_on(flags.to_vec::<u8>())?, [1, 1]);
        assert!(group.all_reduce(&flags.to(DType::I32)?, ReduceOp::Avg).unwrap_err().is_dtype());
        Ok(())
    });
}

#[test]
fn tensors_move_from_one_rank_to_all_and_from_all_to_one() {
    for count in [1, 2, 3, 4, 5] {
        ranks(count, move |group| {
            let device = Device::default_device()?;
            let me = group.rank();
            for root in 0..count {
                let tensor = own(me, &device)?;
                group.broadcast(&tensor, root)?;
                assert_eq!(read(&tensor), read(&own(root, &device)?));

                let gathered = group.gather(&own(me, &device)?, root)?;
                assert_eq!(gathered.is_some(), me == root);
                for (from, tensor) in gathered.unwrap_or_default().iter().enumerate() {
                    assert_eq!(read(tensor), read(&own(from, &device)?));
                }

                let reduced = own(me, &device)?;
                group.reduce(&reduced, root, ReduceOp::Sum)?;
                let kept = if me == root { combine_own(count, |a, b| a + b) } else { read(&own(me, &device)?) };
                assert_eq!(read(&reduced), kept);

                let all: Vec<Tensor> = (0..count).map(|to| own(to + root, &device)).collect::<Result<_>>()?;
                let output = Tensor::zeros([2, 5])?;
                group.scatter(&output, if me == root { &all } else { &[] }, root)?;
                assert_eq!(read(&output), read(&own(me + root, &device)?));
            }
            let all = group.all_gather(&own(me, &device)?)?;
            assert_eq!(all.len(), count);
            for (from, tensor) in all.iter().enumerate() {
                assert_eq!(read(tensor), read(&own(from, &device)?));
            }
            let inputs: Vec<Tensor> =
                (0..count).map(|to| Tensor::full([3], (me * 10 + to) as f64)).collect::<Result<_>>()?;
            let share = group.reduce_scatter(&inputs, ReduceOp::Sum)?;
            assert_eq!(read(&share), [(0..count).map(|from| (from * 10 + me) as f32).sum::<f32>(); 3]);
            group.barrier()
        });
    }
}

#[test]
fn messages_pass_in_any_order_of_calls() {
    ranks(2, |group| {
        let (me, other) = (group.rank(), 1 - group.rank());
        let inbox = Tensor::zeros([1 << 20])?;
        // Both ranks receive first, and send more than a socket buffers.
        let receiving = group.recv_async(&inbox, other, 7)?;
        let sending = group.send_async(&Tensor::full([1 << 20], me as f64 + 1.0)?, other, 7)?;
        receiving.wait()?;
        sending.wait()?;
        assert_eq!(pollster::block_on(inbox.mean((), false)?.item())?, other as f64 + 1.0);
        // Tags distinguish messages.
        group.send_async(&Tensor::full([1], 1.0)?, other, 1)?.wait()?;
        group.send_async(&Tensor::full([1], 2.0)?, other, 2)?.wait()?;
        let [first, second] = [Tensor::zeros([1])?, Tensor::zeros([1])?];
        group.recv(&second, other, 2)?;
        group.recv(&first, other, 1)?;
        assert_eq!((read(&first), read(&second)), (vec![1.0], vec![2.0]));
        assert!(group.send(&first, me, 0).unwrap_err().is_argument());
        assert!(group.recv(&first, 2, 0).unwrap_err().is_argument());
        Ok(())
    });
}

#[test]
fn calls_run_in_order_while_the_program_goes_on() {
    ranks(3, |group| {
        let tensors: Vec<Tensor> = (0..6).map(|value| Tensor::full([1000], value as f64)).collect::<Result<_>>()?;
        let works: Vec<_> =
            tensors.iter().map(|tensor| group.all_reduce_async(tensor, ReduceOp::Sum)).collect::<Result<_>>()?;
        // Nothing is written before the wait.
        assert_eq!(read(&tensors[1])[0], 1.0);
        for mut work in works.into_iter().rev() {
            let begin = std::time::Instant::now();
            while !work.is_completed() {
                assert!(begin.elapsed().as_secs() < 20, "the call completes without a wait");
                std::thread::yield_now();
            }
            work.wait()?;
        }
        let sums: Vec<f32> = tensors.iter().map(|tensor| read(tensor)[999]).collect();
        assert_eq!(sums, [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]);
        Ok(())
    });
}

#[test]
fn strided_and_empty_tensors_are_exchanged() {
    ranks(2, |group| {
        let device = Device::default_device()?;
        let transposed = own(group.rank(), &device)?.transpose(0, 1)?;
        group.all_reduce(&transposed, ReduceOp::Sum)?;
        let sum = Tensor::from_slice(&combine_own(2, |a, b| a + b), [2, 5], &device)?.transpose(0, 1)?;
        assert_eq!(read(&transposed), read(&sum));
        let empty = Tensor::zeros([0, 3])?;
        group.all_reduce(&empty, ReduceOp::Sum)?;
        assert_eq!(group.all_gather(&empty)?.len(), 2);
        Ok(())
    });
}

#[test]
fn the_default_group_is_that_of_the_thread() {
    assert!(rank().unwrap_err().is_argument());
    let found = ranks(2, |_| Ok((rank()?, world_size()?, is_initialized())));
    assert_eq!(found, [(0, 2, true), (1, 2, true)]);
    assert!(!is_initialized());
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_anything_is_sent() {
    ranks(2, |group| {
        let x = Tensor::zeros([2])?;
        assert!(group.broadcast(&x, 2).unwrap_err().is_argument());
        assert!(group.reduce_scatter(std::slice::from_ref(&x), ReduceOp::Sum).unwrap_err().is_argument());
        let unlike = [x.clone(), Tensor::zeros([3])?];
        assert!(group.reduce_scatter(&unlike, ReduceOp::Sum).unwrap_err().is_shape());
        let types = [x.clone(), x.to(DType::I32)?];
        assert!(group.reduce_scatter(&types, ReduceOp::Sum).unwrap_err().is_dtype());
        if group.rank() == 1 {
            assert!(group.scatter(&x, &[x.clone(), x.clone()], 0).unwrap_err().is_argument());
        }
        // The group still works.
        group.all_reduce(&x, ReduceOp::Sum)
    });
}
