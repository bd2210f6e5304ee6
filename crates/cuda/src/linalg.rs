//! Steps on the host: the processor runs kernels that are slow on a GPU, in the middle of a
//! submission. The thread waits for their inputs.

use crate::{
    State,
    driver::{Driver, Mark},
};
use lanthorn_ir::{Error, Result, backend::Launch};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl<D: Driver> State<D> {
    /// Runs consecutive launches of a submission on the host. Results that a later one of them
    /// reads stay on the host.
    pub(crate) fn host_steps(self: &Rc<Self>, submission: u64, first: usize, launches: &[Launch]) {
        let mut contents: FxHashMap<u64, Vec<u8>> = FxHashMap::default();
        for (launch, at) in launches.iter().zip(first..) {
            let done = self.measure(submission, at, || self.host_step(launch, &mut contents));
            if let Err(error) = done {
                // The next launch does not find these outputs either.
                launch.outputs.iter().for_each(|id| drop(contents.remove(&id.0)));
                self.report(submission, Some(at), error.in_op(launch.op));
            }
        }
    }

    fn host_step(&self, launch: &Launch, contents: &mut FxHashMap<u64, Vec<u8>>) -> Result<()> {
        let (kernel, inputs, outputs) = self.check(launch)?;
        let Some(linalg) = &kernel.host else { return Ok(()) };
        for ((id, buffer), (dtype, elements)) in launch.inputs.iter().zip(&inputs).zip(linalg.inputs()) {
            let bytes = elements * dtype.size();
            if contents.get(&id.0).is_some_and(|known| known.len() >= bytes) {
                continue;
            }
            if bytes as u64 > buffer.bytes {
                return Err(Error::argument("read", format!("{bytes} bytes of a buffer of {}", buffer.bytes)));
            }
            let staging = self.take_staging(bytes)?;
            // SAFETY: the buffer has these bytes, and the block is not used before they are copied.
            self.check_answer(unsafe { self.driver.download(staging.start(), buffer.pointer, bytes) })?;
            self.check_answer(self.driver.mark().and_then(|mark| mark.wait()))?;
            // SAFETY: the copy is done.
            contents.insert(id.0, unsafe { staging.read() }.to_vec());
        }
        let mut made: Vec<Vec<u8>> =
            linalg.outputs().iter().map(|(dtype, elements)| vec![0; elements * dtype.size()]).collect();
        let read: Vec<&[u8]> = launch.inputs.iter().map(|id| contents[&id.0].as_slice()).collect();
        let slices = &mut made.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>();
        let outcome = lanthorn_linalg::run_batch(linalg, launch.op, 0..linalg.batch, &read, slices);
        for ((id, buffer), bytes) in launch.outputs.iter().zip(&outputs).zip(made) {
            self.copy_up(buffer.pointer, &bytes)?;
            contents.insert(id.0, bytes);
        }
        outcome
    }
}
