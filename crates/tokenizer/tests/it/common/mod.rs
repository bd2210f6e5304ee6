//! The files of `tests/tokenizer`.

use lanthorn_tokenizer::Tokenizer;
use serde_json::Value;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tokenizer/files")
}

/// A file, decompressed.
pub fn file(name: &str) -> Vec<u8> {
    let path = folder().join(format!("{name}.gz"));
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // The files have no name and no comment in their headers, and eight bytes after the data.
    miniz_oxide::inflate::decompress_to_vec(&packed[10..packed.len() - 8]).unwrap()
}

pub fn json(name: &str) -> Value {
    serde_json::from_slice(&file(name)).unwrap()
}

/// The lines of the corpus.
pub fn corpus() -> Vec<String> {
    serde_json::from_slice(&file("corpus.json")).unwrap()
}

/// A tokenizer and what Python's library makes of the corpus with it.
pub struct Reference {
    pub name: String,
    pub file: String,
    /// Whether offsets are compared.
    pub offsets: bool,
    /// Lines with one of these texts are not compared.
    pub skips: Vec<String>,
}

pub fn references() -> Vec<Reference> {
    let manifest = std::fs::read(folder().join("manifest.json")).unwrap();
    let manifest: Vec<Value> = serde_json::from_slice(&manifest).unwrap();
    let read = |row: &Value| Reference {
        name: row["name"].as_str().unwrap().to_string(),
        file: row["file"].as_str().unwrap().to_string(),
        offsets: row["offsets"].as_bool().unwrap(),
        skips: row["skips"].as_array().unwrap().iter().map(|skip| skip.as_str().unwrap().to_string()).collect(),
    };
    manifest.iter().map(read).collect()
}

impl Reference {
    pub fn tokenizer(&self) -> Tokenizer {
        let bytes = file(&self.file);
        let tokenizer = match self.file.rsplit('.').next() {
            Some("json") => Tokenizer::from_json(&bytes),
            Some("model") => Tokenizer::from_sentence_piece(&bytes),
            _ => Tokenizer::from_gguf(&bytes),
        };
        tokenizer.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub fn hashes(&self) -> Vec<(u16, u16)> {
        let word = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
        file(&format!("{}.hashes", self.name)).chunks_exact(4).map(|row| (word(row), word(&row[2..]))).collect()
    }
}
