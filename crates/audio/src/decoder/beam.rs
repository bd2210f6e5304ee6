//! The most probable texts, by a beam search over prefixes.
//!
//! Source: Graves and Jaitly, "Towards End-to-End Speech Recognition with Recurrent Neural
//! Networks", 2014, and Hannun et al., "First-Pass Large Vocabulary Continuous Speech Recognition
//! using Bi-Directional Recurrent DNNs", 2014.

use super::greedy::frame_counts;
use crate::host::floats_of;
use lanthorn_tensor::{Error, Result, Tensor};

/// A text that was found.
#[derive(Clone, Debug)]
pub struct CTCHypothesis {
    tokens: Vec<usize>,
    score: f64,
    timesteps: Vec<usize>,
}

impl CTCHypothesis {
    /// The indices of the tokens.
    pub fn tokens(&self) -> &[usize] {
        &self.tokens
    }

    /// The logarithm of the probability: of the best path, or with `log_add` of all paths that were
    /// followed.
    pub fn score(&self) -> f64 {
        self.score
    }

    /// The frame at which each token begins, on the best path.
    pub fn timesteps(&self) -> &[usize] {
        &self.timesteps
    }
}

const NONE: f64 = f64::NEG_INFINITY;

/// The logarithm of a sum, or the larger one of two logarithms.
fn merge(a: f64, b: f64, is_sum: bool) -> f64 {
    let larger = a.max(b);
    if !is_sum || larger == NONE {
        return larger;
    }
    larger + (a.min(b) - larger).exp().ln_1p()
}

/// The indices of the largest scores, up to `count`, that are within `threshold` of the largest.
fn best_of(scores: &[f64], count: usize, threshold: f64) -> Vec<usize> {
    let mut order = vec![];
    let mut is_taken = vec![false; scores.len()];
    let mut limit = NONE;
    for _ in 0..count.min(scores.len()) {
        let mut best = scores.len();
        for index in 0..scores.len() {
            if !is_taken[index] && (best == scores.len() || scores[index] > scores[best]) {
                best = index;
            }
        }
        if best == scores.len() || scores[best] == NONE || scores[best] < limit {
            return order;
        }
        if order.is_empty() {
            limit = scores[best] - threshold;
        }
        is_taken[best] = true;
        order.push(best);
    }
    order
}

/// The search for the texts of emissions. See [`ctc_decoder`].
#[derive(Clone, Debug)]
pub struct CTCDecoder {
    tokens: Vec<String>,
    nbest: usize,
    beam_size: usize,
    beam_size_token: usize,
    beam_threshold: f64,
    sil_score: f64,
    log_add: bool,
    blank: usize,
    silence: usize,
}

/// The position of a token, or the number of tokens.
fn position(tokens: &[String], wanted: &str) -> usize {
    for index in 0..tokens.len() {
        if tokens[index] == wanted {
            return index;
        }
    }
    tokens.len()
}

/// A decoder without a lexicon, for emissions whose last dimension has these `tokens`.
///
/// It follows the `beam_size` best prefixes, those within `beam_threshold` of the best one, and of
/// each frame the `beam_size_token` most probable tokens, all by default. Probabilities of the
/// paths of a prefix are added with `log_add`, else the best path counts. `sil_score` is added for
/// each `sil_token`, which need not be there. Results have no silence at their ends that no frame
/// has.
///
/// Defaults: nbest = 1, beam_size = 50, beam_threshold = 50, sil_score = 0, log_add = false,
/// blank_token = '-', sil_token = '|'.
///
/// # Errors
/// `argument` if the blank is not among the tokens, or a size is 0.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::decoder::ctc_decoder};
/// let search = ctc_decoder(&["-", "a", "b"], 1, 50, None, 50.0, 0.0, false, "-", "|")?;
/// let emissions = Tensor::eye(3, None)?.log_softmax(-1)?.unsqueeze(0)?;
/// let found = pollster::block_on(search.decode(&emissions, None))?;
/// assert_eq!(search.idxs_to_tokens(found[0][0].tokens()).len(), 2);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn ctc_decoder(
    tokens: &[&str],
    nbest: usize,
    beam_size: usize,
    beam_size_token: Option<usize>,
    beam_threshold: f64,
    sil_score: f64,
    log_add: bool,
    blank_token: &str,
    sil_token: &str,
) -> Result<CTCDecoder> {
    let names: Vec<String> = tokens.iter().map(|token| token.to_string()).collect();
    let blank = position(&names, blank_token);
    if blank == names.len() {
        return Err(Error::argument("ctc_decoder", format!("tokens must have the blank_token, {blank_token}")));
    }
    let per_frame = beam_size_token.unwrap_or(names.len());
    if nbest == 0 || beam_size == 0 || per_frame == 0 {
        return Err(Error::argument("ctc_decoder", "nbest, beam_size and beam_size_token must be positive"));
    }
    let silence = position(&names, sil_token);
    Ok(CTCDecoder {
        tokens: names,
        nbest,
        beam_size,
        beam_size_token: per_frame,
        beam_threshold,
        sil_score,
        log_add,
        blank,
        silence,
    })
}

