//! safetensors: a JSON header with every tensor's type, shape and byte range, followed by the
//! tensors.
//!
//! The format is described at <https://huggingface.co/docs/safetensors>. This reader checks all its
//! rules: the header is at most 100 MB, names are unique, and the tensors cover the rest of the
//! file without gap or overlap. The header alone locates each tensor, so a file can be read in
//! parts: [`header_length`] from the first 8 bytes, [`Header::parse`] from the bytes after them,
//! and then any [`Entry::range`].

mod index;

pub use index::Index;

use crate::{DType, Error, Format, Reader, Result, TensorData, Tensors, tensor::checked_shape};
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use std::{collections::HashSet, fmt, ops::Range};

/// The longest header in bytes.
pub const HEADER_LIMIT: u64 = 100_000_000;

const FORMAT: Format = Format::Safetensors;

/// The header of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The tensors, in the order of their bytes.
    pub entries: Vec<Entry>,
    /// `__metadata__`: text by name.
    pub metadata: Vec<(String, String)>,
    /// The offset of the tensor data in the file.
    pub data_start: u64,
}

/// The header's entry for a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The tensor's name.
    pub name: String,
    /// The element type.
    pub dtype: DType,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The range of its bytes in the file.
    pub range: Range<u64>,
}

/// Returns the length of the header, from the first 8 bytes of the file.
///
/// # Errors
///
/// For a header beyond the limit of the format.
pub fn header_length(start: [u8; 8]) -> Result<u64> {
    match u64::from_le_bytes(start) {
        length if length > HEADER_LIMIT => Err(Error::too_large(
            FORMAT,
            format!("the header is said to have {length} bytes, more than {HEADER_LIMIT}"),
        )),
        length => Ok(length),
    }
}

/// An entry of the header, as JSON.
#[derive(serde::Deserialize)]
struct Row {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// A JSON object that keeps its order and detects repeated names.
struct Rows {
    rows: Vec<(String, Row)>,
    metadata: Option<Vec<(String, String)>>,
}

impl<'de> Visitor<'de> for Rows {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Rows, A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name != "__metadata__" {
                self.rows.push((name, map.next_value()?));
            } else if self.metadata.is_none() {
                self.metadata = Some(map.next_value::<Texts>()?.0);
            } else {
                return Err(A::Error::custom("__metadata__ occurs twice"));
            }
        }
        Ok(self)
    }
}

/// An object of strings, in order.
struct Texts(Vec<(String, String)>);

