//! Kernels that a page registers: WGSL, and functions over typed arrays.
//!
//! A function for the CPU receives copies of its inputs and returns the bytes of its results. An
//! array over the core's memory would be detached when the memory grows, and a function that keeps
//! one would see other tensors in it later. Elements of half types are float32 in these copies.

use crate::{
    callback::Callback,
    library::{call, function},
    tensor::{dtype, sizes},
};
use js_sys::{Array, Float64Array, Reflect, Uint8Array};
use lanthorn::{
    DType, Error, Shape,
    custom::{Arguments, Builder, Cpu, FakeTensor, HostCall, HostTensor, Wgsl},
};
use lanthorn_schema::{ParamType, Schema};
use wasm_bindgen::{JsCast, JsValue};

/// A member of a declaration: a text.
fn text(parts: &JsValue, name: &str) -> Option<String> {
    Reflect::get(parts, &name.into()).ok()?.as_string()
}

/// Adds the kernels of an object of functions and texts: `fake`, `cpu`; `body`, `declarations` and
/// `threads`, or `module` and `workgroups`. Each may be missing.
pub(crate) fn register_kernels(mut builder: Builder, schema: &str, parts: &JsValue) -> Builder {
    if let Some(fake) = function(parts, "fake") {
        builder = builder.register_fake(move |args| read_fake(&call(fake, args, &[])?));
    }
    if let Some(cpu) = function(parts, "cpu") {
        // A schema that does not parse is refused when the op is registered.
        let schema = Schema::parse(schema).ok();
        builder = builder.register_kernel(Cpu::new(move |host| run(cpu, schema.as_ref(), host)));
    }
    if let Some(body) = text(parts, "body") {
        let mut wgsl = Wgsl::body(body).declarations(text(parts, "declarations").unwrap_or_default());
        if let Some(threads) = function(parts, "threads") {
            wgsl = wgsl.threads(move |args, _| Ok(numbers(threads, args)?[0] as usize));
        }
        builder = builder.register_kernel(wgsl);
    }
    if let (Some(module), Some(workgroups)) = (text(parts, "module"), function(parts, "workgroups")) {
        let workgroups =
            move |args: &Arguments<'_>, _: &[FakeTensor]| Ok(numbers(workgroups, args)?.map(|number| number as u32));
        builder = builder.register_kernel(Wgsl::module(module, workgroups));
    }
    builder
}

/// The one or two numbers that a function of the package computes from the arguments; it has
/// checked them.
fn numbers(callback: Callback, args: &Arguments<'_>) -> lanthorn::Result<[f64; 2]> {
    let given = Float64Array::new(&call(callback, args, &[])?).to_vec();
    let at = |index: usize| given.get(index).copied().unwrap_or(1.0);
    Ok([at(0), at(1)])
}

/// The results of a fake function: each type followed by its sizes.
fn read_fake(given: &JsValue) -> lanthorn::Result<Vec<FakeTensor>> {
    let list = Array::from(given);
    let results = (0..list.length() / 2).map(|result| {
        let name = list.get(2 * result).as_string().unwrap_or_default();
        let shape = Float64Array::new(&list.get(2 * result + 1)).to_vec();
        FakeTensor::new(dtype("fake", &name)?, sizes("fake", &shape)?)
    });
    results.collect()
}

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// A type and sizes, for the package.
fn describe(dtype: DType, shape: &Shape) -> Array {
    let sizes: Vec<f64> = shape.iter().map(|&size| size as f64).collect();
    [JsValue::from(dtype.name()), Float64Array::from(&sizes[..]).into()].iter().collect()
}

fn describe_optional(tensor: Option<HostTensor<'_>>) -> lanthorn::Result<JsValue> {
    let Some(tensor) = tensor else { return Ok(JsValue::NULL) };
    let array = describe(tensor.dtype, tensor.shape);
    let bytes = if is_half(tensor.dtype) {
        let values: Vec<u8> = tensor.to_f32()?.into_iter().flat_map(f32::to_ne_bytes).collect();
        Uint8Array::from(&values[..])
    } else {
        Uint8Array::from(tensor.bytes)
    };
    array.push(&bytes);
    Ok(array.into())
}

/// Runs a function for the CPU. The package's function catches the exceptions of the user's
/// function, and returns their messages.
fn run(callback: Callback, schema: Option<&Schema>, host: &mut HostCall<'_>) -> lanthorn::Result<()> {
    let Some(schema) = schema else { return Ok(()) };
    let failed = |message: String| Error::kernel(schema.full_name(), message);
    let inputs = Array::new();
    for param in &schema.params {
        let value = match param.ty {
            ParamType::Tensor | ParamType::OptionalTensor => describe_optional(host.optional_input(&param.name)?)?,
            ParamType::Ints => {
                let list: Vec<f64> = host.ints(&param.name)?.iter().map(|&value| value as f64).collect();
                Float64Array::from(&list[..]).into()
            }
            ParamType::Bool => (host.number(&param.name)? != 0.0).into(),
            _ => host.number(&param.name)?.into(),
        };
        inputs.push(&value);
    }
    let outputs: Array = host.outputs().iter().map(|output| describe(output.dtype, output.shape)).collect();
    let answer =
        callback.call(&[inputs.into(), outputs.into()]).map_err(|_| failed("its CPU kernel was interrupted".into()))?;
    if let Some(message) = answer.as_string() {
        return Err(failed(message));
    }
    for (output, bytes) in host.outputs().iter_mut().zip(Array::from(&answer).iter()) {
        let bytes = bytes.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
        if is_half(output.dtype) {
            let values = bytes.chunks_exact(4).map(|word| f32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
            output.store_f32(&values.collect::<Vec<f32>>())?;
        } else if bytes.len() == output.shape.elements() * output.dtype.size() {
            let fits = |byte: u8| if output.dtype == DType::Bool { u8::from(byte != 0) } else { byte };
            output.bytes.iter_mut().zip(bytes).for_each(|(target, byte)| *target = fits(byte));
        } else {
            return Err(failed("its CPU kernel gave another number of elements".into()));
        }
    }
    Ok(())
}
