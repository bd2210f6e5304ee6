//! Graphs as text, for people: a line a piece of node, with what it computes.
//!
//! ```text
//! %2: float32[2, 3] = add map (%0 float32[2, 3], %1 float32[2, 3]@[0, 1]+0)
//!     v0 = x0; v1 = x1; v2 = v0 + v1 -> v2
//! ```

use super::{Graph, graph::Node};
use lanthorn_ir::{
    DType, Kernel, Shape,
    expr::{Instruction, Program},
    kernel::{Epilogue, Operand, Prologue},
};
use std::fmt::{self, Display, Formatter};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.nodes.iter().try_for_each(|node| self.write_work(f, node))
    }
}

impl Graph {
    fn write_work(&self, f: &mut Formatter<'_>, node: &Node) -> fmt::Result {
        let shapes = shapes(&node.kernel);
        let outputs = node.outputs.iter().zip(&shapes).map(|(&value, shape)| {
            let info = &self.values[value];
            format!("%{value}: {}{shape:?}{}", info.dtype, if info.escapes { " kept" } else { "" })
        });
        let operands = node.kernel.operands();
        let inputs = node.inputs.iter().enumerate().map(|(place, value)| match operands.get(place) {
            Some(operand) => format!("%{value} {}", describe(operand)),
            None => format!("%{value}"),
        });
        let base = node.base.map_or(String::new(), |base| format!(" onto %{base}"));
        let (outputs, inputs) = (list(outputs), list(inputs));
        writeln!(f, "{outputs} = {} {} ({inputs}){base}", node.op, node.kernel.kind())?;
        formulas(&node.kernel).into_iter().try_for_each(|formula| writeln!(f, "    {formula}"))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// An operand's type and shape, and its strides and offset where it is not simply the whole of its buffer.
fn describe(operand: &Operand) -> String {
    let layout = &operand.layout;
    let windows = if operand.windows.is_empty() { String::new() } else { format!(" {} windows", operand.windows.len()) };
    let place = if layout.is_contiguous() && layout.offset() == 0 {
        String::new()
    } else {
        format!("@{:?}+{}", layout.strides(), layout.offset())
    };
    format!("{}{:?}{place}{windows}", operand.dtype, layout.shape())
}

/// The shape of each of a kernel's results.
pub(crate) fn shapes(kernel: &Kernel) -> Vec<Shape> {
    match kernel {
        Kernel::Map(map) => vec![map.shape.clone(); map.dtypes.len()],
        Kernel::Maps(maps) => maps.parts.iter().flat_map(|part| vec![part.shape.clone(); part.dtypes.len()]).collect(),
        Kernel::Reduce(reduce) => vec![reduce.outer.clone(); reduce.epilogue.dtypes.len()],
        Kernel::Row(row) => {
            let elements = Shape::from_dims(row.outer.iter().chain(row.inner.iter()).copied());
            let rows = row.row_dtypes.iter().map(|_| row.outer.clone());
            rows.chain(row.element_dtypes.iter().map(|_| elements.clone())).collect()
        }
        Kernel::Contract(contract) => vec![contract.output(); contract.epilogue.dtypes.len()],
        Kernel::Attention(_) => kernel.outputs().into_iter().map(|(_, elements)| Shape::from_dims([elements])).collect(),
        Kernel::Gather(gather) => vec![gather.shape.clone()],
        Kernel::Scatter(scatter) => vec![scatter.output.clone()],
        Kernel::Scan(scan) => vec![scan.shape.clone(); kernel.outputs().len()],
        Kernel::Sort(sort) => vec![sort.source.shape().clone(); 2],
        Kernel::Copy(copy) => vec![copy.target.shape().clone()],
        Kernel::Linalg(linalg) => {
            let shape =
                |(_, elements): (DType, usize)| Shape::from_dims([linalg.batch, elements.checked_div(linalg.batch).unwrap_or(0)]);
            linalg.outputs().into_iter().map(shape).collect()
        }
    }
}

/// What a kernel computes, a line a formula.
fn formulas(kernel: &Kernel) -> Vec<String> {
    match kernel {
        Kernel::Map(map) => vec![program(&map.program)],
        Kernel::Maps(maps) => maps.parts.iter().map(|part| program(&part.program)).collect(),
        Kernel::Reduce(reduce) => {
            let reduction = format!("{:?} over {:?} of {}", reduce.op, reduce.inner, program(&reduce.prologue));
            [reduction].into_iter().chain(epilogue(&reduce.epilogue)).collect()
        }
        Kernel::Row(row) => {
            let reductions = row.reductions.iter().map(|(op, of)| format!("{op:?} over {:?} of {}", row.inner, program(of)));
            reductions.chain([program(&row.rows), program(&row.elements)]).filter(|line| !line.is_empty()).collect()
        }
        Kernel::Contract(contract) => {
            let sum = format!("m {:?}, n {:?}, k {:?}", contract.m, contract.n, contract.k);
            let factor = |(name, prologue): (&str, &Option<Box<Prologue>>)| {
                Some(format!("{name} of {}", program(&prologue.as_ref()?.program)))
            };
            let factors = ["a", "b"].into_iter().zip(&contract.prologues).filter_map(factor);
            [sum].into_iter().chain(factors).chain(epilogue(&contract.epilogue)).collect()
        }
        Kernel::Attention(attention) => {
            let [batch, m, n, d, e] = attention.extents();
            vec![format!(
                "{batch} heads of {m} queries and {n} keys, widths {d} and {e}{}",
                if attention.causal { ", causal" } else { "" }
            )]
        }
        Kernel::Scan(scan) => {
            let from = if scan.reverse { " from the end" } else { "" };
            vec![format!("{:?} along dimension {}{from} of {}", scan.op, scan.dim, program(&scan.prologue))]
        }
        Kernel::Sort(sort) => {
            let descending = if sort.descending { ", descending" } else { "" };
            vec![format!("along dimension {}{descending}", sort.dim)]
        }
        Kernel::Linalg(linalg) => vec![format!("{:?} of {}", linalg.routine, linalg.batch)],
        Kernel::Gather(_) | Kernel::Scatter(_) | Kernel::Copy(_) => vec![],
    }
}

/// An epilogue that does more than store the result.
fn epilogue(epilogue: &Epilogue) -> Option<String> {
    (epilogue.program.instructions.len() > 1).then(|| format!("then {}", program(&epilogue.program)))
}

/// `v0 = x0; v1 = exp(v0) -> v1`, where `x` are inputs and `p` parameters.
fn program(program: &Program) -> String {
    let values = |places: &[usize]| list(places.iter().map(|place| format!("v{place}")));
    let steps = program.instructions.iter().enumerate().map(|(step, (instruction, ty))| {
        let value = match instruction {
            Instruction::Input(slot) => format!("x{slot}"),
            Instruction::Param(slot) => format!("p{slot}"),
            Instruction::Constant(constant) => constant.to_string(),
            Instruction::Index => "index".to_string(),
            Instruction::Unary(op, a) => format!("{}(v{a})", op.name()),
            Instruction::Binary(op, a, b) => match op.symbol() {
                Some(symbol) => format!("v{a} {symbol} v{b}"),
                None => format!("{}(v{a}, v{b})", op.name()),
            },
            Instruction::Select(condition, a, b) => format!("v{condition} ? v{a} : v{b}"),
            Instruction::Cast(a) => format!("{}(v{a})", ty.name()),
            Instruction::Threefry(words) => format!("threefry({})", values(words)),
        };
        format!("v{step} = {value}")
    });
    let steps: Vec<String> = steps.collect();
    if steps.is_empty() { String::new() } else { format!("{} -> {}", steps.join("; "), values(&program.outputs)) }
}
