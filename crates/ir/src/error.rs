//! The error type, with predicates (`is_shape()`) instead of public variants.
//!
//! Rejected: a public enum, on which every new kind of error is a breaking change.

use thiserror::Error as ThisError;

/// The result of a lanthorn call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a call failed. The message names the op and the shapes, and says how to fix it.
///
/// ```
/// # use lanthorn_ir as lanthorn;
/// use lanthorn::Error;
/// let error = Error::shape("matmul", "inner dimensions differ: [2, 3] x [4, 5]");
/// assert!(error.is_shape());
/// assert_eq!(error.to_string(), "matmul: inner dimensions differ: [2, 3] x [4, 5]");
/// ```
#[derive(Clone, Debug, PartialEq, ThisError)]
#[error("{}: {}", self.op(), self.message())]
pub struct Error([Box<Inner>; 1]);

/// Boxed, so that results are small to return: nearly every function of the core returns one.
///
/// The box is in an array for WebAssembly. A `Result<Tensor, Box<_>>` is a pair of scalars, for
/// which the compiler reserves a stack slot at each call. As an aggregate it is returned in a slot
/// that the calls of a function share, which makes the core 2 % smaller.
#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: Kind,
    op: String,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shape,
    DType,
    Index,
    Argument,
    Autograd,
    Device,
    DeviceLost,
    OutOfMemory,
    Limit,
    Kernel,
    Linalg,
    File,
    Data,
    Disposed,
    Distributed,
}

macro_rules! kinds {
    ($($constructor:ident, $predicate:ident, $kind:ident: $doc:literal;)*) => {
        impl Error {
            $(
                #[doc = concat!("A new error of this kind: ", $doc)]
                pub fn $constructor(op: impl Into<String>, message: impl Into<String>) -> Error {
                    Error([Box::new(Inner { kind: Kind::$kind, op: op.into(), message: message.into() })])
                }

                #[doc = concat!("Whether the error is of this kind: ", $doc)]
                pub fn $predicate(&self) -> bool {
                    self.0[0].kind == Kind::$kind
                }
            )*

            /// The name JavaScript sees as `error.kind`: `shape`, `dtype`, `deviceLost`.
            pub fn kind_name(&self) -> &'static str {
                match self.0[0].kind { $(Kind::$kind => stringify!($constructor),)* }
            }
        }
    };
}

kinds! {
    shape, is_shape, Shape: "shapes that do not fit each other or the op.";
    dtype, is_dtype, DType: "an element type that the op or the device does not take.";
    index, is_index, Index: "an index or dimension out of range.";
    argument, is_argument, Argument: "any other argument that is missing or wrong.";
    autograd, is_autograd, Autograd: "a gradient that cannot be computed.";
    device, is_device, Device: "no such device, or tensors of two devices in one op.";
    device_lost, is_device_lost, DeviceLost: "the device is gone; make a new one and load a checkpoint.";
    out_of_memory, is_out_of_memory, OutOfMemory: "the device has no room for a buffer.";
    limit, is_limit, Limit: "more than the device can bind or dispatch.";
    kernel, is_kernel, Kernel: "a kernel that did not compile or run.";
    linalg, is_linalg, Linalg: "a matrix for which the op has no result: singular, not positive-definite, not finite.";
    file, is_file, File: "a file that cannot be read or written: missing, malformed, unsupported, too large.";
    data, is_data, Data: "a sample that cannot be loaded, or a text that cannot be encoded.";
    disposed, is_disposed, Disposed: "a tensor that was used after it was disposed.";
    distributed, is_distributed, Distributed: "a process of a group that ended, did not answer in time, or called something else.";
}

impl Error {
    /// The op or call that failed.
    pub fn op(&self) -> &str {
        &self.0[0].op
    }

    /// The message without the name of the op.
    pub fn message(&self) -> &str {
        &self.0[0].message
    }

    /// The same error, with the message prefixed by its subject.
    pub fn concerning(mut self, what: impl std::fmt::Display) -> Error {
        let [inner] = &mut self.0;
        inner.message = format!("{what}: {}", inner.message);
        self
    }

    /// The same error, attributed to another op: a composite reports errors in its own name.
    pub fn in_op(mut self, op: &str) -> Error {
        self.0[0].op = op.to_string();
        self
    }
}
