//! The key of the plan cache: the structure of a segment.
//!
//! The key is the whole structure and not a hash of it, so two segments are never confused. It
//! represents a kernel by its interned id, and a value by its id in the segment. It does not
//! contain launch parameters.

use super::segment::{Origin, Segment};
use crate::{recorder::Interned, value::Value};
use lanthorn_ir::number::Trace;

/// The structure of a segment.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(Vec<u32>);

/// Represents "none", and separates nodes.
const NONE: u32 = u32::MAX;

impl Key {
    /// The key of a segment with its numbers.
    pub fn new(segment: &Segment, wanted: &[Value]) -> Key {
        Key::with(segment, wanted, |kernel| kernel.id, |elements| elements as u32)
    }

    /// The key of a segment with the [class](Trace::class) of each number instead of the number.
    pub fn structure(segment: &Segment, wanted: &[Value]) -> Key {
        Key::with(segment, wanted, |kernel| kernel.structure, |elements| Trace::class(elements as i64) as u32)
    }

    fn with(segment: &Segment, wanted: &[Value], kernel: fn(&Interned) -> u32, size: fn(usize) -> u32) -> Key {
        let mut words = Vec::with_capacity(segment.nodes.len() * 6);
        for (node, numbered) in segment.nodes.iter().zip(&segment.numbered) {
            words.push(kernel(&node.kernel));
            words.push(numbered.base.map_or(NONE, |local| local as u32));
            words.extend(numbered.inputs.iter().chain(&numbered.outputs).map(|&local| local as u32));
            words.push(NONE);
        }
        for local in &segment.locals {
            let external = matches!(local.origin, Origin::External(_));
            let wanted = wanted.iter().any(|value| value.key() == local.value.key());
            // The kernel determines the size of a value, except for an update of an undefined base.
            words.push(u32::from(external) | u32::from(local.escapes) << 1 | u32::from(wanted) << 2);
            words.push(size(local.value.elements()));
        }
        for write in &segment.shared_writes {
            // The dtype of the copy may not occur in any kernel.
            let dtype = segment.locals[write.value].value.dtype().number();
            words.extend([NONE, write.memory as u32, write.value as u32, u32::from(write.is_only), dtype]);
        }
        Key(words)
    }
}
