//! Files of PyTorch before version 1.6: consecutive pickles, followed by the bytes of the storages.
//!
//! The pickles are a magic number, a version, a description of the machine, the value, and the keys
//! of its storages. `torch.save` still writes the format on request.

use super::{
    FORMAT, LeftOut,
    storage::Storages,
    unpickle::{Leaf, Machine, Node},
};
use crate::{Error, Result, Value, pickle::STOP};
use std::ops::Range;

/// The magic number's bytes, after the opcode and the length of a long number.
const MAGIC: &[u8] = b"\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

/// The version of all files with the magic number.
const VERSION: i64 = 1001;

/// Where the first pickle ends, if the bytes begin with the magic number: behind its protocol, and
/// a frame that later protocols have.
fn after_magic(bytes: &[u8]) -> Option<usize> {
    let starts = |at: usize| bytes.get(at..).is_some_and(|rest| rest.starts_with(MAGIC));
    let at = [2, 11].into_iter().find(|&at| bytes.first() == Some(&0x80) && starts(at))?;
    let end = at + MAGIC.len();
    (bytes.get(end) == Some(&STOP)).then_some(end + 1)
}

/// Whether a file begins like files of PyTorch before version 1.6.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    after_magic(bytes).is_some()
}

/// Whether a file is the archive of PyTorch before version 0.1.10.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Runs the next pickle, and returns the rest of the bytes.
fn next<'b, T>(bytes: &'b [u8], read: impl FnOnce(&Machine<'b, '_>, &Node<'b>) -> T) -> Result<(T, &'b [u8])> {
    let mut machine = Machine::new(bytes, Storages::after_pickle());
    let (root, length) = machine.execute_first()?;
    let result = read(&machine, machine.node(root));
    Ok((result, &bytes[length..]))
}

/// A file without the bytes of its storages.
pub(super) struct Parsed {
    pub tree: Value<Leaf>,
    pub storages: Storages<'static>,
    /// The storages in the order of their bytes: the index and the range of each.
    pub ranges: Vec<(usize, Range<u64>)>,
}

/// Checks the version of a file and the order of bytes, and returns the rest of the bytes.
fn check_system(bytes: &[u8]) -> Result<&[u8]> {
    let start = after_magic(bytes).unwrap_or(0);
    let (version, rest) = next(&bytes[start..], |_, node| match node {
        Node::Int(version) => Some(*version),
        _ => None,
    })?;
    if version != Some(VERSION) {
        return Err(Error::unsupported(FORMAT, format!("version {version:?} of the files before 1.6, not {VERSION}")));
    }
    let (is_little, rest) = next(rest, |machine, node| match node {
        Node::Dict(dict) => {
            let mut entries = dict.entries().iter();
            let flag = entries.find(|(key, _)| matches!(machine.node(*key), Node::Str("little_endian")));
            flag.is_none_or(|(_, value)| matches!(machine.node(*value), Node::Bool(true)))
        }
        _ => false,
    })?;
    match is_little {
        true => Ok(rest),
        false => Err(Error::unsupported(FORMAT, "a checkpoint of a machine that is not little-endian")),
    }
}

/// Parses the start of a file of `length` bytes, which contains all its pickles.
pub(super) fn parse(bytes: &[u8], length: u64, left: Option<&mut Vec<LeftOut>>) -> Result<Parsed> {
    let rest = check_system(bytes)?;
    let mut machine = Machine::new(rest, Storages::after_pickle());
    let (root, end) = machine.execute_first()?;
    let rest = &rest[end..];
    let (keys, behind) = next(rest, |machine, node| match node {
        Node::List(keys) => {
            let key = |&key: &u32| match machine.node(key) {
                Node::Str(key) => Some(*key),
                _ => None,
            };
            keys.iter().map(key).collect::<Option<Vec<&str>>>()
        }
        _ => None,
    })?;
    let keys = keys.ok_or_else(|| Error::malformed(FORMAT, bytes.len() - rest.len(), "no list of storages"))?;
    let ranges = machine.storages.after(&keys, (bytes.len() - behind.len()) as u64, length)?;
    let tree = machine.tree(root, super::budget(length), left)?;
    Ok(Parsed { tree, storages: machine.storages, ranges })
}
