//! Custom kernels on every device: WGSL on lavapipe, CUDA C++ on the host, functions on the CPU.

use lanthorn::{
    CudaHostOptions, DType, Device, Error, Result, Tensor,
    custom::{Arguments, Builder, Cpu, Cuda, CustomOp, FakeTensor, Wgsl, custom_op},
    ops::Arg,
    samples::{NONE, Sample, SampleArg, TensorSpec, float, ints, real, tensor},
    testing::opcheck,
};
use pollster::block_on;

fn wgpu() -> Device {
    block_on(lanthorn::wgpu()).expect("this test needs an adapter; lavapipe is one")
}

/// Every access of a kernel is checked against its buffers.
fn cuda() -> Device {
    lanthorn::cuda_host(CudaHostOptions { checked: true, ..Default::default() }).unwrap()
}

fn devices() -> Vec<Device> {
    vec![lanthorn::cpu(), wgpu(), cuda()]
}

fn like(name: &'static str) -> impl Fn(&Arguments<'_>) -> Result<Vec<FakeTensor>> + Send + Sync {
    move |args| Ok(vec![FakeTensor::like(args.tensor(name)?)])
}

fn upload(values: &[f32], dtype: DType, device: &Device) -> Tensor {
    Tensor::from_slice(values, [values.len() as i64], device).unwrap().to(dtype).unwrap()
}

fn read(tensor: &Tensor) -> Vec<f32> {
    block_on(tensor.to(DType::F32).unwrap().to_vec::<f32>()).unwrap()
}

#[track_caller]
fn assert_refused<T>(result: Result<T>, words: &[&str]) -> Error {
    let Err(error) = result else { panic!("no error ({words:?})") };
    assert!(error.is_kernel(), "{error}");
    words.iter().for_each(|word| assert!(error.to_string().contains(word), "{word:?} does not stand in: {error}"));
    error
}

/// `gate * sigmoid(gate) * up`, fused, with a kernel for the gradient of each.
fn swiglu() -> Result<CustomOp> {
    let forward = "let g = gate(i);\nset_out(i, g / (1.0 + exp(-g)) * up(i));";
    let backward = "let g = gate(i);\nlet s = 1.0 / (1.0 + exp(-g));\nset_dgate(i, grad(i) * up(i) * s * (1.0 + g * (1.0 - s)));\nset_dup(i, grad(i) * g * s);";
    custom_op("swiglu::backward(Tensor grad, Tensor gate, Tensor up) -> (Tensor dgate, Tensor dup)")
        .register_fake(|args| Ok(vec![FakeTensor::like(args.tensor("gate")?), FakeTensor::like(args.tensor("up")?)]))
        .register_kernel(Wgsl::body(backward))
        .register_kernel(Cuda::body(backward.replace("exp", "expf")))
        .composite(|args| {
            let (grad, gate, up) = (args.tensor("grad")?, args.tensor("gate")?, args.tensor("up")?);
            let s = gate.sigmoid()?;
            let dgate = grad.mul(up)?.mul(&s)?.mul(&gate.mul(&s.neg()?.add(1.0)?)?.add(1.0)?)?;
            Ok((dgate, grad.mul(gate)?.mul(&s)?).into())
        })
        .once_differentiable()
        .register()?;
    custom_op("swiglu::forward(Tensor gate, Tensor up) -> Tensor")
        .register_fake(like("gate"))
        .register_kernel(Wgsl::body(forward))
        .register_kernel(Cuda::body(forward.replace("exp", "expf")))
        .register_kernel(Cpu::new(|call| {
            let (gate, up) = (call.input("gate")?.to_f32()?, call.input("up")?.to_f32()?);
            let y: Vec<f32> = gate.iter().zip(up).map(|(g, up)| g / (1.0 + (-g).exp()) * up).collect();
            call.output("out")?.store_f32(&y)
        }))
        .register_autograd(
            |ctx, args, _| {
                ctx.save_for_backward(&[args.tensor("gate")?, args.tensor("up")?]);
                Ok(())
            },
            |ctx, grads| {
                let op = lanthorn::ops::Op::find("swiglu::backward").expect("it is registered");
                let results = op.run(&[grads.at(0)?.into(), ctx.saved(0)?.into(), ctx.saved(1)?.into()])?;
                Ok(results.tensors().iter().cloned().map(Some).collect())
            },
        )
        .register()
}

