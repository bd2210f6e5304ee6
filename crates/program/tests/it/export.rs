//! Exported functions return the same elements as the functions, for other sizes too, and after
//! saving.

use lanthorn_nn::{
    BatchNorm2d, Conv2d, Embedding, Layer, Linear, MaxPool2d, Module, Sequential, TransformerEncoderLayer,
};
use lanthorn_program::{
    Error, ExportedProgram, Native, Program, Value,
    export::{self, Arguments, Dim, Options},
    pt2,
};
use lanthorn_tensor::{Device, Tensor, no_grad};
use pollster::block_on;
use std::rc::Rc;

fn device() -> Device {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    device.manual_seed(3);
    device
}

fn tensor(arguments: &Arguments, index: usize) -> &Tensor {
    arguments.0[index].as_tensor().unwrap()
}

fn one(tensor: &Tensor) -> Arguments {
    (vec![Value::Tensor(tensor.clone())], vec![])
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    block_on(tensor.to_vec::<f32>()).unwrap()
}

fn dynamic(dims: &[(usize, usize, &str)]) -> Options {
    let dims = dims.iter().map(|&(leaf, dim, name)| (leaf, dim, Dim::new(name)));
    Options { argument_names: vec!["x".to_string()], dynamic_shapes: dims.collect() }
}

fn export_program(
    device: &Device,
    module: Option<&dyn Module>,
    arguments: &Arguments,
    options: &Options,
    call: impl FnMut(&Arguments) -> lanthorn_tensor::Result<Value<Tensor>>,
) -> lanthorn_program::Result<ExportedProgram> {
    block_on(export::export(&Native::new(device), module, arguments, options, call))
}

/// Exports a module. Compares the program, before and after saving, with the module on other
/// inputs.
fn check(
    device: &Device,
    module: &dyn Module,
    forward: &dyn Fn(&Tensor) -> lanthorn_tensor::Result<Tensor>,
    example: &Tensor,
    dims: &[(usize, usize, &str)],
    others: &[Tensor],
) -> String {
    let call = |given: &Arguments| forward(tensor(given, 0)).map(Value::Tensor);
    let program = export_program(device, Some(module), &one(example), &dynamic(dims), call).unwrap();
    let text = program.graph.to_string();
    let bytes = pt2::save(&program).unwrap();
    let program = Program::new(Rc::new(program), device).unwrap();
    let again = Program::load(&bytes, device).unwrap();
    assert_eq!(block_on(program.save()).unwrap(), bytes);
    for input in [example].into_iter().chain(others) {
        let expected = forward(input).unwrap();
        for program in [&program, &again] {
            let result = block_on(program.call(one(input).0, vec![])).unwrap();
            assert_eq!(floats(result.as_tensor().unwrap()), floats(&expected), "{text}");
        }
    }
    text
}

#[test]
fn a_convolutional_net_takes_batches_and_images_of_other_sizes() {
    let device = device();
    let net = Sequential::new(vec![
        Box::new(Conv2d::new(3, 4, 3).unwrap()),
        Box::new(BatchNorm2d::new(4).unwrap()),
        Box::new(MaxPool2d::new(2).unwrap()),
    ]);
    net.train(false);
    let image = |shape: [i64; 4]| Tensor::randn(shape).unwrap();
    let dims = [(0, 0, "batch"), (0, 2, "height"), (0, 3, "width")];
    let text = check(&device, &net, &|x| net.forward(x), &image([2, 3, 12, 16]), &dims, &[image([3, 3, 17, 9])]);
    assert!(text.contains("aten.batch_norm.default(%conv2d, %p_1_weight, %p_1_bias, %b_1_running_mean"), "{text}");
}

#[test]
fn an_encoder_takes_sequences_of_other_lengths() {
    let device = device();
    let layer = TransformerEncoderLayer::new(8, 2).unwrap();
    layer.train(false);
    let example = Tensor::randn([5, 2, 8]).unwrap();
    check(
        &device,
        &layer,
        &|x| layer.forward(x, None, None, false),
        &example,
        &[(0, 0, "length"), (0, 1, "batch")],
        &[Tensor::randn([9, 3, 8]).unwrap()],
    );
}

