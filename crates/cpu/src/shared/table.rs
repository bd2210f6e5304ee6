//! The table of blocks and their references.

use super::memory::Memory;
use crate::lock::Guarded;
use lanthorn_ir::{Error, Result, SharedName};
use std::{
    collections::BTreeMap,
    ptr::NonNull,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst},
};

/// The key of a block: the space that created it, and its number there.
type Key = (u64, u64);

struct Entry {
    memory: Memory,
    bytes: usize,
    /// The references of each holder.
    counts: Vec<(u32, usize)>,
    /// The names in flight, the oldest first.
    tickets: Vec<u64>,
}

// SAFETY: the memory is a plain block of bytes, whose address does not depend on a thread.
unsafe impl Send for Entry {}

#[derive(Default)]
struct Table {
    entries: BTreeMap<Key, Entry>,
    /// The number of blocks and tickets created so far.
    made: u64,
}

static TABLE: Guarded<Table> = Guarded::new(Table { entries: BTreeMap::new(), made: 0 });
static SPACE: AtomicU64 = AtomicU64::new(0);
static HOLDERS: AtomicU32 = AtomicU32::new(1);

/// Uses the table. It never blocks, because the main thread of a page may not.
fn with<T>(op: &str, run: impl FnOnce(&mut Table) -> T) -> Result<T> {
    let used = TABLE.with(|table| {
        observe_memory();
        run(table)
    });
    used.ok_or_else(|| {
        let message = "a worker was killed while it used the table of shared tensors; no tensor can be shared here";
        Error::device(op, message)
    })
}

/// Updates the known size of the memory, which other threads may have grown.
fn observe_memory() {
    #[cfg(all(target_family = "wasm", target_feature = "atomics"))]
    crate::memory_growth::observe();
}

pub(super) fn set_space(identity: u64) {
    let _ = SPACE.compare_exchange(0, identity, SeqCst, SeqCst);
}

pub(super) fn space() -> u64 {
    #[cfg(not(target_family = "wasm"))]
    if SPACE.load(SeqCst) == 0 {
        use std::hash::{BuildHasher, RandomState};
        set_space(RandomState::new().hash_one(std::process::id()) | 1);
    }
    SPACE.load(SeqCst)
}

pub(super) fn count() -> Result<usize> {
    with("shared_memory", |table| {
        table.sweep();
        table.entries.len()
    })
}

pub(super) fn release_holder(holder: u32) -> Result<()> {
    with("release", |table| {
        table.entries.values_mut().for_each(|entry| entry.counts.retain(|(other, _)| *other != holder));
        table.sweep();
    })
}

impl Table {
    fn number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Drops the blocks without references.
    fn sweep(&mut self) {
        self.entries.retain(|_, entry| {
            let opened = entry.memory.take_opened().min(entry.tickets.len());
            entry.tickets.drain(..opened);
            !(entry.counts.is_empty() && entry.tickets.is_empty())
        });
    }
}

impl Entry {
    fn hold(&mut self, holder: u32) {
        match self.counts.iter_mut().find(|(other, _)| *other == holder) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((holder, 1)),
        }
    }

    fn let_go(&mut self, holder: u32) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(other, _)| *other == holder) {
            *count -= 1;
        }
        self.counts.retain(|(_, count)| *count > 0);
    }

    fn block(&self, key: Key) -> Block {
        // The start of an allocation is never null.
        Block { start: NonNull::new(self.memory.start()).unwrap_or(NonNull::dangling()), bytes: self.bytes, key }
    }
}

/// A block that a holder references, until it frees it.
pub(crate) struct Block {
    start: NonNull<u8>,
    bytes: usize,
    key: Key,
}

impl Block {
    /// The bytes, which other threads may write meanwhile. Elements of bool may then be any byte.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the block lives while its holder references it. Other threads may store to it
        // while the slice exists. The bytes are only ever loaded as plain numbers, and the
        // documentation of shared memory allows a number that mixes two stores.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The bytes, mutable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above. A device has one buffer for a block, so this thread has no other slice
        // of it.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

/// A device, as a holder of references to blocks. Dropping it ends all its references.
pub(crate) struct Holder(u32);

impl Holder {
    pub fn new() -> Holder {
        Holder(HOLDERS.fetch_add(1, SeqCst))
    }

