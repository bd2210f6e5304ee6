//! One layer in one direction over packed sequences.
//!
//! Steps with the same number of sequences are one call of the padded operation, so that there are
//! as many calls as different lengths.

use lanthorn_tensor::{Error, Result, Tensor};

/// The output `[T, B, out]` and the last states `[1, B, ..]` for an input `[T, B, in]`.
type Layer<'a> = dyn Fn(&Tensor, &[Tensor]) -> Result<(Tensor, Vec<Tensor>)> + 'a;

/// Refuses numbers of sequences that rise, or whose sum is not `rows`.
pub(super) fn check(op: &str, sizes: &[i64], rows: i64) -> Result<()> {
    if sizes.is_empty() || sizes.iter().any(|&size| size < 1) || sizes.windows(2).any(|pair| pair[0] < pair[1]) {
        return Err(Error::argument(op, format!("batch_sizes are above 0 and do not rise, unlike {sizes:?}")));
    }
    match sizes.iter().sum::<i64>() {
        sum if sum == rows => Ok(()),
        sum => Err(Error::argument(op, format!("batch_sizes have a sum of {sum}, and the data has {rows} rows"))),
    }
}

/// Consecutive steps with the same number of sequences.
struct Run {
    start: i64,
    steps: i64,
    batch: i64,
}

/// The steps of packed sequences.
pub(super) struct Steps(Vec<Run>);

impl Steps {
    /// The steps with these numbers of sequences.
    pub fn new(sizes: &[i64]) -> Steps {
        let mut start = 0;
        let runs = sizes.chunk_by(|one, other| one == other).map(|run| {
            let (steps, batch) = (run.len() as i64, run[0]);
            let made = Run { start, steps, batch };
            start += steps * batch;
            made
        });
        Steps(runs.collect())
    }

    /// The output `[N, out]` of a layer, and the states after each sequence's last step.
    pub fn run(
        &self,
        data: &Tensor,
        states: Vec<Tensor>,
        is_reverse: bool,
        layer: &Layer<'_>,
    ) -> Result<(Tensor, Vec<Tensor>)> {
        if is_reverse { self.run_back(data, &states, layer) } else { self.run_on(data, states, layer) }
    }

    /// From the first step: the shorter sequences end before the others.
    fn run_on(&self, data: &Tensor, states: Vec<Tensor>, layer: &Layer<'_>) -> Result<(Tensor, Vec<Tensor>)> {
        let (mut outputs, mut ended, mut states) = (vec![], vec![], states);
        for run in &self.0 {
            let before = states[0].shape()[1] as i64;
            if run.batch < before {
                ended.push(part(&states, run.batch, before - run.batch)?);
                states = part(&states, 0, run.batch)?;
            }
            let (output, next) = layer(&steps_of(data, run)?, &states)?;
            outputs.push(output.flatten(0, 1)?);
            states = next;
        }
        // The longest sequences come first.
        ended.push(states);
        ended.reverse();
        Ok((Tensor::cat(&outputs, 0)?, concat(&ended)?))
    }

    /// From the last step: the shorter sequences begin after the others, with their initial states.
    fn run_back(&self, data: &Tensor, initial: &[Tensor], layer: &Layer<'_>) -> Result<(Tensor, Vec<Tensor>)> {
        let (mut outputs, mut states) = (vec![], None::<Vec<Tensor>>);
        for run in self.0.iter().rev() {
            let began = states.as_ref().map_or(0, |states| states[0].shape()[1] as i64);
            let added = part(initial, began, run.batch - began)?;
            let given = match states {
                Some(states) => concat(&[states, added])?,
                None => added,
            };
            let (output, next) = layer(&steps_of(data, run)?.flip(&[0][..])?, &given)?;
            outputs.push(output.flip(&[0][..])?.flatten(0, 1)?);
            states = Some(next);
        }
        outputs.reverse();
        Ok((Tensor::cat(&outputs, 0)?, states.unwrap_or_default()))
    }
}

/// The data of a run as `[T, B, in]`.
fn steps_of(data: &Tensor, run: &Run) -> Result<Tensor> {
    data.narrow(0, run.start, run.steps * run.batch)?.reshape([run.steps, run.batch, -1])
}

/// The states of some sequences.
fn part(states: &[Tensor], start: i64, count: i64) -> Result<Vec<Tensor>> {
    states.iter().map(|state| state.narrow(1, start, count)).collect()
}

/// The states of several groups of sequences.
fn concat(groups: &[Vec<Tensor>]) -> Result<Vec<Tensor>> {
    let count = groups.first().map_or(0, Vec::len);
    let of = |index: usize| Tensor::cat(&groups.iter().map(|states| states[index].clone()).collect::<Vec<_>>(), 1);
    (0..count).map(of).collect()
}
