//! `model.safetensors.index.json`: maps each tensor to one of several files.

use super::{Texts, json_error};
use crate::{Error, Format, Result};

/// The files of a model that is split into several files.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The name of each file, relative to the index, with the names of its tensors, in the order of
    /// first mention.
    pub shards: Vec<(String, Vec<String>)>,
}

#[derive(serde::Deserialize)]
struct Document {
    weight_map: Texts,
}

impl Index {
    /// Parses an index. The name of a file must not lead out of the folder.
    ///
    /// # Errors
    ///
    /// For JSON of another structure, and for a file name that leads out of the folder.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_io as io; }
    /// use lanthorn::io::safetensors::Index;
    /// let index = Index::parse(br#"{"metadata": {}, "weight_map": {"a": "1.safetensors", "b": "1.safetensors"}}"#)?;
    /// assert_eq!(index.shards, [("1.safetensors".to_string(), vec!["a".to_string(), "b".to_string()])]);
    /// assert!(Index::parse(br#"{"weight_map": {"a": "../secret"}}"#).is_err());
    /// # Ok::<(), lanthorn::io::Error>(())
    /// ```
    pub fn parse(json: &[u8]) -> Result<Index> {
        const FORMAT: Format = Format::SafetensorsIndex;
        let document: Document = serde_json::from_slice(json).map_err(|error| json_error(FORMAT, json, 0, &error))?;
        let mut shards: Vec<(String, Vec<String>)> = Vec::new();
        let mut indices = std::collections::HashMap::new();
        for (tensor, file) in document.weight_map.0 {
            if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\', ':', '\0']) {
                let message = format!("the file {:?} of tensor {tensor:?} is not one beside the index", file);
                return Err(Error::malformed(FORMAT, 0u64, message));
            }
            let index = *indices.entry(file.clone()).or_insert(shards.len());
            if index == shards.len() {
                shards.push((file, Vec::new()));
            }
            shards[index].1.push(tensor);
        }
        Ok(Index { shards })
    }

    /// Checks that a file of the index holds exactly the tensors that the index lists.
    ///
    /// # Errors
    ///
    /// If a tensor is missing, or is not in the index.
    pub fn check<'a>(&self, file: &str, tensors: impl Iterator<Item = &'a str>) -> Result<()> {
        let mut held: Vec<&str> = tensors.collect();
        let named = self.shards.iter().find(|(name, _)| name == file).map_or(&[][..], |(_, names)| names);
        let mut named: Vec<&str> = named.iter().map(String::as_str).collect();
        held.sort_unstable();
        named.sort_unstable();
        if held != named {
            let message =
                format!("{file} holds {} tensors, and not the {} that the index lists", held.len(), named.len());
            return Err(Error::malformed(Format::SafetensorsIndex, 0u64, message));
        }
        Ok(())
    }
}
