//! The operations of a recorded call, which derivatives of higher order repeat.
//!
//! A recorded backward pass has no graph. Where a backward pass records its operations
//! (`create_graph`), the operations of the call run again on the arguments as they were, with the
//! random numbers of the call, and gradients go through their graph. Rejected: a recording of each
//! higher derivative, which few programs compute. Rejected: the caller runs the function again,
//! because a page would be called by the core in the middle of a backward pass.
//!
//! An interceptor notes the operations, as for a trace.

use crate::{
    DType, Device, Error, GradOptions, Result, Tensor, autocast_dtype,
    autograd::{self, Edge, GradNode, JointDerivative, grad_since, is_grad_enabled, with_mode},
    ops::{
        Arg, Args, Op, Output,
        dispatch::{self, Interceptor},
        in_place,
    },
    set_autocast,
    storage::Storage,
};
use lanthorn_call::{Handle, Value};
use rustc_hash::FxHashMap;
use std::{cell::RefCell, rc::Rc};

/// The name of the nodes that lead from copies of the arguments to the arguments.
const OP: &str = "repeated";

/// The action of a call.
#[derive(Clone, Copy)]
enum Action {
    Op(&'static Op),
    InPlace(&'static Op),
    Copy,
    Detach,
}

/// A call that was noted. It keeps its tensors alive, so that their ids stay theirs.
struct Noted {
    action: Action,
    args: Vec<Arg>,
    grad_enabled: bool,
    autocast: Option<DType>,
    results: Vec<Tensor>,
}

impl Noted {
    /// Whether the call writes to the storage of two arguments.
    fn writes_alias(&self, arguments: &[Tensor]) -> bool {
        let (Action::InPlace(_) | Action::Copy, Some(Arg::Tensor(target))) = (self.action, self.args.first()) else {
            return false;
        };
        arguments.iter().filter(|argument| Rc::ptr_eq(&argument.0.storage, &target.0.storage)).count() > 1
    }
}

#[derive(Default)]
struct Notes {
    calls: Vec<Noted>,
    /// Data that the calls brought from the host, each with a tensor of the value that it had.
    uploads: Vec<(Tensor, Tensor)>,
    /// The number of storages that existed before.
    first_storage: u64,
}

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
}

static INTERCEPTOR: Interceptor = Interceptor {
    run,
    run_in_place,
    note_copy: |target, source| note(Action::Copy, &[Arg::from(target), Arg::from(source)], vec![target.clone()]),
    note_detach: |tensor, detached| note(Action::Detach, &[Arg::from(tensor)], vec![detached.clone()]),
    note_upload,
    is_active: || NOTES.with_borrow(Option::is_some),
};

/// Starts to note calls.
pub(super) fn start() {
    NOTES.set(Some(Notes { first_storage: Storage::made(), ..Notes::default() }));
    dispatch::intercept(Some(&INTERCEPTOR));
}

/// Ends the notes, if there are any.
pub(super) fn abort() {
    if NOTES.take().is_some() {
        dispatch::intercept(None);
    }
}

fn note(action: Action, args: &[Arg], results: Vec<Tensor>) {
    let (grad_enabled, autocast) = (is_grad_enabled(), autocast_dtype());
    let call = Noted { action, args: args.to_vec(), grad_enabled, autocast, results };
    NOTES.with_borrow_mut(|notes| notes.as_mut().map(|notes| notes.calls.push(call)));
}

fn note_upload(tensor: &Tensor) {
    let upload = (tensor.clone(), snapshot(tensor, &mut FxHashMap::default()));
    NOTES.with_borrow_mut(|notes| notes.as_mut().map(|notes| notes.uploads.push(upload)));
}

fn run(op: &'static Op, bound: &Args<'_>) -> Result<Output> {
    let output = dispatch::quietly(|| op.run_bound(bound))?;
    note(Action::Op(op), &bound.to_vec(), output.tensors().to_vec());
    Ok(output)
}

fn run_in_place(op: &'static Op, args: &[Arg]) -> Result<Tensor> {
    let written = dispatch::quietly(|| op.write_in_place(args, in_place::before))?;
    note(Action::InPlace(op), args, vec![written.clone()]);
    Ok(written)
}

/// A tensor of the same value, outside of the graph. Tensors that share a storage share one again.
fn snapshot(tensor: &Tensor, storages: &mut FxHashMap<usize, Rc<Storage>>) -> Tensor {
    let storage = &tensor.0.storage;
    let copy = || Rc::new(Storage::new(storage.device.clone(), storage.value()));
    let storage = storages.entry(Rc::as_ptr(storage) as usize).or_insert_with(copy);
    Tensor::build(storage.clone(), tensor.layout().clone(), None)
}

/// The arguments of a call as they were, and the state of the generator of random numbers.
pub(super) struct Given {
    device: Device,
    arguments: Vec<(Tensor, Option<Edge>)>,
    random: (u64, u32),
}

impl Given {
    /// The arguments of a call that comes next.
    pub fn new(device: &Device, arguments: &[Tensor]) -> Given {
        let mut storages = FxHashMap::default();
        let given = |argument: &Tensor| (snapshot(argument, &mut storages), argument.grad_edge());
        let arguments = arguments.iter().map(given).collect();
        Given { device: device.clone(), arguments, random: device.generator().state() }
    }

