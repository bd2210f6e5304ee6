//! Writes a checkpoint as `torch.save` does: protocol 2, storages in `data/N`, every entry stored
//! and aligned to 64 bytes.

use super::FORMAT;
use crate::{Error, Result, TensorData, Value, pickle::*, zip::Writer};

/// A file that `torch.load(weights_only=True)` reads. Dictionaries become `dict`, tensors become
/// `torch.Tensor` without gradients.
///
/// # Errors
///
/// Beyond 4 GiB.
pub fn save(value: &Value<TensorData>) -> Result<Vec<u8>> {
    let mut pickler = Pickler { program: vec![PROTO, 2], storages: Vec::new() };
    pickler.value(value, 0)?;
    pickler.program.push(STOP);
    pickler.finish()
}

/// [`save`] with a given pickle in place of the value's, for tests of the reader.
///
/// # Errors
///
/// As [`save`].
#[doc(hidden)]
pub fn save_with_pickle(value: &Value<TensorData>, pickle: &[u8]) -> Result<Vec<u8>> {
    let mut pickler = Pickler { program: Vec::new(), storages: Vec::new() };
    pickler.value(value, 0)?;
    pickler.program = pickle.to_vec();
    pickler.finish()
}

struct Pickler<'v, 'a> {
    program: Vec<u8>,
    storages: Vec<&'v TensorData<'a>>,
}

impl<'v, 'a> Pickler<'v, 'a> {
    fn finish(&self) -> Result<Vec<u8>> {
        let mut archive = Writer::new(FORMAT);
        archive.add("archive/data.pkl", &self.program)?;
        archive.add("archive/byteorder", b"little")?;
        for (index, tensor) in self.storages.iter().enumerate() {
            archive.add(&format!("archive/data/{index}"), tensor.bytes())?;
        }
        archive.add("archive/version", b"3\n")?;
        archive.finish()
    }

    fn value(&mut self, value: &'v Value<TensorData<'a>>, depth: usize) -> Result<()> {
        if depth > 100 {
            return Err(Error::too_large(FORMAT, "containers more than 100 deep"));
        }
        match value {
            Value::None => self.program.push(NONE),
            Value::Bool(value) => self.program.push(if *value { NEWTRUE } else { NEWFALSE }),
            Value::Int(value) => self.int(*value),
            Value::Float(value) => {
                self.program.push(BINFLOAT);
                self.program.extend(value.to_be_bytes());
            }
            Value::Str(text) => self.text(text)?,
            Value::Bytes(bytes) => self.bytes(bytes)?,
            Value::List(values) => {
                self.program.extend([EMPTY_LIST, MARK]);
                values.iter().try_for_each(|value| self.value(value, depth + 1))?;
                self.program.push(APPENDS);
            }
            Value::Tuple(values) => {
                self.program.push(MARK);
                values.iter().try_for_each(|value| self.value(value, depth + 1))?;
                self.program.push(TUPLE);
            }
            Value::Dict(entries) => {
                self.program.extend([EMPTY_DICT, MARK]);
                for (key, value) in entries {
                    self.value(key, depth + 1)?;
                    self.value(value, depth + 1)?;
                }
                self.program.push(SETITEMS);
            }
            Value::Tensor(tensor) => self.tensor(tensor)?,
        }
        Ok(())
    }

    fn int(&mut self, value: i64) {
        if let Ok(value) = i32::try_from(value) {
            self.program.push(BININT);
            self.program.extend(value.to_le_bytes());
        } else {
            self.program.extend([LONG1, 8]);
            self.program.extend(value.to_le_bytes());
        }
    }

    fn text(&mut self, text: &str) -> Result<()> {
        let length = u32::try_from(text.len()).map_err(|_| Error::too_large(FORMAT, "a text of more than 4 GiB"))?;
        self.program.push(BINUNICODE);
        self.program.extend(length.to_le_bytes());
        self.program.extend(text.as_bytes());
        Ok(())
    }

    /// Protocol 2 has no bytes: they are written as text of the first 256 code points, and encoded.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.global("_codecs", "encode");
        self.program.push(MARK);
        self.text(&bytes.iter().map(|&byte| char::from(byte)).collect::<String>())?;
        self.text("latin1")?;
        self.program.extend([TUPLE, REDUCE]);
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) {
        self.program.push(GLOBAL);
        self.program.extend(format!("{module}\n{name}\n").bytes());
    }

    /// `torch._utils._rebuild_tensor_v2(storage, 0, sizes, strides, False, OrderedDict())`
    fn tensor(&mut self, tensor: &'v TensorData<'a>) -> Result<()> {
        self.global("torch._utils", "_rebuild_tensor_v2");
        self.program.push(MARK);
        self.program.push(MARK);
        self.text("storage")?;
        self.global("torch", tensor.dtype().storage());
        self.text(&self.storages.len().to_string())?;
        self.text("cpu")?;
        self.int((tensor.bytes().len() / tensor.dtype().size()) as i64);
        self.program.extend([TUPLE, BINPERSID]);
        self.storages.push(tensor);
        self.int(0);
        let mut strides = vec![1; tensor.rank()];
        for dim in (1..tensor.rank()).rev() {
            strides[dim - 1] = strides[dim] * tensor.shape()[dim].max(1);
        }
        for numbers in [tensor.shape(), &strides] {
            self.program.push(MARK);
            numbers.iter().for_each(|&number| self.int(number as i64));
            self.program.push(TUPLE);
        }
        self.program.push(NEWFALSE);
        self.global("collections", "OrderedDict");
        self.program.extend([EMPTY_TUPLE, REDUCE, TUPLE, REDUCE]);
        Ok(())
    }
}
