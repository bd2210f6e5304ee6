//! Converts the types that a model declares.

use crate::proto::{DataType, DimensionValue, TypeValue, ValueInfoProto};
use lanthorn_program::graph::{Meta, Size, TensorMeta};

/// Returns the element type and sizes of a tensor; `None` if they are unknown or the value is not a
/// tensor.
pub fn meta(info: &ValueInfoProto) -> Option<Meta> {
    let TypeValue::Tensor(tensor) = info.r#type.as_ref()?.value.as_ref()? else { return None };
    let dtype = DataType::try_from(tensor.elem_type?).ok()?.dtype()?;
    let dims = tensor.shape.as_ref()?.dim.iter().enumerate();
    let sizes = dims.map(|(index, dim)| match &dim.value {
        Some(DimensionValue::Size(size)) if *size >= 0 => Size::Int(*size),
        Some(DimensionValue::Symbol(name)) if !name.is_empty() => Size::Symbol(name.clone()),
        _ => Size::Symbol(format!("{}_{index}", info.name())),
    });
    Some(TensorMeta::contiguous(dtype, sizes.collect(), false).into())
}
