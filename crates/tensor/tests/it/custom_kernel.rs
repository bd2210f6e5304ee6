//! Custom kernels on the CPU: their inputs, the extent of a failure, and refused calls.

use crate::common::*;
use lanthorn_tensor::{
    custom::{Arguments, Cpu, CustomOp, FakeTensor, HostCall, Wgsl, custom_op},
    ops::{Arg, OpKind},
};
use pollster::block_on;
use std::sync::atomic::{AtomicUsize, Ordering};

fn like_x(args: &Arguments<'_>) -> Result<Vec<FakeTensor>> {
    Ok(vec![FakeTensor::like(args.tensor("x")?)])
}

/// An op of one tensor and a number, computed by a function.
fn op(name: &str, kernel: impl Fn(&mut HostCall<'_>) -> Result<()> + Send + Sync + 'static) -> CustomOp {
    let schema = format!("kernels::{name}(Tensor x, float by=2.0) -> Tensor");
    custom_op(schema).register_fake(like_x).register_kernel(Cpu::new(kernel)).register().unwrap()
}

fn scaled(call: &mut HostCall<'_>) -> Result<()> {
    let (x, by) = (call.input("x")?.as_slice::<f32>()?, call.number("by")? as f32);
    call.output("out")?.as_mut_slice::<f32>()?.iter_mut().zip(x).for_each(|(y, &x)| *y = x * by);
    Ok(())
}

#[test]
fn a_kernel_is_recorded_planned_profiled_and_explained() -> Result<()> {
    let device = device();
    let op = op("scaled", scaled);
    let x = count(&[2, 3]);
    let y = op.tensor(&[x.transpose(0, 1)?.into()])?;
    assert_eq!((shape_of(&y), read(&y)), (vec![3, 2], vec![0.0, 6.0, 2.0, 8.0, 4.0, 10.0]));
    let explained = device.inspect().explain(|| op.tensor(&[x.add(1.0)?.into(), 3.0.into()])?.exp())?;
    assert!(explained.recorded.contains("kernels::scaled custom"), "{}", explained.recorded);
    assert!(explained.recorded.contains("kernels::scaled of float32[2, 3] -> float32[2, 3]"), "{}", explained.recorded);
    // Nothing is fused into it, and it into nothing.
    assert_eq!(explained.kernels.iter().map(|kernel| kernel.kind).collect::<Vec<_>>(), ["map", "custom", "map"]);
    device.inspect().start_profile();
    op.tensor(&[(&x).into()])?.sum((), false).map(|y| item(&y))?;
    let profile = block_on(device.inspect().stop_profile())?;
    assert!(profile.rows().iter().any(|row| row.op == "kernels::scaled" && row.count == 1), "{profile}");
    // Numbers and plans: another number is no other plan, another shape is.
    let step = |by: f64| read(&op.tensor(&[(&x).into(), by.into()]).unwrap());
    step(1.0);
    let misses = device.inspect().stats().plan_misses;
    assert_eq!((step(4.0)[5], step(0.5)[5]), (20.0, 2.5));
    assert_eq!(device.inspect().stats().plan_misses, misses);
    assert_eq!(op.op().kind, OpKind::Leaf);
    Ok(())
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn work_that_nobody_needs_is_not_done_and_equal_work_once() -> Result<()> {
    let device = device();
    let counted = Cpu::new(|call| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        let x = call.input("x")?.to_f32()?;
        call.output("out")?.store_f32(&x)
    });
    let op =
        custom_op("kernels::counted(Tensor x) -> Tensor").register_fake(like_x).register_kernel(counted).register()?;
    let x = count(&[4]);
    drop(op.tensor(&[(&x).into()])?);
    device.flush();
    assert_eq!(CALLS.load(Ordering::Relaxed), 0);
    let twice = op.tensor(&[(&x).into()])?.add(&op.tensor(&[(&x).into()])?)?;
    assert_eq!((read(&twice), CALLS.load(Ordering::Relaxed)), (vec![0.0, 2.0, 4.0, 6.0], 1));
    Ok(())
}

#[test]
fn every_kind_of_argument_reaches_the_kernel() -> Result<()> {
    let device = device();
    let schema = "seen::all(Tensor x, Tensor? bias=None, *, int n=3, bool flag=True, int[] dims=[1, 2], Scalar s=0.1) -> \
                  (Tensor sum, Tensor whole)";
    let op = custom_op(schema)
        .register_fake(|args| Ok(vec![FakeTensor::like(args.tensor("x")?), FakeTensor::new(DType::I32, [2])?]))
        .register_kernel(Cpu::new(|call| {
            let x = call.input("x")?;
            let bias = call.optional_input("bias")?.map_or(Ok(vec![0.0; x.shape.elements()]), |bias| bias.to_f32())?;
            let (n, flag, s) = (call.number("n")?, call.number("flag")?, call.number("s")?);
            // Numbers come as float64 and int64 here.
            assert_eq!((n, s), (3e12 + 1.0, 0.1));
            let sum: Vec<f32> = x.to_f32()?.iter().zip(bias).map(|(x, bias)| x + bias + flag as f32).collect();
            let dims = call.ints("dims")?.to_vec();
            let mut outputs = call.outputs();
            outputs[0].store_f32(&sum)?;
            outputs[1].as_mut_slice::<i32>()?.copy_from_slice(&[dims[0] as i32, dims[1] as i32]);
            Ok(())
        }))
        .register()?;
    let x = tensor(&[1.0, 2.5], &[2]);
    let large: Arg = 3_000_000_000_001i64.into();
    let results = op.tensors(&[(&x).into(), Arg::Missing, large.clone()])?;
    assert_eq!((read(&results[0]), block_on(results[1].to_vec::<i32>())?), (vec![2.0, 3.5], vec![1, 2]));
    let half = x.to(DType::F16)?;
    let results = op.tensors(&[(&half).into(), (&x).into(), large, false.into(), vec![7i64, -9].into()])?;
    assert_eq!(results[0].dtype(), DType::F16);
    assert_eq!((read(&results[0]), block_on(results[1].to_vec::<i32>())?), (vec![2.0, 5.0], vec![7, -9]));
    drop(device);
    Ok(())
}

#[test]
fn a_failure_is_that_of_what_depends_on_it() -> Result<()> {
    let _device = device();
    let fails = op("fails", |_| Err(Error::data("mine", "no such row")));
    let panics = op("panics", |call| panic!("row {}", call.number("by").unwrap()));
    let x = count(&[4]);
    let good = op("fine", scaled).tensor(&[(&x).into()])?;
    let bad = fails.tensor(&[(&good).into()])?;
    let (from_bad, worse) = (bad.add(&good)?, panics.tensor(&[(&x).into(), 7.0.into()])?);
    let apart = good.add(1.0)?;
    refused(
        block_on(from_bad.to_vec::<f32>()),
        "kernel",
        &["kernels::fails", "its CPU kernel failed", "mine: no such row"],
    );
    refused(block_on(worse.mul(2.0)?.to_vec::<f32>()), "kernel", &["kernels::panics", "panicked: row 7"]);
    assert_eq!((read(&good), read(&apart)), (vec![0.0, 2.0, 4.0, 6.0], vec![1.0, 3.0, 5.0, 7.0]));
    refused(block_on(bad.to_vec::<f32>()), "kernel", &["kernels::fails"]);
    assert_eq!(read(&x.mul(2.0)?), [0.0, 2.0, 4.0, 6.0]);
    Ok(())
}

#[test]
fn a_kernel_that_asks_for_what_it_has_not_fails() -> Result<()> {
    let _device = device();
    let x = count(&[4]);
    let error = |kernel: fn(&mut HostCall<'_>) -> Result<()>| {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let op = op(&format!("asks{}", NUMBER.fetch_add(1, Ordering::Relaxed)), kernel);
        op.tensor(&[(&x).into()]).and_then(|y| block_on(y.to_vec::<f32>()))
    };
    refused(error(|call| call.input("y").map(|_| ())), "kernel", &["no tensor \"y\""]);
    refused(error(|call| call.input("by").map(|_| ())), "kernel", &["no tensor \"by\""]);
    refused(error(|call| call.number("x").map(|_| ())), "kernel", &["no number \"x\""]);
    refused(error(|call| call.ints("by").map(|_| ())), "kernel", &["no list of whole numbers \"by\""]);
    refused(error(|call| call.output("y").map(|_| ())), "kernel", &["no result \"y\""]);
    refused(
        error(|call| call.input("x")?.as_slice::<i32>().map(|_| ())),
        "kernel",
        &["takes int32 where the tensor is float32"],
    );
    refused(error(|call| call.output("out")?.as_mut_slice::<u8>().map(|_| ())), "kernel", &["takes uint8"]);
    refused(error(|call| call.output("out")?.store_f32(&[1.0])), "kernel", &["1 values for a result of shape [4]"]);
    refused(
        error(|call| call.input("x")?.as_slice::<f32>().map(|x| assert!(x[9] > 0.0))),
        "kernel",
        &["panicked", "index out of bounds"],
    );
    Ok(())
}

/// A kernel that uses its own device: it may record, and no more. The device works on afterwards.
#[test]
fn calling_back_into_the_library_is_an_error_and_no_harm() -> Result<()> {
    let device = device();
    let op = op("calls_back", |call| {
        let own = Device::default_device()?;
        let mode = call.number("by")? as i64;
        match mode {
            0 => drop(Tensor::from_slice(&[1.0f32], [1], &own)?),
            1 => drop(block_on(Tensor::ones([3])?.to_vec::<f32>())?),
            2 => {
                own.flush();
                own.memory().empty_cache();
                drop(Tensor::ones([3])?.add(1.0)?);
                block_on(own.synchronize())?;
            }
            // Another device is its own.
            _ => {
                let other = Device::new(lanthorn_cpu::CpuBackend::new());
                let y = Tensor::from_slice(&[5.0f32], [1], &other)?.mul(2.0)?;
                assert_eq!(block_on(y.to_vec::<f32>())?, [10.0]);
            }
        }
        scaled(call)
    });
    let x = count(&[3]);
    let run = |mode: i64| {
        let before = x.add(1.0)?;
        let y = op.tensor(&[(&before).into(), mode.into()])?;
        let after = before.mul(3.0)?;
        Ok::<_, Error>((block_on(y.to_vec::<f32>()), read(&after), read(&before)))
    };
    for mode in [0, 1, 2, 3, 0] {
        let (y, after, before) = run(mode)?;
        assert_eq!((after, before), (vec![3.0, 6.0, 9.0], vec![1.0, 2.0, 3.0]));
        match mode {
            0 | 1 => refused(y, "kernel", &["calls_back", "cannot make or read tensors of its own device"]),
            _ => assert_eq!(y?, [mode as f32, 2.0 * mode as f32, 3.0 * mode as f32]),
        }
    }
    assert!(!device.inspect().stats().memory.live_bytes.eq(&0));
    Ok(())
}

#[test]
fn a_fake_function_that_lies_is_found_before_the_launch() -> Result<()> {
    let _device = device();
    let with = |name: &str, fake: fn(&Arguments<'_>) -> Result<Vec<FakeTensor>>| {
        let op = custom_op(format!("fakes::{name}(Tensor x) -> Tensor"));
        op.register_fake(fake).register_kernel(Cpu::new(|_| Ok(()))).register().unwrap().tensor(&[count(&[2]).into()])
    };
    refused(with("none", |_| Ok(vec![])), "argument", &["fakes::none", "gave 0 results, the schema has 1"]);
    let twice = |args: &Arguments<'_>| {
        like_x(args).map(|mut results| {
            results.extend(results.clone());
            results
        })
    };
    refused(with("two", twice), "argument", &["fakes::two", "gave 2 results"]);
    refused(with("shape", |_| Ok(vec![FakeTensor::new(DType::F32, [-1])?])), "shape", &["-1"]);
    refused(
        with("fails", |_| Err(Error::shape("fakes::fails", "inner dimensions differ"))),
        "shape",
        &["inner dimensions"],
    );
    refused(with("name", |args| args.tensor("y").map(|_| vec![])), "argument", &["fakes::name", "no parameter \"y\""]);
    // The fake function states another size than the kernel writes: the output has the stated size.
    let wrong = custom_op("fakes::wrong(Tensor x) -> Tensor")
        .register_fake(|_| Ok(vec![FakeTensor::new(DType::F32, [3])?]))
        .register_kernel(Cpu::new(|call| {
            let x = call.input("x")?.to_f32()?;
            call.output("out")?.store_f32(&x)
        }))
        .register()?;
    let found = block_on(wrong.tensor(&[count(&[2]).into()])?.to_vec::<f32>());
    refused(found, "kernel", &["2 values for a result of shape [3]"]);
    Ok(())
}

