//! Compares the numbers of `lanthorn/data` in Rust and JavaScript with each other and with other
//! programs: the files of `tests/data`.
//!
//! `LANTHORN_RECORD=1 cargo test -p lanthorn-data --test shared` writes `shared.json` again.

use lanthorn_data::text::{BytePairTokenizer, CharacterTokenizer};
use lanthorn_data::transforms::{
    CenterCrop, Compose, Normalize, RandomCrop, RandomHorizontalFlip, RandomVerticalFlip, Resize,
};
use lanthorn_data::transforms::{Size, ToTensor, Transform};
use lanthorn_data::{
    BatchOrder, BatchSampler, CsvOptions, DataLoader, DataLoaderOptions, Dataset, DistributedSampler, Elements,
    HostArray, Random, RandomSampler, Sampler, Samples, SubsetRandomSampler, WeightedRandomSampler, permutation,
    random_split, read_csv, read_idx,
};
use lanthorn_tensor::Result;
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data");

fn references() -> Value {
    let text = std::fs::read_to_string(format!("{FOLDER}/references.json")).expect("the references are in the tree");
    serde_json::from_str(&text).expect("the references are JSON")
}

fn numbers(array: &HostArray) -> Value {
    let values = match array.elements() {
        Elements::U8(values) => json!(values),
        Elements::I32(values) => json!(values),
        // Converted to float64, so that the file has the digits of the float32.
        _ => json!(array.to_f32().into_iter().map(f64::from).collect::<Vec<_>>()),
    };
    json!({ "shape": array.shape(), "values": values })
}

/// A uint8 image that is equal in both languages.
fn picture() -> HostArray {
    HostArray::new((0..3 * 7 * 5).map(|index| (index * 37 % 256) as u8).collect(), [3, 7, 5]).unwrap()
}

fn samplers() -> Result<Value> {
    let samplers: Vec<(&str, Box<dyn Sampler>)> = vec![
        ("random", Box::new(RandomSampler::new(20)?)),
        ("replaced", Box::new(RandomSampler::with(20, true, 30)?)),
        ("repeated", Box::new(RandomSampler::with(6, false, 15)?)),
        ("subset", Box::new(SubsetRandomSampler::new(vec![3, 1, 4, 15, 9, 2, 6])?)),
        ("weighted", Box::new(WeightedRandomSampler::new(vec![0.5, 0.0, 2.25, 1.0, 7.125], 25, true)?)),
        ("weighted once", Box::new(WeightedRandomSampler::new(vec![0.5, 0.0, 2.25, 1.0, 7.125], 4, false)?)),
        ("distributed", Box::new(DistributedSampler::new(11, 3, 1)?)),
        ("distributed cut", Box::new(DistributedSampler::new(11, 3, 2)?.drop_last(true))),
    ];
    let orders = |sampler: &dyn Sampler| {
        [(1, 0), (1, 1), (9_007_199_254_740_991, 70_000)].map(|(seed, epoch)| sampler.indices(seed, epoch))
    };
    Ok(samplers.iter().map(|(name, sampler)| (name.to_string(), json!(orders(&**sampler)))).collect())
}

fn random_numbers() -> Value {
    let draw = |seed, epoch, index| {
        let mut random = Random::new(seed, epoch, index);
        let words: Vec<u32> = (0..3).map(|_| random.word()).collect();
        json!({ "words": words, "uniform": f64::from(random.uniform()), "below": [random.below(10), random.below(u32::MAX)] })
    };
    json!([draw(0, 0, 0), draw(1, 2, 3), draw(9_007_199_254_740_991, 4_294_967_297, 5)])
}

fn transform() -> Result<Value> {
    let transforms: Vec<(&str, Box<dyn Transform>)> = vec![
        ("center", Box::new(CenterCrop::new(4, 2))),
        ("center larger", Box::new(CenterCrop::new(9, 8))),
        ("crop", Box::new(RandomCrop::new(5, 4).padding(2).fill(9.0))),
        ("across", Box::new(RandomHorizontalFlip::new(0.5)?)),
        ("down", Box::new(RandomVerticalFlip::new(0.5)?)),
        ("smaller", Box::new(Resize::new(Size::Exact(3, 3))?)),
        ("larger", Box::new(Resize::new(Size::Shorter(8))?)),
        ("sharp", Box::new(Resize::new(Size::Exact(3, 4))?.antialias(false))),
        (
            "all",
            Box::new(Compose::new(vec![
                Box::new(RandomCrop::new(7, 5).padding(1)),
                Box::new(RandomHorizontalFlip::new(0.5)?),
                Box::new(ToTensor),
                Box::new(Normalize::new(vec![0.1, 0.2, 0.3], vec![0.4, 0.5, 0.6])?),
                Box::new(Resize::new(Size::Exact(4, 3))?),
            ])),
        ),
    ];
    let images = |transform: &dyn Transform| {
        (0..4)
            .map(|index| Ok(numbers(&transform.apply(picture(), &mut Random::new(3, 1, index))?)))
            .collect::<Result<Vec<_>>>()
    };
    transforms.iter().map(|(name, transform)| Ok((name.to_string(), json!(images(&**transform)?)))).collect()
}

