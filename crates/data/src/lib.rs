//! Data sets that come with lanthorn.
