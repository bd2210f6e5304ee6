//! Recurrent layers.
//!
//! A layer that PyTorch supports is one call of the table's layer. Other layers run step by step:
//! sequences of different lengths, clipping, other activations, peepholes, and quantized states.

mod activation;

use super::{
    Given, Output, arg, binary, convert, integers, optional_ints, permute, quantization::dynamic_quantize_linear,
    reshape_to, sizes, tensor, tensors, with, word,
};
use activation::Activation;
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// Runs a recurrent layer of one or two directions. The results are all states, the last states,
/// and the last cells of an LSTM.
pub fn recurrent<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    Layer::new(d, args, false)?.run()
}

/// An LSTM with 8-bit weights. It quantizes the input once, and the states at each step, to 8 bits
/// by their ranges. The weights are `[D, in, 4 * H]` and `[D, H, 4 * H]`, with a scale for each
/// direction or column.
pub fn dynamic_quantize_lstm<D: Dispatch>(d: &D, mut args: Given<D>) -> Output<D> {
    for name in ["W", "R"] {
        let weights = convert(d, args.tensor(name)?, DType::F32)?;
        let shape = sizes(d, &weights);
        let &[directions, _, columns] = &shape[..] else {
            return Err(Error::argument(args.op(), format!("{name} of shape {shape:?}, not [D, size, 4 * H]")));
        };
        let of_column = |what: &str| -> Result<D::Tensor> {
            let x = args.tensor(&format!("{name}_{what}"))?;
            let count: i64 = sizes(d, x).iter().product();
            if count != directions && count != directions * columns {
                let message = format!("{name}_{what} of shape {:?} for {name} of shape {shape:?}", d.shape(x));
                return Err(Error::argument(args.op(), message));
            }
            reshape_to(d, &convert(d, x, DType::F32)?, [directions, 1, -1])
        };
        let centred = binary(d, "sub", &weights, &of_column("zero_point")?)?;
        let weights = binary(d, "mul", &centred, &of_column("scale")?)?;
        let weights = permute(d, &weights, [0, 2, 1])?;
        args.replace(name, Value::Tensor(weights));
    }
    Layer::new(d, args, true)?.run()
}

/// The cell of a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Lstm,
    Gru,
    Rnn,
}

impl Cell {
    fn gates(self) -> i64 {
        match self {
            Cell::Lstm => 4,
            Cell::Gru => 3,
            Cell::Rnn => 1,
        }
    }

    fn activations(self) -> &'static [&'static str] {
        match self {
            Cell::Lstm => &["Sigmoid", "Tanh", "Tanh"],
            Cell::Gru => &["Sigmoid", "Tanh"],
            Cell::Rnn => &["Tanh"],
        }
    }
}

/// The parameters of a layer. The first dimension is time.
struct Layer<'d, D: Dispatch> {
    d: &'d D,
    args: Given<D>,
    cell: Cell,
    /// `[T, B, in]`.
    x: D::Tensor,
    /// The initial states `[D, B, H]`, and cells.
    states: Vec<D::Tensor>,
    batch_first: bool,
    /// Whether each direction runs backwards.
    directions: &'static [bool],
    hidden: i64,
    /// The lengths of the sequences, if they differ from the number of steps.
    lengths: Option<Vec<i64>>,
    /// The activations of all directions.
    activations: Vec<Activation>,
    /// The clipping limit of the activations' inputs.
    clip: Option<f64>,
    /// Whether the layer quantizes its input and states.
    quantizes: bool,
}

