//! When two windows are the same work: the structural fingerprint.
//!
//! The key is the whole structure and not a hash of it, so that two windows can never be mistaken for one another. Kernels enter by
//! the number they were interned under, values by their number in the window. Launch parameters do not enter.

use super::window::{Origin, Window};
use crate::value::Value;

/// The structure of a window.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(Vec<u32>);

/// Stands for "none" and separates nodes.
const NONE: u32 = u32::MAX;

impl Key {
    pub fn new(window: &Window, wanted: &[Value]) -> Key {
        let mut words = Vec::with_capacity(window.nodes.len() * 6);
        for (node, numbered) in window.nodes.iter().zip(&window.numbered) {
            words.push(node.kernel.number);
            words.push(numbered.base.map_or(NONE, |local| local as u32));
            words.extend(numbered.inputs.iter().chain(&numbered.outputs).map(|&local| local as u32));
            words.push(NONE);
        }
        for local in &window.locals {
            let external = matches!(local.origin, Origin::External(_));
            let wanted = wanted.iter().any(|value| value.key() == local.value.key());
            // A value's size is its kernel's business, except where an update makes it from an undefined base.
            words.push(u32::from(external) | u32::from(local.escapes) << 1 | u32::from(wanted) << 2);
            words.push(local.value.elements() as u32);
        }
        Key(words)
    }
}
