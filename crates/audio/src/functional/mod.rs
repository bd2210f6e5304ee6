//! Sound as functions of tensors, as `torchaudio.functional`.

mod level;

pub use level::db_to_amplitude;