#[test]
fn what_runs_where_there_is_no_kernel() -> Result<()> {
    let _device = device();
    let x = count(&[2]);
    let wgsl = || Wgsl::body("set_out(i, x(i));");
    let alone =
        custom_op("elsewhere::alone(Tensor x) -> Tensor").register_fake(like_x).register_kernel(wgsl()).register()?;
    refused(
        alone.tensor(&[(&x).into()]),
        "kernel",
        &["elsewhere::alone", "no kernel for the device cpu", "no composite"],
    );
    let both = custom_op("elsewhere::both(Tensor x) -> Tensor")
        .register_fake(like_x)
        .register_kernel(wgsl())
        .composite(|args| Ok(args.tensor("x")?.mul(5.0)?.into()))
        .register()?;
    let leaf = leaf(&[1.0, 2.0], &[2]);
    let y = both.tensor(&[(&leaf).into()])?;
    y.sum((), false)?.backward()?;
    // The composite's derivative follows.
    assert_eq!((read(&y), grad_of(&leaf)), (vec![5.0, 10.0], vec![5.0, 5.0]));
    Ok(())
}

#[test]
fn derivatives_of_kernels_are_registered_or_an_error() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0], &[2]);
    let y = op("underived", scaled).tensor(&[(&x).into()])?;
    assert!(y.requires_grad());
    refused(y.sum((), false)?.backward(), "autograd", &["kernels::underived", "register_autograd"]);
    let derived = custom_op("kernels::derived(Tensor x, float by) -> Tensor")
        .register_fake(like_x)
        .register_kernel(Cpu::new(scaled))
        .register_autograd(
            |ctx, args, _| {
                ctx.set(args.float("by")?);
                Ok(())
            },
            |ctx, grads| {
                // In the op itself, so that derivatives of every order follow.
                let by = *ctx.get::<f64>()?;
                let op = lanthorn_tensor::ops::Op::find("kernels::derived").expect("it is registered");
                Ok(vec![Some(op.run(&[grads.at(0)?.into(), by.into()])?.into_tensor("derived")?)])
            },
        )
        .register()?;
    let y = derived.tensor(&[x.square()?.into(), 3.0.into()])?;
    let first = grad(&[y.sum((), false)?], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    assert_eq!(read(&first), [6.0, 12.0]);
    let second = grad(&[first.sum((), false)?], std::slice::from_ref(&x), &[], RETAIN)?.remove(0).unwrap();
    assert_eq!(read(&second), [6.0, 6.0]);
    Ok(())
}

