//! Implements the dispatcher for [`Hosted`].

use super::{
    Array, Hosted, MAX_ELEMENTS, Tensor,
    array::count,
    evaluate::{Argument, evaluate},
};
use crate::operators;
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error, Outcome, Overload, Recorder, RecorderReport, Result, Upload, Value, device_dtype, graph::Target,
    value::is_floating_point,
};
use lanthorn_schema::ParamType;
use std::rc::Rc;

impl<D: Dispatch> Hosted<D> {
    /// Evaluates an operation on the host. Returns `None` if one of its tensors is on the device.
    fn evaluate(&self, name: &str, args: &[Value<Tensor<D::Tensor>>]) -> Option<Value<Tensor<D::Tensor>>> {
        let on_host = |tensor: &Tensor<D::Tensor>| tensor.array().cloned().ok_or(());
        let args = args.iter().map(|value| value.clone().try_map(&mut |_, tensor| on_host(&tensor)).ok());
        let args: Vec<Argument> = args.collect::<Option<_>>()?;
        let result = evaluate(name, &args)?;
        let hosted = |_: &str, array: Array| Ok::<_, std::convert::Infallible>(Tensor::from(array));
        match result.try_map(&mut { hosted }) {
            Ok(result) => Some(result),
        }
    }

    /// Converts an argument for an operation on the device. A number on the host stays a number if
    /// the operation accepts one. An element type becomes one that the device supports.
    fn lower(&self, ty: Option<ParamType>, value: Value<Tensor<D::Tensor>>) -> Result<Value<D::Tensor>> {
        if let (Some(ParamType::TensorOrScalar), Value::Tensor(tensor)) = (ty, &value)
            && let Some(array) = tensor.array()
            && array.shape.is_empty()
        {
            let float = array.elements.floats().first().copied();
            let int = array.elements.ints().first().copied();
            return Ok(match (array.dtype, int, float) {
                (DType::Bool, Some(flag), _) => Value::Bool(flag != 0),
                (dtype, _, Some(number)) if is_floating_point(dtype) => Value::Float(number),
                (_, Some(number), _) => Value::Int(number),
                _ => Value::None,
            });
        }
        if let (Some(ParamType::DType | ParamType::OptionalDType), Value::Str(name)) = (ty, &value)
            && let Some(dtype) = DType::from_name(name)
        {
            return Ok(Value::Str(device_dtype(&self.device, dtype).name().to_string()));
        }
        self.value_on_device(value)
    }
}

/// A tensor that is uploaded to the device in chunks.
struct DeviceUpload<T>(Box<dyn Upload<T>>);

impl<T> Upload<Tensor<T>> for DeviceUpload<T> {
    fn push(&mut self, data: TensorData<'_>) -> Result<()> {
        self.0.push(data)
    }

    fn finish(self: Box<Self>) -> Result<Tensor<T>> {
        self.0.finish().map(Tensor::Device)
    }
}

/// Recordings of operations on tensors of the device.
struct DeviceRecorder<T>(Rc<dyn Recorder<T>>);

impl<T: Clone> DeviceRecorder<T> {
    /// Returns the tensors of the device.
    fn on_device(tensors: &[Tensor<T>]) -> Vec<T> {
        let tensor = |tensor: &Tensor<T>| match tensor {
            Tensor::Device(tensor) => Some(tensor.clone()),
            Tensor::Host(_) => None,
        };
        tensors.iter().filter_map(tensor).collect()
    }
}

/// A program passes the tensors on the host separately.
impl<T: Clone> Recorder<Tensor<T>> for DeviceRecorder<T> {
    fn replay(&self, arguments: &[Tensor<T>]) -> Option<(u32, Vec<Tensor<T>>)> {
        let (number, results) = self.0.replay(&Self::on_device(arguments))?;
        Some((number, results.into_iter().map(Tensor::Device).collect()))
    }

    fn start(&self, arguments: &[Tensor<T>], constants: &[bool]) -> Result<Vec<Tensor<T>>> {
        Ok(self.0.start(&Self::on_device(arguments), constants)?.into_iter().map(Tensor::Device).collect())
    }

    fn finish(&self, results: &mut [Tensor<T>]) -> Option<u32> {
        let mut tensors = Self::on_device(results);
        let number = self.0.finish(&mut tensors);
        results.iter_mut().zip(tensors).for_each(|(result, tensor)| *result = Tensor::Device(tensor));
        number
    }

    fn abort(&self) {
        self.0.abort();
    }

    fn report(&self) -> RecorderReport {
        self.0.report()
    }
}

/// Wraps a value of the device.
fn raise<T>(value: Value<T>) -> Value<Tensor<T>> {
    match value.try_map(&mut |_, tensor| Ok::<_, std::convert::Infallible>(Tensor::Device(tensor))) {
        Ok(value) => value,
    }
}

impl<D: Dispatch> Dispatch for Hosted<D> {
    type Tensor = Tensor<D::Tensor>;

    fn overloads(&self, name: &str) -> Rc<[Overload]> {
        self.device.overloads(name)
    }

