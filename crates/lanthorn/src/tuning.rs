//! Storage of kernel variant choices between runs: a file for each adapter.

use lanthorn_tensor::{Device, Result, Tuned};
use std::path::PathBuf;

/// Measures the variants of the kernels that `work` uses, selects the fastest from then on, and
/// saves the choices in a file that [`wgpu`](crate::wgpu) reads when it opens the same adapter
/// again.
///
/// The variable `LANTHORN_TUNING` names the folder of the file; the default is `lanthorn/tuning` in
/// the user's cache folder. Where it cannot be written, the choices apply to this device only. In a
/// page, use `tune` of the npm package, which saves them in IndexedDB.
///
/// # Errors
///
/// The error of `work`, and of the device.
///
/// ```
/// # pollster::block_on(async {
/// # let folder = std::env::temp_dir().join("lanthorn-tuning-example");
/// # // SAFETY: the example runs alone in its process.
/// # unsafe { std::env::set_var("LANTHORN_TUNING", &folder) };
/// let device = lanthorn::cpu();
/// let x = lanthorn::Tensor::ones([8, 8])?;
/// println!("{}", lanthorn::tune(&device, || x.matmul(&x)).await?); // op, class, chosen variant, times
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub async fn tune<T>(device: &Device, work: impl FnOnce() -> Result<T>) -> Result<Tuned> {
    let tuned = device.tuner().tune(work).await?;
    if let Some(file) = file(device).filter(|_| !tuned.kernels.is_empty()) {
        // A choice that was not saved is measured again.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(file, device.tuner().choices());
    }
    Ok(tuned)
}

/// Loads the saved choices for the device's adapter.
#[cfg(feature = "webgpu")]
pub(crate) fn restore(device: &Device) {
    if let Some(text) = file(device).and_then(|file| std::fs::read_to_string(file).ok()) {
        device.tuner().restore(&text);
    }
}

fn file(device: &Device) -> Option<PathBuf> {
    let named = std::env::var_os("LANTHORN_TUNING").map(PathBuf::from);
    let folder = named.or_else(|| Some(dirs::cache_dir()?.join("lanthorn").join("tuning")))?;
    let adapter: String = device
        .capabilities()
        .description
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    Some(folder.join(format!("{adapter}.txt")))
}
