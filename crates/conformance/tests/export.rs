//! Every op as an exported program: its samples, traced and run again, give the same elements.
#![cfg(not(target_arch = "wasm32"))]

use lanthorn::{
    DType, Device, Tensor,
    ops::{self, Arg, Op, Output},
};
use lanthorn_program::{Native, Program, Value, export};
use pollster::block_on;
use std::rc::Rc;

/// Ops of which no program can be made: their results are no tensors, or their shapes depend on elements.
fn has_no_program(op: &Op, output: &Output) -> bool {
    op.is_async() || !matches!(output, Output::Tensor(_) | Output::Tensors(_))
}

fn values(output: &Output) -> Value<Tensor> {
    match output {
        Output::Tensor(tensor) => Value::Tensor(tensor.clone()),
        Output::Tensors(tensors) => Value::List(tensors.iter().cloned().map(Value::Tensor).collect()),
        _ => Value::None,
    }
}

/// The tensors of the arguments as the arguments of the function that is exported.
fn split(args: &[Arg]) -> Vec<Value<Tensor>> {
    args.iter().flat_map(|arg| lanthorn::trace::tensors(arg).into_iter().cloned().map(Value::Tensor)).collect()
}

/// The arguments with other tensors.
fn join(args: &[Arg], tensors: &[Value<Tensor>]) -> Vec<Arg> {
    let mut tensors = tensors.iter().filter_map(Value::as_tensor).cloned();
    let mut next = || tensors.next().expect("as many tensors as were taken out");
    args.iter()
        .map(|arg| match arg {
            Arg::Tensor(_) => Arg::Tensor(next()),
            Arg::Tensors(list) => Arg::Tensors(list.iter().map(|_| next()).collect()),
            Arg::OptionalTensors(list) => {
                Arg::OptionalTensors(list.iter().map(|item| item.as_ref().map(|_| next())).collect())
            }
            other => other.clone(),
        })
        .collect()
}

fn bytes(tensor: &Tensor) -> Vec<u8> {
    block_on(tensor.to_bytes()).unwrap()
}

/// Runs an op, or its in-place form on a copy of the first argument.
fn run(op: &'static Op, args: &[Arg], in_place: bool) -> lanthorn::Result<Output> {
    let (true, Some(Arg::Tensor(target))) = (in_place, args.first()) else { return op.run(args) };
    let target = target.mul(1)?;
    op.run_in_place(&[&[Arg::Tensor(target)], &args[1..]].concat()).map(Output::Tensor)
}

fn check(op: &'static Op, args: &[Arg], in_place: bool, device: &Device) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    device.manual_seed(7);
    let eager = match run(op, args, in_place) {
        Ok(eager) => eager,
        // The result does not fit into the tensor.
        Err(_) if in_place => return Ok(()),
        Err(error) => return Err(failed(&error)),
    };
    if has_no_program(op, &eager) {
        return Ok(());
    }
    let op_results = eager.tensors().to_vec();
    let eager: Vec<(Vec<usize>, Vec<u8>)> =
        eager.tensors().iter().map(|tensor| (tensor.shape().to_vec(), bytes(tensor))).collect();
    let arguments = (split(args), vec![]);
    let call = |given: &export::Arguments| run(op, &join(args, &given.0), in_place).map(|output| values(&output));
    let dispatch = Native::new(device);
    let exported = block_on(export::export(&dispatch, None, &arguments, &export::Options::default(), call));
    let exported = exported.map_err(|error| failed(&error))?;
    let text = exported.graph.to_string();
    if let Ok(folder) = std::env::var("EXPORT_DIR") {
        let name = format!(
            "{folder}/{}{}.{}",
            op.name(),
            if in_place { "_" } else { "" },
            std::fs::read_dir(&folder).unwrap().count()
        );
        std::fs::write(
            format!("{name}.pt2"),
            lanthorn_program::pt2::save(&exported).map_err(|error| format!("{error}\n{text}"))?,
        )
        .unwrap();
        let mut entries = vec![];
        for (index, value) in arguments.0.iter().enumerate() {
            let tensor = value.as_tensor().unwrap();
            entries.push((format!("in.{index}"), tensor.clone()));
        }
        for (index, tensor) in op_results.iter().enumerate() {
            entries.push((format!("out.{index}"), tensor.clone()));
        }
        let datas: Vec<_> = entries
            .iter()
            .map(|(name, tensor)| {
                (
                    name.clone(),
                    lanthorn_io::TensorData::new(
                        lanthorn_io::DType::from_name(tensor.dtype().name()).unwrap(),
                        tensor.shape().to_vec(),
                        bytes(tensor),
                    )
                    .unwrap(),
                )
            })
            .collect();
        std::fs::write(format!("{name}.safetensors"), lanthorn_io::safetensors::save(&datas, &[]).unwrap()).unwrap();
    }
    let program = Program::new(Rc::new(exported), device).map_err(|error| failed(&error))?;
    device.manual_seed(7);
    let results = block_on(program.call_flat(arguments.0)).map_err(|error| format!("{error}\n{text}"))?;
    let again: Vec<(Vec<usize>, Vec<u8>)> =
        results.iter().filter_map(Value::as_tensor).map(|tensor| (tensor.shape().to_vec(), bytes(tensor))).collect();
    if eager == again { Ok(()) } else { Err(format!("other elements\n{text}")) }
}

#[test]
fn every_op_runs_as_a_program() {
    let device = lanthorn::cpu();
    device.set_default();
    let mut failures = Vec::new();
    for op in ops::built_in().filter(|op| !op.is_async()) {
        for (index, sample) in (op.samples)().iter().enumerate() {
            let args = sample.make(DType::F32, &device, Ok).unwrap();
            for in_place in [false, true].into_iter().filter(|&in_place| !in_place || op.in_place.is_some()) {
                if let Err(message) = check(op, &args, in_place, &device) {
                    failures.push(format!("{}{} {index}: {message}", op.name(), if in_place { "_" } else { "" }));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
}
