//! Tests of the crate.

mod decoder;
mod files;
mod filters;
mod golden;
