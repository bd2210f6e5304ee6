//! The threads of the CPU's kernels, which are workers of the page. JavaScript starts them.

use crate::error::Result;
use js_sys::Function;
use lanthorn_cpu::PoolThread;
use std::cell::RefCell;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[global_allocator]
static ALLOCATOR: lanthorn_cpu::ObservingAllocator = lanthorn_cpu::ObservingAllocator;

thread_local! {
    static STARTER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Registers the function that starts a thread: it is given the thread's number, and the address of a
/// word of 32 bits. The thread calls [`thread_run`]; if it dies, its page stores 3 at the address.
#[wasm_bindgen(js_name = setThreadStarter)]
pub fn set_thread_starter(starter: Function) {
    STARTER.set(Some(starter));
    lanthorn_cpu::set_thread_starter(|thread| {
        let (number, state) = (thread.number(), thread.state_address() as u32);
        STARTER.with_borrow(|starter| {
            if let Some(starter) = starter {
                // A thread that does not start is as one that is late: the others do its work.
                let _ = starter.call2(&JsValue::UNDEFINED, &number.into(), &state.into());
            }
        });
    });
}

/// Runs parts of kernels until the pool has fewer threads. Called on the thread itself.
#[wasm_bindgen(js_name = threadRun)]
pub fn thread_run(number: u32) -> Result<()> {
    PoolThread::from_number(number)?.run();
    Ok(())
}

/// The number of threads of kernels, the calling one included.
#[wasm_bindgen(js_name = numThreads)]
pub fn num_threads() -> u32 {
    lanthorn_cpu::num_threads() as u32
}

/// Sets the number of threads of kernels, the calling one included.
#[wasm_bindgen(js_name = setNumThreads)]
pub fn set_num_threads(threads: u32) -> Result<()> {
    Ok(lanthorn_cpu::set_num_threads(threads as usize)?)
}
