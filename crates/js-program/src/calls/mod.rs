//! Calls of programs: the core's functions, values between programs and JavaScript, and runs.

pub mod call;
pub mod dispatch;
pub mod exported;
pub mod host;
pub mod operations;
pub mod recorder;
pub mod run;
pub mod tree;

pub use exported::ExportedHandle;
pub use host::Host;
