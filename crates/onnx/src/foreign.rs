//! Recognizes files of other formats by their first bytes.

use lanthorn_program::{Error, Result};

/// The number of bytes at the start of a file that identify its format.
pub const START: usize = 64;

/// Returns a description of the file's format, with advice. Returns `None` for bytes that may be a
/// model, and for unrecognized formats.
///
/// ```
/// let file = b"\x1c\0\0\0TFL3";
/// assert!(lanthorn::onnx::foreign(file).unwrap().starts_with("a model of TensorFlow Lite"));
/// assert_eq!(lanthorn::onnx::foreign(&[0x08, 0x0a, 0x12, 0x07, b'p', b'y']), None);
/// ```
pub fn foreign(start: &[u8]) -> Option<String> {
    let convert = |what: &str, tool: &str| Some(format!("{what}, not of ONNX: {tool} converts it"));
    match start {
        _ if is_graph_def(start) => convert("a frozen graph of TensorFlow (GraphDef, .pb)", "tf2onnx"),
        [0x08, 0x01, 0x12, rest @ ..] if is_nested(rest) => convert("a SavedModel of TensorFlow (.pb)", "tf2onnx"),
        [0x08, 0x02..=0x7f, 0x12, rest @ ..] if is_nested(rest) => convert("a model of Core ML", "coremltools"),
        [b'n', b'o', b'd', b'e', b' ' | b'{', ..] => convert("a graph of TensorFlow as text (.pbtxt)", "tf2onnx"),
        [_, _, _, _, b'T', b'F', b'L', b'3', ..] => convert("a model of TensorFlow Lite", "tf2onnx"),
        [_, _, _, _, b'O', b'R', b'T', b'M', ..] => {
            Some("a model in ONNX Runtime's own format (.ort): load the model of ONNX that it was made of".to_string())
        }
        [0x89, b'H', b'D', b'F', ..] => convert("an HDF5 file, as of Keras", "tf2onnx"),
        [0x08, ..] => None,
        _ => {
            lanthorn_io::detect(start).map(|format| format!("{format}: tensors without a program; io.load reads them"))
        }
    }
}

/// Rejects a file of another known format.
///
/// # Errors
///
/// [`Error::Unsupported`] with the format.
pub(crate) fn refuse(start: &[u8]) -> Result<()> {
    foreign(start).map_or(Ok(()), |what| Err(Error::unsupported(what)))
}

/// Parses a varint of a protocol buffer, and returns the bytes after it.
fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(9).position(|byte| byte & 0x80 == 0)?;
    let value = bytes[..=end].iter().rev().fold(0u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((usize::try_from(value).ok()?, &bytes[end + 1..]))
}

/// Whether a field with a length holds a message rather than text. ONNX has the writer's name in
/// this field.
fn is_nested(field: &[u8]) -> bool {
    matches!(varint(field), Some((1.., [0x0a | 0x12, ..])))
}

/// Whether the first field is a node with a name and an operator.
fn is_graph_def(start: &[u8]) -> bool {
    let node = start.strip_prefix(&[0x0a]).and_then(varint);
    let name = node.and_then(|(_, rest)| varint(rest.strip_prefix(&[0x0a])?));
    name.is_some_and(|(length, rest)| {
        let (name, rest) = rest.split_at(length.min(rest.len()));
        let is_text = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
        is_text && matches!(rest, [] | [0x12, ..])
    })
}
