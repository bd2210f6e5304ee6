//! The integration tests of `lanthorn-nn`: one binary, because linking takes seconds.

/// The derive macro writes paths of the crate `lanthorn`, of which this crate is a part.
extern crate lanthorn_nn as lanthorn;

mod attention;
mod common;
mod layers;
mod modules;
mod quantization;
mod recurrent;
mod utilities;
