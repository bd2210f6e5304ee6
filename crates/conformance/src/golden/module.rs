//! Golden modules: each is built, loads PyTorch's recorded state, is called, and differentiated by
//! its inputs and its parameters.

use super::{
    call::{Call, Failure, arguments, arrange},
    comparison::{self, Host},
    file::{Construction, ErrorCase, GoldenFile, ModuleValue, Sample, Value},
    names::Form,
    run::{Aspect, Verdict, gradients, leaves, results, starts, tensors},
    tensors::Loader,
    tolerance::{Part, Strictness, tolerance},
};
use lanthorn::{
    DType, Device, Tensor,
    nn::{
        StateDict, load_state_dict,
        table::{self, ModuleInstance, ModuleSpec},
    },
    ops::Arg,
};
use lanthorn_schema::Schema;
use std::{collections::BTreeMap, rc::Rc};

/// The checks of a sample.
pub fn aspects(sample: &Sample) -> impl Iterator<Item = Aspect> {
    let state = (!sample.module.state_after.is_empty()).then_some(Aspect::State);
    [Aspect::Value, Aspect::Gradient].into_iter().chain(state)
}

/// The arguments of a call in the schema's order.
fn bind(schema: &Schema, call: Call<'_>, loader: &mut Loader<'_>) -> Result<Vec<Arg>, Failure> {
    arguments(arrange(schema, call)?, Form::Plain, loader)
}

/// A module with a state.
fn build(
    class: &str,
    call: Call<'_>,
    state: &BTreeMap<String, Value>,
    loader: &mut Loader<'_>,
) -> Result<ModuleInstance, Failure> {
    let name = class.strip_prefix("nn.").unwrap_or(class);
    let spec = ModuleSpec::find(name).map_err(|error| Failure::Missing(error.to_string()))?;
    let schema = spec.schema();
    // All are float32 here, on the runner's device.
    let told = |name: &String| name == "dtype" && !schema.params.iter().any(|param| param.name == "dtype");
    let kwargs =
        call.kwargs.iter().filter(|(name, _)| !told(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
    let built = spec.build(&bind(&schema, Call { kwargs: &kwargs, ..call }, loader)?)?;
    let mut named = StateDict::new();
    for (name, value) in state {
        let Value::Tensor(tensor) = value else { return Err(Failure::Broken(format!("{name} is no tensor"))) };
        named.insert(name.clone(), loader.argument(tensor)?);
    }
    // For a call that must throw, the state does not matter.
    if !state.is_empty() {
        load_state_dict(built.module(), &named)?;
    }
    Ok(built)
}

/// A module as an argument of another module's constructor.
pub fn argument(value: &ModuleValue, loader: &mut Loader<'_>) -> Result<Arg, Failure> {
    let call = Call { args: &[], kwargs: &value.config, names: None };
    Ok(table::argument(Rc::new(build(&value.class, call, &value.state, loader)?)))
}

fn make_module(file: &GoldenFile, how: &Construction, loader: &mut Loader<'_>) -> Result<ModuleInstance, Failure> {
    let call = Call { args: &how.ctor_args, kwargs: &how.ctor_kwargs, names: how.ctor_arg_names.as_deref() };
    let built = build(&file.document.op, call, &how.state, loader)?;
    built.module().train(how.training);
    Ok(built)
}

fn call(built: &ModuleInstance, call: Call<'_>, loader: &mut Loader<'_>) -> Result<Vec<comparison::Result>, Failure> {
    let args = bind(&built.spec().forward_schema(), call, loader)?;
    Ok(results(built.call(&args)?))
}

/// Value, gradients and buffers of a sample.
pub fn check(
    file: &GoldenFile,
    sample: &Sample,
    device: &Device,
    strictness: Strictness,
) -> Result<Vec<(Aspect, Verdict)>, Failure> {
    let mut loader = Loader::new(file, device);
    let how = &sample.module;
    let built = make_module(file, how, &mut loader)?;
    let given = call(&built, sample.into(), &mut loader)?;
    let outputs = tensors(&given);
    let mut inputs = leaves(&loader, sample.gin.as_ref().map_or(0, Vec::len))?;
    let named: BTreeMap<String, Tensor> = built.module().named_parameters().into_iter().collect();
    let mut wanted = sample.gin.clone().unwrap_or_default();
    for (name, gradient) in &how.gparam {
        let parameter = named.get(name).ok_or_else(|| Failure::Missing(format!("there is no parameter {name}")))?;
        inputs.push(parameter.clone());
        wanted.push(gradient.clone());
    }
    let computed = gradients(starts(&outputs, &sample.gout, &loader)?, &inputs, false)
        .and_then(|computed| Ok(Host::start_optional(computed)?));
    let value = Host::finish(Host::start(&outputs)?)
        .map_err(Failure::from)
        .and_then(|hosts| comparison::values(file, sample, &given, &hosts, device, strictness));
    let gradient = computed
        .and_then(|computed| Ok(Host::finish_optional(computed)?))
        .and_then(|got| comparison::gradients(file, sample, &wanted, &got, Part::Gradient, strictness));
    let mut verdicts = vec![(Aspect::Value, value), (Aspect::Gradient, gradient)];
    if !how.state_after.is_empty() {
        verdicts.push((Aspect::State, state_after(file, sample, &built, strictness)));
    }
    Ok(verdicts)
}

/// Compares the buffers that the call changed with the file's.
fn state_after(file: &GoldenFile, sample: &Sample, built: &ModuleInstance, strictness: Strictness) -> Verdict {
    let buffers: BTreeMap<String, Tensor> = built.module().named_buffers().into_iter().collect();
    for (name, want) in &sample.module.state_after {
        let buffer = buffers.get(name).ok_or_else(|| Failure::Missing(format!("there is no buffer {name}")))?;
        let hosts = Host::finish(Host::start(std::slice::from_ref(buffer))?)?;
        let stored = file.tensor(want).map_err(Failure::Broken)?;
        let allowed = tolerance(&file.document, sample, Part::Value(0), DType::F32, strictness);
        comparison::compare(&hosts[0], stored, allowed).map_err(|failure| match failure {
            Failure::Differs(why, off) => Failure::Differs(format!("{name}: {why}"), off),
            other => other,
        })?;
    }
    Ok(())
}

/// The results if the module cannot be built or called.
pub fn must_throw(
    file: &GoldenFile,
    case: &ErrorCase,
    loader: &mut Loader<'_>,
) -> Result<Vec<comparison::Result>, Failure> {
    let mut how = Construction { training: true, ..Construction::default() };
    how.ctor_args.clone_from(&case.module.ctor_args);
    how.ctor_kwargs.clone_from(&case.module.ctor_kwargs);
    how.ctor_arg_names.clone_from(&case.module.ctor_arg_names);
    let built = make_module(file, &how, loader)?;
    match case.module.error_on.as_deref() {
        Some("construction") => Ok(vec![]),
        _ => call(&built, case.into(), loader),
    }
}
