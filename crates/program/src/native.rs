//! Programs on lanthorn's tensors.

use crate::{
    Dispatch, Error, Outcome, Overload, Recorder, RecorderReport, Result, Upload, Value, aten, device_dtype,
    graph::Target, value,
};
use lanthorn_io::{DType, TensorData};
use lanthorn_schema::ParamType;
use lanthorn_tensor::{
    Device, Tensor, TensorUpload,
    compile::{Recordings, capture},
    func::is_vmap_active,
    is_grad_enabled,
    ops::{Arg, Op, Output},
    set_autocast, set_grad_enabled, trace,
};
use rustc_hash::FxHashMap;
use std::{
    cell::RefCell,
    future::Future,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// The operations of the table, on one device.
#[derive(Clone)]
pub struct Native {
    device: Device,
    overloads: Rc<RefCell<FxHashMap<String, Rc<[Overload]>>>>,
}

impl Native {
    /// The operations on this device. Programs make their tensors there, so it should be the
    /// default device while they run.
    pub fn new(device: &Device) -> Native {
        Native { device: device.clone(), overloads: Rc::default() }
    }

    /// The device.
    pub fn on(&self) -> &Device {
        &self.device
    }
}

impl Dispatch for Native {
    type Tensor = Tensor;

    fn overloads(&self, name: &str) -> Rc<[Overload]> {
        if let Some(found) = self.overloads.borrow().get(name) {
            return found.clone();
        }
        let overloads = Op::overloads(name).into_iter();
        let overloads = overloads.map(|op| Overload { schema: op.schema().clone(), in_place: op.in_place.is_some() });
        let overloads: Rc<[Overload]> = overloads.collect();
        // Names outside of the table come from a file, which may have any number of them.
        if !overloads.is_empty() {
            self.overloads.borrow_mut().insert(name.to_string(), overloads.clone());
        }
        overloads
    }

    fn run(&self, name: &str, args: Vec<Value<Tensor>>, in_place: bool) -> Result<Outcome<'_, Tensor>> {
        let op = Op::find(name).ok_or_else(|| Error::MissingOperators(vec![name.to_string()]))?;
        let mut args = args.into_iter().map(|value| value::to_argument(name, value)).collect::<Result<Vec<Arg>>>()?;
        let device = op.schema().params.iter().position(|param| param.ty == ParamType::OptionalDevice);
        if let Some(device) = device {
            args.resize(args.len().max(device + 1), Arg::Missing);
            args[device] = Arg::Device(self.device.clone());
        }
        if in_place {
            let written = op.run_in_place(&args).map_err(|error| Error::operation(name, error))?;
            return Ok(Outcome::Ready(Value::Tensor(written)));
        }
        if op.is_async() {
            // Many an operation that may read need not, as `index` without masks.
            let mut running = Box::pin(op.run_async(&args));
            if let Poll::Ready(output) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return result(name, output).map(Outcome::Ready);
            }
            let name = name.to_string();
            return Ok(Outcome::pending(async move { result(&name, running.await) }));
        }
        result(name, op.run(&args)).map(Outcome::Ready)
    }

    fn operator(
        &self,
        target: &Target,
        args: Vec<Value<Tensor>>,
        named: Vec<(String, Value<Tensor>)>,
    ) -> Result<Outcome<'_, Tensor>> {
        aten::call_target(self, target, args, named)
    }

    fn shape(&self, tensor: &Tensor) -> Vec<usize> {
        tensor.shape().to_vec()
    }

    fn strides(&self, tensor: &Tensor) -> Vec<i64> {
        tensor.stride().iter().map(|&stride| stride as i64).collect()
    }

    fn storage_offset(&self, tensor: &Tensor) -> usize {
        tensor.storage_offset()
    }

    fn dtype(&self, tensor: &Tensor) -> DType {
        tensor.dtype().into()
    }

    fn is_same(&self, a: &Tensor, b: &Tensor) -> bool {
        a.is(b)
    }

    fn assign(&self, target: &Tensor, source: &Tensor) -> Result<()> {
        target.copy_(source).map_err(|error| Error::operation("copy_", error))
    }

    fn detach(&self, tensor: &Tensor) -> Tensor {
        tensor.detach()
    }

    fn requires_grad(&self, tensor: &Tensor) -> bool {
        tensor.requires_grad()
    }

    fn set_requires_grad(&self, tensor: &Tensor, requires_grad: bool) -> Result<()> {
        let set = tensor.requires_grad_(requires_grad);
        set.map(|_| ()).map_err(|error| Error::operation("requires_grad_", error))
    }

    fn is_grad_enabled(&self) -> bool {
        is_grad_enabled()
    }

    fn set_grad_enabled(&self, enabled: bool) {
        set_grad_enabled(enabled);
    }

    fn set_autocast(&self, dtype: Option<DType>) -> Result<Option<DType>> {
        let wanted = dtype.and_then(|dtype| dtype.try_into().ok());
        let before = set_autocast(wanted).map_err(|error| Error::operation("autocast", error))?;
        Ok(before.map(DType::from))
    }

    fn has_dtype(&self, dtype: DType) -> bool {
        has_dtype(&self.device, dtype)
    }

    fn device(&self) -> String {
        self.device.name().to_string()
    }

    fn tensor(&self, data: TensorData<'_>) -> Result<Tensor> {
        let data = data.convert_for_device(&|dtype| self.has_dtype(dtype))?;
        let shape: Vec<i64> = data.shape().iter().map(|&size| size as i64).collect();
        let dtype = data.dtype().try_into().map_err(|odd| Error::unsupported(format!("{odd}")))?;
        Tensor::from_bytes(dtype, data.bytes(), shape, &self.device).map_err(|error| Error::operation("tensor", error))
    }

    fn begin_upload(&self, dtype: DType, shape: &[usize]) -> Result<Box<dyn Upload<Tensor>>> {
        let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
        let dtype = device_dtype(self, dtype).try_into().map_err(|odd| Error::unsupported(format!("{odd}")))?;
        let upload =
            TensorUpload::new(dtype, shape, &self.device).map_err(|error| Error::operation("tensor", error))?;
        Ok(Box::new(NativeUpload { device: self.device.clone(), upload }))
    }

    fn recorder(&self) -> Option<Rc<dyn Recorder<Tensor>>> {
        Some(Rc::new(Recordings::with_higher_derivatives()))
    }

    fn can_record(&self) -> bool {
        !capture::is_active() && !trace::is_active() && !is_vmap_active()
    }

    fn reads(&self) -> u64 {
        self.device.reads()
    }

    async fn read(&self, tensor: &Tensor) -> Result<TensorData<'static>> {
        let bytes = tensor.to_bytes().await.map_err(|error| Error::operation("item", error))?;
        let data = TensorData::new(self.dtype(tensor), self.shape(tensor), bytes);
        data.ok_or_else(|| Error::malformed("a tensor's bytes do not fit its shape"))
    }
}