impl<'d, D: Dispatch> Layer<'d, D> {
    fn new(d: &'d D, args: Given<D>, quantizes: bool) -> Result<Layer<'d, D>> {
        let cell = match args.op() {
            "GRU" => Cell::Gru,
            "RNN" => Cell::Rnn,
            _ => Cell::Lstm,
        };
        let batch_first = args.int("layout")? == 1;
        let time_first = |x: &D::Tensor| if batch_first { permute(d, x, [1, 0, 2]) } else { Ok(x.clone()) };
        let x = args.tensor("X")?;
        let recurrent = sizes(d, args.tensor("R")?);
        let (&[_, _, _], &[_, _, hidden]) = (&sizes(d, x)[..], &recurrent[..]) else {
            return Err(Error::argument(args.op(), format!("inputs of shape {:?} and {recurrent:?}", d.shape(x))));
        };
        let x = time_first(x)?;
        let (time, batch) = (sizes(d, &x)[0], sizes(d, &x)[1]);
        let directions: &'static [bool] = match word(&args, "direction") {
            "forward" => &[false],
            "reverse" => &[true],
            "bidirectional" => &[false, true],
            other => return Err(Error::argument(args.op(), format!("the direction {other:?}"))),
        };
        let lengths = optional_ints(&args, "sequence_lens").unwrap_or_else(|| vec![time; batch as usize]);
        if lengths.len() as i64 != batch || lengths.iter().any(|length| !(0..=time).contains(length)) {
            let message = format!("sequence_lens {lengths:?} for {batch} sequences of {time} steps");
            return Err(Error::argument(args.op(), message));
        }
        let names: &[&str] = if cell == Cell::Lstm { &["initial_h", "initial_c"] } else { &["initial_h"] };
        let first = |name: &&str| match args.get(name).as_tensor() {
            Some(state) => time_first(state),
            None => {
                let shape = ints([directions.len() as i64, batch, hidden]);
                with(d, "zeros", [shape], &[("dtype", super::of_type(d.dtype(&x)))])
            }
        };
        let states = names.iter().map(first).collect::<Result<_>>()?;
        let activations = Activation::of_layer(&args, cell.activations(), directions.len())?;
        let clip = args.get("clip").as_float().filter(|clip| *clip > 0.0);
        let lengths = lengths.iter().any(|&length| length != time).then_some(lengths);
        let x = if quantizes { quantize(d, &args, &x)? } else { x };
        Ok(Layer { d, args, cell, x, states, batch_first, directions, hidden, lengths, activations, clip, quantizes })
    }

    fn run(&self) -> Output<D> {
        let d = self.d;
        let (all, last) = if self.is_pytorch() { self.run_fused()? } else { self.run_steps()? };
        let all = if self.batch_first { permute(d, &all, [2, 0, 1, 3])? } else { all };
        let last = last.into_iter().map(|state| match self.batch_first {
            true => permute(d, &state, [1, 0, 2]).map(Value::Tensor),
            false => Ok(Value::Tensor(state)),
        });
        let last = last.collect::<Result<Vec<_>>>()?;
        Ok(Value::Tuple(std::iter::once(Value::Tensor(all)).chain(last).collect()))
    }

    /// Whether PyTorch's layer computes the same.
    fn is_pytorch(&self) -> bool {
        let resets = self.cell != Cell::Gru || self.args.bool("linear_before_reset");
        let usual = self.cell.activations().iter().cycle().zip(&self.activations).all(|(name, own)| own.is(name));
        resets
            && usual
            && !self.args.is_given("P")
            && !self.forgets_by_input()
            && self.lengths.is_none()
            && self.clip.is_none()
            && !self.quantizes
            && sizes(self.d, &self.x)[0] > 0
    }

    /// Whether the forget gate of an LSTM is 1 minus its input gate.
    fn forgets_by_input(&self) -> bool {
        self.args.get("input_forget").as_int() == Some(1)
    }

    /// Returns the weights `[G * H, in]` and `[G * H, H]` of a direction with reordered gates, and
    /// its biases.
    fn weights(&self, direction: usize, order: &[i64]) -> Result<Vec<D::Tensor>> {
        let (d, gates) = (self.d, order.len() as i64);
        let of = |name: &str| -> Result<D::Tensor> {
            tensor(d, "select", [arg(self.args.tensor(name)?), Value::Int(0), Value::Int(direction as i64)])
        };
        let ordered = |x: &D::Tensor| -> Result<D::Tensor> {
            let parts = order.iter().map(|&gate| {
                let start = Value::Int(gate * self.hidden);
                tensor(d, "narrow", [arg(x), Value::Int(0), start, Value::Int(self.hidden)])
            });
            tensor(d, "cat", [listed(parts.collect::<Result<Vec<_>>>()?), Value::Int(0)])
        };
        let mut weights = vec![ordered(&of("W")?)?, ordered(&of("R")?)?];
        if self.args.is_given("B") {
            let both = of("B")?;
            for start in [0, gates * self.hidden] {
                let length = Value::Int(gates * self.hidden);
                let half = tensor(d, "narrow", [arg(&both), Value::Int(0), Value::Int(start), length])?;
                weights.push(ordered(&half)?);
            }
        }
        Ok(weights)
    }

