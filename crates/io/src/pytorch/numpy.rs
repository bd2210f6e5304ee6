//! NumPy's scalars and arrays in a pickle. They are data, so they become numbers, text and tensors.
//!
//! NumPy writes a call that creates an empty object, and then its state. The reader uses only that
//! state.

use super::{
    FORMAT,
    unpickle::{Machine, Node, NodeId},
};
use crate::{DType, Error, Result, TensorData, tensor::gather};
use lanthorn_ir::half::f16_to_f32;
use std::rc::Rc;

/// The supported functions and classes of NumPy.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Numpy {
    /// `numpy.dtype`.
    DType,
    /// `numpy.ndarray`, as the argument of the next one.
    Array,
    /// `numpy._core.multiarray._reconstruct`: an array without elements.
    Reconstruct,
    /// `numpy._core.multiarray.scalar`.
    Scalar,
    /// `numpy._core.numeric._frombuffer`, as protocol 5 has it.
    FromBuffer,
}

/// An element type: its kind and size (`f4`), and the order of its bytes.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    code: Rc<str>,
    big_endian: bool,
}

/// An array: its elements in row-major order, little-endian.
#[derive(Debug)]
pub(super) struct Array {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Rc<[u8]>,
}

impl Array {
    /// Returns the number of bytes of the elements.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    pub fn tensor(&self) -> Result<TensorData<'static>> {
        let tensor = TensorData::new(self.dtype, self.shape.clone(), self.bytes.to_vec());
        tensor.ok_or_else(|| Error::malformed(FORMAT, 0u64, "an array whose bytes do not fit its shape"))
    }
}

/// The meaning of a global name of NumPy.
pub(super) fn lookup(module: &str, name: &str) -> Option<Numpy> {
    let module = module.replace("numpy._core", "numpy.core");
    Some(match (module.as_str(), name) {
        ("numpy", "dtype") => Numpy::DType,
        ("numpy", "ndarray") => Numpy::Array,
        ("numpy.core.multiarray", "_reconstruct") => Numpy::Reconstruct,
        ("numpy.core.multiarray", "scalar") => Numpy::Scalar,
        ("numpy.core.numeric", "_frombuffer") => Numpy::FromBuffer,
        _ => return None,
    })
}

impl Descriptor {
    /// The type of tensors with these elements.
    fn dtype(&self) -> Option<DType> {
        DType::all().find(|dtype| dtype.numpy().is_some_and(|name| name[1..] == *self.code))
    }

    /// The name of the type, as a value.
    pub fn name(&self) -> &'static str {
        self.dtype().map_or("a type of NumPy", DType::name)
    }
}

