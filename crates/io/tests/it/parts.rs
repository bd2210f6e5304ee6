//! Files that are read in parts have the tensors of files that are read as a whole, however their
//! bytes are cut, and are refused where those are.

use lanthorn_io::{
    DType, Format, Result, TensorData, Value, byte_length, format_of_archive, load, load_tensors_only, npz,
    parts::{Content, Outline, Part},
    pytorch, reading_of,
    zip::{Directory, Located, Writer},
};
use std::{fs, path::Path};

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch").join(name)).unwrap()
}

/// The elements of a view in row-major order.
fn gather(bytes: &[u8], size: usize, shape: &[usize], strides: &[usize], offset: usize) -> Vec<u8> {
    let mut elements = Vec::new();
    let count: usize = shape.iter().product();
    for mut index in 0..count {
        let mut at = offset;
        for (&length, &stride) in shape.iter().zip(strides).rev() {
            at += index % length * stride;
            index /= length;
        }
        elements.extend(&bytes[at * size..(at + 1) * size]);
    }
    elements
}

/// The tensors of a part by their indices; its bytes come in pieces of `piece`.
fn read(file: &[u8], part: &Part, piece: usize) -> Result<Vec<(usize, TensorData<'static>)>> {
    let mut reader = part.reader(|_| true)?;
    let mut regions: Vec<Vec<u8>> = Vec::new();
    let mut at = part.start as usize;
    while reader.remaining() > 0 {
        let end = (at + piece.min(reader.remaining() as usize)).min(file.len());
        reader.push(&file[at..end], &mut |region, elements| {
            regions.resize_with(regions.len().max(region + 1), Vec::new);
            regions[region].extend_from_slice(elements);
        })?;
        if end == at {
            break;
        }
        at = end;
    }
    reader.finish()?;
    let shapes = reader.regions();
    regions.resize_with(shapes.len(), Vec::new);
    for (region, shape) in regions.iter().zip(&shapes) {
        let sizes: Vec<usize> = shape.shape.iter().map(|&size| size as usize).collect();
        assert_eq!(byte_length(shape.dtype, &sizes), Some(region.len()));
    }
    let tensors = reader.tensors().iter().map(|placed| {
        let (region, dtype) = (&regions[placed.region], shapes[placed.region].dtype);
        let elements = match &placed.view {
            Some((offset, strides)) => gather(region, dtype.size(), &placed.shape, strides, *offset),
            None => region.clone(),
        };
        (placed.index, TensorData::new(dtype, placed.shape.clone(), elements).unwrap())
    });
    Ok(tensors.collect())
}

fn content(file: &[u8], entry: &lanthorn_io::zip::Entry, piece: usize) -> Result<Vec<u8>> {
    let part = Part::entry(entry, Format::PyTorch);
    let mut reader = part.reader(|_| true)?;
    let (mut bytes, mut at) = (Vec::new(), part.start as usize);
    while reader.remaining() > 0 {
        let end = at + piece.min(reader.remaining() as usize);
        reader.push(&file[at..end], &mut |_, elements| bytes.extend_from_slice(elements))?;
        at = end;
    }
    reader.finish()?;
    Ok(bytes)
}

fn tree(file: &[u8], outline: Outline, piece: usize) -> Result<Value<TensorData<'static>>> {
    let mut tensors = std::collections::HashMap::new();
    for part in &outline.parts {
        tensors.extend(read(file, part, piece)?);
    }
    outline.value.try_map(&mut |_, content| {
        Ok(match content {
            Content::Index(index) => tensors[&index].clone(),
            Content::Elements(elements) => elements,
        })
    })
}

fn directory(file: &[u8]) -> Result<Directory> {
    let length = file.len() as u64;
    let located = Located::find(&file[Located::tail(length) as usize..], length, Format::PyTorch)?;
    let range = located.range.start as usize..located.range.end as usize;
    Directory::parse(&file[range], &located, length, Format::PyTorch)
}

/// A file that is read in parts, whose bytes come in pieces.
fn in_parts(file: &[u8], tensors_only: bool, piece: usize) -> Result<Value<TensorData<'static>>> {
    let length = file.len() as u64;
    match reading_of(&file[..file.len().min(512)])? {
        "npy" => Ok(Value::Tensor(read(file, &Part::array(length), piece)?.remove(0).1)),
        "legacy" => {
            let mut end = 64;
            loop {
                let last = end >= file.len();
                let start = &file[..end.min(file.len())];
                if let Some(outline) = pytorch::legacy_outline(start, length, last, tensors_only)? {
                    return tree(file, outline, piece);
                }
                end *= 2;
            }
        }
        "archive" => {
            let directory = directory(file)?;
            if format_of_archive(&directory)? == Format::Npz {
                let arrays = directory.entries().iter().map(|entry| {
                    let tensor = read(file, &Part::npz_entry(entry), piece)?.remove(0).1;
                    Ok((entry.name.strip_suffix(".npy").unwrap().to_string(), tensor))
                });
                return Ok(Value::tensors(arrays.collect::<Result<Vec<_>>>()?));
            }
            let entries = pytorch::Entries::find(&directory)?;
            if let Some(order) = entries.order {
                pytorch::check_order(&content(file, order, piece)?)?;
            }
            let pickle = content(file, entries.pickle, piece)?;
            tree(file, pytorch::archive_outline(&directory, &pickle, length, tensors_only)?, piece)
        }
        other => panic!("{other} has no outline"),
    }
}

