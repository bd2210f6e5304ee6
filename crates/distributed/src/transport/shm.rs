//! The backend `shm`: processes of one machine exchange elements through shared memory.
//!
//! TCP connections carry small data: the calls that ranks compare, the end of a rank, and messages
//! between two ranks. The elements of a reduction, a broadcast or a gather are in a file that all
//! ranks map. It has a row for each rank and one for the result. Each rank reduces one part over
//! the rows of all ranks, in the order of the ring of [`Tcp`], so the results are bitwise equal.
//!
//! Ranks write rows before one barrier, and results before a second one. A rank writes for the next
//! collective only after all ranks have compared their calls, and so have read the previous
//! results.

use super::{
    Call, Collective, Completion, Transport,
    tcp::{Tcp, parts},
};
use crate::{
    InitOptions, ReduceOp,
    reduce::{combine, divide},
};
use lanthorn_ir::{DType, Error, Result};
use lanthorn_shared_memory::SharedFile;
use std::{
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
};

/// The transport over shared memory.
pub(crate) struct Shm {
    control: Tcp,
    memory: Mutex<Option<Rows>>,
}

/// The rows of all ranks, followed by the row of the result.
struct Rows {
    file: SharedFile,
    /// The number of bytes of a row.
    capacity: usize,
}

/// The smallest row in bytes.
const MIN_CAPACITY: usize = 1 << 16;
/// The longest path of a file in bytes.
const MAX_PATH: usize = 256;

impl Shm {
    /// Connects to all ranks, which must be on one machine.
    pub fn new(options: &InitOptions) -> Result<Shm> {
        let shm = Shm { control: Tcp::new(options)?, memory: Mutex::new(None) };
        // Opens a file now, so ranks on different machines fail here and not in the first step.
        shm.with_rows("init_process_group", MIN_CAPACITY, |_| Ok(()))?;
        Ok(shm)
    }

    /// Calls a function with rows of a size. All ranks request the same size.
    fn with_rows<T>(&self, op: &str, bytes: usize, run: impl FnOnce(&Rows) -> Result<T>) -> Result<T> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = match memory.take() {
            Some(rows) if rows.capacity >= bytes => rows,
            _ => self.rows(op, bytes.next_power_of_two().max(MIN_CAPACITY))?,
        };
        let result = run(&rows);
        *memory = Some(rows);
        result
    }

    /// Creates new rows: rank 0 creates the file, and the others open it.
    fn rows(&self, op: &str, capacity: usize) -> Result<Rows> {
        let total = capacity.saturating_mul(self.world_size() + 1);
        let made = (self.rank() == 0).then(|| {
            let space = RandomState::new().hash_one(std::process::id());
            SharedFile::create(op, total, space, 0).map(|file| (file, space))
        });
        let mut sent = vec![0; 8 + MAX_PATH];
        if let Some(Ok((file, space))) = &made {
            sent[..8].copy_from_slice(&space.to_le_bytes());
            let path = file.path();
            let fits = sent.get_mut(8..8 + path.len()).map(|slot| slot.copy_from_slice(path.as_bytes()));
            fits.ok_or_else(|| Error::distributed(op, format!("the path {path:?} is too long")))?;
        }
        let call = Call { collective: Collective::Broadcast(0), dtype: DType::U8, bytes: sent.len() };
        let sent_path = self.control.collective(&call, sent)?;
        let opened = match made {
            Some(made) => made.map(|(file, _)| file),
            None => open(op, &sent_path, total),
        };
        // The ranks agree on whether all have opened the file. Then rank 0 may delete the previous
        // file.
        let state = vec![u8::from(opened.is_ok())];
        let call = Call { collective: Collective::AllGather, dtype: DType::U8, bytes: 1 };
        let states = self.control.collective(&call, state)?;
        let file = opened?;
        match states.iter().position(|state| *state == 0) {
            None => Ok(Rows { file, capacity }),
            Some(rank) => {
                let message =
                    format!("rank {rank} cannot map the memory; the ranks of shm are on one machine, others take tcp");
                Err(Error::distributed(op, message))
            }
        }
    }

    /// Waits for all ranks.
    fn meet(&self) -> Result<()> {
        let call = Call { collective: Collective::Barrier, dtype: DType::U8, bytes: 0 };
        self.control.collective(&call, vec![]).map(drop)
    }

    /// Writes this rank's row, and waits for the rows of the others.
    fn exchange(&self, rows: &Rows, bytes: &[u8]) -> Result<()> {
        rows.file.write(self.rank() * rows.capacity, bytes);
        self.meet()
    }

    fn all_reduce(&self, rows: &Rows, op: ReduceOp, dtype: DType, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (rank, ranks) = (self.rank(), self.world_size());
        self.exchange(rows, &bytes)?;
        let part = parts(bytes.len(), dtype.size(), ranks)[rank].clone();
        let row = |from: usize| {
            let mut taken = vec![0; part.len()];
            rows.file.read((from % ranks) * rows.capacity + part.start, &mut taken);
            taken
        };
        let mut total = row(rank + 1);
        for step in 2..=ranks {
            combine(op, dtype, &mut total, &row(rank + step));
        }
        divide(op, dtype, &mut total, ranks);
        rows.file.write(ranks * rows.capacity + part.start, &total);
        self.meet()?;
        rows.file.read(ranks * rows.capacity, &mut bytes);
        Ok(bytes)
    }
}