#[test]
fn a_fused_op_with_its_derivative_agrees_on_all_devices() -> Result<()> {
    let op = swiglu()?;
    let pair = |shape: &[i64]| Sample::new([real(shape, -2.0, 2.0), real(shape, -2.0, 2.0)]);
    let samples = [&[3, 5][..], &[700], &[], &[0, 3], &[2, 1, 3, 2]].map(pair);
    let report = block_on(opcheck(op, &samples, &devices()))?;
    // On the CPU the backward of the kernels is a composite with a derivative, so second
    // derivatives exist too.
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    // Schema, mutation, views, two derivatives, two devices.
    assert_eq!(report.passed, 7 * samples.len());
    Ok(())
}

/// A kernel with every kind of argument, for both languages.
fn everything(name: &str) -> Builder {
    let body = "set_y(i, f32(x(i)) * scale + f32(dims(1u)) * f32(n) + select(0.0f, bias(i), bias_given));\nset_sizes(i, i32(x_size(i)) * 100 + i32(x_stride(i)));";
    custom_op(format!(
        "every::{name}(Tensor x, Tensor? bias=None, *, float scale=0.5, int n=-3, bool up=True, int[] dims=[4, -5]) -> \
         (Tensor y, Tensor sizes)"
    ))
    .register_fake(|args| {
        Ok(vec![FakeTensor::new(DType::F32, args.tensor("x")?.shape())?, FakeTensor::new(DType::I32, [4])?])
    })
    .register_kernel(Wgsl::body(body))
    .register_kernel(Cuda::body(body))
    .composite(|args| {
        let x = args.tensor("x")?;
        let constant = args.ints("dims")?[1] * args.int("n")?;
        let y = x.to(DType::F32)?.mul(args.float("scale")?)?.add(constant as f64)?;
        let y = if args.is_given("bias")? { y.add(&args.tensor("bias")?.to(DType::F32)?)? } else { y };
        let size = |d: usize| if d < x.rank() { x.shape()[d] as i32 * 100 } else { 100 };
        let stride = |d: usize| if d < x.rank() { x.shape()[d + 1..].iter().product::<usize>() as i32 } else { 0 };
        let sizes: Vec<i32> = (0..4).map(|d| size(d) + stride(d)).collect();
        Ok((y, Tensor::from_slice(&sizes, [4], x.device())?).into())
    })
}

#[test]
fn every_kind_of_argument_and_type_reaches_every_device() -> Result<()> {
    let op = everything("argument").register()?;
    let sample = |x: SampleArg, bias: SampleArg| {
        Sample::new([x, bias, float(1.5), lanthorn::samples::int(7), lanthorn::samples::flag(false), ints(&[0, 2])])
    };
    let spec = |dtype| tensor(&[4, 2, 5], dtype, 0.0, 90.0);
    let samples = [
        sample(spec(DType::I32), NONE),
        sample(spec(DType::U8), real(&[4, 2, 5], -1.0, 1.0)),
        sample(tensor(&[4, 2, 5], DType::Bool, 0.0, 2.0), NONE),
        sample(real(&[5], -1.0, 1.0), real(&[5], -1.0, 1.0)),
    ];
    for device in &devices()[1..] {
        let report = block_on(opcheck(op, &samples, std::slice::from_ref(device)))?;
        let odd: Vec<_> = report
            .failures
            .iter()
            .filter(|line| !line.contains("derivative") && !line.contains("register_autograd"))
            .collect();
        assert_eq!(odd, [""; 0]);
    }
    Ok(())
}

/// Reads beyond the end return 0, and writes beyond it change no other element: elements of a byte
/// and a half share words with neighbours.
#[test]
fn what_lies_outside_is_neither_read_nor_written() -> Result<()> {
    let body = "set_out(i, x(i + 3u));\nset_out(i + 1000u, x(i));\nset_out(4294967295u, x(4294967295u));";
    let op = custom_op("outside::shift(Tensor x) -> Tensor")
        .register_fake(like("x"))
        .register_kernel(Wgsl::body(body).threads(|_, results| Ok(results[0].shape.elements() + 500)))
        .register_kernel(Cuda::body(body).threads(|_, results| Ok(results[0].shape.elements() + 500)))
        .register()?;
    for device in &devices()[1..] {
        device.set_default();
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I32] {
            let values: Vec<f32> = (1..=7).map(|value| value as f32).collect();
            let [before, x, after] = [0, 1, 2].map(|_| upload(&values, dtype, device));
            device.flush();
            let y = op.tensor(&[(&x).into()])?;
            let neighbours = [before.add(&after)?, x.mul(1)?];
            assert_eq!(read(&y), [4.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0], "{dtype} on {}", device.name());
            assert_eq!(read(&neighbours[0]), values.iter().map(|value| value * 2.0).collect::<Vec<_>>());
            assert_eq!(read(&neighbours[1]), values);
        }
    }
    Ok(())
}

