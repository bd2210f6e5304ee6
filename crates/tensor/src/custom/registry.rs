//! The ops that this process has registered, in their order.

use super::{CustomOp, Definition};
use crate::{
    Error, Policy, Result,
    ops::{Call, InPlace, Op, OpKind},
};
use lanthorn_schema::Schema;

#[cfg(not(target_family = "wasm"))]
mod list {
    use crate::ops::Op;
    use std::sync::{PoisonError, RwLock};

    static OPS: RwLock<Vec<&'static Op>> = RwLock::new(Vec::new());

    pub fn read<T>(run: impl FnOnce(&[&'static Op]) -> T) -> T {
        run(&OPS.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn write<T>(run: impl FnOnce(&mut Vec<&'static Op>) -> T) -> T {
        run(&mut OPS.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Workers of a page that share a memory are programs of their own, with functions of their own.
#[cfg(target_family = "wasm")]
mod list {
    use crate::ops::Op;
    use std::cell::RefCell;

    thread_local! {
        static OPS: RefCell<Vec<&'static Op>> = const { RefCell::new(Vec::new()) };
    }

    pub fn read<T>(run: impl FnOnce(&[&'static Op]) -> T) -> T {
        OPS.with_borrow(|ops| run(ops))
    }

    pub fn write<T>(run: impl FnOnce(&mut Vec<&'static Op>) -> T) -> T {
        OPS.with_borrow_mut(run)
    }
}

/// The op of this name.
pub(crate) fn find(name: &str) -> Option<&'static Op> {
    // A list: programs register a few ops, and look a name up once.
    list::read(|ops| ops.iter().copied().find(|op| op.name() == name))
}

/// Every op registered so far.
pub(crate) fn all() -> Vec<&'static Op> {
    list::read(<[_]>::to_vec)
}

fn already_registered(name: &str) -> Error {
    Error::argument(name, "an op of this name is registered already")
}

/// The name of an op that is to be registered. Fails where it is taken.
pub(super) fn name_of(schema: &Schema) -> Result<&'static str> {
    let name = schema.full_name();
    if find(&name).is_some() { Err(already_registered(&name)) } else { Ok(name.leak()) }
}

/// Adds an op. Fails where its name is taken.
pub(super) fn register(
    definition: Definition,
    kind: OpKind,
    autocast: Policy,
    in_place: Option<InPlace>,
) -> Result<CustomOp> {
    list::write(|ops| add(ops, definition, kind, autocast, in_place))
}

fn add(
    ops: &mut Vec<&'static Op>,
    definition: Definition,
    kind: OpKind,
    autocast: Policy,
    in_place: Option<InPlace>,
) -> Result<CustomOp> {
    let name = definition.schema.full_name();
    if ops.iter().any(|op| op.name() == name) {
        return Err(already_registered(&name));
    }
    let text: &'static str = String::leak(definition.schema.to_string());
    let op: &'static Op = Box::leak(Box::new(Op {
        text,
        #[cfg(any(test, feature = "reference"))]
        doc: &[],
        kind,
        autocast,
        in_place,
        aliases: &[],
        call: Call::Custom(Box::leak(Box::new(definition))),
        #[cfg(any(test, feature = "reference"))]
        samples: Vec::new,
    }));
    ops.push(op);
    Ok(CustomOp(op))
}