    /// The arguments. Gradients go through them to the tensors of the call.
    fn tensors(&self) -> Vec<Tensor> {
        // Tensors of the notes stay as they are for the next pass.
        let mut storages = FxHashMap::default();
        let tensor = |(before, edge): &(Tensor, Option<Edge>)| {
            let tensor = snapshot(before, &mut storages);
            let derivative: JointDerivative = Rc::new(|gradients, _| Ok(vec![gradients[0].clone()]));
            let results = std::slice::from_ref(&tensor);
            autograd::attach_joint(OP, results, &|_| false, vec![edge.clone()], &[], derivative);
            tensor
        };
        self.arguments.iter().map(tensor).collect()
    }
}

/// The number of a tensor.
#[derive(Clone, Debug)]
struct Number(usize);

impl Handle for Number {
    type Symbol = <Tensor as Handle>::Symbol;
    type Device = <Tensor as Handle>::Device;
}

/// A call, with its tensors by their numbers.
struct Call {
    action: Action,
    operands: Vec<Value<Number>>,
    grad_enabled: bool,
    autocast: Option<DType>,
    results: Vec<usize>,
}

/// The operations of a recorded call.
pub(super) struct Calls {
    calls: Vec<Call>,
    /// Tensors of the host's data, and tensors that existed before and are no arguments.
    constants: Vec<(usize, Tensor)>,
    /// The numbers of the results that have a graph.
    results: Vec<usize>,
    /// How many tensors there are. The first ones are the arguments.
    tensors: usize,
}

/// The numbers of the tensors of noted calls.
struct Numbers<'a> {
    notes: &'a Notes,
    arguments: &'a [Tensor],
    numbers: FxHashMap<usize, usize>,
    constants: Vec<(usize, Tensor)>,
    count: usize,
}

impl Numbers<'_> {
    fn define(&mut self, tensor: &Tensor) -> usize {
        self.count += 1;
        self.numbers.insert(tensor.id(), self.count - 1);
        self.count - 1
    }

    /// The number of a tensor that a call takes.
    fn of(&mut self, tensor: &Tensor) -> std::result::Result<usize, String> {
        if let Some(&number) = self.numbers.get(&tensor.id()) {
            return Ok(number);
        }
        let storage = &tensor.0.storage;
        let upload = self.notes.uploads.iter().find(|(upload, _)| upload.is(tensor)).map(|(_, before)| before.clone());
        let is_argument = self.arguments.iter().any(|argument| Rc::ptr_eq(&argument.0.storage, storage));
        let existed = storage.serial < self.notes.first_storage && !is_argument && !tensor.requires_grad();
        let constant = upload.or_else(|| existed.then(|| tensor.clone()));
        let constant = constant.ok_or_else(|| {
            let op = tensor.origin();
            format!(
                "second derivatives repeat its operations, and one takes a tensor of {op} that no operation returned"
            )
        })?;
        let number = self.define(tensor);
        self.constants.push((number, constant));
        Ok(number)
    }

    fn operand(&mut self, arg: &Arg) -> std::result::Result<Value<Number>, String> {
        arg.map_tensors(|tensor| self.of(tensor).map(Number))
    }
}