#[test]
fn half_types_are_computed_in_float32_and_rounded_once() -> Result<()> {
    let op = custom_op("halves::third(Tensor x) -> Tensor")
        .register_fake(like("x"))
        .register_kernel(Wgsl::body("set_out(i, x(i) / 3.0f);"))
        .register_kernel(Cuda::body("set_out(i, x(i) / 3.0f);"))
        .register_kernel(Cpu::new(|call| {
            let x: Vec<f32> = call.input("x")?.to_f32()?.iter().map(|x| x / 3.0).collect();
            call.output("out")?.store_f32(&x)
        }))
        .register()?;
    let devices = devices();
    for dtype in [DType::F16, DType::BF16] {
        let values: Vec<f32> = (0..101).map(|value| value as f32 * 0.37 - 20.0).collect();
        let found = devices.iter().map(|device| Ok(read(&op.tensor(&[upload(&values, dtype, device).into()])?)));
        let found: Vec<Vec<f32>> = found.collect::<Result<_>>()?;
        assert_eq!(found[0], found[2], "{dtype}");
        // WGSL's division may have an error of a few units in the last place of float32, which
        // changes few roundings.
        let apart = found[0].iter().zip(&found[1]).filter(|(a, b)| a != b).count();
        assert!(apart <= 2, "{dtype}: {apart}");
    }
    Ok(())
}

#[test]
fn sizes_and_numbers_are_data() -> Result<()> {
    let op = everything("size").register()?;
    let device = wgpu();
    device.set_default();
    let run = |shape: &[i64], scale: f64| {
        let x = TensorSpec { shape: shape.to_vec(), dtype: DType::F32, low: -1.0, high: 1.0 }.make(
            3,
            DType::F32,
            &device,
        )?;
        let results = op.tensors(&[x.into(), Arg::Missing, scale.into()])?;
        block_on(results[0].to_bytes())
    };
    run(&[8], 1.0)?;
    let before = device.inspect().stats().api.pipelines;
    for size in 9..40 {
        run(&[size], f64::from(size as i32))?;
        run(&[size, 2, 3], 0.1)?;
    }
    assert_eq!(device.inspect().stats().api.pipelines, before);
    Ok(())
}

/// The error of a result that depends on a body that does not compile.
fn compile(name: &str, kernel: Wgsl, device: &Device) -> Error {
    let op = custom_op(format!("broken::{name}(Tensor x, float by=1) -> Tensor")).register_fake(like("x"));
    let op = op.register_kernel(kernel).register().unwrap();
    let x = upload(&[1.0, 2.0], DType::F32, device);
    let (y, apart) = (op.tensor(&[(&x).into()]).unwrap(), x.add(1.0).unwrap());
    let dependent = y.mul(&apart).unwrap();
    let error =
        assert_refused(block_on(dependent.to_vec::<f32>()), &[&format!("broken::{name}: its WGSL does not compile")]);
    assert_eq!(block_on(y.to_vec::<f32>()).unwrap_err(), error);
    // Nothing else failed, and the device is still usable.
    assert_eq!(read(&apart), [2.0, 3.0]);
    error
}

#[test]
fn mistakes_in_wgsl_are_told_in_its_own_lines_and_columns() {
    let device = wgpu();
    let body = |name: &str, text: &str| compile(name, Wgsl::body(text), &device).to_string();
    let message = body("unknown", "let y = x(i);\nset_out(i, y * factor);");
    assert!(message.contains("line 2, column 16: no definition in scope for identifier: `factor`"), "{message}");
    assert!(message.contains("\n  set_out(i, y * factor);\n                 ^"), "{message}");
    let message = body("types", "let y: i32 = x(i);\nset_out(i, by);");
    assert!(message.contains("line 1, column 5:"), "{message}");
    let message = body("syntax", "let y = x(i)\nset_out(i, y);");
    assert!(message.contains("line 2, column 1: expected"), "{message}");
    // An error of the validator instead of the parser.
    let message = body("argument", "set_out(i, i);");
    assert!(message.contains("line 1, column") && message.contains("\n  set_out(i, i);\n"), "{message}");
    let declared =
        Wgsl::body("set_out(i, twice(x(i)));").declarations("fn twice(x: f32) -> f32 {\n    return x * y;\n}");
    let message = compile("declared", declared, &device).to_string();
    assert!(message.contains("line 2, column 16: no definition in scope for identifier: `y`"), "{message}");
    let module = Wgsl::module("@compute @workgroup_size(64)\nfn main() { return 1; }", |_, _| Ok([1, 1]));
    let message = compile("module", module, &device).to_string();
    assert!(message.contains("line 2, column"), "{message}");
    // A superfluous bracket ends the generated function early.
    let message = body("bracket", "set_out(i, x(i)); }");
    assert!(message.contains("does not compile"), "{message}");
}

