//! The core's functions as JavaScript passes them, and its tensors.

use js_sys::Promise;
use lanthorn_call::Handle;
use lanthorn_io::DType;
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    fmt,
    rc::Rc,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// The functions of the core that a program calls: an object of `program/host.ts`.
    #[derive(Clone)]
    pub type Host;

    /// The table of operations, printed by `lanthorn-bindings`.
    #[wasm_bindgen(method)]
    pub fn operations(this: &Host) -> String;

    /// The name of the device in use.
    #[wasm_bindgen(method)]
    pub fn device(this: &Host) -> String;

    /// Whether the device has elements of 64 bits.
    #[wasm_bindgen(method, js_name = isWide)]
    pub fn is_wide(this: &Host) -> bool;

    /// Runs an operation by its number: a row of numbers, or a promise of one.
    #[wasm_bindgen(method, catch)]
    pub fn run(this: &Host, op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue, JsValue>;

    /// Runs the in-place form of an operation.
    #[wasm_bindgen(method, catch, js_name = runInPlace)]
    pub fn run_in_place(this: &Host, op: u32, words: &[f64], strings: Vec<String>) -> Result<(), JsValue>;

    /// A tensor from the bytes of its elements.
    #[wasm_bindgen(method, catch, js_name = fromBytes)]
    pub fn from_bytes(this: &Host, dtype: &str, bytes: &[u8], shape: &[f64]) -> Result<u32, JsValue>;

    /// Begins a tensor whose elements arrive in pieces, and returns the handle of the upload.
    #[wasm_bindgen(method, catch, js_name = uploadBegin)]
    pub fn upload_begin(this: &Host, dtype: &str, shape: &[f64]) -> Result<u32, JsValue>;

    /// The next bytes of an upload.
    #[wasm_bindgen(method, catch, js_name = uploadPush)]
    pub fn upload_push(this: &Host, upload: u32, bytes: &[u8]) -> Result<(), JsValue>;

    /// Ends an upload, and returns the handle of the tensor.
    #[wasm_bindgen(method, catch, js_name = uploadFinish)]
    pub fn upload_finish(this: &Host, upload: u32) -> Result<u32, JsValue>;

    /// Drops an upload.
    #[wasm_bindgen(method, catch, js_name = uploadDispose)]
    pub fn upload_dispose(this: &Host, upload: u32) -> Result<(), JsValue>;

    /// A promise of the bytes of a tensor's elements.
    #[wasm_bindgen(method, catch)]
    pub fn read(this: &Host, handle: u32) -> Result<Promise, JsValue>;

    /// The sizes.
    #[wasm_bindgen(method, catch)]
    pub fn shape(this: &Host, handle: u32) -> Result<Vec<u32>, JsValue>;

    /// The distances of neighbouring elements.
    #[wasm_bindgen(method, catch)]
    pub fn strides(this: &Host, handle: u32) -> Result<Vec<i32>, JsValue>;

    /// The index of the first element in the memory.
    #[wasm_bindgen(method, catch, js_name = storageOffset)]
    pub fn storage_offset(this: &Host, handle: u32) -> Result<u32, JsValue>;

    /// Begins a call, and sets whether it records operations for gradients, if that is given.
    /// Returns whether operations were recorded, and of each tensor the number of its element type,
    /// the number of its dimensions, and its sizes.
    #[wasm_bindgen(method, catch)]
    pub fn begin(this: &Host, handles: &[u32], grad_enabled: Option<bool>) -> Result<Vec<u32>, JsValue>;

    /// The element type's name.
    #[wasm_bindgen(method, catch)]
    pub fn dtype(this: &Host, handle: u32) -> Result<String, JsValue>;

    /// Copies the elements of the second tensor into the first.
    #[wasm_bindgen(method, catch)]
    pub fn copy(this: &Host, target: u32, source: u32) -> Result<(), JsValue>;

    /// The tensor without its history.
    #[wasm_bindgen(method, catch)]
    pub fn detach(this: &Host, handle: u32) -> Result<u32, JsValue>;

    /// Another handle of the same tensor.
    #[wasm_bindgen(method, catch)]
    pub fn share(this: &Host, handle: u32) -> Result<u32, JsValue>;

    /// Drops a handle.
    #[wasm_bindgen(method, catch)]
    pub fn dispose(this: &Host, handle: u32) -> Result<(), JsValue>;

    /// Whether the tensor requires gradients.
    #[wasm_bindgen(method, catch, js_name = requiresGrad)]
    pub fn requires_grad(this: &Host, handle: u32) -> Result<bool, JsValue>;

    /// Sets whether a leaf requires gradients.
    #[wasm_bindgen(method, catch, js_name = setRequiresGrad)]
    pub fn set_requires_grad(this: &Host, handle: u32, wanted: bool) -> Result<(), JsValue>;

    /// Sets whether operations are recorded for gradients, and returns the previous mode.
    #[wasm_bindgen(method, catch, js_name = setGradEnabled)]
    pub fn set_grad_enabled(this: &Host, enabled: bool) -> Result<bool, JsValue>;

    /// Whether operations are recorded for gradients.
    #[wasm_bindgen(method, catch, js_name = isGradEnabled)]
    pub fn is_grad_enabled(this: &Host) -> Result<bool, JsValue>;

    /// The number of calls of `setGradEnabled`.
    #[wasm_bindgen(method, js_name = gradModes)]
    pub fn grad_modes(this: &Host) -> f64;

    /// Sets the type of autocast, and returns the previous type.
    #[wasm_bindgen(method, catch, js_name = setAutocast)]
    pub fn set_autocast(this: &Host, dtype: Option<String>) -> Result<Option<String>, JsValue>;

    /// The handle of a value that is a tensor of the page.
    #[wasm_bindgen(method, catch, js_name = handleOf)]
    pub fn handle_of(this: &Host, value: &JsValue) -> Result<Option<u32>, JsValue>;

    /// A tensor of the page that owns a handle.
    #[wasm_bindgen(method)]
    pub fn wrap(this: &Host, handle: u32) -> JsValue;

    /// A new set of recordings.
    #[wasm_bindgen(method, catch)]
    pub fn recordings(this: &Host) -> Result<Recordings, JsValue>;

    /// Whether operations can be recorded and replayed now.
    #[wasm_bindgen(method, js_name = canRecord)]
    pub fn can_record(this: &Host) -> bool;

    /// The number of times that the device was read.
    #[wasm_bindgen(method, catch)]
    pub fn reads(this: &Host) -> Result<f64, JsValue>;

    /// The milliseconds of a clock.
    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;

    /// A promise of the next turn of the event loop.
    #[wasm_bindgen(method, js_name = nextTask)]
    pub fn next_task(this: &Host) -> Promise;

    /// Receives the text that a script prints.
    #[wasm_bindgen(method)]
    pub fn print(this: &Host, text: &str);
}

