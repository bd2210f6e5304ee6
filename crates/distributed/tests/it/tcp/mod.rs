//! The backend `tcp`, with ranks as threads and as processes.

mod collectives;
mod common;
mod ddp;
mod failures;
mod zero;
