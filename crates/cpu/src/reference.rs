//! Kernels computed naively in float64, element by element, as their definitions say: what the tests compare with.

use crate::testing::read;
use lanthorn_ir::{
    DType,
    expr::{BinaryOp, Instruction, Program, UnaryOp},
    half,
    kernel::{Contract, FusedReduction, Operand, ReduceOp},
};

/// The elements of a buffer as float64.
pub(crate) fn widen(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    match dtype {
        DType::F32 => read::<f32>(bytes).into_iter().map(f64::from).collect(),
        DType::F64 => read::<f64>(bytes),
        DType::I32 => read::<i32>(bytes).into_iter().map(f64::from).collect(),
        DType::I64 => read::<i64>(bytes).into_iter().map(|value| value as f64).collect(),
        DType::F16 => read::<u16>(bytes).into_iter().map(|bits| f64::from(half::f16_to_f32(bits))).collect(),
        DType::BF16 => read::<u16>(bytes).into_iter().map(|bits| f64::from(half::bf16_to_f32(bits))).collect(),
        DType::U8 | DType::Bool => bytes.iter().map(|&byte| f64::from(byte)).collect(),
    }
}

/// Every element that an operand reads, in row-major order.
pub(crate) fn elements(operand: &Operand, data: &[f64]) -> Vec<f64> {
    operand.offsets().map(|place| place.map_or(operand.outside.to_f64(), |place| data[place])).collect()
}

/// The results of a program of arithmetic and comparisons.
pub(crate) fn evaluate(program: &Program, inputs: &[f64], index: usize) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::new();
    for (instruction, _) in &program.instructions {
        values.push(match instruction {
            Instruction::Input(slot) => inputs[*slot],
            Instruction::Constant(constant) => constant.to_f64(),
            Instruction::Index => index as f64,
            Instruction::Cast(a) => values[*a],
            Instruction::Select(c, a, b) => values[if values[*c] != 0.0 { *a } else { *b }],
            Instruction::Unary(UnaryOp::Exp, a) => values[*a].exp(),
            Instruction::Unary(UnaryOp::Neg, a) => -values[*a],
            Instruction::Binary(op, a, b) => {
                let (a, b) = (values[*a], values[*b]);
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a * b,
                    BinaryOp::Div => a / b,
                    BinaryOp::Max => a.max(b),
                    BinaryOp::Gt => f64::from(u8::from(a > b)),
                    other => panic!("{other:?} is not in the reference"),
                }
            }
            other => panic!("{other:?} is not in the reference"),
        });
    }
    program.outputs.iter().map(|&output| values[output]).collect()
}

/// A reduction of values without NaN.
pub(crate) fn reduce(op: ReduceOp, values: &[f64]) -> f64 {
    let best = |leads: fn(f64, f64) -> bool| {
        (1..values.len()).fold(0, |best, i| if leads(values[i], values[best]) { i } else { best }) as f64
    };
    match op {
        ReduceOp::Sum => values.iter().sum(),
        ReduceOp::Prod => values.iter().product(),
        ReduceOp::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ReduceOp::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
        ReduceOp::ArgMax => best(|a, b| a > b),
        ReduceOp::ArgMin => best(|a, b| a < b),
    }
}

/// The outputs of a contraction before they are converted to their types. `inputs` are those of the operands in order.
pub(crate) fn contract(kernel: &Contract, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let [batch, m, n, k] = kernel.extents();
    let [a, b] = [0, 1].map(|side| factor(kernel, side, inputs));
    let others: Vec<Vec<f64>> =
        kernel.epilogue.inputs.iter().zip(&inputs[kernel.epilogue_start()..]).map(|(o, data)| elements(o, data)).collect();
    let mut outputs = vec![vec![]; kernel.epilogue.dtypes.len()];
    for at in 0..batch * m * n {
        let (batch, row, column) = (at / (m * n), at / n % m, at % n);
        let sum: f64 = (0..k).map(|p| a[(batch * m + row) * k + p] * b[(batch * k + p) * n + column]).sum();
        let slots: Vec<f64> = std::iter::once(sum).chain(others.iter().map(|other| other[at])).collect();
        outputs.iter_mut().zip(evaluate(&kernel.epilogue.program, &slots, at)).for_each(|(output, value)| output.push(value));
    }
    outputs
}

/// A factor of a contraction, element by element.
fn factor(kernel: &Contract, side: usize, inputs: &[Vec<f64>]) -> Vec<f64> {
    let operand = [&kernel.a, &kernel.b][side];
    let Some(prologue) = &kernel.prologues[side] else { return elements(operand, &inputs[side]) };
    let data = std::iter::once(side).chain(kernel.prologue_inputs(side)).map(|input| &inputs[input]);
    let read: Vec<Vec<f64>> = kernel.factor_operands(side).into_iter().zip(data).map(|(read, data)| elements(read, data)).collect();
    let value = |(at, place): (usize, Option<usize>)| {
        let slots: Vec<f64> = read.iter().map(|read| read[at]).collect();
        // What is outside is 0, whatever the formula says.
        place.map_or(0.0, |_| evaluate(&prologue.program, &slots, at)[0])
    };
    operand.offsets().enumerate().map(value).collect()
}

/// The outputs of rows before they are converted to their types.
pub(crate) fn rows(kernel: &FusedReduction, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
    let operands: Vec<Vec<f64>> = kernel.inputs.iter().zip(inputs).map(|(operand, data)| elements(operand, data)).collect();
    let mut of_rows = vec![vec![]; kernel.row_dtypes.len()];
    let mut of_elements = vec![vec![0.0; outer * inner]; kernel.element_dtypes.len()];
    let targets: Vec<usize> = kernel.target.offsets().collect();
    for row in 0..outer {
        let mut results: Vec<f64> = vec![];
        let slots = |at: usize, results: &[f64]| -> Vec<f64> {
            operands.iter().map(|operand| operand.get(at).copied().unwrap_or(0.0)).chain(results.iter().copied()).collect()
        };
        for (op, program) in &kernel.reductions {
            let values: Vec<f64> =
                (row * inner..(row + 1) * inner).map(|at| evaluate(program, &slots(at, &results), at)[0]).collect();
            results.push(reduce(*op, &values));
        }
        if !of_rows.is_empty() {
            let values = evaluate(&kernel.rows, &slots(row * inner, &results), row);
            of_rows.iter_mut().zip(values).for_each(|(output, value)| output.push(value));
        }
        for at in row * inner..(row + 1) * inner {
            let values = evaluate(&kernel.elements, &slots(at, &results), at);
            of_elements.iter_mut().zip(values).for_each(|(output, value)| output[targets[at]] = value);
        }
    }
    of_rows.into_iter().chain(of_elements).collect()
}