impl Calls {
    /// Ends the notes of a call with these arguments. `results` are its results that have a graph.
    /// The error says why the call cannot be repeated.
    pub fn finish(arguments: &[Tensor], results: &[Tensor]) -> std::result::Result<Calls, String> {
        let notes = NOTES.take().ok_or("its operations were not noted")?;
        dispatch::intercept(None);
        if notes.calls.iter().any(|call| call.writes_alias(arguments)) {
            return Err("it writes to an argument that shares elements with another one".into());
        }
        let mut numbers =
            Numbers { notes: &notes, arguments, numbers: FxHashMap::default(), constants: vec![], count: 0 };
        arguments.iter().for_each(|argument| {
            numbers.define(argument);
        });
        let call = |noted: &Noted| {
            let operands =
                noted.args.iter().map(|arg| numbers.operand(arg)).collect::<std::result::Result<_, String>>()?;
            let results = noted.results.iter().map(|result| numbers.define(result)).collect();
            let Noted { action, grad_enabled, autocast, .. } = *noted;
            Ok::<Call, String>(Call { action, operands, grad_enabled, autocast, results })
        };
        let calls = notes.calls.iter().map(call).collect::<std::result::Result<_, String>>()?;
        let results = results.iter().map(|result| numbers.of(result)).collect::<std::result::Result<_, String>>()?;
        Ok(Calls { calls, results, tensors: numbers.count, constants: numbers.constants })
    }

    /// The data of the host that the calls keep.
    pub fn constants(&self) -> impl Iterator<Item = &Tensor> {
        self.constants.iter().map(|(_, tensor)| tensor)
    }

    /// The gradients of the arguments of these indices, with a graph.
    pub fn gradients(
        &self,
        given: &Given,
        of: &[Option<usize>],
        gradients: &[Option<Tensor>],
    ) -> Result<Vec<Option<Tensor>>> {
        let arguments = given.tensors();
        let first = GradNode::made();
        let results = self.run(given, &arguments)?;
        let open = results.into_iter().zip(gradients).filter(|(result, _)| result.requires_grad());
        let (results, gradients): (Vec<Tensor>, Vec<Tensor>) =
            open.filter_map(|(result, gradient)| Some((result, gradient.clone()?))).unzip();
        let input = |index: &Option<usize>| {
            let found = index.map(|index| arguments[index].clone());
            found.ok_or_else(|| Error::autograd("backward", "a leaf of a recorded call is no argument"))
        };
        let inputs = of.iter().map(input).collect::<Result<Vec<_>>>()?;
        let options = GradOptions { create_graph: true, ..Default::default() };
        grad_since(&results, &inputs, &gradients, options, first)
    }

    /// Runs the calls with the random numbers and in the modes of the recorded call.
    fn run(&self, given: &Given, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        let generator = given.device.generator();
        let (random, autocast) = (generator.state(), autocast_dtype());
        generator.set_state(given.random);
        let results = self.run_calls(arguments);
        generator.set_state(random);
        set_autocast(autocast)?;
        results
    }

    fn run_calls(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut tensors: Vec<Option<Tensor>> = arguments.iter().cloned().map(Some).collect();
        tensors.resize(self.tensors, None);
        let mut storages = FxHashMap::default();
        for (number, constant) in &self.constants {
            tensors[*number] = Some(snapshot(constant, &mut storages));
        }
        for call in &self.calls {
            set_autocast(call.autocast)?;
            let results = with_mode(call.grad_enabled, || call.run(&tensors))?;
            for (&number, result) in call.results.iter().zip(results) {
                tensors[number] = Some(result);
            }
        }
        Ok(self.results.iter().filter_map(|&number| tensors[number].clone()).collect())
    }
}

impl Call {
    fn run(&self, tensors: &[Option<Tensor>]) -> Result<Vec<Tensor>> {
        let unknown = || Error::autograd("backward", "an operation of a recorded call takes a tensor of a later one");
        let tensor = |number: &Number| tensors[number.0].clone().ok_or_else(unknown);
        let args = self.operands.iter().map(|operand| operand.map_tensors(tensor)).collect::<Result<Vec<Arg>>>()?;
        Ok(match (self.action, &args[..]) {
            (Action::Op(op), args) => op.run(args)?.tensors().to_vec(),
            (Action::InPlace(op), args) => vec![op.run_in_place(args)?],
            (Action::Copy, [Arg::Tensor(target), Arg::Tensor(source)]) => {
                target.copy_(source)?;
                vec![target.clone()]
            }
            (Action::Detach, [Arg::Tensor(tensor)]) => vec![tensor.detach()],
            (Action::Copy | Action::Detach, _) => vec![],
        })
    }
}
