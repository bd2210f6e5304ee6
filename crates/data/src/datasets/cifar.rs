//! CIFAR-10 and CIFAR-100 in their publisher's binary form (<https://www.cs.toronto.edu/~kriz/cifar.html>).

use super::archive::unpack;
use super::{VisionDataset, read_file, text_list};
use crate::HostArray;
use lanthorn_tensor::{Error, Result};
use std::path::Path;

/// The bytes of a picture: the planes red, green and blue of 32×32 pixels.
const PIXELS: usize = 3 * 32 * 32;

const CLASSES: [&str; 10] = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

/// The records of a file: pictures, uint8 `[N, 3, 32, 32]`, and labels, int32 `[N, labels]`. A
/// record of CIFAR-100 has two labels, the coarse and the fine class.
///
/// # Errors
/// `labels` is neither 1 nor 2, or the file is not a whole number of records.
///
/// ```
/// let [images, labels] = lanthorn::data::datasets::read_cifar(&[7; 3073], 1)?;
/// assert_eq!(images.shape(), [1, 3, 32, 32]);
/// assert_eq!(labels.values::<i32>()?, [7]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn read_cifar(file: &[u8], labels: usize) -> Result<[HostArray; 2]> {
    if labels != 1 && labels != 2 {
        return Err(Error::argument("read_cifar", format!("a record has 1 or 2 labels, not {labels}")));
    }
    let record = labels + PIXELS;
    let records = file.chunks_exact(record);
    if !records.remainder().is_empty() {
        let message = format!("{} bytes are not a whole number of records of {record} bytes", file.len());
        return Err(Error::file("read_cifar", message));
    }
    let count = records.len();
    let mut numbers = Vec::with_capacity(count * labels);
    let mut pixels = Vec::with_capacity(count * PIXELS);
    for record in records {
        let (classes, picture) = record.split_at(labels);
        numbers.extend(classes.iter().map(|&class| i32::from(class)));
        pixels.extend_from_slice(picture);
    }
    Ok([HostArray::new(pixels, [count, 3, 32, 32])?, HostArray::new(numbers, [count, labels])?])
}

/// The files of a data set: unpacked in `folder`, or in the archive.
fn files(op: &'static str, root: &Path, folder: &str, archive: &str, names: &[&str]) -> Result<Vec<Vec<u8>>> {
    let folder = root.join(folder);
    if folder.is_dir() {
        return names.iter().map(|name| read_file(op, &folder.join(name))).collect();
    }
    unpack(op, &root.join(archive), names)
}

/// The data set of files, one after the other. The class is the last label of a record.
fn join(files: &[Vec<u8>], labels: usize, classes: Vec<String>) -> Result<VisionDataset> {
    let [images, numbers] = read_cifar(&files.concat(), labels)?;
    let targets: Vec<i32> = numbers.values::<i32>()?.chunks_exact(labels).map(|row| row[labels - 1]).collect();
    let count = targets.len();
    VisionDataset::new(images, HostArray::new(targets, [count])?, classes)
}

/// CIFAR-10, from `root/cifar-10-batches-bin` or `root/cifar-10-binary.tar.gz`: the training
/// pictures, or the test pictures.
///
/// # Errors
/// A file is missing or damaged.
///
/// ```no_run
/// let train = lanthorn::data::datasets::cifar10("data", true)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn cifar10(root: impl AsRef<Path>, train: bool) -> Result<VisionDataset> {
    let training = ["data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"];
    let names: &[&str] = if train { &training } else { &["test_batch.bin"] };
    let files = files("cifar10", root.as_ref(), "cifar-10-batches-bin", "cifar-10-binary.tar.gz", names)?;
    join(&files, 1, text_list(&CLASSES))
}

/// CIFAR-100 with its fine classes, from `root/cifar-100-binary` or
/// `root/cifar-100-binary.tar.gz`: the training pictures, or the test pictures.
///
/// # Errors
/// A file is missing or damaged.
///
/// ```no_run
/// let test = lanthorn::data::datasets::cifar100("data", false)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn cifar100(root: impl AsRef<Path>, train: bool) -> Result<VisionDataset> {
    let names = [if train { "train.bin" } else { "test.bin" }, "fine_label_names.txt"];
    let mut files = files("cifar100", root.as_ref(), "cifar-100-binary", "cifar-100-binary.tar.gz", &names)?;
    let classes = String::from_utf8_lossy(&files.split_off(1).concat()).split_whitespace().map(Into::into).collect();
    join(&files, 2, classes)
}