/// Opens the file whose path rank 0 sent.
fn open(op: &str, sent_path: &[u8], total: usize) -> Result<SharedFile> {
    let failed = || Error::distributed(op, "rank 0 could not make shared memory");
    let (space, path) = sent_path.split_first_chunk().ok_or_else(failed)?;
    let path = path.split(|byte| *byte == 0).next().filter(|path| !path.is_empty()).ok_or_else(failed)?;
    let path = std::str::from_utf8(path).map_err(|_| failed())?;
    SharedFile::open(op, path, total, u64::from_le_bytes(*space), 0)
}

impl Transport for Shm {
    fn rank(&self) -> usize {
        self.control.rank()
    }

    fn world_size(&self) -> usize {
        self.control.world_size()
    }

    fn collective(&self, call: &Call, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let name = call.collective.name();
        let ranks = self.world_size();
        let is_shared =
            matches!(call.collective, Collective::AllReduce(_) | Collective::Broadcast(_) | Collective::AllGather);
        if !is_shared || ranks == 1 || call.bytes == 0 {
            return self.control.collective(call, bytes);
        }
        self.control.compare(call)?;
        self.with_rows(name, call.bytes, |rows| match call.collective {
            Collective::AllReduce(op) => self.all_reduce(rows, op, call.dtype, bytes),
            Collective::Broadcast(root) => {
                if self.rank() == root {
                    rows.file.write(root * rows.capacity, &bytes);
                }
                self.meet()?;
                rows.file.read(root * rows.capacity, &mut bytes);
                Ok(bytes)
            }
            _ => {
                self.exchange(rows, &bytes)?;
                let mut all = vec![0; call.bytes * ranks];
                for (rank, row) in all.chunks_exact_mut(call.bytes).enumerate() {
                    rows.file.read(rank * rows.capacity, row);
                }
                Ok(all)
            }
        })
    }

    fn send(&self, to: usize, tag: u32, dtype: DType, bytes: Vec<u8>) -> Result<Completion> {
        self.control.send(to, tag, dtype, bytes)
    }

    fn recv(&self, from: usize, tag: u32, dtype: DType, bytes: usize) -> Result<Vec<u8>> {
        self.control.recv(from, tag, dtype, bytes)
    }

    fn abort(&self, reason: &str) {
        self.control.abort(reason);
    }

    fn close(&self) {
        self.control.close();
    }
}
