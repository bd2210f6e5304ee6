//! The dynamic call of an operation, written once for all languages.
//!
//! A caller passes [`Value`]s by position and by name, a [`Call`]. [`resolve`] selects the overload
//! that takes them, and [`bind`] checks them against a schema and fills in defaults. A caller in
//! another language, or in another WebAssembly module, sends a call as numbers and strings, which
//! [`Reader`] and [`Row`] convert. `docs/calls.md` documents that encoding.
//!
//! A value is generic over its tensors ([`Handle`]): tensors of a device, handles of another
//! module, or numbers of a trace. So every caller has the same arguments, the same rules and the
//! same error texts. Rejected: a type of arguments for each caller, because their conversions and
//! texts had diverged; and resolving overloads in each language, which needs the table of kinds in
//! each language.

#![forbid(unsafe_code)]

mod bind;
mod call;
mod codec;
mod language;
mod refusal;
mod resolve;
mod scalar;
pub mod texts;
mod value;

pub use bind::{bind, default_value, is_default_of, missing, wrong};
pub use call::{Call, Form, Source};
pub use codec::{Malformed, NAME, Reader, Row, Whole};
pub use language::{CALLER, Caller, Language};
pub use lanthorn_schema::ArgKind;
pub use refusal::Refusal;
pub use resolve::{Resolved, fits, resolve};
pub use scalar::{Scalar, Symbol};
pub use value::{Foreign, Handle, Value};
