//! The backend `tcp`, with ranks as threads and as processes; one program, because linking takes
//! time.

mod collectives;
mod common;
mod ddp;
mod failures;
mod zero;
