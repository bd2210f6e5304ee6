//! Loads a model onto a device while its file arrives, so only one copy of the weights exists.

use crate::{
    check,
    convert::convert,
    external::{self, Extent, Reason, Source},
    proto::{Bytes, ModelProto, TensorProto},
    stream::{MIN_BYTES, Reader, Sink, Uploads},
};
use lanthorn_program::{Dispatch, Error, ExportedProgram, Result};
use prost::Message;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// A model that arrives in chunks: first its file, then elements outside of the file.
///
/// ```
/// use lanthorn::onnx::{Loader, hosted::Hosted};
/// use lanthorn::program::Native;
/// # use lanthorn::onnx::proto::*;
/// # use prost::Message;
/// # let output = ValueInfoProto { name: Some("w".into()), ..Default::default() };
/// # let tensor = TensorProto { dims: vec![3000], data_type: Some(1), name: Some("w".into()), raw_data: Some(vec![0; 12000].into()), ..Default::default() };
/// # let graph = GraphProto { initializer: vec![tensor], output: vec![output], ..Default::default() };
/// # let opset_import = vec![OperatorSetIdProto { version: Some(21), ..Default::default() }];
/// # let model = ModelProto { ir_version: Some(10), graph: Some(graph), opset_import, ..Default::default() };
/// # let file = model.encode_to_vec();
/// # let device = lanthorn::cpu();
/// let mut loader = Loader::new(Hosted::new(Native::new(&device)));
/// for piece in file.chunks(1000) {
///     loader.push(piece)?;
/// }
/// assert!(loader.finish_file()?.is_empty());
/// let (program, uploaded) = loader.program()?;
/// assert_eq!((program.tensors.len(), uploaded.len()), (0, 1));
/// # Ok::<(), lanthorn::program::Error>(())
/// ```
pub struct Loader<D: Dispatch> {
    reader: Reader,
    uploads: Uploads<D>,
    model: Option<ModelProto>,
    outside: Outside,
    /// The tensors of extents that were not read yet.
    users: BTreeMap<Extent, Users>,
    current: Option<Target>,
}

/// The tensors that share an extent.
#[derive(Default)]
struct Users {
    /// The number of tensors in all graphs.
    count: usize,
    /// The indices of initializers of the main graph among them.
    initializers: Vec<usize>,
}

/// The destination of an extent's bytes.
enum Target {
    /// The device, for the initializers with these indices.
    Device(Vec<usize>),
    /// Host memory.
    Memory(Extent, Vec<u8>),
}

/// Elements outside of the file that stay in host memory until the program exists.
#[derive(Default)]
struct Outside(HashMap<(String, u64, usize), Vec<u8>>);

impl Source for Outside {
    fn read(&self, location: &str, offset: u64, length: usize) -> std::result::Result<Cow<'_, [u8]>, Reason> {
        let found = self.0.get(&(location.to_string(), offset, length));
        found.map(|bytes| Cow::Borrowed(&bytes[..])).ok_or(Reason::Missing)
    }
}

impl<D: Dispatch> Loader<D> {
    /// A loader that has read nothing.
    pub fn new(dispatch: D) -> Loader<D> {
        let (reader, uploads) = (Reader::new(), Uploads::new(dispatch));
        Loader { reader, uploads, model: None, outside: Outside::default(), users: BTreeMap::new(), current: None }
    }

