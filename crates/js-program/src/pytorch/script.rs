//! Script modules and compiled texts.

use crate::{
    calls::{
        call::Arguments,
        dispatch::Core,
        exported::state_row,
        host::{Host, Lent, Signal, Tensor},
        run::answer,
        tree::Reader,
    },
    error::Thrown,
};
use js_sys::Array;
use lanthorn_script::{Limits, Output, Script, ScriptModule, script};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The limits of a call, with another number of steps if one is given.
fn limits(steps: Option<f64>) -> Limits {
    let standard = Limits::default();
    let steps = steps.map_or(standard.steps, |steps| steps as u64);
    Limits { steps, ..standard }
}

fn output(host: &Host) -> Output {
    let host = host.clone();
    Rc::new(move |text: &str| host.print(text))
}

/// A module of `torch.jit.save`.
#[wasm_bindgen]
pub struct ModuleHandle {
    module: Rc<ScriptModule<Core>>,
    /// The names of the parameters and buffers.
    names: Vec<String>,
    parameters: usize,
}

#[wasm_bindgen]
impl ModuleHandle {
    /// Reads a file of `torch.jit.save`.
    pub fn load(file: &[u8], host: Host, steps: Option<f64>) -> Result<ModuleHandle, Thrown> {
        let output = output(&host);
        let mut module = ScriptModule::load(file, Core::new(host)).map_err(Thrown::of_archive)?;
        module.set_output(output);
        module.set_limits(limits(steps));
        let state = module.state_dict();
        let trained = module.named_parameters();
        let is_parameter = |tensor: &Tensor| trained.iter().any(|(_, known)| known.handle() == tensor.handle());
        let parameters = state.iter().take_while(|(_, tensor)| is_parameter(tensor)).count();
        let names = state.into_iter().map(|(name, _)| name).collect();
        Ok(ModuleHandle { module: Rc::new(module), names, parameters })
    }

    /// The parameters and buffers, as rows of [`state_row`].
    pub fn state(&self) -> Array {
        let rows = self.names.iter().enumerate().map(|(index, name)| {
            let handle = self.module.state(name).map_or(0, |tensor| tensor.handle());
            let kind = if index < self.parameters { "parameter" } else { "buffer" };
            state_row(index, name, kind, true, handle)
        });
        rows.collect()
    }

    /// The handles of the tensors of [`ModuleHandle::state`], which a call may have replaced.
    pub fn handles(&self) -> Vec<u32> {
        self.names.iter().map(|name| self.module.state(name).map_or(0, |tensor| tensor.handle())).collect()
    }

    /// Replaces a parameter or buffer by the tensor of a handle, which the module owns then.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, index: usize, handle: u32) {
        let tensor = Tensor::own(self.module.dispatch().host(), handle);
        if let Some(name) = self.names.get(index) {
            self.module.set_state(name, tensor);
        }
    }

    /// Sets training mode.
    pub fn train(&self, mode: bool) {
        self.module.train(mode);
    }

    /// The qualified name of the class.
    #[wasm_bindgen(js_name = className)]
    pub fn class_name(&self) -> String {
        self.module.class_name().to_string()
    }

    /// The names of the methods.
    pub fn methods(&self) -> Vec<String> {
        self.module.methods()
    }

    /// The names of a method's parameters.
    pub fn parameters(&self, method: &str) -> Vec<String> {
        self.module.parameters_of(method).unwrap_or_default()
    }

    /// The operators that the code names and that do not exist here.
    pub fn missing(&self) -> Vec<String> {
        self.module.missing_operators().to_vec()
    }

    /// Calls a method: a value, or a promise of one if it reads elements or has a signal.
    pub fn call(&self, method: &str, inputs: &Array, signal: Option<Signal>) -> Result<JsValue, Thrown> {
        let host = self.module.dispatch().host();
        let names = self.module.parameters_of(method).unwrap_or_default();
        let mut lent = Lent::default();
        let Arguments { positional, named } = Arguments::read(&mut Reader::new(host, &mut lent), inputs, &names)?;
        let (module, method) = (self.module.clone(), method.to_string());
        let running = async move { Ok(module.call_method(&method, positional, named).await?) };
        answer(host, signal, lent, None, Box::pin(running))
    }
}

/// A compiled text.
#[wasm_bindgen]
pub struct ScriptHandle {
    script: Rc<Script<Core>>,
    host: Host,
}

#[wasm_bindgen]
impl ScriptHandle {
    /// Compiles a text.
    pub fn compile(source: &str, host: Host, steps: Option<f64>) -> Result<ScriptHandle, Thrown> {
        let core = Core::new(host.clone());
        let mut compiled = script(source, core)?;
        compiled.set_output(output(&host));
        compiled.set_limits(limits(steps));
        Ok(ScriptHandle { script: Rc::new(compiled), host })
    }

    /// The names of the functions.
    pub fn functions(&self) -> Vec<String> {
        self.script.functions()
    }

    /// Calls a function: a value, or a promise of one if it reads elements or has a signal.
    pub fn call(&self, name: &str, inputs: &Array, signal: Option<Signal>) -> Result<JsValue, Thrown> {
        let names = self.script.parameters_of(name).unwrap_or_default();
        let mut lent = Lent::default();
        let Arguments { positional, named } = Arguments::read(&mut Reader::new(&self.host, &mut lent), inputs, &names)?;
        let (script, name) = (self.script.clone(), name.to_string());
        let running = async move { Ok(script.call(&name, positional, named).await?) };
        answer(&self.host, signal, lent, None, Box::pin(running))
    }
}
