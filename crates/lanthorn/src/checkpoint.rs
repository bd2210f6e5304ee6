//! Checkpoints of a training run: all that it takes to go on as if nothing had happened.
//!
//! A checkpoint is a dictionary in PyTorch's form (`model`, `optimizer`, `scheduler`, and what a program adds), kept in PyTorch's format, so that either side reads the
//! other's. Resumed training is equal to the bit on the same backend, if the state of the generator of random numbers and the place in the data are among it.

use crate::{Device, Error, Result, Value};

/// The state of a device's generator of random numbers.
///
/// ```
/// use lanthorn::checkpoint;
/// let device = lanthorn::cpu();
/// device.manual_seed(7);
/// let state = checkpoint::generator(&device);
/// device.manual_seed(8);
/// checkpoint::restore_generator(&device, &state)?;
/// assert_eq!(device.generator().state(), (7, 0));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn generator(device: &Device) -> Value {
    let (seed, offset) = device.generator().state();
    // Python's numbers are signed; the bits are the same.
    Value::dict([("seed", Value::Int(seed.cast_signed())), ("offset", Value::Int(offset.into()))])
}

/// Goes on where [`generator`] was taken.
pub fn restore_generator(device: &Device, state: &Value) -> Result<()> {
    let number = |name: &str| state.get(name).and_then(Value::as_int);
    let offset = number("offset").and_then(|offset| u32::try_from(offset).ok());
    let (Some(seed), Some(offset)) = (number("seed"), offset) else {
        return Err(Error::argument("restore_generator", "the state of a generator is a dictionary of seed and offset"));
    };
    device.generator().set_state((seed.cast_unsigned(), offset));
    Ok(())
}

#[cfg(not(target_arch = "wasm32"))]
mod paths {
    use super::*;
    use crate::{io::Format, load_with, to_bytes};
    use std::path::Path;

    /// Writes the entries of a checkpoint, in PyTorch's format whatever the file's name is.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # let path = std::env::temp_dir().join(format!("lanthorn-checkpoint-example-{}.pt", std::process::id()));
    /// use lanthorn::{checkpoint, nn};
    /// let device = lanthorn::cpu();
    /// device.set_default();
    /// let net = nn::Linear::new(4, 2, true)?;
    /// let entries = [("model", (&nn::state_dict(&net)).into()), ("generator", checkpoint::generator(&device)), ("epoch", 3.into())];
    /// checkpoint::save(&path, entries).await?;
    ///
    /// let loaded = checkpoint::load(&path, &device)?;
    /// nn::load_state_dict(&net, &lanthorn::state_dict_of(checkpoint::entry(&loaded, "model")?)?)?;
    /// assert_eq!(checkpoint::entry(&loaded, "epoch")?.as_int(), Some(3));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub async fn save<K: Into<String>>(path: impl AsRef<Path>, entries: impl IntoIterator<Item = (K, Value)>) -> Result<()> {
        let bytes = to_bytes(&Value::dict(entries), Format::PyTorch).await?;
        crate::files::write(path.as_ref(), &bytes)
    }

    /// Reads a checkpoint, its tensors on a device.
    pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<Value> {
        load_with(path, device)
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use paths::{load, save};

/// An entry of a checkpoint; an error names those that are there if this one is not.
pub fn entry<'c>(checkpoint: &'c Value, name: &str) -> Result<&'c Value> {
    checkpoint.get(name).ok_or_else(|| {
        let names: Vec<String> = checkpoint.as_dict().unwrap_or_default().iter().map(|(name, _)| name.short()).collect();
        Error::argument("checkpoint", format!("there is no entry {name:?} among {names:?}"))
    })
}