impl CTCDecoder {
    /// The texts of emissions `(batch, frames, tokens)`, logarithms of probabilities: up to `nbest`
    /// for each, the best one first. `lengths: (batch)` has the number of frames of each.
    ///
    /// # Errors
    /// `shape` for other dimensions, or lengths that exceed the frames.
    pub async fn decode(&self, emissions: &Tensor, lengths: Option<&Tensor>) -> Result<Vec<Vec<CTCHypothesis>>> {
        let op = "CTCDecoder.decode";
        let counts: Vec<usize> = frame_counts(op, emissions, lengths).await?;
        let shape = emissions.shape().to_vec();
        if shape[2] != self.tokens.len() {
            let message = format!("emissions has shape {shape:?}, and there are {} tokens", self.tokens.len());
            return Err(Error::shape(op, message));
        }
        let scores: Vec<f64> = floats_of(emissions).await?;
        let mut all = vec![];
        for row in 0..counts.len() {
            let start = row * shape[1] * shape[2];
            let own = scores[start..start + counts[row] * shape[2]].to_vec();
            all.push(self.search(&own, counts[row]));
        }
        Ok(all)
    }

    /// The strings of tokens.
    pub fn idxs_to_tokens(&self, idxs: &[usize]) -> Vec<String> {
        idxs.iter().map(|index| self.tokens[*index].clone()).collect()
    }

    /// The texts of one emission, row by row.
    ///
    /// Prefixes are nodes of a tree: node 0 is the empty one, and each other one has a parent, a
    /// last token, a first child and a next sibling; 0 is none. The paths of a prefix that end in a
    /// blank and the others are counted apart, because a token after itself is a new one only after
    /// a blank.
    fn search(&self, scores: &[f64], frames: usize) -> Vec<CTCHypothesis> {
        let width = self.tokens.len();
        let mut parents = vec![0];
        let mut lasts = vec![self.blank];
        let mut children = vec![0];
        let mut siblings = vec![0];
        // The candidate of each node in this frame, with the frame after this one.
        let mut stamps = vec![0];
        let mut slots = vec![0];
        // The beam: nodes, logarithms of paths that end in a blank and of others, and times.
        let mut nodes = vec![0];
        let mut blanks = vec![0.0];
        let mut others = vec![NONE];
        let mut times: Vec<Vec<usize>> = vec![vec![]];
        for frame in 0..frames {
            let row = scores[frame * width..(frame + 1) * width].to_vec();
            let chosen = best_of(&row, self.beam_size_token, f64::INFINITY);
            let mut next_nodes = vec![];
            let mut next_blanks = vec![];
            let mut next_others = vec![];
            let mut next_times: Vec<Vec<usize>> = vec![];
            // The prefixes themselves come first, so that an extension finds its node's candidate.
            for index in 0..nodes.len() {
                let node = nodes[index];
                let last = lasts[node];
                let total = merge(blanks[index], others[index], self.log_add);
                stamps[node] = frame + 1;
                slots[node] = index;
                next_nodes.push(node);
                next_blanks.push(total + row[self.blank]);
                next_others.push(if last == self.blank { NONE } else { others[index] + row[last] });
                next_times.push(times[index].clone());
            }
            for index in 0..nodes.len() {
                let node = nodes[index];
                let total = merge(blanks[index], others[index], self.log_add);
                for token in &chosen {
                    let token = *token;
                    let paths = if token == lasts[node] { blanks[index] } else { total };
                    if token == self.blank || paths == NONE {
                        continue;
                    }
                    let bonus = if token == self.silence { self.sil_score } else { 0.0 };
                    let score = paths + row[token] + bonus;
                    let mut child = children[node];
                    while child != 0 && lasts[child] != token {
                        child = siblings[child];
                    }
                    if child == 0 {
                        child = parents.len();
                        parents.push(node);
                        lasts.push(token);
                        children.push(0);
                        siblings.push(children[node]);
                        children[node] = child;
                        stamps.push(0);
                        slots.push(0);
                    }
                    let mut begun = times[index].clone();
                    begun.push(frame);
                    if stamps[child] == frame + 1 {
                        let slot = slots[child];
                        if score > merge(next_blanks[slot], next_others[slot], false) {
                            next_times[slot] = begun;
                        }
                        next_others[slot] = merge(next_others[slot], score, self.log_add);
                    } else {
                        stamps[child] = frame + 1;
                        slots[child] = next_nodes.len();
                        next_nodes.push(child);
                        next_blanks.push(NONE);
                        next_others.push(score);
                        next_times.push(begun);
                    }
                }
            }
            let mut totals = vec![];
            for index in 0..next_nodes.len() {
                totals.push(merge(next_blanks[index], next_others[index], self.log_add));
            }
            let order = best_of(&totals, self.beam_size, self.beam_threshold);
            nodes = order.iter().map(|index| next_nodes[*index]).collect();
            blanks = order.iter().map(|index| next_blanks[*index]).collect();
            others = order.iter().map(|index| next_others[*index]).collect();
            times = order.iter().map(|index| next_times[*index].clone()).collect();
        }
        let mut found = vec![];
        for index in 0..nodes.len().min(self.nbest) {
            let mut tokens: Vec<usize> = vec![];
            let mut node = nodes[index];
            while node != 0 {
                tokens.insert(0, lasts[node]);
                node = parents[node];
            }
            let score = merge(blanks[index], others[index], self.log_add);
            found.push(CTCHypothesis { tokens, score, timesteps: times[index].clone() });
        }
        found
    }
}
