//! Pictures in a folder for each class.

use super::read_file;
use crate::{Dataset, HostArray, ImageMode, Random, decode_image};
use lanthorn_tensor::{Error, Result};
use std::path::{Path, PathBuf};

/// torchvision's list. The decoder reads PNG and JPEG.
pub const IMG_EXTENSIONS: [&str; 9] = ["jpg", "jpeg", "png", "ppm", "bmp", "pgm", "tif", "tiff", "webp"];

const OP: &str = "ImageFolder";

/// Pictures in a folder for each class: `root/cat/1.png` is a picture of the class `cat`.
///
/// A sample is the picture, uint8 `[3, H, W]`, and the index of its class, int32.
pub struct ImageFolder {
    classes: Vec<String>,
    samples: Vec<(PathBuf, i32)>,
}

/// The entries of a folder: its folders and its files, each in ascending order.
fn entries(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let refuse = |error: std::io::Error| Error::file(OP, format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(refuse)? {
        paths.push(entry.map_err(refuse)?.path());
    }
    paths.sort();
    Ok(paths.into_iter().partition(|path| path.is_dir()))
}

/// Adds the pictures of a folder, and then of its folders, as torchvision lists them.
fn visit(folder: &Path, class: i32, samples: &mut Vec<(PathBuf, i32)>) -> Result<()> {
    let (folders, files) = entries(folder)?;
    let is_picture = |path: &PathBuf| {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        extension.is_some_and(|extension| IMG_EXTENSIONS.contains(&extension.as_str()))
    };
    samples.extend(files.into_iter().filter(is_picture).map(|path| (path, class)));
    folders.iter().try_for_each(|folder| visit(folder, class, samples))
}

impl ImageFolder {
    /// Lists the pictures of a folder. A picture is decoded when its sample is taken.
    ///
    /// # Errors
    /// The folder has no folder of a class, or a class has no pictures.
    ///
    /// ```no_run
    /// let pictures = lanthorn::data::datasets::ImageFolder::open("pictures")?;
    /// println!("{:?}", pictures.classes());
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn open(root: impl AsRef<Path>) -> Result<ImageFolder> {
        let root = root.as_ref();
        let (folders, _) = entries(root)?;
        if folders.is_empty() {
            return Err(Error::file(OP, format!("there is no folder of a class in {}", root.display())));
        }
        let (mut classes, mut samples) = (Vec::new(), Vec::new());
        for (index, folder) in folders.iter().enumerate() {
            let before = samples.len();
            visit(folder, index as i32, &mut samples)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if samples.len() == before {
                let endings = IMG_EXTENSIONS.join(", ");
                return Err(Error::file(OP, format!("the class {name} has no files that end in {endings}")));
            }
            classes.push(name);
        }
        Ok(ImageFolder { classes, samples })
    }

    /// The names of the classes, in ascending order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The paths of the pictures, with the indices of their classes.
    pub fn samples(&self) -> &[(PathBuf, i32)] {
        &self.samples
    }
}

impl Dataset for ImageFolder {
    type Item = (HostArray, i32);

    fn len(&self) -> usize {
        self.samples.len()
    }

    fn get(&self, index: usize, _: &mut Random) -> Result<(HostArray, i32)> {
        let (path, class) = self.samples.get(index).ok_or_else(|| {
            Error::index(OP, format!("index {index} is out of range for {} samples", self.samples.len()))
        })?;
        let image = decode_image(&read_file(OP, path)?, ImageMode::Rgb)
            .map_err(|error| Error::file(OP, format!("{}: {error}", path.display())))?;
        Ok((image, *class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_folders_and_pictures_are_listed_as_by_torchvision() {
        let root = std::env::temp_dir().join(format!("lanthorn-image-folder-{}", std::process::id()));
        let picture = image::RgbImage::from_raw(1, 1, vec![1, 2, 3]).unwrap();
        for path in ["dog/b.png", "cat/in/c.png", "cat/z.png"] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            picture.save(&path).unwrap();
        }
        std::fs::write(root.join("cat/notes.txt"), "x").unwrap();
        let folder = ImageFolder::open(&root).unwrap();
        assert_eq!(folder.classes(), ["cat", "dog"]);
        let expected = [("cat/z.png", 0), ("cat/in/c.png", 0), ("dog/b.png", 1)];
        assert_eq!(folder.samples(), expected.map(|(path, class)| (root.join(path), class)));
        let (pixels, class) = folder.get(2, &mut Random::new(0, 0, 0)).unwrap();
        assert_eq!((pixels.values::<u8>().unwrap(), class), (&[1, 2, 3][..], 1));
        assert!(folder.get(3, &mut Random::new(0, 0, 0)).err().unwrap().is_index());
        std::fs::create_dir(root.join("empty")).unwrap();
        assert!(ImageFolder::open(&root).err().unwrap().to_string().contains("the class empty has no files"));
        assert!(ImageFolder::open(root.join("dog")).err().unwrap().is_file());
        std::fs::remove_dir_all(root).unwrap();
    }
}