impl<'de> serde::Deserialize<'de> for Texts {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Texts, D::Error> {
        deserializer.deserialize_map(Texts(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Texts {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Texts, A::Error> {
        while let Some(entry) = map.next_entry()? {
            self.0.push(entry);
        }
        match duplicate(self.0.iter().map(|(name, _)| name)) {
            Some(name) => Err(A::Error::custom(format!("{name:?} occurs twice"))),
            None => Ok(self),
        }
    }
}

/// Returns a repeated name.
pub(crate) fn duplicate<'a>(names: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = HashSet::new();
    let mut names = names;
    names.find(|name| !seen.insert(name.as_str()))
}

/// Converts a JSON error into an error of this format, with its byte offset.
fn json_error(format: Format, json: &[u8], start: u64, error: &serde_json::Error) -> Error {
    let lines = json.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
    let offset = lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
    // The library's message ends with line and column.
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    Error::malformed(format, start + offset as u64, message)
}

impl Header {
    /// Parses the header's JSON, which follows the first 8 bytes of the file.
    ///
    /// # Errors
    ///
    /// For JSON of another structure, an unknown type, or tensors that overlap or leave gaps.
    pub fn parse(json: &[u8]) -> Result<Header> {
        let length = json.len() as u64;
        header_length(length.to_le_bytes())?;
        if json.first() != Some(&b'{') {
            return Err(Error::malformed(FORMAT, 8u64, "the header does not begin with {"));
        }
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let parsed = deserializer.deserialize_map(Rows { rows: Vec::new(), metadata: None });
        let parsed = parsed.and_then(|rows| deserializer.end().map(|()| rows));
        let Rows { rows, metadata } = parsed.map_err(|error| json_error(FORMAT, json, 8, &error))?;
        let data_start = 8 + length;
        let mut entries =
            rows.into_iter().map(|(name, row)| entry(name, row, data_start)).collect::<Result<Vec<_>>>()?;
        if let Some(name) = duplicate(entries.iter().map(|entry| &entry.name)) {
            return Err(Error::malformed(FORMAT, 8u64, format!("tensor {name:?} occurs twice")));
        }
        entries.sort_by_key(|entry| (entry.range.start, entry.range.end));
        let mut end = data_start;
        for entry in &entries {
            if entry.range.start != end {
                let what = if entry.range.start > end { "leaves a hole" } else { "overlaps another" };
                return Err(Error::malformed(FORMAT, end, format!("tensor {:?} {what}", entry.name)));
            }
            end = entry.range.end;
        }
        Ok(Header { entries, metadata: metadata.unwrap_or_default(), data_start })
    }

    /// Returns the length of the whole file.
    pub fn file_length(&self) -> u64 {
        self.entries.last().map_or(self.data_start, |entry| entry.range.end)
    }

    /// Checks the length of the whole file.
    ///
    /// # Errors
    ///
    /// If the tensors end elsewhere.
    pub fn check_length(&self, length: u64) -> Result<()> {
        let expected = self.file_length();
        if length != expected {
            let message = format!("the file has {length} bytes, its header tells of {expected}");
            return Err(Error::malformed(FORMAT, length.min(expected), message));
        }
        Ok(())
    }
}

fn entry(name: String, row: Row, data_start: u64) -> Result<Entry> {
    let concerning = format!("tensor {name:?}");
    let dtype = DType::from_safetensors(&row.dtype).ok_or_else(|| {
        Error::unsupported(FORMAT, format!("{concerning}: element type {}", row.dtype.escape_debug()))
    })?;
    let (shape, length) = checked_shape(FORMAT, dtype, &row.shape, &concerning)?;
    let [start, end] = row.data_offsets;
    if end.checked_sub(start) != Some(length as u64) {
        let message = format!(
            "{concerning} of type {dtype} and shape {shape:?} takes {length} bytes, not those from {start} to {end}"
        );
        return Err(Error::malformed(FORMAT, 8u64, message));
    }
    let absolute = |offset: u64| offset.checked_add(data_start);
    match (absolute(start), absolute(end)) {
        (Some(start), Some(end)) => Ok(Entry { name, dtype, shape, range: start..end }),
        _ => Err(Error::malformed(FORMAT, 8u64, format!("{concerning}: an offset of {end}"))),
    }
}

/// Reads the header of a whole file, and checks all rules of the format.
///
/// # Errors
///
/// For a file that breaks a rule of the format.
pub fn read_header(bytes: &[u8]) -> Result<Header> {
    let mut reader = Reader::new(bytes, FORMAT);
    let length = header_length(reader.array("the length of the header")?)?;
    let header = Header::parse(reader.take_u64(length, "the header")?)?;
    header.check_length(bytes.len() as u64)?;
    Ok(header)
}

/// Reads the tensors of a file in the order of their bytes, without copying.
///
/// # Errors
///
/// For a file that breaks a rule of the format.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, TensorData, safetensors};
/// let tensor = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let file = safetensors::save(&[("weight".to_string(), tensor.clone())], &[])?;
/// assert_eq!(safetensors::load(&file)?, [("weight".to_string(), tensor)]);
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<Tensors<'_>> {
    let header = read_header(bytes)?;
    // The file's length was checked, so every range is within it.
    let tensors = header.entries.into_iter().map(|entry| {
        let data = &bytes[entry.range.start as usize..entry.range.end as usize];
        TensorData::new(entry.dtype, entry.shape, data).map(|tensor| (entry.name, tensor))
    });
    tensors
        .collect::<Option<_>>()
        .ok_or_else(|| Error::malformed(FORMAT, 8u64, "a tensor's bytes do not fit its shape"))
}

/// Writes a file of these tensors and metadata. Wide elements come first, so every tensor is
/// aligned to its element size.
///
/// # Errors
///
/// For a repeated name, and for the name `__metadata__`.
pub fn save(tensors: &[(String, TensorData)], metadata: &[(String, String)]) -> Result<Vec<u8>> {
    let names = || tensors.iter().map(|(name, _)| name);
    if let Some(name) = duplicate(names()).or_else(|| names().find(|name| *name == "__metadata__")) {
        return Err(Error::unsupported(FORMAT, format!("a second entry with the name {name:?}")));
    }
    let mut order: Vec<&(String, TensorData)> = tensors.iter().collect();
    order.sort_by_key(|(name, tensor)| (std::cmp::Reverse(tensor.dtype().size()), name));
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let mut rows = Vec::new();
    if !metadata.is_empty() {
        let texts: Vec<String> =
            metadata.iter().map(|(name, value)| format!("{}:{}", text(name), text(value))).collect();
        rows.push(format!("\"__metadata__\":{{{}}}", texts.join(",")));
    }
    let mut end = 0;
    for (name, tensor) in &order {
        let (start, dtype) = (end, tensor.dtype().safetensors());
        end += tensor.bytes().len();
        let sizes: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
        let shape = sizes.join(",");
        rows.push(format!(r#"{}:{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{start},{end}]}}"#, text(name)));
    }
    let mut header = format!("{{{}}}", rows.join(","));
    let padding = header.len().next_multiple_of(8) - header.len();
    header.extend(std::iter::repeat_n(' ', padding));
    header_length((header.len() as u64).to_le_bytes())?;
    let mut file = Vec::with_capacity(8 + header.len() + end);
    file.extend((header.len() as u64).to_le_bytes());
    file.extend(header.as_bytes());
    order.iter().for_each(|(_, tensor)| file.extend(tensor.bytes()));
    Ok(file)
}
