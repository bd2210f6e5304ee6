//! Batches of a stream of samples.

use super::{LoaderState, Produced, catch};
use crate::{Collate, IterableDataset, Random};
use lanthorn_tensor::{Error, Result};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Groups the samples of an epoch into batches. Reads and drops the batches that `state` already
/// returned.
pub(super) fn batches<D>(
    dataset: &D,
    state: LoaderState,
    batch_size: usize,
    drop_last: bool,
) -> Box<dyn Iterator<Item = Result<<D::Item as Collate>::Batch>> + Send>
where
    D: IterableDataset,
    D::Item: Collate + 'static,
{
    let mut index = 0;
    let mut samples = match catch(|| Ok(dataset.iter(Random::new(state.seed, state.epoch, 0)))) {
        Ok(samples) => samples,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let mut skip = state.position.saturating_mul(batch_size);
    Box::new(std::iter::from_fn(move || {
        let mut batch = Vec::new();
        while batch.len() < batch_size {
            let sample = catch(|| samples.next().transpose());
            match sample.map_err(|error| error.concerning(format!("sample {index}"))) {
                Ok(Some(_)) if skip > 0 => skip -= 1,
                Ok(Some(sample)) => batch.push(sample),
                Ok(None) => break,
                Err(error) => return Some(Err(error)),
            }
            index += 1;
        }
        if batch.is_empty() || (drop_last && batch.len() < batch_size) {
            return None;
        }
        Some(
            catch(|| D::Item::collate(batch))
                .map_err(|error| error.concerning(format!("the batch before sample {index}"))),
        )
    }))
}

/// Runs the batches that `open` starts on one thread, which reads ahead, or on the caller's thread.
pub(super) fn run<B: Send + 'static>(
    threaded: bool,
    prefetch: usize,
    open: impl FnOnce() -> Box<dyn Iterator<Item = Result<B>> + Send> + Send + 'static,
) -> Produced<B> {
    if !threaded {
        return open();
    }
    let (sender, receiver) = sync_channel(prefetch);
    let read = move || {
        for batch in open() {
            // The receiver was dropped.
            if sender.send(batch).is_err() {
                break;
            }
        }
    };
    match thread::Builder::new().name("data".to_string()).spawn(read) {
        Ok(thread) => Box::new(Reader { batches: Some(receiver), thread: Some(thread) }),
        Err(error) => {
            Box::new(std::iter::once(Err(Error::device("DataLoader", format!("a thread did not start: {error}")))))
        }
    }
}

struct Reader<B> {
    batches: Option<Receiver<Result<B>>>,
    thread: Option<JoinHandle<()>>,
}

impl<B> Iterator for Reader<B> {
    type Item = Result<B>;

    fn next(&mut self) -> Option<Result<B>> {
        self.batches.as_ref()?.recv().ok()
    }
}

impl<B> Drop for Reader<B> {
    fn drop(&mut self) {
        // The thread notices the dropped receiver when it sends the batch in progress.
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