#[test]
fn sizes_are_formulas_in_the_graph() {
    let device = device();
    let example = Tensor::randn([2, 6, 4]).unwrap();
    let call = |given: &Arguments| {
        let x = tensor(given, 0);
        let (batch, length) = (x.shape()[0] as i64, x.shape()[1] as i64);
        let halves = x.narrow(1, 0, length / 2)?.reshape([batch * (length / 2), 4])?;
        Ok(Value::Tensor(halves.mul(length)?.add(Tensor::arange(0, 4, 1)?)?))
    };
    let options = dynamic(&[(0, 0, "batch"), (0, 1, "length")]);
    let program = export_program(&device, None, &one(&example), &options, call).unwrap();
    let text = program.graph.to_string();
    assert!(text.contains("floordiv(%sym_size_int, 2)") && text.contains("sym_size.int(%x, 0)"), "{text}");
    let program = Program::new(Rc::new(program), &device).unwrap();
    let other = Tensor::randn([3, 9, 4]).unwrap();
    let result = block_on(program.call(one(&other).0, vec![])).unwrap();
    let expected = call(&one(&other)).unwrap();
    assert_eq!(floats(result.as_tensor().unwrap()), floats(expected.as_tensor().unwrap()));
    let refused = block_on(program.call(one(&Tensor::randn([1, 9, 4]).unwrap()).0, vec![])).unwrap_err();
    assert!(refused.to_string().contains("dimension 0 is 1, the program takes 2 to"), "{refused}");
}

#[test]
fn gradients_go_through_a_program_as_through_the_function() {
    let device = device();
    let layer = Linear::new(4, 3).unwrap();
    let x = Tensor::randn([5, 4]).unwrap();
    let call = |given: &Arguments| {
        let y = layer.forward(tensor(given, 0))?;
        // A value that is computed without gradients is a constant for them.
        let scale = no_grad(|| y.abs()?.amax((), false))?;
        y.div(scale)?.square()?.sum((), false).map(Value::Tensor)
    };
    let program = export_program(&device, Some(&layer), &one(&x), &dynamic(&[]), call).unwrap();
    assert!(program.graph.to_string().contains("aten.detach"), "{}", program.graph);
    let program = Program::new(Rc::new(program), &device).unwrap();
    call(&one(&x)).unwrap().as_tensor().unwrap().backward().unwrap();
    block_on(program.call(one(&x).0, vec![])).unwrap().as_tensor().unwrap().backward().unwrap();
    for ((name, ours), (_, theirs)) in program.named_parameters().iter().zip(layer.named_parameters()) {
        assert_eq!(floats(&ours.grad().unwrap()), floats(&theirs.grad().unwrap()), "{name}");
    }
}

#[test]
fn writes_to_buffers_and_arguments_are_part_of_a_program() {
    let device = device();
    let norm = BatchNorm2d::new(2).unwrap();
    let x = Tensor::randn([4, 2, 3, 3]).unwrap();
    let call = |given: &Arguments| {
        let y = norm.forward(tensor(given, 0))?;
        y.select(0, 0)?.fill_(7.0)?;
        no_grad(|| tensor(given, 0).mul_(2))?;
        Ok(Value::List(vec![Value::Tensor(y)]))
    };
    let copy = || x.mul(1).unwrap();
    let program = export_program(&device, Some(&norm), &one(&copy()), &dynamic(&[]), call).unwrap();
    let program = Program::load(&pt2::save(&program).unwrap(), &device).unwrap();
    let (ours, theirs) = (copy(), copy());
    // The traced call updated the running statistics of the module, and the program has the updated
    // ones.
    let result = block_on(program.call(one(&ours).0, vec![])).unwrap();
    let expected = call(&one(&theirs)).unwrap();
    assert_eq!(
        floats(result.as_list().unwrap()[0].as_tensor().unwrap()),
        floats(expected.as_list().unwrap()[0].as_tensor().unwrap())
    );
    assert_eq!(floats(&ours), floats(&theirs));
    for ((name, ours), (_, theirs)) in program.named_buffers().iter().zip(norm.named_buffers()) {
        let bytes = |tensor: &Tensor| block_on(tensor.to_bytes()).unwrap();
        assert_eq!(bytes(ours), bytes(&theirs), "{name}");
    }
}

