//! The operations of the core in a page.

use super::{
    host::{Host, Tensor},
    operations::Operations,
    recorder::CoreRecorder,
};
use crate::error::failure;
use js_sys::{Float64Array, Promise};
use lanthorn_call::Row;
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error, Outcome, Overload, Recorder, Result, Upload, Value, device_dtype, graph::Target, value,
};
use lanthorn_schema::{ParamType, Schema};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The operations and tensors of the core in use, called by handle.
#[derive(Clone)]
pub struct Core {
    host: Host,
    operations: Rc<Operations>,
}

thread_local! {
    /// The table, which is read once.
    static OPERATIONS: std::cell::RefCell<Option<Rc<Operations>>> = const { std::cell::RefCell::new(None) };
}

impl Core {
    /// The operations that these functions run.
    pub fn new(host: Host) -> Core {
        let operations = OPERATIONS.with_borrow_mut(|known| {
            known.get_or_insert_with(|| Rc::new(Operations::parse(&host.operations()))).clone()
        });
        Core { host, operations }
    }

    /// The table of operations.
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// The core's functions.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// A row of the core as a value: handles of tensors, integers, 0 or 1, or the number of a type.
    fn decode(&self, schema: &Schema, row: &[f64]) -> Result<Value<Tensor>> {
        let tensors = || row.iter().map(|&handle| Tensor::own(&self.host, handle as u32));
        let missing = || Error::malformed(format!("{}: the core gave no result", schema.full_name()));
        let first = row.first().copied().ok_or_else(missing);
        Ok(match (&schema.returns[..], schema.returns.first().map(|result| result.ty.as_str())) {
            ([_], Some("Tensor")) => Value::Tensor(tensors().next().ok_or_else(missing)?),
            ([_], Some("int[]")) => value::ints(row.iter().map(|&value| value as i64)),
            ([_], Some("bool")) => Value::Bool(first? != 0.0),
            ([_], Some("ScalarType")) => {
                let dtype = lanthorn_ir::DType::ALL.get(first? as usize).ok_or_else(missing)?;
                Value::Str(dtype.name().to_string())
            }
            _ => value::tensors(tensors()),
        })
    }
}

/// A dispatcher whose tensors are tensors of the core, or are copied to the core.
pub trait OverCore: Dispatch + Clone + 'static {
    /// The core.
    fn core(&self) -> &Core;

    /// A tensor of the core as one of the dispatcher.
    fn raise(tensor: Tensor) -> Self::Tensor;

    /// The tensor in the core, if it is there.
    fn in_core(tensor: &Self::Tensor) -> Option<&Tensor>;

    /// The tensor in the core. One that is not there is copied to it.
    fn lower(&self, tensor: &Self::Tensor) -> Result<Tensor>;
}

impl OverCore for Core {
    fn core(&self) -> &Core {
        self
    }

    fn raise(tensor: Tensor) -> Tensor {
        tensor
    }

    fn in_core(tensor: &Tensor) -> Option<&Tensor> {
        Some(tensor)
    }

    fn lower(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }
}

impl Dispatch for Core {
    type Tensor = Tensor;

    fn overloads(&self, name: &str) -> Rc<[Overload]> {
        self.operations.overloads(name)
    }