#[wasm_bindgen]
extern "C" {
    /// The recordings of a straight run of operations, for different sizes.
    pub type Recordings;

    /// Replays the recording that fits: its number and the handles of the results, or nothing.
    #[wasm_bindgen(method, catch)]
    pub fn replay(this: &Recordings, arguments: &[u32]) -> Result<Option<Vec<u32>>, JsValue>;

    /// Starts a recording. `constants` has a 1 for each argument that is the same in later calls.
    /// Returns the handles with which the operations must run.
    #[wasm_bindgen(method, catch)]
    pub fn start(this: &Recordings, arguments: &[u32], constants: &[u8]) -> Result<Vec<u32>, JsValue>;

    /// Ends a recording with these results. Returns its number, if it can be replayed.
    #[wasm_bindgen(method, catch)]
    pub fn finish(this: &Recordings, results: &[u32]) -> Result<Option<u32>, JsValue>;

    /// Ends a recording that is not replayed.
    #[wasm_bindgen(method, catch)]
    pub fn abort(this: &Recordings) -> Result<(), JsValue>;

    /// The number of kernels of each recording.
    #[wasm_bindgen(method, catch)]
    pub fn kernels(this: &Recordings) -> Result<Vec<u32>, JsValue>;

    /// Why runs could not be recorded.
    #[wasm_bindgen(method, catch)]
    pub fn breaks(this: &Recordings) -> Result<Vec<String>, JsValue>;

    /// Drops the recordings.
    #[wasm_bindgen(method)]
    pub fn dispose(this: &Recordings);
}

#[wasm_bindgen]
extern "C" {
    /// An `AbortSignal`.
    pub type Signal;

    /// Whether it was aborted.
    #[wasm_bindgen(method, getter)]
    pub fn aborted(this: &Signal) -> bool;
}

