//! Published data sets and folders of pictures, with the names of `torchvision.datasets`, from
//! files on disk. Feature `datasets`.
//!
//! The functions look for the files in the folders in which torchvision has them. The readers agree
//! with `lanthorn/datasets` of the npm package on the files of `tests/data/files`.
//!
//! The files are downloaded by the program, or by torchvision.

mod archive;
mod cifar;
#[cfg(feature = "image")]
mod folder;
mod mnist;

pub use archive::read_gzip;
pub use cifar::{cifar10, cifar100, read_cifar};
#[cfg(feature = "image")]
pub use folder::{IMG_EXTENSIONS, ImageFolder};
pub use mnist::{fashion_mnist, kmnist, mnist};

use crate::{Dataset, HostArray, Random, TensorDataset};
use lanthorn_tensor::{Error, Result};
use std::path::Path;

/// Pictures with classes in memory. A sample is a picture, uint8 `[C, H, W]`, and its label, an
/// int32 without dimensions.
pub struct VisionDataset {
    rows: TensorDataset<2>,
    images: HostArray,
    targets: HostArray,
    classes: Vec<String>,
}

impl VisionDataset {
    fn new(images: HostArray, targets: HostArray, classes: Vec<String>) -> Result<VisionDataset> {
        let rows = TensorDataset::new([images.clone(), targets.clone()])?;
        Ok(VisionDataset { rows, images, targets, classes })
    }

    /// The pictures, uint8 `[N, C, H, W]`.
    pub fn images(&self) -> &HostArray {
        &self.images
    }

    /// The labels, int32 `[N]`.
    pub fn targets(&self) -> &HostArray {
        &self.targets
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }
}

impl Dataset for VisionDataset {
    type Item = [HostArray; 2];

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn get(&self, index: usize, random: &mut Random) -> Result<[HostArray; 2]> {
        self.rows.get(index, random)
    }
}

/// Reads a file, and names it in errors.
fn read_file(op: &'static str, path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::file(op, format!("{}: {error}", path.display())))
}

fn text_list(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}
