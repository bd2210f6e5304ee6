//! Values of the model that is being written.

use crate::proto::{
    DataType, DimensionProto, DimensionValue, TensorShapeProto, TensorTypeProto, TypeProto, TypeValue, ValueInfoProto,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    graph::{Meta, Size, TensorMeta},
};
use std::rc::Rc;

/// A value of the model: a tensor, a sequence, or a number, which is a tensor without dimensions.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name.
    pub name: Rc<str>,
    /// The element type, if it is known.
    pub dtype: Option<DType>,
    /// The sizes, if they are known.
    pub sizes: Option<Rc<[Size]>>,
    /// Whether it is a number in the program.
    pub is_number: bool,
}

/// An argument of an operator of the program.
pub type Arg = Value<Item>;

/// A size: a constant, or a number that the model computes.
#[derive(Clone, Debug)]
pub enum Dim {
    /// A known size.
    Int(i64),
    /// A number.
    Item(Item),
}

impl Item {
    /// A tensor with known type and sizes.
    pub fn tensor(name: Rc<str>, dtype: DType, shape: &[usize]) -> Item {
        let sizes = shape.iter().map(|&size| Size::Int(size as i64)).collect();
        Item { name, dtype: Some(dtype), sizes: Some(sizes), is_number: false }
    }

    /// A value with a known type at most.
    pub fn of(name: Rc<str>, dtype: Option<DType>) -> Item {
        Item { name, dtype, sizes: None, is_number: false }
    }

    /// An omitted input.
    pub fn none() -> Item {
        Item::of("".into(), None)
    }

    /// Adds the type and sizes that a program knows of the value.
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

    /// Returns the element type.
    pub fn dtype(&self) -> Result<DType> {
        self.dtype.ok_or_else(|| Error::unsupported(format!("the value {} of unknown type", self.name)))
    }

    /// Returns the sizes.
    pub fn sizes(&self) -> Result<&[Size]> {
        let unknown = || Error::unsupported(format!("the value {} of unknown sizes", self.name));
        self.sizes.as_deref().ok_or_else(unknown)
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> Result<i64> {
        Ok(self.sizes()?.len() as i64)
    }

    /// Returns all sizes if they are constants.
    pub fn shape(&self) -> Option<Vec<i64>> {
        self.sizes.as_deref()?.iter().map(as_constant).collect()
    }

    /// Returns a size, which must be constant.
    pub fn size(&self, dim: i64) -> Result<i64> {
        let dim = self.dim(dim)?;
        let dynamic = || Error::unsupported(format!("the dynamic size {dim} of {}", self.name));
        self.sizes()?.get(dim as usize).and_then(as_constant).ok_or_else(dynamic)
    }

    /// Counts a dimension from the first. A tensor without dimensions has none.
    pub fn dim(&self, dim: i64) -> Result<i64> {
        match self.rank()? {
            0 => Err(Error::unsupported("a dimension of a tensor without dimensions")),
            rank => normal(dim, rank),
        }
    }
}

/// Counts a dimension from the first. A tensor without dimensions accepts 0 and -1 too.
pub fn normal(dim: i64, rank: i64) -> Result<i64> {
    let from_first = if dim < 0 { dim.saturating_add(rank.max(1)) } else { dim };
    if (0..rank.max(1)).contains(&from_first) {
        return Ok(from_first);
    }
    Err(Error::malformed(format!("the dimension {dim} of {rank}")))
}

/// Returns a size if it is constant.
pub fn as_constant(size: &Size) -> Option<i64> {
    match size {
        Size::Int(size) => Some(*size),
        _ => None,
    }
}

/// Returns the element type of a program's number in a model.
fn number_dtype(meta: &Meta) -> DType {
    match meta {
        Meta::Bool(_) => DType::Bool,
        Meta::Float(_) => DType::F64,
        Meta::Int(_) | Meta::Tensor(_) => DType::I64,
    }
}

/// Describes an input or a result of a model.
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

/// Describes a value of a graph of an attribute, with its type if that is known.
pub fn inner_info(item: &Item) -> ValueInfoProto {
    let sizes = item.sizes.as_ref().map(|sizes| sizes.to_vec());
    let meta = item.dtype.zip(sizes).map(|(dtype, sizes)| TensorMeta::contiguous(dtype, sizes, false));
    value_info(&item.name, meta.as_ref())
}
