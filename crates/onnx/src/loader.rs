//! Loads a model onto a device while its file arrives, so that its weights are in memory once.

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

/// A model that arrives in pieces: first its file, then the elements that are outside of it.
///
/// ```
/// use lanthorn_onnx::{Loader, hosted::Hosted};
/// use lanthorn_program::Native;
/// # use lanthorn_onnx::proto::*;
/// # use prost::Message;
/// # let output = ValueInfoProto { name: Some("w".into()), ..Default::default() };
/// # let tensor = TensorProto { dims: vec![3000], data_type: Some(1), name: Some("w".into()), raw_data: Some(vec![0; 12000].into()), ..Default::default() };
/// # let graph = GraphProto { initializer: vec![tensor], output: vec![output], ..Default::default() };
/// # let opset_import = vec![OperatorSetIdProto { version: Some(21), ..Default::default() }];
/// # let model = ModelProto { ir_version: Some(10), graph: Some(graph), opset_import, ..Default::default() };
/// # let file = model.encode_to_vec();
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// let mut loader = Loader::new(Hosted::new(Native::new(&device)));
/// for piece in file.chunks(1000) {
///     loader.push(piece)?;
/// }
/// assert!(loader.finish_file()?.is_empty());
/// let (program, uploaded) = loader.program()?;
/// assert_eq!((program.tensors.len(), uploaded.len()), (0, 1));
/// # Ok::<(), lanthorn_program::Error>(())
/// ```
pub struct Loader<D: Dispatch> {
    reader: Reader,
    uploads: Uploads<D>,
    model: Option<ModelProto>,
    outside: Outside,
    /// Who has the elements of an extent that was not read yet.
    users: BTreeMap<Extent, Users>,
    current: Option<Target>,
}

/// The tensors that have the elements of an extent.
#[derive(Default)]
struct Users {
    /// How many there are in all graphs.
    count: usize,
    /// The indices of those that are initializers of the main graph.
    initializers: Vec<usize>,
}

/// Where the bytes of an extent go.
enum Target {
    /// To the device, for the initializers with these indices.
    Device(Vec<usize>),
    /// Into memory.
    Memory(Extent, Vec<u8>),
}

/// Elements outside of the file that are kept in memory until the program is made.
#[derive(Default)]
struct Outside(HashMap<(String, u64, usize), Vec<u8>>);

impl Source for Outside {
    fn read(&self, location: &str, offset: u64, length: usize) -> std::result::Result<Cow<'_, [u8]>, Reason> {
        let found = self.0.get(&(location.to_string(), offset, length));
        found.map(|bytes| Cow::Borrowed(&bytes[..])).ok_or(Reason::Missing)
    }
}

impl<D: Dispatch> Loader<D> {
    /// A loader before the first byte.
    pub fn new(dispatch: D) -> Loader<D> {
        let (reader, uploads) = (Reader::new(), Uploads::new(dispatch));
        Loader { reader, uploads, model: None, outside: Outside::default(), users: BTreeMap::new(), current: None }
    }

    /// The next bytes of the file.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::push`] and of the device. After an error the loader is of no use.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.reader.push(bytes, &mut self.uploads)
    }

    /// Ends the file. Gives what [`Loader::begin`] has to be called with: the elements outside of the file, in
    /// the order of their places in the files.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::finish`] and [`external::extent`].
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

    /// Begins the elements of an extent; [`Loader::bytes`] and [`Loader::end`] follow.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] before the end of the file; those of the device.
    pub fn begin(&mut self, extent: &Extent) -> Result<()> {
        let graph = self.model.as_ref().and_then(|model| model.graph.as_ref()).ok_or_else(incomplete)?;
        let users = self.users.remove(extent).ok_or_else(incomplete)?;
        let tensors = users.initializers.iter().map(|&index| &graph.initializer[index]);
        // Large initializers go to the device. Those that have the same elements are one tensor.
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

    /// The next bytes of the extent.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for more bytes than the extent has; those of the device.
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
    /// [`Error::Malformed`] for fewer bytes than the extent has; those of the device.
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

    /// The model without the elements that are on the device: a file that [`read_skeleton`] reads.
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

    /// The program, and the tensors of it that are on the device.
    ///
    /// # Errors
    ///
    /// Those of [`read`](crate::read) after the check.
    pub fn program(self) -> Result<(ExportedProgram, Vec<D::Tensor>)> {
        let model = self.model.ok_or_else(incomplete)?;
        Ok((convert(&model, &self.outside)?, self.uploads.into_tensors()))
    }
}

/// The program of a [`Loader::skeleton`]. Entries of its state that were on the device have no tensors.
///
/// # Errors
///
/// As [`read`](crate::read).
pub fn read_skeleton(bytes: impl Into<Bytes>) -> Result<ExportedProgram> {
    convert(&check::read_skeleton(bytes)?, &Outside::default())
}

fn incomplete() -> Error {
    Error::malformed("the file of the model, or an extent, is not complete")
}

#[cfg(all(test, feature = "tensor"))]
mod tests;
