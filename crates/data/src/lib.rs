//! Data sets that come with lanthorn.

pub mod digits;
