//! Decodes the emissions of acoustic models to texts, as `torchaudio.models.decoder`.

mod beam;
mod greedy;

pub use beam::{CTCDecoder, CTCHypothesis, ctc_decoder};
pub use greedy::ctc_greedy_decoder;
