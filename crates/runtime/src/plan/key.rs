//! The key of the plan cache: the structure of a segment.
//!
//! The key is the whole structure and not a hash of it, so that two segments are never mistaken for
//! one another. A kernel enters by its interned id, a value by its id in the segment. Launch
//! parameters do not enter.

use super::segment::{Origin, Segment};
use crate::value::Value;

/// The structure of a segment.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(Vec<u32>);

/// Stands for "none" and separates nodes.
const NONE: u32 = u32::MAX;

impl Key {
    pub fn new(segment: &Segment, wanted: &[Value]) -> Key {
        let mut words = Vec::with_capacity(segment.nodes.len() * 6);
        for (node, numbered) in segment.nodes.iter().zip(&segment.numbered) {
            words.push(node.kernel.id);
            words.push(numbered.base.map_or(NONE, |local| local as u32));
            words.extend(numbered.inputs.iter().chain(&numbered.outputs).map(|&local| local as u32));
            words.push(NONE);
        }
        for local in &segment.locals {
            let external = matches!(local.origin, Origin::External(_));
            let wanted = wanted.iter().any(|value| value.key() == local.value.key());
            // The kernel determines the size of a value, except where an update starts from an
            // undefined base.
            words.push(u32::from(external) | u32::from(local.escapes) << 1 | u32::from(wanted) << 2);
            words.push(local.value.elements() as u32);
        }
        Key(words)
    }
}
