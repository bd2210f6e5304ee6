//! Emits nodes, casts, constants and shapes.

use super::{
    Exporter,
    builder::Attr,
    item::{Arg, Dim, Item, as_constant},
};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Error, Result, Value, value::is_floating_point};
use std::rc::Rc;

/// Attributes by name.
pub type Attrs<'a> = &'a [(&'a str, Attr)];

impl Exporter<'_> {
    /// Writes a node with one result of the first input's element type.
    pub fn op(&mut self, op: &str, inputs: &[&Item], attributes: Attrs) -> Item {
        self.op_of(op, inputs, attributes, inputs.first().and_then(|input| input.dtype))
    }

    /// Writes a node with one result of an element type.
    pub fn op_of(&mut self, op: &str, inputs: &[&Item], attributes: Attrs, dtype: Option<DType>) -> Item {
        let mut names = self.ops(op, inputs, attributes, 1);
        Item::of(names.pop().unwrap_or_else(|| "".into()), dtype)
    }

    /// Writes a node with several results.
    pub fn ops(&mut self, op: &str, inputs: &[&Item], attributes: Attrs, results: usize) -> Vec<Rc<str>> {
        let names = inputs.iter().map(|input| input.name.clone()).collect();
        let attributes = attributes.iter().map(|(name, attr)| attr.clone().proto(name)).collect();
        let label = if self.label.is_empty() { op.to_lowercase() } else { self.label.clone() };
        self.builder.node(("", op), names, attributes, &vec![label.as_str(); results])
    }

    /// Casts a value to an element type.
    pub fn cast(&mut self, item: &Item, dtype: DType) -> Item {
        if item.dtype == Some(dtype) {
            return item.clone();
        }
        let number = crate::proto::DataType::of(dtype).map_or(0, |data_type| data_type as i64);
        let cast = self.op_of("Cast", &[item], &[("to", Attr::Int(number))], Some(dtype));
        Item { sizes: item.sizes.clone(), is_number: item.is_number, ..cast }
    }

    /// Returns integers as a one-dimensional constant.
    pub fn ints(&mut self, values: &[i64]) -> Result<Item> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.data(DType::I64, vec![values.len()], bytes)
    }

    /// Returns a number as a constant without dimensions.
    pub fn number(&mut self, value: f64, dtype: DType) -> Result<Item> {
        self.numbers(&[value], vec![], dtype)
    }

    /// Returns an integer as a constant without dimensions.
    pub fn int(&mut self, value: i64) -> Result<Item> {
        self.data(DType::I64, vec![], value.to_le_bytes().to_vec())
    }

    /// Returns numbers as a constant of a type and shape.
    pub fn numbers(&mut self, values: &[f64], shape: Vec<usize>, dtype: DType) -> Result<Item> {
        if dtype == DType::I64 {
            let bytes: Vec<u8> = values.iter().flat_map(|&value| (value as i64).to_le_bytes()).collect();
            return self.data(dtype, shape, bytes);
        }
        let integer = !is_floating_point(dtype);
        // An infinity that means "no limit" becomes the limit of the type.
        let clamped =
            |value: f64| if integer && dtype != DType::Bool { value.clamp(-2147483648.0, 2147483647.0) } else { value };
        let (wide, bytes): (DType, Vec<u8>) = match dtype {
            DType::F64 => (dtype, values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            DType::Bool => (dtype, values.iter().map(|&value| u8::from(value != 0.0)).collect()),
            DType::U8 => (dtype, values.iter().map(|&value| value as u8).collect()),
            DType::I8 => (dtype, values.iter().map(|&value| value as i8 as u8).collect()),
            DType::I16 => (dtype, values.iter().flat_map(|&value| (value as i16).to_le_bytes()).collect()),
            DType::I32 => (dtype, values.iter().flat_map(|&value| (clamped(value) as i32).to_le_bytes()).collect()),
            _ => (DType::F32, values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()),
        };
        let data = TensorData::new(wide, shape, bytes).ok_or_else(|| Error::malformed("a constant of another size"))?;
        self.builder.constant(data.convert_for_file(dtype)?)
    }

    fn data(&mut self, dtype: DType, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Item> {
        let data =
            TensorData::new(dtype, shape, bytes).ok_or_else(|| Error::malformed("a constant of another size"))?;
        self.builder.constant(data)
    }

    /// Returns an argument as a tensor of an element type. A number becomes a constant.
    pub fn operand(&mut self, arg: &Arg, dtype: DType) -> Result<Item> {
        match arg {
            Value::Tensor(item) => Ok(self.cast(item, dtype)),
            Value::Int(value) if dtype == DType::I64 => self.int(*value),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                let value = arg.as_bool().map_or_else(|| arg.as_float(), |value| Some(f64::from(value)));
                self.number(value.unwrap_or_default(), dtype)
            }
            other => Err(Error::unsupported(format!("{} as a tensor", other.short()))),
        }
    }

    /// Returns the sizes of a tensor as a one-dimensional tensor of integers.
    pub fn shape_of(&mut self, item: &Item) -> Result<Item> {
        match item.shape() {
            Some(shape) => self.ints(&shape),
            None => Ok(self.op_of("Shape", &[item], &[], Some(DType::I64))),
        }
    }

    /// Returns a size of a tensor.
    pub fn dim_of(&mut self, item: &Item, dim: i64) -> Result<Dim> {
        if let Some(sizes) = &item.sizes
            && let Some(size) = sizes.get(item.dim(dim)? as usize).and_then(as_constant)
        {
            return Ok(Dim::Int(size));
        }
        let start = ("start", Attr::Int(dim));
        let list = match dim {
            -1 => self.op_of("Shape", &[item], &[start], Some(DType::I64)),
            dim => self.op_of("Shape", &[item], &[start, ("end", Attr::Int(dim + 1))], Some(DType::I64)),
        };
        Ok(Dim::Item(self.scalar(&list)?))
    }

    /// Returns the only element of a list as a number.
    pub fn scalar(&mut self, list: &Item) -> Result<Item> {
        let none = self.ints(&[])?;
        let number = self.op("Reshape", &[list, &none], &[]);
        self.lists.insert(number.name.clone(), list.clone());
        Ok(Item { is_number: true, sizes: Some([].into()), ..number })
    }

    /// Returns a number as a list of one element.
    pub fn list_of(&mut self, dim: &Dim) -> Result<Item> {
        match dim {
            Dim::Int(size) => self.ints(&[*size]),
            Dim::Item(item) => {
                if let Some(list) = self.lists.get(&item.name) {
                    return Ok(list.clone());
                }
                let (item, one) = (self.cast(item, DType::I64), self.ints(&[1])?);
                Ok(self.op("Reshape", &[&item, &one], &[]))
            }
        }
    }

    /// Returns a number as a tensor without dimensions.
    pub fn item_of(&mut self, dim: &Dim) -> Result<Item> {
        match dim {
            Dim::Int(size) => self.int(*size),
            Dim::Item(item) => Ok(self.cast(item, DType::I64)),
        }
    }

    /// Returns sizes as a one-dimensional tensor of integers.
    pub fn shape(&mut self, dims: &[Dim]) -> Result<Item> {
        let known: Option<Vec<i64>> =
            dims.iter().map(|dim| if let Dim::Int(size) = dim { Some(*size) } else { None }).collect();
        if let Some(known) = known {
            return self.ints(&known);
        }
        let parts = dims.iter().map(|dim| self.list_of(dim)).collect::<Result<Vec<Item>>>()?;
        match &parts[..] {
            [only] => Ok(only.clone()),
            _ => Ok(self.op("Concat", &parts.iter().collect::<Vec<_>>(), &[("axis", Attr::Int(0))])),
        }
    }

    /// Reshapes a tensor. `-1` is computed from the number of elements.
    pub fn reshape(&mut self, item: &Item, dims: &[Dim]) -> Result<Item> {
        let mut dims = dims.to_vec();
        let is_known = |dim: &Dim, test: fn(i64) -> bool| matches!(dim, Dim::Int(size) if test(*size));
        let open: Vec<usize> = (0..dims.len()).filter(|&index| matches!(dims[index], Dim::Item(_))).collect();
        let has_zero = dims.iter().any(|dim| is_known(dim, |size| size == 0));
        // A reshape computes one unknown size itself.
        if let ([only], false, false) = (&open[..], has_zero, dims.iter().any(|dim| is_known(dim, |size| size == -1))) {
            dims[*only] = Dim::Int(-1);
        }
        let shape = self.shape(&dims)?;
        let zeros: &[(&str, Attr)] = if has_zero { &[("allowzero", Attr::Int(1))] } else { &[] };
        Ok(self.op("Reshape", &[item, &shape], zeros))
    }

    /// Reshapes a tensor to the sizes of `result`, of which one may be unknown. If more are
    /// unknown, reshapes it to the sizes that `otherwise` returns.
    pub fn reshape_to(
        &mut self,
        item: &Item,
        result: &Item,
        otherwise: impl FnOnce(&mut Self) -> Result<Vec<Dim>>,
    ) -> Result<Item> {
        let sizes = result.sizes()?;
        let open = sizes.iter().filter(|size| as_constant(size).is_none()).count();
        let dims = match (open, result.shape().is_some_and(|shape| shape.contains(&0))) {
            (0, _) | (1, false) => sizes.iter().map(|size| Dim::Int(as_constant(size).unwrap_or(-1))).collect(),
            _ => otherwise(self)?,
        };
        self.reshape(item, &dims)
    }

    /// Returns an argument that is a number.
    pub fn dim(&mut self, arg: &Arg) -> Result<Dim> {
        match arg {
            Value::Int(size) => Ok(Dim::Int(*size)),
            Value::Bool(size) => Ok(Dim::Int((*size).into())),
            Value::Tensor(item) => Ok(Dim::Item(item.clone())),
            other => Err(Error::unsupported(format!("{} as a size", other.short()))),
        }
    }

    /// Returns an argument that is a list of numbers.
    pub fn dims(&mut self, arg: &Arg) -> Result<Vec<Dim>> {
        match arg {
            Value::List(items) | Value::Tuple(items) => items.iter().map(|item| self.dim(item)).collect(),
            other => Ok(vec![self.dim(other)?]),
        }
    }

    /// Transposes a tensor with known sizes.
    pub fn transpose(&mut self, item: &Item, perm: &[i64]) -> Item {
        if perm.iter().enumerate().all(|(index, &dim)| dim == index as i64) {
            return item.clone();
        }
        let sizes = item
            .sizes
            .as_ref()
            .and_then(|sizes| perm.iter().map(|&dim| sizes.get(dim as usize).cloned()).collect::<Option<Rc<[_]>>>());
        Item { sizes, ..self.op("Transpose", &[item], &[("perm", Attr::Ints(perm.to_vec()))]) }
    }

    /// Slices a tensor along a dimension.
    pub fn slice(&mut self, item: &Item, dim: i64, start: &Dim, end: &Dim, step: i64) -> Result<Item> {
        let (start, end) = (self.list_of(start)?, self.list_of(end)?);
        let (axis, step) = (self.ints(&[dim])?, self.ints(&[step])?);
        Ok(self.op("Slice", &[item, &start, &end, &axis, &step], &[]))
    }

    /// Inserts dimensions of size 1 at these indices of the result.
    pub fn unsqueeze(&mut self, item: &Item, dims: &[i64]) -> Result<Item> {
        let dims = self.ints(dims)?;
        Ok(self.op("Unsqueeze", &[item, &dims], &[]))
    }

    /// Returns a tensor of one value.
    pub fn fill(&mut self, value: &Arg, dims: &[Dim], dtype: DType) -> Result<Item> {
        let shape = self.shape(dims)?;
        self.fill_like(value, &shape, dtype)
    }

    /// Returns a tensor of one value with sizes from a list.
    pub fn fill_like(&mut self, value: &Arg, shape: &Item, dtype: DType) -> Result<Item> {
        let value = self.operand(value, dtype)?;
        Ok(self.op("Expand", &[&value, shape], &[]))
    }
}