    pub fn number(&self) -> u32 {
        self.0
    }

    /// Allocates a block of zeros.
    pub fn allocate(&self, bytes: usize) -> Result<Block> {
        const OP: &str = "share_memory_";
        let space = space();
        if space == 0 {
            return Err(Error::device(OP, "the memory of this core is not shared"));
        }
        let number = with(OP, Table::number)?;
        // Outside of the lock, because it takes long.
        let memory = Memory::zeros(bytes, space, number)?;
        let key = (space, number);
        with(OP, |table| {
            table.sweep();
            let entry = table.entries.entry(key).or_insert(Entry { memory, bytes, counts: vec![], tickets: vec![] });
            entry.hold(self.0);
            entry.block(key)
        })
    }

    /// Creates a name of a block.
    pub fn send(&self, block: &Block) -> Result<SharedName> {
        const OP: &str = "handle";
        let (space, number) = block.key;
        let name = with(OP, |table| {
            let ticket = table.number();
            let entry = table.entries.get_mut(&block.key)?;
            entry.tickets.push(ticket);
            let file = entry.memory.file();
            Some(SharedName { space, block: number, ticket, bytes: block.bytes as u64, file })
        })?;
        name.ok_or_else(|| Error::disposed(OP, "the tensor's memory was let go"))
    }

    /// Opens the block of a name.
    pub fn open(&self, name: &SharedName) -> Result<Block> {
        const OP: &str = "from_handle";
        let key = (name.space, name.block);
        let known = with(OP, |table| {
            let entry = table.entries.get_mut(&key)?;
            if entry.bytes as u64 != name.bytes {
                return Some(Err(Error::argument(OP, "the handle does not fit the memory that it names")));
            }
            let opened = entry.tickets.iter().position(|&ticket| ticket == name.ticket);
            match opened {
                Some(index) => drop(entry.tickets.remove(index)),
                None if name.space != space() => entry.memory.note_opened(),
                None => {}
            }
            entry.hold(self.0);
            Some(Ok(entry.block(key)))
        })?;
        match known {
            Some(block) => block,
            None if name.space == space() => {
                Err(Error::disposed(OP, "the tensor was let go: whoever sends a handle keeps the tensor or the handle"))
            }
            None => self.map(name, key),
        }
    }

    /// Maps the block of another process.
    fn map(&self, name: &SharedName, key: Key) -> Result<Block> {
        const OP: &str = "from_handle";
        let Some(file) = &name.file else {
            let message = "the tensor is in the memory of another core; attach to that memory, or send its elements";
            return Err(Error::device(OP, message));
        };
        let bytes = usize::try_from(name.bytes).map_err(|_| Error::argument(OP, "the handle names too much memory"))?;
        let memory = Memory::open(file, bytes, name.space, name.block)?;
        memory.note_opened();
        with(OP, |table| {
            // Another thread may have mapped it meanwhile.
            let entry = table.entries.entry(key).or_insert(Entry { memory, bytes, counts: vec![], tickets: vec![] });
            entry.hold(self.0);
            entry.block(key)
        })
    }

    /// Drops the reference of a name.
    pub fn give_up(&self, name: &SharedName) {
        // If the table is unusable, there is nothing to drop.
        let _ = with("release", |table| {
            if let Some(entry) = table.entries.get_mut(&(name.space, name.block)) {
                entry.tickets.retain(|&ticket| ticket != name.ticket);
                if name.space != space() {
                    // The process that created the ticket has it.
                    entry.memory.note_opened();
                }
            }
            table.sweep();
        });
    }

    /// Drops one reference to a block.
    pub fn free(&self, block: Block) {
        let _ = with("release", |table| {
            if let Some(entry) = table.entries.get_mut(&block.key) {
                entry.let_go(self.0);
            }
            table.sweep();
        });
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = release_holder(self.0);
    }
}
