//! Golden modules: each is built, loads PyTorch's recorded state, is called, and differentiated by
//! its inputs and its parameters.

use super::{
    call::{Call, Trouble, arguments, arrange},
    file::{Construction, ErrorCase, GoldenFile, ModuleValue, Sample, Value},
    judge::{self, Host},
    names::Form,
    run::{Aspect, Verdict, gradients, leaves, results, starts, tensors},
    tensors::Maker,
    tolerance::{Part, Strictness, tolerance},
};
use lanthorn::{
    DType, Device, Tensor,
    nn::{
        StateDict, load_state_dict,
        table::{self, Built, ModuleSpec},
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
fn bind(schema: &Schema, call: Call<'_>, maker: &mut Maker<'_>) -> Result<Vec<Arg>, Trouble> {
    arguments(arrange(schema, call)?, Form::Plain, maker)
}

/// A module with a state.
fn build(class: &str, call: Call<'_>, state: &BTreeMap<String, Value>, maker: &mut Maker<'_>) -> Result<Built, Trouble> {
    let name = class.strip_prefix("nn.").unwrap_or(class);
    let spec = ModuleSpec::find(name).map_err(|error| Trouble::Missing(error.to_string()))?;
    let schema = spec.schema();
    // All are float32 here, on the runner's device.
    let told = |name: &String| name == "dtype" && !schema.params.iter().any(|param| param.name == "dtype");
    let kwargs = call.kwargs.iter().filter(|(name, _)| !told(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
    let built = spec.build(&bind(&schema, Call { kwargs: &kwargs, ..call }, maker)?)?;
    let mut named = StateDict::new();
    for (name, value) in state {
        let Value::Tensor(tensor) = value else { return Err(Trouble::Broken(format!("{name} is no tensor"))) };
        named.insert(name.clone(), maker.argument(tensor)?);
    }
    // For a call that must throw, the state does not matter.
    if !state.is_empty() {
        load_state_dict(built.module(), &named)?;
    }
    Ok(built)
}

/// A module as an argument of another module's constructor.
pub fn argument(value: &ModuleValue, maker: &mut Maker<'_>) -> Result<Arg, Trouble> {
    let call = Call { args: &[], kwargs: &value.config, names: None };
    Ok(table::argument(Rc::new(build(&value.class, call, &value.state, maker)?)))
}

fn made(file: &GoldenFile, how: &Construction, maker: &mut Maker<'_>) -> Result<Built, Trouble> {
    let call = Call { args: &how.ctor_args, kwargs: &how.ctor_kwargs, names: how.ctor_arg_names.as_deref() };
    let built = build(&file.document.op, call, &how.state, maker)?;
    built.module().train(how.training);
    Ok(built)
}

fn call(built: &Built, call: Call<'_>, maker: &mut Maker<'_>) -> Result<Vec<judge::Result>, Trouble> {
    let args = bind(&built.spec().forward_schema(), call, maker)?;
    Ok(results(built.call(&args)?))
}

/// Value, gradients and buffers of a sample.
pub fn check(
    file: &GoldenFile,
    sample: &Sample,
    device: &Device,
    strictness: Strictness,
) -> Result<Vec<(Aspect, Verdict)>, Trouble> {
    let mut maker = Maker::new(file, device);
    let how = &sample.module;
    let built = made(file, how, &mut maker)?;
    let given = call(&built, sample.into(), &mut maker)?;
    let outputs = tensors(&given);
    let mut inputs = leaves(&maker, sample.gin.as_ref().map_or(0, Vec::len))?;
    let named: BTreeMap<String, Tensor> = built.module().named_parameters().into_iter().collect();
    let mut wanted = sample.gin.clone().unwrap_or_default();
    for (name, gradient) in &how.gparam {
        let parameter = named.get(name).ok_or_else(|| Trouble::Missing(format!("there is no parameter {name}")))?;
        inputs.push(parameter.clone());
        wanted.push(gradient.clone());
    }
    let computed =
        gradients(starts(&outputs, &sample.gout, &maker)?, &inputs, false).and_then(|computed| Ok(Host::start_optional(computed)?));
    let value = Host::finish(Host::start(&outputs)?)
        .map_err(Trouble::from)
        .and_then(|hosts| judge::values(file, sample, &given, &hosts, device, strictness));
    let gradient = computed
        .and_then(|computed| Ok(Host::finish_optional(computed)?))
        .and_then(|got| judge::gradients(file, sample, &wanted, &got, Part::Gradient, strictness));
    let mut verdicts = vec![(Aspect::Value, value), (Aspect::Gradient, gradient)];
    if !how.state_after.is_empty() {
        verdicts.push((Aspect::State, state_after(file, sample, &built, strictness)));
    }
    Ok(verdicts)
}

/// Compares the buffers that the call changed with the file's.
fn state_after(file: &GoldenFile, sample: &Sample, built: &Built, strictness: Strictness) -> Verdict {
    let buffers: BTreeMap<String, Tensor> = built.module().named_buffers().into_iter().collect();
    for (name, want) in &sample.module.state_after {
        let buffer = buffers.get(name).ok_or_else(|| Trouble::Missing(format!("there is no buffer {name}")))?;
        let hosts = Host::finish(Host::start(std::slice::from_ref(buffer))?)?;
        let stored = file.tensor(want).map_err(Trouble::Broken)?;
        let allowed = tolerance(&file.document, sample, Part::Value(0), DType::F32, strictness);
        judge::compare(&hosts[0], stored, allowed).map_err(|trouble| match trouble {
            Trouble::Differs(why, off) => Trouble::Differs(format!("{name}: {why}"), off),
            other => other,
        })?;
    }
    Ok(())
}

/// The results if the module cannot be built or called.
pub fn must_throw(file: &GoldenFile, case: &ErrorCase, maker: &mut Maker<'_>) -> Result<Vec<judge::Result>, Trouble> {
    let mut how = Construction { training: true, ..Construction::default() };
    how.ctor_args.clone_from(&case.module.ctor_args);
    how.ctor_kwargs.clone_from(&case.module.ctor_kwargs);
    how.ctor_arg_names.clone_from(&case.module.ctor_arg_names);
    let built = made(file, &how, maker)?;
    match case.module.error_on.as_deref() {
        Some("construction") => Ok(vec![]),
        _ => call(&built, case.into(), maker),
    }
}