    /// Calls PyTorch's layer. Returns all states `[T, D, B, H]`, and the last ones `[D, B, H]`.
    fn run_fused(&self) -> Result<(D::Tensor, Vec<D::Tensor>)> {
        let (d, args) = (self.d, &self.args);
        let (name, order): (&str, &[i64]) = match self.cell {
            Cell::Lstm => ("lstm", &[0, 2, 3, 1]),
            Cell::Gru => ("gru", &[1, 0, 2]),
            Cell::Rnn => ("rnn_tanh", &[0]),
        };
        let mut params = Vec::new();
        for direction in 0..self.directions.len() {
            params.extend(self.weights(direction, order)?);
        }
        let backwards = self.directions == [true];
        let flip = |x: &D::Tensor| if backwards { tensor(d, "flip", [arg(x), ints([0])]) } else { Ok(x.clone()) };
        let states = match self.cell {
            Cell::Lstm => listed(self.states.iter().cloned()),
            Cell::Gru | Cell::Rnn => arg(&self.states[0]),
        };
        let both = self.directions.len() == 2;
        let call = [
            arg(&flip(&self.x)?),
            states,
            listed(params),
            Value::Bool(args.is_given("B")),
            Value::Int(1),
            Value::Float(0.0),
            Value::Bool(false),
            Value::Bool(both),
            Value::Bool(false),
        ];
        let mut results = tensors(d, name, call)?.into_iter();
        let all = results.next().ok_or_else(|| Error::malformed("a layer did not return its states"))?;
        let all = flip(&all)?;
        let shape = sizes(d, &all);
        let parts = self.directions.len() as i64;
        let split = reshape_to(d, &all, [shape[0], shape[1], parts, self.hidden])?;
        Ok((permute(d, &split, [0, 2, 1, 3])?, results.collect()))
    }

    /// Runs the layer step by step.
    fn run_steps(&self) -> Result<(D::Tensor, Vec<D::Tensor>)> {
        let d = self.d;
        let time = sizes(d, &self.x)[0];
        let (mut all, mut last) = (Vec::new(), vec![Vec::new(); self.states.len()]);
        for (direction, &backwards) in self.directions.iter().enumerate() {
            let order: Vec<i64> = (0..self.cell.gates()).collect();
            let weights = self.weights(direction, &order)?;
            let pick = |x: &D::Tensor| tensor(d, "select", [arg(x), Value::Int(0), Value::Int(direction as i64)]);
            let mut states = self.states.iter().map(pick).collect::<Result<Vec<_>>>()?;
            let mut outputs = vec![None; time as usize];
            for step in 0..time {
                let step = if backwards { time - 1 - step } else { step };
                let x = tensor(d, "select", [arg(&self.x), Value::Int(0), Value::Int(step)])?;
                let mut next = self.step(&x, &states, &weights, direction)?;
                let mut output = next[0].clone();
                if let Some(lengths) = &self.lengths {
                    // After the end of a sequence, the state stays and the result is zero.
                    let flags: Vec<i64> = lengths.iter().map(|&length| i64::from(step < length)).collect();
                    let flags = integers(d, vec![flags.len(), 1], &flags)?;
                    let flags = tensor(d, "ne", [arg(&flags), Value::Int(0)])?;
                    output = tensor(d, "where", [arg(&flags), arg(&output), Value::Float(0.0)])?;
                    for (next, before) in next.iter_mut().zip(&states) {
                        *next = tensor(d, "where", [arg(&flags), arg(next), arg(before)])?;
                    }
                }
                states = next;
                outputs[step as usize] = Some(output);
            }
            all.push(tensor(d, "stack", [listed(outputs.into_iter().flatten()), Value::Int(0)])?);
            last.iter_mut().zip(states).for_each(|(list, state)| list.push(state));
        }
        let stacked = |list: Vec<D::Tensor>| tensor(d, "stack", [listed(list), Value::Int(0)]);
        let all = tensor(d, "stack", [listed(all), Value::Int(1)])?;
        Ok((all, last.into_iter().map(stacked).collect::<Result<_>>()?))
    }