fn load() -> Result<Value> {
    let dataset =
        Samples((0..11).collect::<Vec<i32>>()).map(|value, random: &mut Random| Ok((value, random.below(100) as i32)));
    let options = DataLoaderOptions { batch_size: 4, shuffle: true, num_workers: 2, seed: 5, ..Default::default() };
    let mut loader = DataLoader::new(dataset, options)?;
    let mut epochs = Vec::new();
    for _ in 0..2 {
        let batches: Vec<(HostArray, HostArray)> = loader.iter().collect::<Result<_>>()?;
        epochs.push(
            batches
                .iter()
                .map(|(values, drawn)| json!([numbers(values)["values"], numbers(drawn)["values"]]))
                .collect::<Vec<_>>(),
        );
    }
    Ok(json!(epochs))
}

fn tables() -> Result<Value> {
    let texts = [
        "a,b,c\n1,2.5,x\n-3,,\"y, \"\"z\"\"\"\n",
        "\"two\nlines\",b\r\n+1,1e400\r\n\r\n2147483648,nan\r",
        "a\n\"open",
        "a,b\nx\"y,\"q\"r\n",
        "\u{feff}a\n.5\n5.\n-inf\n",
        "a\n0x10\n",
        "",
    ];
    let table = |text: &str| {
        let table = read_csv(text.as_bytes(), &CsvOptions::default())?;
        let column = |name: &String| Ok(json!({ "name": name, "column": format!("{:?}", table.column(name)?) }));
        Ok(
            json!({ "text": text, "rows": table.len(), "columns": table.names().iter().map(column).collect::<Result<Vec<_>>>()? }),
        )
    };
    Ok(json!(texts.into_iter().map(table).collect::<Result<Vec<_>>>()?))
}

fn answers() -> Result<Value> {
    let parts = random_split(Samples((0..10).collect::<Vec<i32>>()), &[0.55, 0.25, 0.2], 4)?;
    let batches = BatchSampler::new(RandomSampler::new(7)?, 3, true)?;
    let idx = [&[0, 0, 0x0B, 2, 0, 0, 0, 2, 0, 0, 0, 1][..], &[1, 2, 255, 254]].concat();
    let characters = CharacterTokenizer::fit("bäßa 🙂\"\\𝄞");
    Ok(json!({
        "permutation": [permutation(0, 0, 10), permutation(1, 3, 10), permutation(9_007_199_254_740_991, 1, 33)],
        "random": random_numbers(),
        "samplers": samplers()?,
        "batches": batches.batches(2, 1),
        "split": parts.iter().map(|part| part.indices()).collect::<Vec<_>>(),
        "transforms": transform()?,
        "loader": load()?,
        "tables": tables()?,
        "idx": { "file": idx, "array": numbers(&read_idx(&idx)?) },
        "characters": { "json": characters.to_json(), "tokens": characters.encode("𝄞a🙂ß")? },
    }))
}

#[test]
fn javascript_is_told_the_same() {
    let path = format!("{FOLDER}/shared.json");
    let answers = answers().unwrap();
    // Compares one line for each part as text, because parsing may change a number.
    let parts = answers.as_object().unwrap().iter().map(|(name, answer)| format!("{}:{answer}", json!(name)));
    let text = format!("{{\n{}\n}}\n", parts.collect::<Vec<_>>().join(",\n"));
    if std::env::var_os("LANTHORN_RECORD").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert_eq!(recorded.lines().count(), text.lines().count());
    for (recorded, ours) in recorded.lines().zip(text.lines()) {
        assert_eq!(ours, recorded);
    }
}