#[test]
fn mistakes_in_cuda_are_told_in_its_own_lines() {
    let device = cuda();
    let op = custom_op("broken::cuda(Tensor x) -> Tensor")
        .register_fake(like("x"))
        .register_kernel(Cuda::body("const f32 y = x(i);\nset_out(i, y * factor);"))
        .register()
        .unwrap();
    let x = upload(&[1.0, 2.0], DType::F32, &device);
    let y = op.tensor(&[(&x).into()]).unwrap();
    assert_refused(block_on(y.add(1.0).unwrap().to_vec::<f32>()), &["broken::cuda", "broken::cuda:2:", "factor"]);
    assert_eq!(read(&x.add(1.0).unwrap()), [2.0, 3.0]);
}

/// A sum of rows, each by a workgroup, as a whole module.
const ROWS: &str = "
struct Params { words: array<vec4<u32>, 16> }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

var<workgroup> parts: array<f32, 64>;

fn word(at: u32) -> u32 { return params.words[at / 4u][at % 4u]; }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // Words: workgroups along x, 0, the number, then x's elements, rank and first size.
    let scale = bitcast<f32>(word(2u));
    let columns = word(word(5u) + 1u);
    let row = group.y * word(0u) + group.x;
    var total = 0.0;
    for (var column = lane; column < columns; column += 64u) { total += x[row * columns + column]; }
    parts[lane] = total;
    workgroupBarrier();
    if (lane == 0u && row < word(6u)) {
        var sum = 0.0;
        for (var part = 0u; part < 64u; part++) { sum += parts[part]; }
        y[row] = sum * scale;
    }
}";

#[test]
fn a_whole_module_describes_its_bindings_itself() -> Result<()> {
    let rows = |args: &Arguments<'_>, _: &[FakeTensor]| Ok([args.tensor("x")?.shape()[0] as u32, 1]);
    let op = custom_op("modules::rows(Tensor x, float scale=2) -> Tensor")
        .register_fake(|args| Ok(vec![FakeTensor::new(DType::F32, [args.tensor("x")?.shape()[0] as i64])?]))
        .register_kernel(Wgsl::module(ROWS, rows))
        .composite(|args| args.tensor("x")?.sum([1], false)?.mul(args.float("scale")?).map(Into::into))
        .register()?;
    let device = wgpu();
    let sample = |rows: i64, columns: i64| Sample::new([real(&[rows, columns], -1.0, 1.0), float(3.0)]);
    let report = block_on(opcheck(op, &[sample(5, 130), sample(1, 3), sample(0, 4)], &[device]))?;
    let odd: Vec<_> = report.failures.iter().filter(|line| !line.contains("register_autograd")).collect();
    assert_eq!(odd, [""; 0]);
    Ok(())
}

#[test]
fn what_a_device_does_not_have_is_refused_at_the_call() -> Result<()> {
    let device = wgpu();
    let op = custom_op("types::wide(Tensor x) -> Tensor")
        .register_fake(|args| Ok(vec![FakeTensor::new(DType::F64, args.tensor("x")?.shape())?]))
        .register_kernel(Wgsl::body("set_out(i, x(i));"))
        .register()?;
    let error = op.tensor(&[upload(&[1.0], DType::F32, &device).into()]).unwrap_err();
    assert!(error.is_dtype() && error.to_string().contains("types::wide"), "{error}");
    let op = everything("beyond").register()?;
    let large: Arg = (1i64 << 40).into();
    let error = op.call(&[upload(&[1.0], DType::F32, &device).into(), Arg::Missing, Arg::Missing, large]).unwrap_err();
    assert!(error.is_argument() && error.to_string().contains("the argument n is 1099511627776"), "{error}");
    Ok(())
}