impl<'p> Machine<'p, '_> {
    /// Returns the result of calling a function of NumPy, or `None` for a value that a tree cannot
    /// hold, such as an array of objects.
    pub(super) fn call_numpy(&mut self, callee: Numpy, arguments: &[NodeId]) -> Result<Option<Node<'p>>> {
        Ok(match (callee, arguments) {
            (Numpy::DType, &[code, ..]) => match self.node(code) {
                Node::Str(code) => Some(Node::NumpyType(Descriptor { code: (*code).into(), big_endian: false })),
                _ => None,
            },
            (Numpy::Reconstruct, &[class, ..]) => match self.node(class) {
                Node::Numpy(Numpy::Array) => Some(Node::Array(None)),
                _ => None,
            },
            (Numpy::Scalar, &[descriptor, bytes]) => {
                let Node::NumpyType(descriptor) = self.node(descriptor) else { return Ok(None) };
                let Some(bytes) = self.raw(bytes) else { return Ok(None) };
                self.scalar(descriptor, bytes)?
            }
            (Numpy::FromBuffer, &[bytes, descriptor, shape, order]) => {
                let is_fortran = matches!(self.node(order), Node::Str("F"));
                self.array(shape, descriptor, is_fortran, bytes)?.map(|array| Node::Array(Some(array)))
            }
            _ => None,
        })
    }

    /// Sets the state of a type or an array. Returns whether it is known.
    pub(super) fn build_numpy(&mut self, object: NodeId, state: NodeId) -> Result<bool> {
        let Node::Tuple(parts) = self.node(state) else { return Ok(false) };
        let parts = parts.clone();
        let made = match (self.node(object), &parts[..]) {
            // (version, order, fields...)
            (Node::NumpyType(descriptor), &[_, order, ..]) => match self.node(order) {
                Node::Str(order) => {
                    Some(Node::NumpyType(Descriptor { big_endian: *order == ">", ..descriptor.clone() }))
                }
                _ => None,
            },
            // (version, shape, type, is Fortran-ordered, bytes), and without the version before.
            (Node::Array(None), &[.., shape, descriptor, order, bytes]) => {
                let is_fortran = matches!(self.node(order), Node::Bool(true) | Node::Int(1));
                self.array(shape, descriptor, is_fortran, bytes)?.map(|array| Node::Array(Some(array)))
            }
            _ => None,
        };
        Ok(made.map(|made| self.replace(object, made)).is_some())
    }

    /// Bytes, which Python 2 has as text.
    fn raw(&self, node: NodeId) -> Option<&[u8]> {
        match self.node(node) {
            Node::Bytes(bytes) => Some(bytes),
            Node::Str(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    fn array(&self, shape: NodeId, descriptor: NodeId, is_fortran: bool, bytes: NodeId) -> Result<Option<Rc<Array>>> {
        let Node::NumpyType(descriptor) = self.node(descriptor) else { return Ok(None) };
        let (Some(dtype), Some(raw)) = (descriptor.dtype(), self.raw(bytes)) else { return Ok(None) };
        let sizes = self.naturals(shape)?;
        let shape: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
        let fits = |shape: &Vec<usize>| crate::byte_length(dtype, shape) == Some(raw.len());
        let Some(shape) = shape.filter(fits) else {
            return Err(self.malformed(format!("an array of shape {sizes:?} of {dtype} in {} bytes", raw.len())));
        };
        let size = dtype.size();
        let bytes = match (self.node(bytes), descriptor.big_endian && size > 1, is_fortran && shape.len() > 1) {
            (Node::Bytes(bytes), false, false) => bytes.clone(),
            (_, swaps, reorders) => {
                let mut bytes = raw.to_vec();
                if swaps {
                    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
                }
                if reorders {
                    let mut stride = size;
                    let step = |&length: &usize| {
                        let next = stride.saturating_mul(length);
                        std::mem::replace(&mut stride, next)
                    };
                    let strides: Vec<usize> = shape.iter().map(step).collect();
                    bytes = gather(&bytes, 0, &shape, &strides, size);
                }
                bytes.into()
            }
        };
        Ok(Some(Rc::new(Array { dtype, shape, bytes })))
    }

    /// Returns a number or a boolean.
    fn scalar(&self, descriptor: &Descriptor, bytes: &[u8]) -> Result<Option<Node<'p>>> {
        let mut raw = [0; 8];
        let kind = descriptor.code.chars().next().unwrap_or(' ');
        let size: usize = descriptor.code.get(1..).and_then(|size| size.parse().ok()).unwrap_or(0);
        if !['b', 'i', 'u', 'f'].contains(&kind) || ![1, 2, 4, 8].contains(&size) {
            return Ok(None);
        }
        if bytes.len() != size {
            return Err(self.malformed(format!("a number of NumPy of {size} bytes has {}", bytes.len())));
        }
        raw[..size].copy_from_slice(bytes);
        if descriptor.big_endian {
            raw[..size].reverse();
        }
        let number = u64::from_le_bytes(raw);
        let unused = 64 - 8 * size as u32;
        Ok(Some(match (kind, size) {
            ('b', 1) => Node::Bool(number != 0),
            ('i', _) => Node::Int((number << unused) as i64 >> unused),
            ('u', _) => i64::try_from(number).map_or(Node::Float(number as f64), Node::Int),
            ('f', 2) => Node::Float(f16_to_f32(number as u16).into()),
            ('f', 4) => Node::Float(f32::from_bits(number as u32).into()),
            ('f', 8) => Node::Float(f64::from_bits(number)),
            _ => return Ok(None),
        }))
    }
}
