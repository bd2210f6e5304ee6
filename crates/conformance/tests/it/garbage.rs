//! Every op of the table with invalid arguments: it returns an error or a result, and never panics.

use lanthorn::{
    DType, Device, GradOptions, Result, Scalar, Tensor,
    ops::{self, Arg, Op},
};
use pollster::block_on;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use std::cell::Cell;

const SHAPES: [&[i64]; 14] = [
    &[],
    &[],
    &[0],
    &[1],
    &[3],
    &[3],
    &[2, 3],
    &[3, 3],
    &[3, 0],
    &[0, 3],
    &[2, 3, 4],
    &[1, 3, 1],
    &[2, 1, 5, 5],
    &[1, 2, 1, 2, 1, 2, 1, 2],
];
const WHOLE: [i64; 14] = [-1, 0, 1, 2, 3, 4, 7, -2, -3, -9, 1 << 31, 1 << 40, i64::MIN, i64::MAX];
const REAL: [f64; 12] =
    [0.0, 0.5, -0.5, 1.0, 2.0, -1.0, 3.7, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e-300];
const WORDS: [&str; 14] = [
    "mean",
    "sum",
    "none",
    "reflect",
    "constant",
    "same",
    "valid",
    "floor",
    "trunc",
    "tanh",
    "float32",
    "ij,jk->ik",
    "...,->",
    "",
];
const MAX_ELEMENTS: usize = 1 << 16;

/// The recipe of a tensor, or any other argument.
#[derive(Clone, Debug)]
enum Piece {
    Tensor(TensorPiece),
    Tensors(Vec<TensorPiece>),
    Value(Arg),
}

#[derive(Clone, Debug)]
struct TensorPiece {
    shape: &'static [i64],
    dtype: DType,
    value: f64,
    turned: bool,
    grad: bool,
}

impl TensorPiece {
    fn make(&self) -> Result<Tensor> {
        let x = Tensor::full_with(self.shape, self.value, Some(self.dtype), None)?;
        let x = if self.turned && x.rank() > 1 { x.transpose(0, -1)? } else { x };
        if self.grad && self.dtype.is_floating_point() { x.detach().requires_grad_(true) } else { Ok(x) }
    }
}

fn tensor_piece() -> impl Strategy<Value = TensorPiece> {
    let parts = (
        prop::sample::select(&SHAPES[..]),
        prop_oneof![2 => Just(DType::F32), 1 => prop::sample::select(&DType::ALL[..])],
        prop::sample::select(&[0.0, 1.0, 2.0, -1.0][..]),
        any::<bool>(),
        any::<bool>(),
    );
    parts.prop_map(|(shape, dtype, value, turned, grad)| TensorPiece { shape, dtype, value, turned, grad })
}

fn piece() -> impl Strategy<Value = Piece> {
    let whole = || prop_oneof![3 => -2..4i64, 1 => prop::sample::select(&WHOLE[..])];
    let real = || prop::sample::select(&REAL[..]);
    prop_oneof![
        6 => tensor_piece().prop_map(Piece::Tensor),
        2 => prop::collection::vec(tensor_piece(), 0..4).prop_map(Piece::Tensors),
        4 => whole().prop_map(|value| Piece::Value(Arg::Scalar(Scalar::Int(value)))),
        2 => real().prop_map(|value| Piece::Value(Arg::Scalar(Scalar::Float(value)))),
        2 => any::<bool>().prop_map(|value| Piece::Value(Arg::Scalar(Scalar::Bool(value)))),
        4 => prop::collection::vec(whole(), 0..5).prop_map(|values| Piece::Value(Arg::Ints(values))),
        1 => prop::collection::vec(prop::option::of(whole()), 1..4).prop_map(|values| Piece::Value(Arg::PartialInts(values))),
        1 => prop::collection::vec(real(), 0..4).prop_map(|values| Piece::Value(Arg::Floats(values))),
        1 => prop::sample::select(&WORDS[..]).prop_map(|text| Piece::Value(Arg::Str(text.into()))),
        1 => prop::sample::select(&DType::ALL[..]).prop_map(|dtype| Piece::Value(Arg::DType(dtype))),
        2 => Just(Piece::Value(Arg::Missing)),
    ]
}