#[test]
fn registrations_of_kernels_that_cannot_be() {
    let _device = device();
    let refuse = |schema: &str, words: &[&str]| {
        let found = custom_op(schema).register_fake(like_x).register_kernel(Cpu::new(|_| Ok(()))).register();
        refused(found, "argument", words);
    };
    refuse("odd::list(Tensor[] x) -> Tensor", &["odd::list", "not Tensor[]"]);
    refuse("odd::text(Tensor x, str mode=\"a\") -> Tensor", &["odd::text", "not str"]);
    refuse("odd::many(Tensor x) -> Tensor[]", &["odd::many", "single tensors"]);
    refuse("odd::i(Tensor i) -> Tensor", &["odd::i", "none of them `i`"]);
    refuse("odd::out(Tensor out) -> Tensor", &["odd::out", "names apart"]);
    refuse("odd::same(Tensor x) -> (Tensor x)", &["odd::same", "names apart"]);
    let without = custom_op("odd::fakeless(Tensor x) -> Tensor").register_kernel(Cpu::new(|_| Ok(()))).register();
    refused(without, "argument", &["odd::fakeless", "register_fake"]);
}

#[test]
fn empty_tensors_and_tensors_of_no_dimension() -> Result<()> {
    let _device = device();
    let op = op("small", scaled);
    assert_eq!(read(&op.tensor(&[count(&[0, 3]).into()])?), [0.0; 0]);
    assert_eq!(read(&op.tensor(&[tensor(&[4.0], &[]).into()])?), [8.0]);
    Ok(())
}