#[test]
fn nested_arguments_numbers_and_constants_are_kept() {
    let device = device();
    let table = Embedding::new(10, 4).unwrap();
    let tokens = Tensor::from_slice(&[1i32, 5, 9], [3], &device).unwrap();
    let bias = Tensor::randn([4]).unwrap();
    let arguments: Arguments = (
        vec![Value::List(vec![Value::Tensor(tokens.clone()), Value::Float(0.5)])],
        vec![("mask".to_string(), Value::Tensor(Tensor::ones([3, 1]).unwrap()))],
    );
    let call = |(args, named): &Arguments| {
        let items = args[0].as_list().unwrap();
        let rows = table.forward(items[0].as_tensor().unwrap())?.mul(items[1].as_float().unwrap())?;
        Ok(Value::Tensor(rows.add(&bias)?.mul(named[0].1.as_tensor().unwrap())?))
    };
    let program = export_program(&device, Some(&table), &arguments, &dynamic(&[]), call).unwrap();
    let program = Program::load(&pt2::save(&program).unwrap(), &device).unwrap();
    let result = block_on(program.call(arguments.0.clone(), arguments.1.clone())).unwrap();
    let expected = call(&arguments).unwrap();
    assert_eq!(floats(result.as_tensor().unwrap()), floats(expected.as_tensor().unwrap()));
}

#[test]
fn pairs_between_transforms_are_saved_as_complex_numbers() {
    let device = device();
    let forward = |x: &Tensor| x.fft_rfft(None, -1, None)?.mul(0.5)?.fft_irfft(None, -1, None);
    let example = Tensor::randn([4, 6]).unwrap();
    check(&device, &lanthorn_nn::ReLU, &forward, &example, &[(0, 0, "batch")], &[Tensor::randn([7, 6]).unwrap()]);
    let call = |given: &Arguments| forward(tensor(given, 0)).map(Value::Tensor);
    let program = export_program(&device, None, &one(&example), &dynamic(&[]), call).unwrap();
    let saved = pt2::load(&pt2::save(&program).unwrap()).unwrap().graph.to_string();
    let nodes: Vec<&str> = saved
        .lines()
        .filter_map(|line| line.trim().split([' ', '=', '(']).find(|word| word.starts_with("aten.")))
        .collect();
    assert_eq!(
        nodes.join(" "),
        "aten.fft_rfft.default aten.resolve_conj.default aten.view_as_real.default aten.mul.Scalar aten.view_as_complex.default aten.fft_irfft.default"
    );
}

#[test]
fn what_cannot_be_exported_is_an_error() {
    let device = device();
    let x = Tensor::randn([4, 6]).unwrap();
    let refused = |dims: &[(usize, usize, &str)], call: &dyn Fn(&Tensor) -> lanthorn_tensor::Result<Tensor>| {
        let call = |given: &Arguments| call(tensor(given, 0)).map(Value::Tensor);
        export_program(&device, None, &one(&x), &dynamic(dims), call).unwrap_err().to_string()
    };
    let batch = &[(0, 0, "batch")][..];
    let odd = refused(batch, &|x| x.narrow(1, (x.shape()[0] * x.shape()[0]) as i64 % 5, 1));
    assert!(odd.contains("is no formula of the dynamic sizes") && odd.contains("batch=4"), "{odd}");
    let branch = refused(batch, &|x| if x.shape()[0] > 6 { x.relu() } else { x.exp() });
    assert!(branch.contains("another operation for other sizes"), "{branch}");
    let count = refused(batch, &|x| (0..x.shape()[0]).try_fold(x.clone(), |x, _| x.add(1)));
    assert!(count.contains("another number of operations"), "{count}");
    let fixed = refused(batch, &|x| x.add(Tensor::randn([4, 6])?.detach()));
    assert!(fixed.contains("add"), "{fixed}");
    let missing = refused(&[(0, 5, "none")], &|x| x.relu());
    assert!(missing.contains("no dimension 5"), "{missing}");
    let backward = refused(&[], &|x| {
        let leaf = x.detach().requires_grad_(true)?;
        leaf.square()?.sum((), false)?.backward()?;
        Ok(leaf)
    });
    assert!(backward.contains("no backward pass"), "{backward}");
    // The tracer still works afterwards.
    check(&device, &lanthorn_nn::ReLU, &|x| x.relu(), &x, batch, &[Tensor::randn([7, 6]).unwrap()]);
    assert!(matches!(
        export_program(&device, None, &one(&x), &dynamic(&[(0, 0, "batch"), (0, 1, "batch")]), |_| Ok(Value::None)),
        Err(Error::Input(message)) if message.contains("4 in one example and 6 in another")
    ));
}