    fn run(&self, name: &str, args: Vec<Value<Self::Tensor>>, in_place: bool) -> Result<Outcome<'_, Self::Tensor>> {
        if !in_place && let Some(result) = self.evaluate(name, &args) {
            return Ok(Outcome::Ready(result));
        }
        let overloads = self.device.overloads(name.split('.').next().unwrap_or(name));
        let schema = overloads.iter().map(|overload| &overload.schema).find(|schema| schema.full_name() == name);
        let ty = |index: usize| schema.and_then(|schema| schema.params.get(index)).map(|param| param.ty);
        let args = args.into_iter().enumerate().map(|(index, value)| self.lower(ty(index), value));
        Ok(match self.device.run(name, args.collect::<Result<_>>()?, in_place)? {
            Outcome::Ready(value) => Outcome::Ready(raise(value)),
            Outcome::Pending(running) => Outcome::pending(async move { running.await.map(raise) }),
        })
    }

    fn operator(
        &self,
        target: &Target,
        args: Vec<Value<Self::Tensor>>,
        named: Vec<(String, Value<Self::Tensor>)>,
    ) -> Result<Outcome<'_, Self::Tensor>> {
        match target {
            Target::Operator { operator, .. } => operators::call(self, operator, args, named),
            target => Err(Error::unsupported(format!("{target}, which is no operator of ONNX"))),
        }
    }

    fn shape(&self, tensor: &Self::Tensor) -> Vec<usize> {
        match tensor {
            Tensor::Device(tensor) => self.device.shape(tensor),
            Tensor::Host(host) => host.array.shape.clone(),
        }
    }

    fn strides(&self, tensor: &Self::Tensor) -> Vec<i64> {
        match tensor {
            Tensor::Device(tensor) => self.device.strides(tensor),
            Tensor::Host(host) => {
                let shape = &host.array.shape;
                (0..shape.len()).map(|dim| count(&shape[dim + 1..]).unwrap_or(0) as i64).collect()
            }
        }
    }

    fn storage_offset(&self, tensor: &Self::Tensor) -> usize {
        match tensor {
            Tensor::Device(tensor) => self.device.storage_offset(tensor),
            Tensor::Host(_) => 0,
        }
    }

    fn dtype(&self, tensor: &Self::Tensor) -> DType {
        match tensor {
            Tensor::Device(tensor) => self.device.dtype(tensor),
            Tensor::Host(host) => host.array.dtype,
        }
    }

    fn is_same(&self, a: &Self::Tensor, b: &Self::Tensor) -> bool {
        match (a, b) {
            (Tensor::Device(a), Tensor::Device(b)) => self.device.is_same(a, b),
            (Tensor::Host(a), Tensor::Host(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn assign(&self, target: &Self::Tensor, source: &Self::Tensor) -> Result<()> {
        match target {
            Tensor::Device(target) => self.device.assign(target, &self.on_device(source)?),
            Tensor::Host(_) => Err(Error::unsupported("writing to a constant")),
        }
    }

    fn detach(&self, tensor: &Self::Tensor) -> Self::Tensor {
        match tensor {
            Tensor::Device(tensor) => Tensor::Device(self.device.detach(tensor)),
            Tensor::Host(_) => tensor.clone(),
        }
    }

    fn requires_grad(&self, tensor: &Self::Tensor) -> bool {
        matches!(tensor, Tensor::Device(tensor) if self.device.requires_grad(tensor))
    }

    fn set_requires_grad(&self, tensor: &Self::Tensor, requires_grad: bool) -> Result<()> {
        match tensor {
            Tensor::Device(tensor) => self.device.set_requires_grad(tensor, requires_grad),
            Tensor::Host(_) => Err(Error::unsupported("gradients of a constant")),
        }
    }

    fn is_grad_enabled(&self) -> bool {
        self.device.is_grad_enabled()
    }

    fn set_grad_enabled(&self, enabled: bool) {
        self.device.set_grad_enabled(enabled);
    }

    fn set_autocast(&self, dtype: Option<DType>) -> Result<Option<DType>> {
        self.device.set_autocast(dtype)
    }

    fn has_dtype(&self, dtype: DType) -> bool {
        self.device.has_dtype(dtype)
    }

    fn device(&self) -> String {
        self.device.device()
    }

    fn tensor(&self, data: TensorData<'_>) -> Result<Self::Tensor> {
        Ok(Tensor::Device(self.device.tensor(data)?))
    }

    fn begin_upload(&self, dtype: DType, shape: &[usize]) -> Result<Box<dyn Upload<Self::Tensor>>> {
        Ok(Box::new(DeviceUpload(self.device.begin_upload(dtype, shape)?)))
    }

    /// Small constants stay on the host.
    fn constant(&self, data: TensorData<'_>) -> Result<Self::Tensor> {
        match count(data.shape()) {
            Some(elements) if elements <= MAX_ELEMENTS => Ok(Tensor::from(Array::read(&data)?)),
            _ => Ok(Tensor::Device(self.device.constant(data)?)),
        }
    }

    async fn to_host(&self, tensor: Self::Tensor) -> Result<Self::Tensor> {
        let is_small = count(&self.shape(&tensor)).is_some_and(|elements| elements <= MAX_ELEMENTS);
        if tensor.array().is_some() || !is_small || is_floating_point(self.dtype(&tensor)) {
            return Ok(tensor);
        }
        Ok(Tensor::from(Array::read(&self.read(&tensor).await?)?))
    }

    fn on_host(&self, tensor: &Self::Tensor) -> Option<TensorData<'static>> {
        tensor.array().and_then(Array::data)
    }

    fn recorder(&self) -> Option<Rc<dyn Recorder<Self::Tensor>>> {
        Some(Rc::new(DeviceRecorder(self.device.recorder()?)))
    }

    fn can_record(&self) -> bool {
        self.device.can_record()
    }

    fn reads(&self) -> u64 {
        self.device.reads()
    }

    async fn read(&self, tensor: &Self::Tensor) -> Result<TensorData<'static>> {
        match tensor {
            Tensor::Device(tensor) => self.device.read(tensor).await,
            Tensor::Host(host) => {
                host.array.data().ok_or_else(|| Error::malformed("an array that does not fit its shape"))
            }
        }
    }
}