impl Recorder<Tensor> for Recordings {
    fn replay(&self, arguments: &[Tensor]) -> Option<(u32, Vec<Tensor>)> {
        Recordings::replay(self, arguments)
    }

    fn start(&self, arguments: &[Tensor], constants: &[bool]) -> Result<Vec<Tensor>> {
        Recordings::start(self, arguments, constants).map_err(|error| Error::operation("compile", error))
    }

    fn finish(&self, results: &mut [Tensor]) -> Option<u32> {
        Recordings::finish(self, results)
    }

    fn abort(&self) {
        Recordings::abort(self);
    }

    fn report(&self) -> RecorderReport {
        let report = Recordings::report(self);
        RecorderReport { kernels: report.recordings, breaks: report.breaks }
    }
}

/// A tensor of a device that arrives in pieces.
struct NativeUpload {
    device: Device,
    upload: TensorUpload,
}

impl Upload<Tensor> for NativeUpload {
    fn push(&mut self, data: TensorData<'_>) -> Result<()> {
        let data = data.convert_for_device(&|dtype| has_dtype(&self.device, dtype))?;
        self.upload.push(data.bytes()).map_err(|error| Error::operation("tensor", error))
    }

    fn finish(self: Box<Self>) -> Result<Tensor> {
        self.upload.finish().map_err(|error| Error::operation("tensor", error))
    }
}

/// The result of an operation as a value.
fn result(op: &str, output: lanthorn_tensor::Result<Output>) -> Result<Value<Tensor>> {
    Ok(match output.map_err(|error| Error::operation(op, error))? {
        Output::Tensor(tensor) => Value::Tensor(tensor),
        Output::Tensors(tensors) => value::tensors(tensors),
        Output::Ints(values) => value::ints(values),
        Output::Bool(value) => Value::Bool(value),
        Output::DType(dtype) => Value::Str(dtype.name().to_string()),
    })
}

/// Whether a device has an element type.
fn has_dtype(device: &Device, dtype: DType) -> bool {
    dtype.try_into().is_ok_and(|dtype| device.capabilities().dtypes.contains(&dtype))
}
