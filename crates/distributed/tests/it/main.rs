//! The integration tests of `lanthorn-distributed`: one binary, because linking takes seconds.

#[cfg(feature = "mpi")]
mod mpi;
mod processes;
mod tcp;