    fn run(&self, name: &str, args: Vec<Value<Tensor>>, in_place: bool) -> Result<Outcome<'_, Tensor>> {
        let found = self.operations.find(name).ok_or_else(|| Error::MissingOperators(vec![name.to_string()]));
        let (number, op) = found?;
        let mut row = Row::default();
        for (index, arg) in args.iter().enumerate() {
            let arg = match op.schema.params.get(index) {
                // The core has one device.
                Some(param) if param.ty == ParamType::OptionalDevice => lanthorn_call::Value::Missing,
                _ => value::to_argument(name, arg.clone())?,
            };
            row.push(&arg, &mut |tensor: &Tensor| f64::from(tensor.handle()));
        }
        let failed = |error| failure(name, error);
        if in_place {
            let target = args.first().cloned().ok_or_else(|| Error::argument(name, "takes a tensor"))?;
            self.host.run_in_place(number, &row.words, row.strings).map_err(failed)?;
            target.as_tensor().inspect(|tensor| tensor.forget_description());
            return Ok(Outcome::Ready(target));
        }
        let row = self.host.run(number, &row.words, row.strings).map_err(failed)?;
        if row.is_instance_of::<Promise>() {
            let promise: Promise = row.unchecked_into();
            return Ok(Outcome::pending(async move {
                let row =
                    JsFuture::from(promise).await.map_err(|error| failure(op.schema.full_name().as_str(), error))?;
                self.decode(&op.schema, &Float64Array::new(&row).to_vec())
            }));
        }
        self.decode(&op.schema, &Float64Array::new(&row).to_vec()).map(Outcome::Ready)
    }

    fn operator(
        &self,
        target: &Target,
        args: Vec<Value<Tensor>>,
        named: Vec<(String, Value<Tensor>)>,
    ) -> Result<Outcome<'_, Tensor>> {
        #[cfg(feature = "pytorch")]
        return lanthorn_program::aten::call_target(self, target, args, named);
        // ONNX's operators are called by the dispatcher that keeps sizes on the host.
        #[cfg(not(feature = "pytorch"))]
        Err(Error::unsupported(format!("{target}, with {} arguments", args.len() + named.len())))
    }

    fn shape(&self, tensor: &Tensor) -> Vec<usize> {
        if let Some((_, shape)) = tensor.description() {
            return shape.to_vec();
        }
        let shape = self.host.shape(tensor.handle()).unwrap_or_default();
        shape.into_iter().map(|size| size as usize).collect()
    }

    fn strides(&self, tensor: &Tensor) -> Vec<i64> {
        let strides = self.host.strides(tensor.handle()).unwrap_or_default();
        strides.into_iter().map(i64::from).collect()
    }

    fn storage_offset(&self, tensor: &Tensor) -> usize {
        self.host.storage_offset(tensor.handle()).unwrap_or_default() as usize
    }

    fn dtype(&self, tensor: &Tensor) -> DType {
        if let Some((dtype, _)) = tensor.description() {
            return dtype;
        }
        let name = self.host.dtype(tensor.handle()).ok();
        name.and_then(|name| DType::from_name(&name)).unwrap_or(DType::F32)
    }

    fn is_same(&self, a: &Tensor, b: &Tensor) -> bool {
        a.handle() == b.handle()
    }

    fn assign(&self, target: &Tensor, source: &Tensor) -> Result<()> {
        self.host.copy(target.handle(), source.handle()).map_err(|error| failure("copy_", error))
    }

    fn detach(&self, tensor: &Tensor) -> Tensor {
        let detached = self.host.detach(tensor.handle());
        detached.map_or_else(|_| tensor.clone(), |handle| Tensor::own(&self.host, handle))
    }

    fn requires_grad(&self, tensor: &Tensor) -> bool {
        self.host.requires_grad(tensor.handle()).unwrap_or_default()
    }

    fn set_requires_grad(&self, tensor: &Tensor, requires_grad: bool) -> Result<()> {
        let set = self.host.set_requires_grad(tensor.handle(), requires_grad);
        set.map_err(|error| failure("requires_grad_", error))
    }

    fn is_grad_enabled(&self) -> bool {
        self.host.is_grad_enabled().unwrap_or(true)
    }

    fn set_grad_enabled(&self, enabled: bool) {
        // It fails only where the core is gone, as the next operation says.
        let _ = self.host.set_grad_enabled(enabled);
    }

    fn set_autocast(&self, dtype: Option<DType>) -> Result<Option<DType>> {
        let before = self.host.set_autocast(dtype.map(|dtype| dtype.name().to_string()));
        let before = before.map_err(|error| failure("autocast", error))?;
        Ok(before.and_then(|name| DType::from_name(&name)))
    }

    fn has_dtype(&self, dtype: DType) -> bool {
        dtype.is_in_page(self.host.is_wide())
    }

    fn device(&self) -> String {
        self.host.device()
    }

    fn tensor(&self, data: TensorData<'_>) -> Result<Tensor> {
        let data = data.convert_for_device(&|dtype| self.has_dtype(dtype))?;
        let shape: Vec<f64> = data.shape().iter().map(|&size| size as f64).collect();
        let made = self.host.from_bytes(data.dtype().name(), data.bytes(), &shape);
        made.map(|handle| Tensor::own(&self.host, handle)).map_err(|error| failure("tensor", error))
    }

    fn begin_upload(&self, dtype: DType, shape: &[usize]) -> Result<Box<dyn Upload<Tensor>>> {
        let shape: Vec<f64> = shape.iter().map(|&size| size as f64).collect();
        let upload = self.host.upload_begin(device_dtype(self, dtype).name(), &shape);
        let upload = upload.map_err(|error| failure("tensor", error))?;
        Ok(Box::new(CoreUpload { core: self.clone(), upload }))
    }

    fn recorder(&self) -> Option<Rc<dyn Recorder<Tensor>>> {
        Some(Rc::new(CoreRecorder::new(&self.host)?))
    }

    fn can_record(&self) -> bool {
        self.host.can_record()
    }

    fn reads(&self) -> u64 {
        self.host.reads().unwrap_or_default() as u64
    }

    async fn read(&self, tensor: &Tensor) -> Result<TensorData<'static>> {
        let failed = |error: JsValue| failure("item", error);
        let promise = self.host.read(tensor.handle()).map_err(failed)?;
        let bytes = JsFuture::from(promise).await.map_err(failed)?;
        let data = TensorData::new(self.dtype(tensor), self.shape(tensor), js_sys::Uint8Array::from(bytes).to_vec());
        data.ok_or_else(|| Error::malformed("a tensor's bytes do not fit its shape"))
    }
}

/// A tensor that arrives in the core in pieces. Dropping an unfinished upload drops it in the core.
struct CoreUpload {
    core: Core,
    upload: u32,
}

impl Upload<Tensor> for CoreUpload {
    fn push(&mut self, data: TensorData<'_>) -> Result<()> {
        let data = data.convert_for_device(&|dtype| self.core.has_dtype(dtype))?;
        let pushed = self.core.host.upload_push(self.upload, data.bytes());
        pushed.map_err(|error| failure("tensor", error))
    }

    fn finish(self: Box<Self>) -> Result<Tensor> {
        let made = self.core.host.upload_finish(self.upload).map_err(|error| failure("tensor", error))?;
        Ok(Tensor::own(&self.core.host, made))
    }
}

impl Drop for CoreUpload {
    fn drop(&mut self) {
        // A core that is gone has dropped all of its uploads.
        let _ = self.core.host.upload_dispose(self.upload);
    }
}