/// A handle of the core.
struct Owned {
    host: Host,
    handle: Cell<u32>,
    /// Whether the handle belongs to the page, which lends it for a call. Any other handle is
    /// dropped with the last reference.
    is_lent: Cell<bool>,
    /// The type and the sizes, if they are known and no operation has changed the view since.
    description: RefCell<Option<Description>>,
}

/// The type and the sizes of a tensor.
pub type Description = (DType, Rc<[usize]>);

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.is_lent.get() {
            // A core that is gone has dropped all of its tensors.
            let _ = self.host.dispose(self.handle.get());
        }
    }
}

/// A tensor of the core.
#[derive(Clone)]
pub struct Tensor(Rc<Owned>);

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({})", self.handle())
    }
}

impl Handle for Tensor {
    type Symbol = Infallible;
    type Device = Infallible;
}

impl Tensor {
    /// The tensor of a handle, which it owns from now on.
    pub fn own(host: &Host, handle: u32) -> Tensor {
        Tensor::with(host, handle, false)
    }

    fn with(host: &Host, handle: u32, is_lent: bool) -> Tensor {
        let (handle, is_lent) = (Cell::new(handle), Cell::new(is_lent));
        Tensor(Rc::new(Owned { host: host.clone(), handle, is_lent, description: RefCell::default() }))
    }

    /// The core's handle.
    pub fn handle(&self) -> u32 {
        self.0.handle.get()
    }

    /// Returns a handle for another owner: the last reference hands over its handle.
    pub fn release(self) -> Result<u32, JsValue> {
        let handle = self.handle();
        if self.0.is_lent.get() || Rc::strong_count(&self.0) > 1 {
            return self.0.host.share(handle);
        }
        self.0.is_lent.set(true);
        Ok(handle)
    }

    /// The type and the sizes, if they are known.
    pub fn description(&self) -> Option<Description> {
        self.0.description.borrow().clone()
    }

    /// Forgets the type and the sizes: an operation may have changed the view.
    pub fn forget_description(&self) {
        self.0.description.take();
    }
}

/// The tensors that the page lends to a call. Those that the call keeps get new handles.
#[derive(Default)]
pub struct Lent(Vec<Tensor>);

impl Lent {
    /// The tensor of a handle of the page. A handle that occurs twice is one tensor.
    pub fn tensor(&mut self, host: &Host, handle: u32) -> Tensor {
        if let Some(tensor) = self.0.iter().find(|tensor| tensor.handle() == handle) {
            return tensor.clone();
        }
        let tensor = Tensor::with(host, handle, true);
        self.0.push(tensor.clone());
        tensor
    }

    /// Begins a call with these tensors, whose types and sizes are known then. Sets whether it
    /// records operations for gradients, if that is given, and returns the previous mode.
    pub fn begin(&self, host: &Host, grad_enabled: Option<bool>) -> Result<bool, JsValue> {
        let handles: Vec<u32> = self.0.iter().map(Tensor::handle).collect();
        let mut words = host.begin(&handles, grad_enabled)?.into_iter();
        let before = words.next() == Some(1);
        for tensor in &self.0 {
            let (dtype, rank) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let shape: Rc<[usize]> = words.by_ref().take(rank as usize).map(|size| size as usize).collect();
            let dtype = lanthorn_ir::DType::ALL.get(dtype as usize).and_then(|dtype| DType::from_name(dtype.name()));
            tensor.0.description.replace(dtype.map(|dtype| (dtype, shape)));
        }
        Ok(before)
    }

    /// Makes each tensor own a handle: the page may dispose of its handles afterwards.
    pub fn keep(&mut self) -> Result<(), JsValue> {
        for tensor in self.0.drain(..) {
            tensor.forget_description();
            own(&tensor)?;
        }
        Ok(())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        for tensor in self.0.drain(..).filter(|tensor| Rc::strong_count(&tensor.0) > 1) {
            // It fails only where the core is gone, as the next operation says.
            let _ = own(&tensor);
        }
    }
}

/// Makes a lent tensor own its handle.
fn own(tensor: &Tensor) -> Result<(), JsValue> {
    if tensor.0.is_lent.get() {
        tensor.0.handle.set(tensor.0.host.share(tensor.handle())?);
        tensor.0.is_lent.set(false);
    }
    Ok(())
}
