//! Uploads elements to a device as they arrive.

use super::Sink;
use crate::proto::TensorProto;
use lanthorn_program::{Dispatch, Error, Result, Upload};

/// The granularity of uploads in elements. It is a multiple of 8, so the bytes are whole for every
/// type.
const GRANULE: usize = 64;

/// A sink that creates tensors on a device. At most one chunk of a tensor is in host memory.
pub struct Uploads<D: Dispatch> {
    dispatch: D,
    current: Option<Current<D::Tensor>>,
    tensors: Vec<D::Tensor>,
}

/// The tensor that is being uploaded.
struct Current<T> {
    upload: Box<dyn Upload<T>>,
    tensor: TensorProto,
    /// The number of bytes of [`GRANULE`] elements.
    granule: usize,
    /// The remaining elements.
    left: usize,
    /// The remaining bytes.
    length: usize,
    /// Bytes of an incomplete granule.
    rest: Vec<u8>,
}

impl<D: Dispatch> Uploads<D> {
    /// A sink that has no tensors.
    pub fn new(dispatch: D) -> Uploads<D> {
        Uploads { dispatch, current: None, tensors: Vec::new() }
    }

    /// Returns the number of complete tensors.
    pub fn count(&self) -> usize {
        self.tensors.len()
    }

    /// Returns the complete tensors, in the order of the indices of [`TensorProto::upload`].
    pub fn into_tensors(self) -> Vec<D::Tensor> {
        self.tensors
    }
}

impl<T> Current<T> {
    /// Uploads N elements.
    fn pass(&mut self, bytes: &[u8], elements: usize) -> Result<()> {
        self.tensor.dims = vec![elements as i64];
        self.left -= elements;
        self.upload.push(self.tensor.with_raw(bytes)?)
    }

    /// Uploads the elements that are complete.
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.length = self.length.checked_sub(bytes.len()).ok_or_else(|| {
            Error::malformed(format!("{}: it has more bytes than its shape says", self.tensor.describe()))
        })?;
        let missing = if self.rest.is_empty() { 0 } else { (self.granule - self.rest.len()).min(bytes.len()) };
        let (first, bytes) = bytes.split_at(missing);
        self.rest.extend(first);
        if self.rest.len() == self.granule && self.left >= GRANULE {
            let whole = std::mem::take(&mut self.rest);
            self.pass(&whole, GRANULE)?;
        }
        if self.rest.is_empty() {
            let granules = (bytes.len() / self.granule).min(self.left / GRANULE);
            let (whole, rest) = bytes.split_at(granules * self.granule);
            if granules > 0 {
                self.pass(whole, granules * GRANULE)?;
            }
            self.rest.extend(rest);
        }
        Ok(())
    }
}

impl<D: Dispatch> Sink for Uploads<D> {
    fn begin(&mut self, _index: usize, tensor: &TensorProto, length: usize) -> Result<()> {
        let shape = tensor.shape()?;
        let upload = self.dispatch.begin_upload(tensor.dtype()?, &shape)?;
        let granule = TensorProto { dims: vec![GRANULE as i64], ..tensor.clone() }.raw_length()?;
        let (tensor, left) = (tensor.clone(), shape.iter().product());
        self.current = Some(Current { upload, tensor, granule, left, length, rest: Vec::new() });
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.current.as_mut().ok_or_else(no_tensor_error)?.push(bytes)
    }

    fn end(&mut self) -> Result<()> {
        let mut current = self.current.take().ok_or_else(no_tensor_error)?;
        let rest = std::mem::take(&mut current.rest);
        let left = current.left;
        if left > 0 {
            current.pass(&rest, left)?;
        }
        self.tensors.push(current.upload.finish()?);
        Ok(())
    }
}

/// The error of bytes outside of a tensor.
fn no_tensor_error() -> Error {
    Error::malformed("bytes of no tensor")
}
