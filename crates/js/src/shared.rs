//! Tensors in memory that workers share: see `shared-memory.ts` of the package.

use crate::{error::Result, state::state, tensor::sizes};
use lanthorn::{Error, SharedName, Tensor, TensorHandle};
use wasm_bindgen::prelude::wasm_bindgen;

/// The numbers of a handle, in the order of the package: the memory, the elements and the offset, 1
/// if it requires gradients, the sizes and then the strides.
fn numbers(handle: &TensorHandle) -> Vec<f64> {
    let TensorHandle { memory, elements, shape, strides, offset, requires_grad, .. } = handle;
    let head = [memory.space, memory.block, memory.ticket, memory.bytes, *elements as u64, *offset as u64];
    let mut numbers: Vec<f64> = head.iter().map(|&number| number as f64).collect();
    numbers.push(f64::from(u8::from(*requires_grad)));
    numbers.extend(shape.iter().map(|&size| size as f64));
    numbers.extend(strides.iter().map(|&stride| stride as f64));
    numbers
}

fn handle(op: &str, dtype: &str, numbers: &[f64]) -> Result<TensorHandle> {
    let whole = sizes(op, numbers)?;
    let [space, block, ticket, bytes, elements, offset, requires_grad, rest @ ..] = &whole[..] else {
        return Err(Error::argument(op, "the handle is not complete").into());
    };
    let unsigned = |number: &i64| u64::try_from(*number).map_err(|_| Error::argument(op, "a negative number"));
    let size = |number: &i64| usize::try_from(*number).map_err(|_| Error::argument(op, "a size is out of range"));
    let (shape, strides) = rest.split_at(rest.len() / 2);
    Ok(TensorHandle {
        memory: SharedName {
            space: unsigned(space)?,
            block: unsigned(block)?,
            ticket: unsigned(ticket)?,
            bytes: unsigned(bytes)?,
            file: None,
        },
        dtype: dtype.to_string(),
        elements: size(elements)?,
        shape: shape.iter().map(size).collect::<lanthorn::Result<_>>()?,
        strides: strides.iter().map(|&stride| stride as isize).collect(),
        offset: size(offset)?,
        requires_grad: *requires_grad != 0,
    })
}

/// Moves a tensor to shared memory.
#[wasm_bindgen(js_name = tensorShareMemory)]
pub fn share_memory(tensor: u32) -> Result<()> {
    state().tensors.get(tensor)?.share_memory_()?;
    Ok(())
}

/// Whether a tensor is in shared memory.
#[wasm_bindgen(js_name = tensorIsShared)]
pub fn is_shared(tensor: u32) -> Result<bool> {
    Ok(state().tensors.get(tensor)?.is_shared())
}

/// The numbers of a tensor's handle.
#[wasm_bindgen(js_name = tensorHandle)]
pub fn tensor_handle(tensor: u32) -> Result<Vec<f64>> {
    Ok(numbers(&state().tensors.get(tensor)?.handle()?))
}

/// The tensor of a handle.
#[wasm_bindgen(js_name = tensorFromHandle)]
pub fn from_handle(dtype: &str, numbers: &[f64]) -> Result<u32> {
    let state = state();
    let tensor = Tensor::from_handle(&handle("from_handle", dtype, numbers)?, &state.device()?)?;
    Ok(state.tensors.add(tensor))
}

/// Releases a handle that no thread will receive.
#[wasm_bindgen(js_name = handleRelease)]
pub fn release_handle(dtype: &str, numbers: &[f64]) -> Result<()> {
    handle("release_handle", dtype, numbers)?.release(&state().device()?);
    Ok(())
}

/// The number of this device among those that refer to shared memory.
#[wasm_bindgen(js_name = sharedHolder)]
pub fn holder() -> Result<Option<u32>> {
    Ok(state().device()?.memory().shared_holder())
}

/// Sets the identity of the memory, a random number, unless it has one, and makes the tables that
/// threads share. Called before another thread can attach.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = setMemorySpace)]
pub fn set_space(identity: f64) {
    lanthorn::ops::prepare();
    lanthorn_cpu::shared::set_space(identity as u64);
}

/// The identity of the memory.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = memorySpace)]
pub fn space() -> f64 {
    lanthorn_cpu::shared::space() as f64
}

/// Attaches this thread to the memory of another; it runs its kernels itself. Returns the number by
/// which it can be ended.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = attachThread)]
pub fn attach() -> u32 {
    lanthorn_cpu::compute_alone();
    lanthorn_cpu::shared::number_thread()
}

/// Makes an attached thread end in a trap as soon as it allocates memory, so that it can be
/// terminated while it has no lock.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = cancelThread)]
pub fn cancel(thread: u32) {
    lanthorn_cpu::shared::cancel(thread);
}

/// The number of blocks of shared memory.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = sharedBlocks)]
pub fn blocks() -> Result<u32> {
    Ok(lanthorn_cpu::shared::shared_blocks()? as u32)
}

/// Drops the references of a worker that has ended.
#[cfg(all(feature = "cpu", target_arch = "wasm32", target_feature = "atomics"))]
#[wasm_bindgen(js_name = releaseHolder)]
pub fn release_holder(holder: u32) -> Result<()> {
    // SAFETY: the package calls it when the worker has ended.
    unsafe { lanthorn_cpu::shared::release_holder(holder)? };
    Ok(())
}
