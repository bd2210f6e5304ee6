//! Descriptions of the values of a graph in an archive.

use super::{
    numbers,
    schema::{Graph, Hint, SymBool, SymExpr, SymFloat, SymInt, TensorMeta},
};
use crate::graph::{Meta, Size, Symbolic, Symbols, TensorMeta as Tensor};

/// Returns the archive's description of a value, or `None` if there is none or its type is unknown.
pub(super) fn meta(graph: &Graph, name: &str) -> Option<Meta> {
    if let Some(tensor) = graph.tensor_values.get(name) {
        return self::tensor(tensor).map(Meta::Tensor);
    }
    if let Some(int) = graph.sym_int_values.get(name) {
        return Some(Meta::Int(size(int)));
    }
    if let Some(float) = graph.sym_float_values.get(name) {
        return Some(Meta::Float(match float {
            SymFloat::AsFloat(value) => Symbolic::Value(value.0),
            SymFloat::AsExpr(expression) => {
                let hint = match &expression.hint {
                    Some(Hint::AsFloat(hint)) => Some(hint.0),
                    _ => None,
                };
                Symbolic::Expression { sympy: expression.expr_str.clone(), hint }
            }
        }));
    }
    Some(Meta::Bool(match graph.sym_bool_values.get(name)? {
        SymBool::AsBool(value) => Symbolic::Value(*value),
        SymBool::AsExpr(expression) => Symbolic::Expression { sympy: expression.expr_str.clone(), hint: None },
    }))
}

fn tensor(meta: &TensorMeta) -> Option<Tensor> {
    let sizes = |sizes: &[SymInt]| sizes.iter().map(size).collect::<Vec<Size>>();
    let (sizes, strides) = (sizes(&meta.sizes), sizes(&meta.strides));
    let requires_grad = meta.requires_grad;
    if let Some(dtype) = numbers::dtype(meta.dtype) {
        return Some(Tensor { dtype, sizes, strides, requires_grad });
    }
    let dtype = numbers::pair_dtype(meta.dtype)?;
    Some(pairs(Tensor { dtype, sizes, strides, requires_grad }))
}

/// Describes a complex tensor as pairs along a last dimension.
pub(super) fn pairs(mut meta: Tensor) -> Tensor {
    meta.sizes.push(Size::Int(2));
    meta.strides = meta.strides.into_iter().map(|stride| stride.times(Size::Int(2))).collect();
    meta.strides.push(Size::Int(1));
    meta
}

/// Converts a size. Invalid text becomes an unknown expression, which is never evaluated.
fn size(size: &SymInt) -> Size {
    match size {
        SymInt::AsInt(value) => Size::Int(*value),
        SymInt::AsExpr(expression) => {
            let hint = match expression.hint {
                Some(Hint::AsInt(hint)) => Some(hint),
                _ => None,
            };
            match Size::parse(&expression.expr_str) {
                Err(_) | Ok(Size::Unknown { .. }) => Size::Unknown { sympy: expression.expr_str.clone(), hint },
                Ok(size) => size,
            }
        }
    }
}

/// Returns the values of symbols in the exported example.
pub(super) fn hints(graph: &Graph) -> Symbols {
    let mut hints = Symbols::default();
    let mut add = |size: &SymInt| {
        if let SymInt::AsExpr(SymExpr { expr_str, hint: Some(Hint::AsInt(hint)) }) = size
            && let Ok(Size::Symbol(name)) = Size::parse(expr_str)
        {
            hints.insert(name, *hint);
        }
    };
    graph.tensor_values.iter().for_each(|(_, meta)| meta.sizes.iter().chain(&meta.strides).for_each(&mut add));
    graph.sym_int_values.iter().for_each(|(_, size)| add(size));
    hints
}
