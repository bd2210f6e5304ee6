//! Recurrent layers.

use super::{Given, Output, arg, integers, optional_ints, permuted, reshaped, sizes, tensor, tensors, with, word};
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// A recurrent layer of one or two directions: all states, the last ones, and an LSTM's last cells.
pub fn recurrent<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let layer = Layer::new(d, args)?;
    let (all, last) = if layer.is_pytorch() { layer.fused()? } else { layer.unrolled()? };
    let all = if layer.batch_first { permuted(d, &all, [2, 0, 1, 3])? } else { all };
    let last = last.into_iter().map(|state| match layer.batch_first {
        true => permuted(d, &state, [1, 0, 2]).map(Value::Tensor),
        false => Ok(Value::Tensor(state)),
    });
    let last = last.collect::<Result<Vec<_>>>()?;
    Ok(Value::Tuple(std::iter::once(Value::Tensor(all)).chain(last).collect()))
}

/// What a layer is made of, the time first.
struct Layer<'d, D: Dispatch> {
    d: &'d D,
    args: Given<D>,
    /// `[T, B, in]`.
    x: D::Tensor,
    /// The first states `[D, B, H]`, and cells.
    states: Vec<D::Tensor>,
    batch_first: bool,
    /// Whether it runs forwards, backwards, or both.
    directions: &'static [bool],
    hidden: i64,
}

impl<'d, D: Dispatch> Layer<'d, D> {
    fn new(d: &'d D, args: Given<D>) -> Result<Layer<'d, D>> {
        let batch_first = args.int("layout")? == 1;
        let swapped = |x: &D::Tensor| if batch_first { permuted(d, x, [1, 0, 2]) } else { Ok(x.clone()) };
        let x = swapped(args.tensor("X")?)?;
        let directions: &'static [bool] = match word(&args, "direction") {
            "forward" => &[false],
            "reverse" => &[true],
            "bidirectional" => &[false, true],
            other => return Err(Error::argument(args.op(), format!("the direction {other:?}"))),
        };
        let defaults = match args.op() {
            "LSTM" => "sigmoid,tanh,tanh",
            "GRU" => "sigmoid,tanh",
            _ => "tanh",
        };
        let given = word(&args, "activations").to_lowercase();
        let usual = vec![defaults; directions.len()].join(",");
        if (!given.is_empty() && given != usual)
            || args.is_given("clip")
            || args.get("input_forget").as_int() == Some(1)
        {
            return Err(Error::unsupported(format!("{} with other activations than its own, or limits", args.op())));
        }
        let recurrent = sizes(d, args.tensor("R")?);
        let (&[time, batch, _], &[_, _, hidden]) = (&sizes(d, &x)[..], &recurrent[..]) else {
            return Err(Error::argument(args.op(), format!("inputs of shape {:?} and {recurrent:?}", d.shape(&x))));
        };
        let lengths = optional_ints(&args, "sequence_lens").unwrap_or_default();
        if lengths.iter().any(|&length| length != time) && directions != [false] {
            return Err(Error::unsupported(format!("{} backwards over sequences of several lengths", args.op())));
        }
        let names: &[&str] = if args.op() == "LSTM" { &["initial_h", "initial_c"] } else { &["initial_h"] };
        let first = |name: &&str| match args.get(name).as_tensor() {
            Some(state) => swapped(state),
            None => {
                let shape = ints([directions.len() as i64, batch, hidden]);
                with(d, "zeros", [shape], &[("dtype", super::of_type(d.dtype(&x)))])
            }
        };
        let states = names.iter().map(first).collect::<Result<_>>()?;
        Ok(Layer { d, args, x, states, batch_first, directions, hidden })
    }

    /// Whether PyTorch's layer is the same.
    fn is_pytorch(&self) -> bool {
        let time = sizes(self.d, &self.x)[0];
        let lengths = optional_ints(&self.args, "sequence_lens").unwrap_or_default();
        let resets = self.args.op() != "GRU" || self.args.bool("linear_before_reset");
        resets && !self.args.is_given("P") && lengths.iter().all(|&length| length == time) && time > 0
    }

    /// The weights of a direction: `[G * H, in]` or `[G * H, H]` with the gates in another order, and biases.
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