    /// Returns the states after a step.
    fn step(
        &self,
        x: &D::Tensor,
        states: &[D::Tensor],
        weights: &[D::Tensor],
        direction: usize,
    ) -> Result<Vec<D::Tensor>> {
        let d = self.d;
        let part = |x: &D::Tensor, dim: i64, gate: i64| {
            let (start, length) = (Value::Int(gate * self.hidden), Value::Int(self.hidden));
            tensor(d, "narrow", [arg(x), Value::Int(dim), start, length])
        };
        let bias = |index: usize, gate: i64| match weights.get(2 + index) {
            Some(bias) => part(bias, 0, gate).map(Value::Tensor),
            None => Ok(Value::None),
        };
        let from_x = |gate: i64| tensor(d, "linear", [arg(x), arg(&part(&weights[0], 0, gate)?), bias(0, gate)?]);
        let from_h =
            |h: &D::Tensor, gate: i64| tensor(d, "linear", [arg(h), arg(&part(&weights[1], 0, gate)?), bias(1, gate)?]);
        let op = |name: &str, a: &D::Tensor, b: &D::Tensor| tensor(d, name, [arg(a), arg(b)]);
        let quantized_h = if self.quantizes { Some(quantize(d, &self.args, &states[0])?) } else { None };
        let h = &states[0];
        // The operand of the product with the weights.
        let factor = quantized_h.as_ref().unwrap_or(h);
        let clamp = |x: D::Tensor| match self.clip {
            Some(clip) => tensor(d, "clamp", [arg(&x), Value::Float(-clip), Value::Float(clip)]),
            None => Ok(x),
        };
        let activate = |index: usize, x: &D::Tensor| {
            self.activations[direction * self.cell.activations().len() + index].apply(d, x)
        };
        let both = |gate: i64| op("add", &from_x(gate)?, &from_h(factor, gate)?);
        match self.cell {
            Cell::Lstm => {
                let c = &states[1];
                let peep = |sum: D::Tensor, cell: &D::Tensor, gate: i64| match self.args.get("P").as_tensor() {
                    Some(p) => {
                        let own = tensor(d, "select", [arg(p), Value::Int(0), Value::Int(direction as i64)])?;
                        op("add", &sum, &op("mul", &part(&own, 0, gate)?, cell)?)
                    }
                    None => Ok(sum),
                };
                let input = activate(0, &clamp(peep(both(0)?, c, 0)?)?)?;
                let forget = match self.forgets_by_input() {
                    true => tensor(d, "rsub", [arg(&input), Value::Float(1.0)])?,
                    false => activate(0, &clamp(peep(both(2)?, c, 2)?)?)?,
                };
                let candidate = activate(1, &clamp(both(3)?)?)?;
                let cell = op("add", &op("mul", &forget, c)?, &op("mul", &input, &candidate)?)?;
                let output = activate(0, &clamp(peep(both(1)?, &cell, 1)?)?)?;
                Ok(vec![op("mul", &output, &activate(2, &cell)?)?, cell])
            }
            Cell::Gru => {
                let update = activate(0, &clamp(both(0)?)?)?;
                let reset = activate(0, &clamp(both(1)?)?)?;
                let inner = match self.args.bool("linear_before_reset") {
                    true => op("mul", &reset, &from_h(h, 2)?)?,
                    false => from_h(&op("mul", &reset, h)?, 2)?,
                };
                let candidate = activate(1, &clamp(op("add", &from_x(2)?, &inner)?)?)?;
                // (1 - update) * candidate + update * h
                let difference = op("sub", h, &candidate)?;
                Ok(vec![op("add", &candidate, &op("mul", &update, &difference)?)?])
            }
            Cell::Rnn => Ok(vec![activate(0, &clamp(both(0)?)?)?]),
        }
    }
}

/// Quantizes a tensor to 8 bits by its range, and dequantizes it.
fn quantize<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> Result<D::Tensor> {
    let [numbers, scale, zero] = dynamic_quantize_linear(d, args, x)?;
    let numbers = convert(d, &numbers, DType::F32)?;
    let centred = binary(d, "sub", &numbers, &convert(d, &zero, DType::F32)?)?;
    binary(d, "mul", &centred, &scale)
}