/// Usually an argument of the kind that the parameter takes.
fn argument(op: &'static Op, index: usize) -> impl Strategy<Value = Piece> {
    let ty = op.schema().params[index].ty.to_string();
    let kinds: Vec<String> = ty.split('|').map(|kind| kind.trim_end_matches('?').replace('?', "")).collect();
    let fits = move |piece: &Piece| {
        let any_of = |wanted: &[&str]| kinds.iter().any(|kind| wanted.contains(&kind.as_str()));
        match piece {
            Piece::Tensor(_) => any_of(&["Tensor"]),
            Piece::Tensors(_) => any_of(&["Tensor[]"]),
            Piece::Value(Arg::Scalar(Scalar::Int(_))) => any_of(&["int", "int[]", "Scalar", "float"]),
            Piece::Value(Arg::Scalar(Scalar::Float(_))) => any_of(&["Scalar", "float"]),
            Piece::Value(Arg::Scalar(Scalar::Bool(_))) => any_of(&["bool", "Scalar"]),
            Piece::Value(Arg::Ints(_) | Arg::PartialInts(_)) => any_of(&["int[]"]),
            Piece::Value(Arg::Floats(_)) => any_of(&["float[]"]),
            Piece::Value(Arg::Str(_)) => any_of(&["str"]),
            Piece::Value(Arg::DType(_)) => any_of(&["ScalarType"]),
            Piece::Value(_) => true,
        }
    };
    prop_oneof![9 => piece().prop_filter("of the wrong kind", fits), 1 => piece()]
}

/// The changes to a sample: which sample, the replaced arguments, and the number of arguments.
type Change = (usize, Vec<Option<Piece>>, usize);

fn change(op: &'static Op) -> impl Strategy<Value = Change> {
    let count = op.schema().params.len();
    // Either almost all arguments are garbage, or one argument of a valid call.
    let share = (1.5 / count.max(1) as f64).min(0.4);
    let all: Vec<BoxedStrategy<Option<Piece>>> =
        (0..count).map(|index| prop::option::weighted(share, argument(op, index)).boxed()).collect();
    (0..64usize, all, 0..6 * count + 6)
}

fn arguments(op: &'static Op, (sample, pieces, end): &Change, device: &Device) -> Result<Vec<Arg>> {
    let samples = (op.samples)();
    let mut args = samples[sample % samples.len()]
        .make(DType::F32, device, |x| x.requires_grad_(x.dtype().is_floating_point()))?;
    args.resize(args.len().max(pieces.len()), Arg::Missing);
    for (arg, piece) in args.iter_mut().zip(pieces) {
        match piece {
            Some(Piece::Tensor(tensor)) => *arg = Arg::Tensor(tensor.make()?),
            Some(Piece::Tensors(tensors)) => {
                *arg = Arg::Tensors(tensors.iter().map(TensorPiece::make).collect::<Result<_>>()?)
            }
            Some(Piece::Value(value)) => *arg = value.clone(),
            None => {}
        }
    }
    // Sometimes too few.
    args.truncate(args.len().min((*end).max(1)));
    Ok(args)
}

/// Runs the op, reads its results, and runs backward.
fn exercise(op: &'static Op, args: &[Arg]) -> Result<()> {
    let output = block_on(op.run_async(args))?;
    let results = output.tensors().iter().filter(|result| result.numel() <= MAX_ELEMENTS);
    for result in results.clone() {
        block_on(result.to_bytes())?;
    }
    for result in results.filter(|result| result.requires_grad()) {
        result.sum((), false)?.backward_with(None, GradOptions { retain_graph: true, create_graph: false })?;
    }
    Ok(())
}

/// Writes to the first argument, and reads it.
fn exercise_in_place(op: &'static Op, args: &[Arg]) -> Result<()> {
    block_on(op.run_in_place(args)?.to_bytes()).map(drop)
}

#[test]
fn no_arguments_make_an_op_panic() {
    let mut panics = Vec::new();
    for op in ops::all() {
        // The last name in the output of a test that timed out is the op that hangs.
        println!("{}", op.name());
        let device = Device::new(lanthorn_cpu::CpuBackend::poisoned());
        device.set_default();
        let mut runner = TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
        let gave = Cell::new(false);
        let outcome = runner.run(&change(op), |change| {
            let run = |run: fn(&'static Op, &[Arg]) -> Result<()>| {
                arguments(op, &change, &device).and_then(|args| run(op, &args))
            };
            gave.set(gave.get() | run(exercise).is_ok());
            if op.in_place.is_some() {
                // Both an error and a result are correct.
                let _error = run(exercise_in_place);
            }
            Ok(())
        });
        if let Err(error) = outcome {
            panics.push(format!("{}: {error}", op.name()));
        }
        if !gave.get() {
            panics.push(format!("{} was never got to give a result", op.name()));
        }
    }
    assert!(panics.is_empty(), "{}", panics.join("\n\n"));
}
