//! Sample inputs: zeros with the sizes of the exported example.
//!
//! PyTorch's loaded program checks its arguments only if the file has samples. It does not use
//! their values.

use crate::{
    ExportedProgram, InputKind, Result, Value,
    graph::{Meta, Size, Tree},
};
use lanthorn_io::{TensorData, pytorch};

/// The most bytes of sample inputs.
const MAX_BYTES: usize = 64 << 20;

/// Returns the content of the entry of sample inputs: `(args, kwargs)` in the format of
/// `torch.save`. It is empty if the structure or sizes of the arguments are unknown.
pub(super) fn inputs(program: &ExportedProgram) -> Result<Vec<u8>> {
    let Some(leaves) = leaves(program) else { return Ok(Vec::new()) };
    if !is_plain(&program.arguments) {
        return Ok(Vec::new());
    }
    let samples = program.arguments.unflatten(&mut leaves.into_iter())?;
    Ok(pytorch::save(&samples)?)
}

/// Whether a structure needs no Python class.
fn is_plain(tree: &Tree) -> bool {
    match tree {
        Tree::Leaf | Tree::None => true,
        Tree::Tuple(items) | Tree::List(items) => items.iter().all(is_plain),
        Tree::Named { ty, entries, context } => {
            ty == "builtins.dict" && context.is_none() && entries.iter().all(|(_, item)| is_plain(item))
        }
    }
}

fn leaves(program: &ExportedProgram) -> Option<Vec<Value<TensorData<'static>>>> {
    let mut left = MAX_BYTES;
    let mut leaves = Vec::new();
    for (input, &id) in program.inputs.iter().zip(&program.graph.inputs) {
        leaves.push(match &input.kind {
            InputKind::State(_) => continue,
            InputKind::Constant(value) => crate::interpret::constant(value),
            InputKind::User => match program.graph.meta(id)? {
                Meta::Tensor(meta) => {
                    let size = |size: &Size| usize::try_from(size.evaluate(&program.hints)?).ok();
                    let shape = meta.sizes.iter().map(size).collect::<Option<Vec<usize>>>()?;
                    let length = lanthorn_io::byte_length(meta.dtype, &shape).filter(|&length| length <= left)?;
                    left -= length;
                    Value::Tensor(TensorData::new(meta.dtype, shape, vec![0; length])?)
                }
                Meta::Int(size) => Value::Int(size.evaluate(&program.hints)?),
                Meta::Float(_) | Meta::Bool(_) => return None,
            },
        });
    }
    Some(leaves)
}
