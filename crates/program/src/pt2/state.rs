//! The tensors of an archive: views of storages, which tied tensors share.

use super::{
    Files,
    numbers::{STRIDED, dtype},
    schema::{Entries, Payload, PayloadConfig, SymInt, TensorMeta},
};
use crate::{Error, Result};
use lanthorn_io::{TensorData, Value, strided};
use rustc_hash::FxHashMap;

/// Reads each tensor of an archive once.
pub(super) struct Reader<'a> {
    files: &'a Files<'a>,
    weights: PayloadConfig,
    constants: PayloadConfig,
    /// The tensors read so far.
    pub tensors: Vec<TensorData<'static>>,
    /// The indices of tensors by record and view.
    known: FxHashMap<String, usize>,
    left: usize,
}

impl<'a> Reader<'a> {
    pub fn new(files: &'a Files<'a>, length: usize) -> Result<Reader<'a>> {
        let config = |name: &str| match files.find(name)? {
            Some(_) => files.json(name),
            None => Ok(PayloadConfig { config: Entries::default() }),
        };
        Ok(Reader {
            files,
            weights: config("data/weights/model_weights_config.json")?,
            constants: config("data/constants/model_constants_config.json")?,
            tensors: Vec::new(),
            known: FxHashMap::default(),
            // Expanded tensors may be larger than their storages, up to a limit.
            left: (256 << 20) + 64usize.saturating_mul(length),
        })
    }

    /// Returns the index of the tensor with this name, and whether it requires gradients.
    pub fn tensor(&mut self, name: &str) -> Result<(usize, bool)> {
        let (folder, payload) = match (self.weights.config.get(name), self.constants.config.get(name)) {
            (Some(payload), _) => ("weights", payload),
            (_, Some(payload)) => ("constants", payload),
            _ => return Err(Error::malformed(format!("the archive has no tensor {name}"))),
        };
        let path = format!("data/{folder}/{}", payload.path_name);
        let requires_grad = payload.tensor_meta.as_ref().is_some_and(|meta| meta.requires_grad);
        let key = format!("{path} {}", view_key(payload));
        if let Some(&index) = self.known.get(&key) {
            return Ok((index, requires_grad));
        }
        let bytes = self.files.find(&path)?;
        let bytes = bytes.ok_or_else(|| Error::malformed(format!("{name}: the archive has no record {path}")))?;
        let tensor = if payload.use_pickle {
            unpickle(name, &bytes)?
        } else {
            let meta = payload.tensor_meta.as_ref();
            let meta = meta.ok_or_else(|| Error::malformed(format!("{name}: no description of the tensor")))?;
            view(name, meta, &bytes, self.left)?
        };
        self.left = self.left.saturating_sub(tensor.bytes().len());
        self.tensors.push(tensor);
        self.known.insert(key, self.tensors.len() - 1);
        Ok((self.tensors.len() - 1, requires_grad))
    }
}

/// Returns a key that distinguishes the views of one storage.
fn view_key(payload: &Payload) -> String {
    let Some(meta) = &payload.tensor_meta else { return String::new() };
    let list = |sizes: &[SymInt]| sizes.iter().map(|size| format!("{:?}", number(size))).collect::<Vec<_>>().join(",");
    format!("{} {} {} {:?}", meta.dtype, list(&meta.sizes), list(&meta.strides), number(&meta.storage_offset))
}

fn number(size: &SymInt) -> Option<u64> {
    match size {
        SymInt::AsInt(value) => u64::try_from(*value).ok(),
        SymInt::AsExpr(_) => None,
    }
}

/// Reads a tensor in its storage.
fn view(name: &str, meta: &TensorMeta, storage: &[u8], limit: usize) -> Result<TensorData<'static>> {
    let dtype = dtype(meta.dtype);
    let dtype = dtype.ok_or_else(|| Error::unsupported(format!("{name}: the element type number {}", meta.dtype)))?;
    if meta.layout != STRIDED {
        return Err(Error::unsupported(format!("{name}: a tensor that is not dense")));
    }
    let numbers = |sizes: &[SymInt]| sizes.iter().map(number).collect::<Option<Vec<u64>>>();
    let tensor = || {
        let (sizes, strides) = (numbers(&meta.sizes)?, numbers(&meta.strides)?);
        strided(dtype, storage, number(&meta.storage_offset)?, &sizes, &strides, limit).map(TensorData::into_owned)
    };
    tensor().ok_or_else(|| Error::malformed(format!("{name}: the tensor does not lie in its {} bytes", storage.len())))
}

/// Reads a tensor from an archive of `torch.save`.
fn unpickle(name: &str, bytes: &[u8]) -> Result<TensorData<'static>> {
    match lanthorn_io::pytorch::load(bytes)? {
        Value::Tensor(tensor) => Ok(tensor.into_owned()),
        _ => Err(Error::unsupported(format!("{name}: a pickle that is not one tensor"))),
    }
}
