//! The bytes of a block.

#[cfg(target_family = "wasm")]
use lanthorn_ir::Error;
use lanthorn_ir::Result;
#[cfg(not(target_family = "wasm"))]
use lanthorn_shared_memory::SharedFile;

/// Memory for a block: on the heap of a WebAssembly core, or in a file.
pub(super) enum Memory {
    #[cfg(target_family = "wasm")]
    Heap(std::cell::UnsafeCell<Vec<u128>>),
    #[cfg(not(target_family = "wasm"))]
    File(SharedFile),
}

impl Memory {
    /// Creates a block of zeros. `space` and `block` become part of a file's name.
    pub fn zeros(bytes: usize, space: u64, block: u64) -> Result<Memory> {
        #[cfg(not(target_family = "wasm"))]
        return SharedFile::create("share_memory_", bytes, space, block).map(Memory::File);
        #[cfg(target_family = "wasm")]
        {
            let _ = (space, block);
            let mut words = Vec::new();
            let count = bytes.div_ceil(size_of::<u128>()).max(1);
            if words.try_reserve_exact(count).is_err() {
                let message = format!("no memory for a shared block of {bytes} bytes: the memory cannot grow further");
                return Err(Error::out_of_memory("share_memory_", message));
            }
            words.resize(count, 0u128);
            Ok(Memory::Heap(words.into()))
        }
    }

    /// Opens the memory that another process created.
    #[cfg(not(target_family = "wasm"))]
    pub fn open(path: &str, bytes: usize, space: u64, block: u64) -> Result<Memory> {
        SharedFile::open("from_handle", path, bytes, space, block).map(Memory::File)
    }

    #[cfg(target_family = "wasm")]
    pub fn open(_path: &str, _bytes: usize, _space: u64, _block: u64) -> Result<Memory> {
        Err(Error::device("from_handle", "a file cannot be mapped here"))
    }

    /// The first byte, aligned for every element type.
    pub fn start(&self) -> *mut u8 {
        match self {
            #[cfg(target_family = "wasm")]
            // SAFETY: the vector itself never changes. Only its address is read.
            Memory::Heap(words) => unsafe { (*words.get()).as_mut_ptr().cast() },
            #[cfg(not(target_family = "wasm"))]
            Memory::File(mapped) => mapped.start(),
        }
    }

    /// The path of the file, if there is one.
    pub fn file(&self) -> Option<String> {
        match self {
            #[cfg(target_family = "wasm")]
            Memory::Heap(_) => None,
            #[cfg(not(target_family = "wasm"))]
            Memory::File(mapped) => Some(mapped.path()),
        }
    }

    /// Records in the memory that a name was opened, for the process that created the name.
    pub fn note_opened(&self) {
        #[cfg(not(target_family = "wasm"))]
        match self {
            Memory::File(mapped) => mapped.note_opened(),
        }
    }

    /// Number of names that other processes have opened since the last call.
    pub fn take_opened(&self) -> usize {
        match self {
            #[cfg(target_family = "wasm")]
            Memory::Heap(_) => 0,
            #[cfg(not(target_family = "wasm"))]
            Memory::File(mapped) => mapped.take_opened(),
        }
    }
}
