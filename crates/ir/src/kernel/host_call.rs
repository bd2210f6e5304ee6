//! One call of a custom kernel on the host: its tensors as typed slices, its numbers, by name.

use super::{Custom, CustomKernel, custom::ArgumentKind};
use crate::{DType, Element, Error, Result, Shape, expr::Constant, half};

/// The tensors and numbers of one call of a [`HostFunction`](super::HostFunction), by name.
pub struct HostCall<'a> {
    kernel: &'static CustomKernel,
    custom: &'a Custom,
    inputs: Vec<&'a [u8]>,
    outputs: Vec<&'a mut [u8]>,
    params: &'a [Constant],
}

/// An input of a [`HostCall`].
#[derive(Clone, Copy)]
pub struct HostTensor<'a> {
    /// The element type.
    pub dtype: DType,
    /// The sizes.
    pub shape: &'a Shape,
    /// The elements in row-major order, aligned; a bool is a byte.
    pub bytes: &'a [u8],
    kernel: &'static str,
}

/// An output of a [`HostCall`].
pub struct HostTensorMut<'a> {
    /// The element type.
    pub dtype: DType,
    /// The sizes.
    pub shape: &'a Shape,
    /// The elements in row-major order, aligned. A bool is a byte. They are undefined until they
    /// are written.
    pub bytes: &'a mut [u8],
    kernel: &'static str,
}

impl<'a> HostCall<'a> {
    /// The call of a kernel on buffers that have the bytes of its tensors.
    pub fn new(
        custom: &'a Custom,
        inputs: Vec<&'a [u8]>,
        outputs: Vec<&'a mut [u8]>,
        params: &'a [Constant],
    ) -> HostCall<'a> {
        HostCall { kernel: custom.kernel.0, custom, inputs, outputs, params }
    }

    fn unknown(&self, kind: &str, name: &str) -> Error {
        Error::argument(self.kernel.name, format!("the kernel has no {kind} {name:?}"))
    }

    /// The index of an argument among the arguments of its kind.
    fn position(&self, kind: ArgumentKind, name: &str) -> Option<usize> {
        self.kernel.arguments.iter().filter(|argument| argument.kind == kind).position(|argument| argument.name == name)
    }

    /// The tensor `name`; `None` for an optional one that is not given.
    ///
    /// # Errors
    /// An argument error for a name that the schema does not have.
    pub fn optional_input(&self, name: &str) -> Result<Option<HostTensor<'a>>> {
        let position = self.position(ArgumentKind::Tensor, name).ok_or_else(|| self.unknown("tensor", name))?;
        let Some(Some((dtype, shape))) = self.custom.tensors.get(position) else { return Ok(None) };
        let given = self.custom.tensors[..position].iter().flatten().count();
        Ok(self.inputs.get(given).map(|&bytes| HostTensor { dtype: *dtype, shape, bytes, kernel: self.kernel.name }))
    }

    /// The tensor `name`.
    ///
    /// # Errors
    /// An argument error for a name that the schema does not have, or an optional tensor that is
    /// not given.
    pub fn input(&self, name: &str) -> Result<HostTensor<'a>> {
        self.optional_input(name)?.ok_or_else(|| self.unknown("given tensor", name))
    }

    /// The result `name`: its name in the schema, otherwise `out`, or `out0`, `out1` if there are
    /// several.
    ///
    /// # Errors
    /// An argument error for a name that the schema does not have.
    pub fn output(&mut self, name: &str) -> Result<HostTensorMut<'_>> {
        let unknown = self.unknown("result", name);
        let position = self.kernel.results.iter().position(|known| known == name);
        position.and_then(|position| self.outputs().into_iter().nth(position)).ok_or(unknown)
    }

    /// All results, in order: for a kernel that writes several at a time.
    pub fn outputs(&mut self) -> Vec<HostTensorMut<'_>> {
        let (kernel, described) = (self.kernel.name, self.custom.results.iter().zip(&mut self.outputs));
        described.map(|((dtype, shape), bytes)| HostTensorMut { dtype: *dtype, shape, bytes, kernel }).collect()
    }

    /// The number `name`. A bool is 0 or 1.
    ///
    /// # Errors
    /// An argument error for a name that the schema does not have.
    pub fn number(&self, name: &str) -> Result<f64> {
        let position = self.position(ArgumentKind::Number, name);
        let param = position.and_then(|position| self.params.get(position));
        param.map(|param| param.to_f64()).ok_or_else(|| self.unknown("number", name))
    }

    /// The list of integers `name`.
    ///
    /// # Errors
    /// An argument error for a name that the schema does not have.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        let position = self.position(ArgumentKind::Ints, name);
        let list = position.and_then(|position| self.custom.lists.get(position));
        let list = list.ok_or_else(|| self.unknown("list of whole numbers", name))?;
        Ok(list.iter().map(|&number| number as i64).collect())
    }
}

fn check<T: Element>(kernel: &str, dtype: DType) -> Result<()> {
    let matches = T::DTYPE == dtype || (T::DTYPE == DType::U8 && dtype == DType::Bool);
    if matches {
        Ok(())
    } else {
        Err(Error::dtype(kernel, format!("the kernel takes {} where the tensor is {dtype}", T::DTYPE)))
    }
}

fn alignment_error(kernel: &str) -> Error {
    Error::kernel(kernel, "a buffer that is not aligned to its elements")
}

impl<'a> HostTensor<'a> {
    /// The elements in row-major order.
    ///
    /// # Errors
    /// A dtype error if they have another type. The type of a bool is `u8`.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        check::<T>(self.kernel, self.dtype)?;
        bytemuck::try_cast_slice(self.bytes).map_err(|_| alignment_error(self.kernel))
    }

    /// The elements as float32, of float32, float16 and bfloat16.
    ///
    /// # Errors
    /// A dtype error for other types.
    pub fn to_f32(&self) -> Result<Vec<f32>> {
        let halves = |value: fn(u16) -> f32| {
            self.bytes.chunks_exact(2).map(|pair| value(u16::from_ne_bytes([pair[0], pair[1]]))).collect()
        };
        match self.dtype {
            DType::F16 => Ok(halves(half::f16_to_f32)),
            DType::BF16 => Ok(halves(half::bf16_to_f32)),
            _ => self.as_slice().map(<[f32]>::to_vec),
        }
    }
}

impl HostTensorMut<'_> {
    /// The elements in row-major order, mutable.
    ///
    /// # Errors
    /// A dtype error if they have another type. The type of a bool is `u8`.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        check::<T>(self.kernel, self.dtype)?;
        bytemuck::try_cast_slice_mut(self.bytes).map_err(|_| alignment_error(self.kernel))
    }

    /// Writes all elements, rounded to a half type if the tensor has one.
    ///
    /// # Errors
    /// A dtype error if they are not float32, float16 or bfloat16, and a shape error for another
    /// number of elements.
    pub fn store_f32(&mut self, values: &[f32]) -> Result<()> {
        if values.len() != self.shape.elements() {
            let message = format!("{} values for a result of shape {}", values.len(), self.shape);
            return Err(Error::shape(self.kernel, message));
        }
        let round: fn(f32) -> u16 = match self.dtype {
            DType::F16 => half::f16_from_f32,
            DType::BF16 => half::bf16_from_f32,
            _ => {
                self.as_mut_slice()?.copy_from_slice(values);
                return Ok(());
            }
        };
        for (pair, &value) in self.bytes.chunks_exact_mut(2).zip(values) {
            pair.copy_from_slice(&round(value).to_ne_bytes());
        }
        Ok(())
    }
}
