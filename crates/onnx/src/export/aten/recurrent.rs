//! Recurrent layers: one ONNX node for each layer.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("gru", recurrent),
    ("gru_cell", gru_cell),
    ("lstm", recurrent),
    ("lstm_cell", lstm_cell),
    ("rnn_relu_cell", rnn_cell),
    ("rnn_tanh_cell", rnn_cell),
    ("rnn_relu", recurrent),
    ("rnn_tanh", recurrent),
];

fn recurrent(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.schema.overload != "input" {
        return Err(Error::unsupported("of packed sequences"));
    }
    // The permutation of PyTorch's gates to ONNX's order: input, output, forget, cell; update,
    // reset, hidden.
    let (op, gates): (&str, &[i64]) = match call.base.as_str() {
        "lstm" => ("LSTM", &[0, 3, 1, 2]),
        "gru" => ("GRU", &[1, 0, 2]),
        _ => ("RNN", &[0]),
    };
    let is_lstm = op == "LSTM";
    let mut item = call.tensor("input")?;
    if item.rank()? != 3 {
        return Err(Error::unsupported("without a batch"));
    }
    if call.args.bool("train") && call.float_or("dropout", 0.0)? != 0.0 {
        return Err(Error::unsupported("in training mode with dropout"));
    }
    let states = if is_lstm { call.tensors("hx")? } else { vec![call.tensor("hx")?] };
    let params = call.tensors("params")?;
    let (layers, directions) = (call.int("num_layers")?, 1 + i64::from(call.args.bool("bidirectional")));
    let (has_biases, batch_first) = (call.args.bool("has_biases"), call.args.bool("batch_first"));
    let per_direction = params.len() / (layers * directions).max(1) as usize;
    if per_direction != if has_biases { 4 } else { 2 } {
        return Err(Error::unsupported("with projections"));
    }
    if batch_first {
        item = exporter.transpose(&item, &[1, 0, 2]);
    }
    let mut finals: Vec<Vec<Item>> = vec![Vec::new(); states.len()];
    let mut params = params.chunks(per_direction.max(1));
    for layer in 0..layers {
        let (mut weights, mut recurrences, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        let mut hidden = 0;
        for own in params.by_ref().take(directions as usize) {
            let [input, state, rest @ ..] = own else { return Err(Error::malformed("a layer without weights")) };
            hidden = state.size(1)?;
            check_count(&[hidden, gates.len() as i64])?;
            let rows: Vec<i64> =
                gates.iter().flat_map(|gate| (0..hidden).map(move |row| gate * hidden + row)).collect();
            let rows = exporter.ints(&rows)?;
            let mut ordered = |item: &Item| {
                let item = if gates.len() == 1 {
                    item.clone()
                } else {
                    exporter.op("Gather", &[item, &rows], &[("axis", Attr::Int(0))])
                };
                exporter.unsqueeze(&item, &[0])
            };
            weights.push(ordered(input)?);
            recurrences.push(ordered(state)?);
            if let [input, state] = rest {
                let (input, state) = (ordered(input)?, ordered(state)?);
                biases.push(exporter.concat(&[input, state], 1));
            }
        }
        let (weight, recurrence) = (exporter.concat(&weights, 0), exporter.concat(&recurrences, 0));
        let bias = if biases.is_empty() { Item::none() } else { exporter.concat(&biases, 0) };
        let none = Item::none();
        let mut inputs = vec![item.clone(), weight, recurrence, bias, none];
        for state in &states {
            inputs.push(part(exporter, state, layer * directions, directions, layers * directions)?);
        }
        let direction = if directions == 2 { "bidirectional" } else { "forward" };
        let mut attributes = vec![("hidden_size", Attr::Int(hidden)), ("direction", Attr::Str(direction.to_string()))];
        if op == "GRU" {
            attributes.push(("linear_before_reset", Attr::Int(1)));
        }
        if op == "RNN" {
            let activation = if call.base == "rnn_relu" { "Relu" } else { "Tanh" };
            attributes.push(("activations", Attr::Strs(vec![activation.to_string(); directions as usize])));
        }
        let inputs: Vec<&Item> = inputs.iter().collect();
        let names = exporter.ops(op, &inputs, &attributes, 1 + states.len());
        let mut results = names.into_iter().map(|name| Item::of(name, item.dtype));
        let Some(all) = results.next() else { return Err(Error::malformed("a layer without results")) };
        finals.iter_mut().zip(results).for_each(|(list, state)| list.push(state));
        // [steps, directions, batch, hidden] to [steps, batch, directions · hidden].
        let moved = exporter.op("Transpose", &[&all], &[("perm", Attr::Ints(vec![0, 2, 1, 3]))]);
        let shape = exporter.ints(&[0, 0, -1])?;
        item = exporter.op("Reshape", &[&moved, &shape], &[]);
    }
    if batch_first {
        item = exporter.op("Transpose", &[&item], &[("perm", Attr::Ints(vec![1, 0, 2]))]);
    }
    let mut results = vec![Value::Tensor(item)];
    results.extend(finals.iter().map(|states| Value::Tensor(exporter.concat(states, 0))));
    Ok(Value::List(results))
}

/// Multiplies an input or a state by the weights of the gates, and adds the bias.
fn gates(exporter: &mut Exporter<'_>, call: &Call, item: &Item, [weight, bias]: [&str; 2]) -> Result<Item> {
    let weight = call.tensor(weight)?;
    let bias = call.optional(bias);
    if item.rank()? != 2 {
        return Err(Error::unsupported("without a batch"));
    }
    let inputs: Vec<&Item> = [item, &weight].into_iter().chain(&bias).collect();
    Ok(exporter.op("Gemm", &inputs, &[("transB", Attr::Int(1))]))
}

fn both(exporter: &mut Exporter<'_>, call: &Call, state: &Item) -> Result<[Item; 2]> {
    let input = gates(exporter, call, &call.tensor("input")?, ["w_ih", "b_ih"])?;
    Ok([input, gates(exporter, call, state, ["w_hh", "b_hh"])?])
}

fn parts(exporter: &mut Exporter<'_>, item: &Item, count: usize) -> Vec<Item> {
    let attributes = [("axis", Attr::Int(1)), ("num_outputs", Attr::Int(count as i64))];
    let names = exporter.ops("Split", &[item], &attributes, count);
    names.into_iter().map(|name| Item::of(name, item.dtype)).collect()
}

fn rnn_cell(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let [input, state] = both(exporter, call, &call.tensor("hx")?)?;
    let sum = exporter.op("Add", &[&input, &state], &[]);
    let activation = if call.base == "rnn_relu_cell" { "Relu" } else { "Tanh" };
    Ok(Value::Tensor(exporter.op(activation, &[&sum], &[])))
}

fn gru_cell(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let state = call.tensor("hx")?;
    let [from_input, from_state] = both(exporter, call, &state)?;
    let (input, hidden) = (parts(exporter, &from_input, 3), parts(exporter, &from_state, 3));
    let mut gate = |index: usize| {
        let sum = exporter.op("Add", &[&input[index], &hidden[index]], &[]);
        exporter.op("Sigmoid", &[&sum], &[])
    };
    let (reset, update) = (gate(0), gate(1));
    let kept = exporter.op("Mul", &[&reset, &hidden[2]], &[]);
    let sum = exporter.op("Add", &[&input[2], &kept], &[]);
    let new = exporter.op("Tanh", &[&sum], &[]);
    let apart = exporter.op("Sub", &[&state, &new], &[]);
    let step = exporter.op("Mul", &[&update, &apart], &[]);
    Ok(Value::Tensor(exporter.op("Add", &[&new, &step], &[])))
}

fn lstm_cell(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let states = call.tensors("hx")?;
    let [hidden, cell] = &states[..] else { return Err(Error::malformed("a cell without two states")) };
    let [input, state] = both(exporter, call, hidden)?;
    let sum = exporter.op("Add", &[&input, &state], &[]);
    let gates = parts(exporter, &sum, 4);
    let mut of = |op: &str, index: usize| exporter.op(op, &[&gates[index]], &[]);
    let (input, forget, new, output) = (of("Sigmoid", 0), of("Sigmoid", 1), of("Tanh", 2), of("Sigmoid", 3));
    let kept = exporter.op("Mul", &[&forget, cell], &[]);
    let added = exporter.op("Mul", &[&input, &new], &[]);
    let cell = exporter.op("Add", &[&kept, &added], &[]);
    let shown = exporter.op("Tanh", &[&cell], &[]);
    let hidden = exporter.op("Mul", &[&output, &shown], &[]);
    Ok(Value::List(vec![Value::Tensor(hidden), Value::Tensor(cell)]))
}

/// Slices the states of a layer.
fn part(exporter: &mut Exporter<'_>, state: &Item, first: i64, count: i64, all: i64) -> Result<Item> {
    if count == all {
        return Ok(state.clone());
    }
    let rows: Vec<f64> = (first..first + count).map(|row| row as f64).collect();
    let rows = exporter.numbers(&rows, vec![count as usize], DType::I64)?;
    Ok(exporter.op("Gather", &[state, &rows], &[("axis", Attr::Int(0))]))
}