    /// Reads the next bytes of the file.
    ///
    /// # Errors
    ///
    /// The errors of [`Reader::push`] and of the device. After an error the loader is unusable.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.reader.push(bytes, &mut self.uploads)
    }

    /// Ends the file. Returns the extents outside of the file, sorted by file and offset. Each
    /// needs a call of [`Loader::begin`].
    ///
    /// # Errors
    ///
    /// The errors of [`Reader::finish`] and [`external::extent`].
    pub fn finish_file(&mut self) -> Result<Vec<Extent>> {
        let model = self.model.insert(std::mem::take(&mut self.reader).finish()?);
        let mut users: BTreeMap<Extent, Users> = BTreeMap::new();
        check::tensors(model, &mut |tensor| {
            if tensor.is_external() && tensor.upload().is_none() {
                users.entry(external::extent(tensor)?).or_default().count += 1;
            }
            Ok(())
        })?;
        for (index, tensor) in model.graph.iter().flat_map(|graph| &graph.initializer).enumerate() {
            if tensor.is_external() && tensor.upload().is_none() {
                users.entry(external::extent(tensor)?).or_default().initializers.push(index);
            }
        }
        self.users = users;
        Ok(self.users.keys().cloned().collect())
    }

    /// Begins an extent. Calls of [`Loader::bytes`] and [`Loader::end`] follow.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] before the end of the file; the errors of the device.
    pub fn begin(&mut self, extent: &Extent) -> Result<()> {
        let graph = self.model.as_ref().and_then(|model| model.graph.as_ref()).ok_or_else(incomplete)?;
        let users = self.users.remove(extent).ok_or_else(incomplete)?;
        let tensors = users.initializers.iter().map(|&index| &graph.initializer[index]);
        // Large initializers go to the device. Initializers with the same extent share a tensor.
        let first =
            tensors.clone().next().filter(|_| extent.length >= MIN_BYTES && users.initializers.len() == users.count);
        self.current = Some(match first {
            Some(first)
                if tensors.clone().all(|tensor| (tensor.data_type, &tensor.dims) == (first.data_type, &first.dims)) =>
            {
                self.uploads.begin(self.uploads.count(), first, extent.length)?;
                Target::Device(users.initializers)
            }
            _ => Target::Memory(extent.clone(), Vec::new()),
        });
        Ok(())
    }

    /// Reads the next bytes of the extent.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the extent is shorter; the errors of the device.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        match self.current.as_mut().ok_or_else(incomplete)? {
            Target::Device(_) => self.uploads.bytes(bytes),
            Target::Memory(extent, there) if there.len() + bytes.len() <= extent.length => {
                there.extend(bytes);
                Ok(())
            }
            Target::Memory(extent, _) => {
                Err(Error::malformed(format!("more than {} bytes of {}", extent.length, extent.location)))
            }
        }
    }

    /// Ends the extent.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the extent is longer; the errors of the device.
    pub fn end(&mut self) -> Result<()> {
        match self.current.take().ok_or_else(incomplete)? {
            Target::Device(indices) => {
                let number = self.uploads.count();
                self.uploads.end()?;
                let graph = self.model.as_mut().and_then(|model| model.graph.as_mut()).ok_or_else(incomplete)?;
                indices.into_iter().for_each(|index| graph.initializer[index].set_upload(number));
            }
            Target::Memory(extent, bytes) if bytes.len() == extent.length => {
                self.outside.0.insert((extent.location, extent.offset, extent.length), bytes);
            }
            Target::Memory(extent, bytes) => {
                let message = format!("{} of {} bytes of {}", bytes.len(), extent.length, extent.location);
                return Err(Error::malformed(message));
            }
        }
        Ok(())
    }

    /// Returns the model without the elements on the device, in a file for [`read_skeleton`].
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] before the end of the file.
    pub fn skeleton(&self) -> Result<Vec<u8>> {
        let mut model = self.model.clone().ok_or_else(incomplete)?;
        for tensor in model.graph.iter_mut().flat_map(|graph| &mut graph.initializer) {
            if tensor.is_external() && tensor.upload().is_none() {
                let bytes = external::read(tensor, &self.outside)?.into_owned();
                *tensor = TensorProto::from_data(tensor.name(), bytes, tensor.element_type().ok())?;
            }
        }
        Ok(model.encode_to_vec())
    }

    /// Returns the program, and its tensors on the device.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](crate::read) after the check.
    pub fn program(self) -> Result<(ExportedProgram, Vec<D::Tensor>)> {
        let model = self.model.ok_or_else(incomplete)?;
        Ok((convert(&model, &self.outside)?, self.uploads.into_tensors()))
    }
}

/// Reads the file of [`Loader::skeleton`]. Entries of the state that were on the device have no
/// tensors.
///
/// # Errors
///
/// The errors of [`read`](crate::read).
pub fn read_skeleton(bytes: impl Into<Bytes>) -> Result<ExportedProgram> {
    convert(&check::read_skeleton(bytes)?, &Outside::default())
}

fn incomplete() -> Error {
    Error::malformed("the file of the model, or an extent, is not complete")
}

#[cfg(all(test, feature = "tensor"))]
mod tests;
