//! Calls of another language: rows of numbers and strings in, rows of numbers out.

use crate::common::device;
use lanthorn_call::{Caller, Language, Malformed, Reader, Whole};
use lanthorn_tensor::{
    Device, Error, Tensor,
    ops::{Arg, InPlace, Op, Output, Selected, built_in},
};
use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    process::{self, Command, Stdio},
};

/// A binding: tensors by handle.
struct Binding {
    device: Device,
    tensors: Vec<Tensor>,
}

/// An error as another language has it: its kind, the op, the text.
type Thrown = (&'static str, String, String);

fn thrown(error: Error) -> Thrown {
    (error.kind_name(), error.op().to_string(), error.message().to_string())
}

impl Binding {
    fn upload(&mut self, values: &[f32], shape: &[i64]) -> f64 {
        let tensor = Tensor::from_slice(values, shape, &self.device).unwrap();
        self.add(tensor)
    }

    fn add(&mut self, tensor: Tensor) -> f64 {
        self.tensors.push(tensor);
        (self.tensors.len() - 1) as f64
    }

    fn read(&self, handle: f64) -> Vec<f32> {
        pollster::block_on(self.tensors[handle as usize].to_vec()).unwrap()
    }

    /// The index of the overload, and the handles of the results.
    fn call(&mut self, op: &str, words: &[f64], strings: &[&str]) -> Result<Vec<f64>, Thrown> {
        let strings: Vec<String> = strings.iter().map(|text| text.to_string()).collect();
        let tensors = &self.tensors;
        let mut tensor = |handle: f64| tensors.get(handle as usize).cloned().ok_or(Malformed);
        let call = Reader::new(words, &strings, Whole::Int).call(Caller::PYTHON, &mut tensor);
        let call = call.map_err(|malformed: Malformed| thrown(malformed.into_error(op)))?;
        let selected = Op::find(op).unwrap().resolve(&call, &|_| true).map_err(thrown)?;
        let Selected::Op(overload, op, args) = selected else { panic!("the test has no arrays") };
        let results = match op.run(&args).map_err(thrown)? {
            Output::Tensor(tensor) => vec![tensor],
            Output::Tensors(tensors) => tensors,
            other => panic!("{other:?} has no tensors"),
        };
        let mut row = vec![overload as f64];
        results.into_iter().for_each(|tensor| row.push(self.add(tensor)));
        Ok(row)
    }
}

fn binding() -> Binding {
    Binding { device: device(), tensors: vec![] }
}

fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// The answer to a request of `binding.c`.
fn answer(binding: &mut Binding, request: &str) -> String {
    let parts: Vec<&str> = request.split_whitespace().collect();
    let numbers = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<f64>>();
    match parts[..] {
        ["upload", count, ref values @ ..] => {
            let values: Vec<f32> = numbers(values).into_iter().map(|value| value as f32).collect();
            binding.upload(&values, &[count.parse().unwrap()]).to_string()
        }
        ["read", handle] => join(&binding.read(handle.parse().unwrap())),
        ["call", op, count, ref row @ ..] => {
            let (words, strings) = row.split_at(count.parse().unwrap());
            match binding.call(op, &numbers(words), strings) {
                Ok(row) => join(&row),
                Err((kind, op, text)) => format!("{kind}: {op}: {text}"),
            }
        }
        _ => panic!("{request:?} is no request"),
    }
}

#[test]
fn a_program_in_c_calls_by_rows() {
    let folder = env::temp_dir().join(format!("lanthorn-binding-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (program, source) = (folder.join("binding"), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/binding.c"));
    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source);
    assert!(compiler.status().expect("there is a C compiler").success());
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = child.stdin.take().unwrap();
    let requests = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let (mut binding, mut count) = (binding(), 0);
    for request in requests {
        writeln!(answers, "{}", answer(&mut binding, &request)).unwrap();
        count += 1;
    }
    assert_eq!((child.wait().unwrap().code(), count), (Some(0), 7));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn add_and_cat_are_called_by_rows() {
    let mut binding = binding();
    let x = binding.upload(&[1.0, 2.0], &[2]);
    let y = binding.upload(&[10.0, 20.0], &[2]);
    let sum = binding.call("add", &[2.0, x, 2.0, y, -1.0, 0.0, 7.0, 0.5], &["alpha"]).unwrap();
    assert_eq!((sum[0], binding.read(sum[1])), (0.0, vec![6.0, 12.0]));
    let joined = binding.call("cat", &[3.0, 3.0, x, y, sum[1], 6.0, 0.0], &[]).unwrap();
    assert_eq!(binding.read(joined[1]), [1.0, 2.0, 10.0, 20.0, 6.0, 12.0]);
}

#[test]
fn an_overload_is_found_by_the_kinds_of_a_row() {
    let mut binding = binding();
    let x = binding.upload(&[1.0, 4.0, 3.0, 2.0], &[2, 2]);
    let whole = binding.call("max", &[2.0, x], &[]).unwrap();
    assert_eq!((whole.len(), whole[0], binding.read(whole[1])), (2, 0.0, vec![4.0]));
    let rows = binding.call("max", &[2.0, x, -1.0, 0.0, 6.0, 1.0], &["dim"]).unwrap();
    assert_eq!((rows.len(), rows[0], binding.read(rows[1])), (3, 1.0, vec![4.0, 3.0]));
    let other = binding.call("max", &[2.0, x, 2.0, x], &[]).unwrap();
    assert_eq!((other[0], binding.read(other[1])), (2.0, vec![1.0, 4.0, 3.0, 2.0]));
}

#[test]
fn the_error_of_a_row_names_the_argument() {
    let mut binding = binding();
    let x = binding.upload(&[1.0], &[1]);
    let refused = |binding: &mut Binding, op: &str, words: &[f64], strings: &[&str]| {
        let (kind, name, text) = binding.call(op, words, strings).unwrap_err();
        assert_eq!((kind, name.as_str()), ("argument", op));
        text
    };
    let text = refused(&mut binding, "add", &[2.0, x], &[]);
    assert!(text.starts_with("the argument other is missing: add("), "{text}");
    let text = refused(&mut binding, "add", &[2.0, x, 18.0, 0.0], &["a function"]);
    assert_eq!(text, "the argument other takes a tensor or a number, not a function");
    let text = refused(&mut binding, "sum", &[2.0, x, -1.0, 0.0, 6.0, 0.0], &["dims"]);
    assert_eq!(text, "there is no argument \"dims\"; there are self, dim, keepdim, dtype");
    let text = refused(&mut binding, "add", &[2.0, x, 2.0, x, 6.0, 1.0], &[]);
    assert_eq!(text, "takes at most 2 positional arguments, 3 were given; give alpha by name");
    assert!(binding.call("add", &[2.0], &[]).unwrap_err().2.contains("not encoded as this version"));
}

#[test]
fn an_error_has_the_name_and_the_spelling_of_its_caller() {
    let device = device();
    let odd = [Arg::Foreign("a function".into())];
    for op in built_in() {
        let names = [op.name(), op.base_name()].into_iter().chain(op.aliases.iter().copied());
        for name in names {
            let caller = Caller { language: Language::JavaScript, name: Some(name) };
            let error = op.wording(&odd, caller)(Error::argument(op.base_name(), "any"));
            assert_eq!(error.op(), name, "{error}");
            let first = Language::JavaScript.name(&op.schema().params[0].name);
            assert!(error.message().contains(&*first), "{name}: {error}");
        }
    }
    let zeros = |shape: &[i64]| Tensor::zeros_with(shape, None, Some(&device)).unwrap();
    let x = |shape: &[i64]| Arg::Tensor(zeros(shape));
    let called = |name: &'static str, args: &[Arg]| {
        let op = Op::find(name.trim_end_matches('_')).unwrap();
        let result = match name.ends_with('_') && op.in_place == Some(InPlace::Write) {
            true => op.run_in_place(args).err(),
            false => op.run(args).err(),
        };
        let caller = Caller { language: Language::JavaScript, name: Some(name) };
        result.map_or_else(|| "no error".into(), |error| op.wording(args, caller)(error).to_string())
    };
    let rows = [
        ("fold", vec![x(&[1, 4])], "fold: the argument outputSize is missing: fold(Tensor input, int[] outputSize, "),
        ("subtract", vec![x(&[2]), x(&[3])], "subtract: "),
        ("subtract_", vec![x(&[2]), x(&[3])], "subtract_: "),
        ("clip_", vec![x(&[2]), Arg::Str("a".into())], "clip_: the argument min takes a number, not the string \"a\""),
        ("swapaxes", vec![x(&[2]), 0.into(), 3.into()], "swapaxes: dimension 3"),
        ("vstack", vec![vec![zeros(&[2, 3]), zeros(&[2, 4])].into()], "vstack: "),
        ("special_expit", vec![5.into()], "special_expit: the argument input takes a tensor, not the number 5"),
    ];
    for (name, args, start) in rows {
        let text = called(name, &args);
        assert!(text.starts_with(start), "{name}: {text}");
    }
}
