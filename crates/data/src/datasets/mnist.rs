//! MNIST and the data sets in its format.

use super::{VisionDataset, read_file, read_gzip, text_list};
use crate::{HostArray, read_idx};
use lanthorn_tensor::{Error, Result};
use std::path::Path;

const DIGITS: [&str; 10] = [
    "0 - zero",
    "1 - one",
    "2 - two",
    "3 - three",
    "4 - four",
    "5 - five",
    "6 - six",
    "7 - seven",
    "8 - eight",
    "9 - nine",
];
const CLOTHES: [&str; 10] =
    ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"];
const SYLLABLES: [&str; 10] = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"];

/// The array in a file, which is unpacked or compressed by gzip.
fn read(op: &'static str, folder: &Path, name: &str) -> Result<HostArray> {
    let unpacked = folder.join(name);
    let path = if unpacked.is_file() { unpacked } else { folder.join(format!("{name}.gz")) };
    read_idx(&read_gzip(&read_file(op, &path)?)?)
}

fn open(op: &'static str, root: &Path, name: &str, train: bool, classes: &[&str]) -> Result<VisionDataset> {
    let folder = root.join(name).join("raw");
    let part = if train { "train" } else { "t10k" };
    let images = read(op, &folder, &format!("{part}-images-idx3-ubyte"))?;
    let labels = read(op, &folder, &format!("{part}-labels-idx1-ubyte"))?;
    let (&[count, height, width], &[rows]) = (images.shape(), labels.shape()) else {
        let message = format!("the pictures have the shape {:?} and the labels {:?}", images.shape(), labels.shape());
        return Err(Error::file(op, message));
    };
    if rows != count {
        return Err(Error::file(op, format!("there are {count} pictures and {rows} labels")));
    }
    let images = HostArray::new(images.values::<u8>()?.to_vec(), [count, 1, height, width])?;
    let targets = labels.values::<u8>()?.iter().map(|&label| i32::from(label)).collect();
    VisionDataset::new(images, HostArray::new::<i32>(targets, [count])?, text_list(classes))
}

/// MNIST, from `root/MNIST/raw`: the training pictures, or the test pictures, uint8 `[1, 28, 28]`.
///
/// # Errors
/// A file is missing or damaged.
///
/// ```no_run
/// use lanthorn::data::{DataLoader, DataLoaderOptions, datasets};
/// let options = DataLoaderOptions { batch_size: 64, shuffle: true, ..Default::default() };
/// let loader = DataLoader::new(datasets::mnist("data", true)?, options)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mnist(root: impl AsRef<Path>, train: bool) -> Result<VisionDataset> {
    open("mnist", root.as_ref(), "MNIST", train, &DIGITS)
}

/// FashionMNIST, from `root/FashionMNIST/raw`, in the form of [`mnist`].
///
/// # Errors
/// A file is missing or damaged.
///
/// ```no_run
/// let test = lanthorn::data::datasets::fashion_mnist("data", false)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn fashion_mnist(root: impl AsRef<Path>, train: bool) -> Result<VisionDataset> {
    open("fashion_mnist", root.as_ref(), "FashionMNIST", train, &CLOTHES)
}

/// KMNIST, from `root/KMNIST/raw`, in the form of [`mnist`].
///
/// # Errors
/// A file is missing or damaged.
///
/// ```no_run
/// let test = lanthorn::data::datasets::kmnist("data", false)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn kmnist(root: impl AsRef<Path>, train: bool) -> Result<VisionDataset> {
    open("kmnist", root.as_ref(), "KMNIST", train, &SYLLABLES)
}
