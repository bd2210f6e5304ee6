//! Values of ONNX as the program's values become them.

use crate::proto::{
    DataType, DimensionProto, DimensionValue, TensorShapeProto, TensorTypeProto, TypeProto, TypeValue, ValueInfoProto,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    graph::{Meta, Size, TensorMeta},
};
use std::rc::Rc;

/// A value of the model that is being written: a tensor, a sequence, or a number, which is a tensor without
/// dimensions.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name.
    pub name: Rc<str>,
    /// The element type, if it is known.
    pub dtype: Option<DType>,
    /// The sizes, if they are known.
    pub sizes: Option<Rc<[Size]>>,
    /// Whether it is a number of the program.
    pub is_number: bool,
}

/// An argument of an operator of the program.
pub type Arg = Value<Item>;

/// A size: known, or a number that the model computes.
#[derive(Clone, Debug)]
pub enum Dim {
    /// A known size.
    Int(i64),
    /// A number.
    Item(Item),
}

impl Item {
    /// A tensor of known type and sizes.
    pub fn tensor(name: Rc<str>, dtype: DType, shape: &[usize]) -> Item {
        let sizes = shape.iter().map(|&size| Size::Int(size as i64)).collect();
        Item { name, dtype: Some(dtype), sizes: Some(sizes), is_number: false }
    }

    /// A value of which the type alone is known.
    pub fn of(name: Rc<str>, dtype: Option<DType>) -> Item {
        Item { name, dtype, sizes: None, is_number: false }
    }

    /// An input that is omitted.
    pub fn none() -> Item {
        Item::of("".into(), None)
    }

    /// The value with what a program knows of it.
    pub fn with_meta(mut self, meta: Option<&Meta>) -> Item {
        match meta {
            Some(Meta::Tensor(meta)) => {
                self.dtype = Some(meta.dtype);
                self.sizes = Some(meta.sizes.clone().into());
            }
            Some(meta) => {
                self.is_number = true;
                self.dtype = self.dtype.or(Some(number_dtype(meta)));
                self.sizes = Some([].into());
            }
            None => {}
        }
        self
    }

    /// The element type.
    pub fn dtype(&self) -> Result<DType> {
        self.dtype.ok_or_else(|| Error::unsupported(format!("the value {} of unknown type", self.name)))
    }

    /// The sizes.
    pub fn sizes(&self) -> Result<&[Size]> {
        let unknown = || Error::unsupported(format!("the value {} of unknown sizes", self.name));
        self.sizes.as_deref().ok_or_else(unknown)
    }

    /// The number of dimensions.
    pub fn rank(&self) -> Result<i64> {
        Ok(self.sizes()?.len() as i64)
    }

    /// All sizes, if they are numbers.
    pub fn shape(&self) -> Option<Vec<i64>> {
        self.sizes.as_deref()?.iter().map(known).collect()
    }

    /// A size that must be a number.
    pub fn size(&self, dim: i64) -> Result<i64> {
        let dim = self.dim(dim)?;
        let dynamic = || Error::unsupported(format!("the dynamic size {dim} of {}", self.name));
        self.sizes()?.get(dim as usize).and_then(known).ok_or_else(dynamic)
    }

    /// A dimension counted from the first one. A tensor without dimensions has none.
    pub fn dim(&self, dim: i64) -> Result<i64> {
        match self.rank()? {
            0 => Err(Error::unsupported("a dimension of a tensor without dimensions")),
            rank => normal(dim, rank),
        }
    }
}

/// A dimension counted from the first one. A tensor without dimensions takes 0 and -1 too.
pub fn normal(dim: i64, rank: i64) -> Result<i64> {
    let from_first = if dim < 0 { dim.saturating_add(rank.max(1)) } else { dim };
    if (0..rank.max(1)).contains(&from_first) {
        return Ok(from_first);
    }
    Err(Error::malformed(format!("the dimension {dim} of {rank}")))
}

/// A size as a number.
pub fn known(size: &Size) -> Option<i64> {
    match size {
        Size::Int(size) => Some(*size),
        _ => None,
    }
}

/// The element type that a number of a program has in a model.
fn number_dtype(meta: &Meta) -> DType {
    match meta {
        Meta::Bool(_) => DType::Bool,
        Meta::Float(_) => DType::F64,
        Meta::Int(_) | Meta::Tensor(_) => DType::I64,
    }
}

/// An input or a result of a model with its type.
pub fn value_info(name: &str, meta: Option<&TensorMeta>) -> ValueInfoProto {
    let dim = |size: &Size| {
        let value = match size {
            Size::Int(size) => Some(DimensionValue::Size(*size)),
            Size::Symbol(name) => Some(DimensionValue::Symbol(name.clone())),
            Size::Unknown { .. } => None,
            size => Some(DimensionValue::Symbol(size.to_string())),
        };
        DimensionProto { value }
    };
    let tensor = meta.map(|meta| TensorTypeProto {
        elem_type: DataType::of(meta.dtype).map(|data_type| data_type as i32),
        shape: Some(TensorShapeProto { dim: meta.sizes.iter().map(dim).collect() }),
    });
    let r#type = tensor.map(|tensor| TypeProto { value: Some(TypeValue::Tensor(tensor)) });
    ValueInfoProto { name: Some(name.to_string()), r#type }
}

/// A value of a graph of an attribute, with its type if that is known.
pub fn inner_info(item: &Item) -> ValueInfoProto {
    let sizes = item.sizes.as_ref().map(|sizes| sizes.to_vec());
    let meta = item.dtype.zip(sizes).map(|(dtype, sizes)| TensorMeta::contiguous(dtype, sizes, false));
    value_info(&item.name, meta.as_ref())
}