    /// PyTorch's layer: all states `[T, D, B, H]`, and the last ones `[D, B, H]`.
    fn fused(&self) -> Result<(D::Tensor, Vec<D::Tensor>)> {
        let (d, args) = (self.d, &self.args);
        let (name, order): (&str, &[i64]) = match args.op() {
            "LSTM" => ("lstm", &[0, 2, 3, 1]),
            "GRU" => ("gru", &[1, 0, 2]),
            _ => ("rnn_tanh", &[0]),
        };
        let mut params = Vec::new();
        for direction in 0..self.directions.len() {
            params.extend(self.weights(direction, order)?);
        }
        let backwards = self.directions == [true];
        let flipped = |x: &D::Tensor| if backwards { tensor(d, "flip", [arg(x), ints([0])]) } else { Ok(x.clone()) };
        let states = match args.op() {
            "LSTM" => listed(self.states.iter().cloned()),
            _ => arg(&self.states[0]),
        };
        let both = self.directions.len() == 2;
        let call = [
            arg(&flipped(&self.x)?),
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
        let all = results.next().ok_or_else(|| Error::malformed("a layer gives its states"))?;
        let all = flipped(&all)?;
        let shape = sizes(d, &all);
        let parts = self.directions.len() as i64;
        let split = reshaped(d, &all, [shape[0], shape[1], parts, self.hidden])?;
        Ok((permuted(d, &split, [0, 2, 1, 3])?, results.collect()))
    }

    /// The layer step by step.
    fn unrolled(&self) -> Result<(D::Tensor, Vec<D::Tensor>)> {
        let d = self.d;
        let time = sizes(d, &self.x)[0];
        let lengths = optional_ints(&self.args, "sequence_lens").filter(|lengths| lengths.iter().any(|&n| n != time));
        let (mut all, mut last) = (Vec::new(), vec![Vec::new(); self.states.len()]);
        for (direction, &backwards) in self.directions.iter().enumerate() {
            let order: Vec<i64> = (0..self.gates()).collect();
            let weights = self.weights(direction, &order)?;
            let pick = |x: &D::Tensor| tensor(d, "select", [arg(x), Value::Int(0), Value::Int(direction as i64)]);
            let mut states = self.states.iter().map(pick).collect::<Result<Vec<_>>>()?;
            let mut outputs = vec![None; time as usize];
            for step in 0..time {
                let step = if backwards { time - 1 - step } else { step };
                let x = tensor(d, "select", [arg(&self.x), Value::Int(0), Value::Int(step)])?;
                let mut next = self.step(&x, &states, &weights, direction)?;
                let mut output = next[0].clone();
                if let Some(lengths) = &lengths {
                    // A sequence that has ended keeps its state and gives zeros.
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

    fn gates(&self) -> i64 {
        match self.args.op() {
            "LSTM" => 4,
            "GRU" => 3,
            _ => 1,
        }
    }

    /// The states after a step.
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
        let apply = |name: &str, x: &D::Tensor| tensor(d, name, [arg(x)]);
        let h = &states[0];
        let both = |gate: i64| op("add", &from_x(gate)?, &from_h(h, gate)?);
        match self.args.op() {
            "LSTM" => {
                let c = &states[1];
                let peep = |sum: D::Tensor, cell: &D::Tensor, gate: i64| match self.args.get("P").as_tensor() {
                    Some(p) => {
                        let own = tensor(d, "select", [arg(p), Value::Int(0), Value::Int(direction as i64)])?;
                        op("add", &sum, &op("mul", &part(&own, 0, gate)?, cell)?)
                    }
                    None => Ok(sum),
                };
                let input = apply("sigmoid", &peep(both(0)?, c, 0)?)?;
                let forget = apply("sigmoid", &peep(both(2)?, c, 2)?)?;
                let candidate = apply("tanh", &both(3)?)?;
                let cell = op("add", &op("mul", &forget, c)?, &op("mul", &input, &candidate)?)?;
                let output = apply("sigmoid", &peep(both(1)?, &cell, 1)?)?;
                Ok(vec![op("mul", &output, &apply("tanh", &cell)?)?, cell])
            }
            "GRU" => {
                let update = apply("sigmoid", &both(0)?)?;
                let reset = apply("sigmoid", &both(1)?)?;
                let inner = match self.args.bool("linear_before_reset") {
                    true => op("mul", &reset, &from_h(h, 2)?)?,
                    false => from_h(&op("mul", &reset, h)?, 2)?,
                };
                let candidate = apply("tanh", &op("add", &from_x(2)?, &inner)?)?;
                // (1 - update) * candidate + update * h
                let difference = op("sub", h, &candidate)?;
                Ok(vec![op("add", &candidate, &op("mul", &update, &difference)?)?])
            }
            _ => Ok(vec![apply("tanh", &both(0)?)?]),
        }
    }
}