const FILES: [&str; 19] = [
    "files/big_endian.npy",
    "files/bool.npy",
    "files/c.npy",
    "files/deflated.npz",
    "files/empty.npy",
    "files/fortran.npy",
    "files/fortran3.npy",
    "files/gpt.pt",
    "files/int64.npy",
    "files/legacy.pt",
    "files/resnet.pt",
    "files/scalar.npy",
    "files/stored.npz",
    "files/training.pt",
    "files/views.pt",
    "old/objects.pt",
    "old/objects_legacy.pt",
    "old/python2.pt",
    "old/training.pt",
];

#[test]
fn tensors_are_those_of_the_whole_file() {
    for name in FILES {
        let file = file(name);
        for piece in [7, 64, 1000, usize::MAX] {
            if piece < 64 && file.len() > 1 << 20 {
                continue;
            }
            let tensors_only = name.contains("objects");
            let whole = if tensors_only { load_tensors_only(&file).unwrap().0 } else { load(&file).unwrap() };
            let parts = in_parts(&file, tensors_only, piece).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(parts, whole, "{name} in pieces of {piece}");
        }
    }
}

#[test]
fn tensors_that_share_bytes_are_views_of_one_region() {
    let file = file("files/views.pt");
    let directory = directory(&file).unwrap();
    let pickle = content(&file, pytorch::Entries::find(&directory).unwrap().pickle, 1 << 16).unwrap();
    let outline = pytorch::archive_outline(&directory, &pickle, file.len() as u64, false).unwrap();
    let shared = outline.parts.iter().filter(|part| part.tensors.len() > 1).count();
    assert!(shared > 0, "no storage has two tensors");
    for part in &outline.parts {
        for tensor in &part.tensors {
            let others = part.tensors.iter().filter(|other| other.region == tensor.region).count();
            assert!(others == 1 || tensor.view.is_some(), "{tensor:?} shares its region");
        }
    }
}

/// Refused as a whole and in parts; an accepted change has the same tensors.
fn alike(file: &[u8]) -> bool {
    let (whole, parts) = (load(file), in_parts(file, false, 1 << 16));
    match (whole, parts) {
        (Ok(whole), Ok(parts)) => assert_eq!(whole, parts),
        (Err(_), Err(_)) => return false,
        // In parts, entries that no tensor needs are not read.
        (Err(error), Ok(_)) => {
            let directory = directory(file).unwrap();
            let entries = pytorch::Entries::find(&directory).unwrap();
            let order = entries.order.map(|entry| &entry.name);
            let storages = format!("{}data/", entries.folder);
            let is_read =
                |name: &String| *name == entries.pickle.name || Some(name) == order || name.starts_with(&storages);
            let mut unread = directory.entries().iter().filter(|entry| !is_read(&entry.name));
            let message = error.to_string();
            assert!(unread.any(|entry| message.contains(&entry.name)), "accepted in parts only: {message}");
        }
        (Ok(_), Err(error)) => panic!("refused in parts only: {error}"),
    }
    true
}

#[test]
fn what_is_refused_as_a_whole_is_refused_in_parts() {
    for name in ["files/deflated.npz", "files/legacy.pt", "files/views.pt"] {
        let file = file(name);
        assert!(alike(&file));
        // The whole of a large file takes too long.
        let step = (file.len() / 400).max(1);
        let refused = (0..file.len()).step_by(step).filter(|&at| {
            let mut changed = file.clone();
            changed[at] ^= 0x55;
            !alike(&changed) | !alike(&file[..at])
        });
        assert!(refused.count() > 0, "{name}");
    }
}

#[test]
fn a_wrong_checksum_is_found_in_pieces() {
    let tensor = TensorData::new(DType::F32, vec![4], (0..16).collect::<Vec<u8>>()).unwrap();
    let mut file = npz::save(&[("x".to_string(), tensor)]).unwrap();
    let at = file.windows(4).position(|bytes| bytes == [4, 5, 6, 7]).unwrap();
    file[at] ^= 1;
    let error = in_parts(&file, false, 5).unwrap_err();
    assert!(error.is_malformed() && error.to_string().contains("checksum"), "{error}");
}

#[test]
fn entries_that_overlap_are_refused_by_the_directory() {
    let mut writer = Writer::new(Format::PyTorch);
    writer.add("archive/data.pkl", &[0; 100]).unwrap();
    writer.add("archive/data/0", &[0; 100]).unwrap();
    let mut file = writer.finish().unwrap();
    let located = Located::find(&file, file.len() as u64, Format::PyTorch).unwrap();
    // The second entry begins where the first does.
    let second = located.range.start as usize + 46 + "archive/data.pkl".len();
    file[second + 42..second + 46].fill(0);
    let error = directory(&file).err().unwrap();
    assert!(error.to_string().contains("overlap"), "{error}");
}
