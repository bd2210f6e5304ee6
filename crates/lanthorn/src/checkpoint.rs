//! Checkpoints of a training run: everything needed to resume it bit for bit.
//!
//! A checkpoint is a dictionary in PyTorch's form (`model`, `optimizer`, `scheduler`, and any
//! entries of the program) in PyTorch's file format, so that either side reads the other's files.
//! Resumed training is bit-identical on the same backend if the checkpoint includes the states of
//! the random number generator and of the data loader.

mod state;

pub use state::{GeneratorState, State};

use crate::{Error, Result, Value};

/// An entry of a checkpoint, converted to its state type.
///
/// For values that are no [`State`], such as the number of an epoch, use [`Value::get`].
///
/// # Errors
///
/// `argument` for a missing entry, with the names of the others, and the error of
/// [`State::from_value`], with the entry's name.
pub fn get<S: State>(checkpoint: &Value, name: &str) -> Result<S> {
    let value = checkpoint.get(name).ok_or_else(|| {
        let names: Vec<String> =
            checkpoint.as_dict().unwrap_or_default().iter().map(|(name, _)| name.short()).collect();
        Error::argument("checkpoint", format!("there is no entry {name:?} among {names:?}"))
    })?;
    S::from_value(value).map_err(|error| error.concerning(name))
}

#[cfg(not(target_arch = "wasm32"))]
mod paths {
    use super::*;
    use crate::{Device, io::Format, load_with, to_bytes};
    use std::path::Path;

    /// Writes the entries of a checkpoint, in PyTorch's format whatever the file's extension. An
    /// older file remains intact until the new file is complete.
    ///
    /// # Errors
    ///
    /// `file` if the file cannot be written, and the error of a device that cannot read a tensor.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # let path = std::env::temp_dir().join(format!("lanthorn-checkpoint-example-{}.pt", std::process::id()));
    /// use lanthorn::{checkpoint::{self, GeneratorState, State}, nn, optim::{Adam, AdamOptions}};
    /// let device = lanthorn::cpu();
    /// device.set_default();
    /// let net = nn::Linear::new(4, 2)?;
    /// let optimizer = Adam::new(nn::Module::parameters(&net), AdamOptions::default())?;
    /// checkpoint::save(&path, [
    ///     ("model", nn::state_dict(&net).to_value()),
    ///     ("optimizer", optimizer.state_dict()?.to_value()),
    ///     ("generator", GeneratorState::of(&device).to_value()),
    ///     ("epoch", 3.into()),
    /// ]).await?;
    ///
    /// let loaded = checkpoint::load(&path, &device)?;
    /// nn::load_state_dict(&net, &checkpoint::get(&loaded, "model")?)?;
    /// optimizer.load_state_dict(&checkpoint::get(&loaded, "optimizer")?).await?;
    /// checkpoint::get::<GeneratorState>(&loaded, "generator")?.restore(&device);
    /// assert_eq!(loaded.get("epoch").and_then(lanthorn::Value::as_int), Some(3));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub async fn save<K: Into<String>>(
        path: impl AsRef<Path>,
        entries: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<()> {
        let bytes = to_bytes(&Value::dict(entries), Format::PyTorch).await?;
        lanthorn_serialization::write_atomically(path.as_ref(), &bytes)
    }

    /// Reads a checkpoint and uploads its tensors to a device.
    ///
    /// # Errors
    ///
    /// As [`load_with`].
    pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<Value> {
        load_with(path, device)
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use paths::{load, save};