#[test]
fn images_are_resized_as_pillow_resizes_them() {
    let references = references();
    let cases = references["resize"].as_array().unwrap();
    assert!(cases.len() >= 5);
    for case in cases {
        let sizes = |name: &str| -> Vec<usize> {
            case[name].as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect()
        };
        let values = |name: &str| -> Vec<f32> {
            case[name].as_array().unwrap().iter().map(|value| value.as_f64().unwrap() as f32).collect()
        };
        let (from, to) = (sizes("from"), sizes("to"));
        let resize = Resize::new(Size::Exact(to[1], to[2])).unwrap();
        let resized = resize.apply(HostArray::new(values("image"), from).unwrap(), &mut Random::new(0, 0, 0)).unwrap();
        assert_eq!(resized.shape(), to);
        for (ours, theirs) in resized.values::<f32>().unwrap().iter().zip(values("resized")) {
            // Pillow stores float32 between its two passes.
            assert!((ours - theirs).abs() < 1e-4, "{ours} and {theirs}, {to:?}");
        }
    }
}

#[test]
fn byte_pairs_are_those_of_hugging_faces_tokenizers() {
    let references = references();
    let case = &references["bpe"];
    let text = |name: &str| case[name].as_str().unwrap();
    let read = BytePairTokenizer::from_files(text("vocab"), text("merges")).unwrap();
    let trained = BytePairTokenizer::train(text("text"), case["vocabSize"].as_u64().unwrap() as usize).unwrap();
    assert_eq!(read, trained);
    assert_eq!(read.to_files().1, text("merges"));
    for encoded in case["encoded"].as_array().unwrap() {
        let text = encoded["text"].as_str().unwrap();
        let tokens: Vec<i32> =
            encoded["tokens"].as_array().unwrap().iter().map(|token| token.as_i64().unwrap() as i32).collect();
        assert_eq!(read.encode(text).unwrap(), tokens, "{text:?}");
        assert_eq!(read.decode(&tokens).unwrap(), text);
    }
}

/// The files that `lanthorn/datasets` reads, too.
#[cfg(feature = "datasets")]
mod datasets {
    use super::{Dataset, FOLDER, Random};
    use lanthorn_data::datasets::{VisionDataset, cifar10, cifar100, mnist, read_cifar, read_gzip};
    use std::path::PathBuf;

    /// The pixel of a picture in the files.
    fn pixel(number: usize, index: usize) -> u8 {
        ((index * 7 + number * 31) % 256) as u8
    }

    fn check(data: &VisionDataset, shape: &[usize], targets: &[i32], first: usize) {
        assert_eq!((data.images().shape(), data.targets().values::<i32>().unwrap()), (shape, targets));
        let size: usize = shape[1..].iter().product();
        for (at, &value) in data.images().values::<u8>().unwrap().iter().enumerate() {
            assert_eq!(value, pixel(first + at / size, at % size));
        }
    }

    /// A folder with the files in the folders in which torchvision has them.
    fn root() -> PathBuf {
        let root = std::env::temp_dir().join(format!("lanthorn-datasets-{}", std::process::id()));
        let raw = root.join("MNIST/raw");
        std::fs::create_dir_all(&raw).unwrap();
        for entry in std::fs::read_dir(format!("{FOLDER}/files")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            let folder = if name.to_string_lossy().contains("ubyte") { &raw } else { &root };
            std::fs::copy(&path, folder.join(name)).unwrap();
        }
        root
    }

    #[test]
    fn published_files_are_read() {
        let root = root();
        let train = mnist(&root, true).unwrap();
        check(&train, &[3, 1, 28, 28], &[7, 6, 5], 0);
        let [image, label] = train.get(2, &mut Random::new(0, 0, 0)).unwrap();
        assert_eq!((image.shape(), label.values::<i32>().unwrap()), (&[1, 28, 28][..], &[5][..]));
        check(&mnist(&root, false).unwrap(), &[2, 1, 28, 28], &[7, 6], 0);
        check(&cifar10(&root, true).unwrap(), &[5, 3, 32, 32], &[0, 1, 2, 3, 4], 0);
        check(&cifar10(&root, false).unwrap(), &[1, 3, 32, 32], &[5], 5);
        let fine = cifar100(&root, false).unwrap();
        assert_eq!(fine.classes(), ["apple", "aquarium_fish", "baby"]);
        check(&fine, &[1, 3, 32, 32], &[2], 1);
        assert!(mnist(root.join("none"), true).err().unwrap().is_file());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn damaged_files_are_refused() {
        assert!(read_cifar(&[0; 3074], 1).unwrap_err().is_file());
        let packed = std::fs::read(format!("{FOLDER}/files/cifar-10-binary.tar.gz")).unwrap();
        assert_eq!(read_gzip(&packed).unwrap().len(), 30720);
        for end in [20, packed.len() - 12] {
            assert!(read_gzip(&packed[..end]).unwrap_err().is_file(), "{end}");
        }
    }
}
