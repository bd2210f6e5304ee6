//! Compute pipelines and bind group layouts, each created once.
//!
//! The key of a pipeline is the text of its shader. Values that vary between launches are data, so
//! the text *is* the structure. Two kernels share a pipeline exactly if they would compile to the
//! same code, and the key includes everything that changes the code.
//!
//! A browser compiles a pipeline on the thread that also renders its pages, unless the compilation
//! is started ahead ([`Ahead`]). Work that uses the pipeline then waits in the
//! [queue](crate::queue), and the page stays responsive.

use crate::{
    device::Device,
    diagnostic,
    failure::{Failures, Resource, run_guarded_then},
};
use lanthorn_ir::{
    Error,
    backend::{CountersCell, LocalFuture},
};
use lanthorn_kernels::{Bindings, Pass, Source, UserText};
use rustc_hash::FxHashMap;
use std::{
    any::Any,
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

/// Maximum number of pipelines that are kept although no plan uses them.
const MAX_UNUSED: usize = 512;

/// A pipeline, and whether it compiled.
pub(crate) struct Pipeline {
    raw: OnceCell<wgpu::ComputePipeline>,
    ahead: RefCell<Option<Ahead>>,
    pub(crate) resource: Rc<Resource>,
    last_used: Cell<u64>,
}

/// The source of a pipeline.
struct Shader {
    op: &'static str,
    source: String,
    bindings: Bindings,
    /// The user's parts of the source.
    user: Vec<UserText>,
}

/// A pipeline that the browser compiles before it is created.
struct Ahead {
    /// Resolves to an object. While it is alive, creating the same pipeline is free.
    compiled: LocalFuture<Box<dyn Any>>,
    shader: Shader,
}

impl Pipeline {
    /// Whether the pipeline has been created, valid or not.
    pub(crate) fn is_made(&self) -> bool {
        self.raw.get().is_some()
    }

    /// The pipeline, if it has been created.
    pub(crate) fn raw(&self) -> Option<&wgpu::ComputePipeline> {
        self.raw.get()
    }
}

#[derive(Default)]
pub(crate) struct Pipelines {
    made: RefCell<FxHashMap<Source, Rc<Pipeline>>>,
    layouts: RefCell<FxHashMap<Bindings, Layouts>>,
    uniform: RefCell<Option<wgpu::BindGroupLayout>>,
    tick: Cell<u64>,
}

#[derive(Clone)]
struct Layouts {
    group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

const fn entry(binding: u32, ty: wgpu::BufferBindingType, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None }
}

/// The binding of the second group: a slice of the uniform buffer.
const UNIFORM: wgpu::BindGroupLayoutEntry = entry(0, wgpu::BufferBindingType::Uniform, true);

/// The bindings of the first group: a kernel's buffers.
fn storage_entries(bindings: Bindings) -> Vec<wgpu::BindGroupLayoutEntry> {
    let writable = bindings.outputs + u32::from(bindings.status);
    let entry = |at| entry(at, wgpu::BufferBindingType::Storage { read_only: at < bindings.inputs }, false);
    (0..bindings.inputs + writable).map(entry).collect()
}

/// Adapts the text to the compiler. A browser requires a directive for subgroups, which naga does
/// not support. It also does not recognize that all threads of a quad run the same loop iterations.
fn text(pass: &Pass) -> String {
    let text = pass.source.text();
    if cfg!(target_arch = "wasm32") && pass.quads {
        return format!("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n\n{text}");
    }
    text
}

/// Makes the browser compile a shader in the background, if that helps.
#[cfg(target_arch = "wasm32")]
fn compile_ahead(device: &Device, shader: &Shader) -> Option<LocalFuture<Box<dyn Any>>> {
    let groups = [storage_entries(shader.bindings), vec![UNIFORM]];
    crate::browser::compile_ahead(device, shader.op, &shader.source, &groups)
}

/// Natively the calling thread compiles.
#[cfg(not(target_arch = "wasm32"))]
fn compile_ahead(_: &Device, _: &Shader) -> Option<LocalFuture<Box<dyn Any>>> {
    None
}

impl Pipelines {
    /// The layout of the group that every kernel has: a slice of the uniform buffer.
    pub(crate) fn uniform_layout(&self, device: &Device) -> wgpu::BindGroupLayout {
        let make = || {
            device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("uniform"),
                entries: &[UNIFORM],
            })
        };
        self.uniform.borrow_mut().get_or_insert_with(make).clone()
    }

    pub(crate) fn group_layout(&self, device: &Device, bindings: Bindings) -> wgpu::BindGroupLayout {
        self.layouts(device, bindings).group
    }

    fn layouts(&self, device: &Device, bindings: Bindings) -> Layouts {
        if let Some(known) = self.layouts.borrow().get(&bindings) {
            return known.clone();
        }
        let entries = storage_entries(bindings);
        let group =
            device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group), Some(&self.uniform_layout(device))],
            immediate_size: 0,
        });
        let layouts = Layouts { group, pipeline };
        self.layouts.borrow_mut().insert(bindings, layouts.clone());
        layouts
    }

    pub(crate) fn get(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        op: &'static str,
        pass: &Pass,
    ) -> Rc<Pipeline> {
        self.tick.set(self.tick.get() + 1);
        if let Some(known) = self.made.borrow().get(&pass.source) {
            known.last_used.set(self.tick.get());
            return known.clone();
        }
        let pipeline = Rc::new(Pipeline {
            raw: OnceCell::new(),
            ahead: RefCell::default(),
            resource: Rc::default(),
            last_used: Cell::new(self.tick.get()),
        });
        let shader = Shader { op, source: text(pass), bindings: pass.bindings, user: pass.user.clone() };
        match compile_ahead(device, &shader) {
            Some(compiled) => drop(pipeline.ahead.replace(Some(Ahead { compiled, shader }))),
            None => self.make(device, failures, counters, &pipeline, shader),
        }
        // A pipeline that failed is created again next time, because the reason may be gone.
        if pipeline.resource.error().is_none() {
            self.made.borrow_mut().insert(pass.source.clone(), pipeline.clone());
            self.forget_old();
        }
        pipeline
    }

    /// Waits until the browser has compiled a pipeline ahead, and creates it.
    pub(crate) async fn finish(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        pipeline: &Pipeline,
    ) {
        let Some(Ahead { compiled, shader }) = pipeline.ahead.take() else { return };
        let kept = compiled.await;
        self.make(device, failures, counters, pipeline, shader);
        drop(kept);
    }

    fn make(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        pipeline: &Pipeline,
        Shader { op, source, bindings, user }: Shader,
    ) {
        let (slot, report, told) = (pipeline.resource.clone(), failures.clone(), user.clone());
        let source: Rc<str> = source.into();
        let text = source.clone();
        let made: Rc<OnceCell<wgpu::ShaderModule>> = Rc::default();
        let kept = made.clone();
        let raw = run_guarded_then(
            &device.device,
            failures,
            || {
                let layouts = self.layouts(device, bindings);
                let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(op),
                    source: wgpu::ShaderSource::Wgsl(Cow::Borrowed(&source)),
                });
                // Compiler messages are only needed for a user's text.
                let module = if user.is_empty() { &module } else { kept.get_or_init(|| module) };
                device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(op),
                    layout: Some(&layouts.pipeline),
                    module,
                    entry_point: Some("main"),
                    // Every kernel writes workgroup memory before it reads it.
                    compilation_options: wgpu::PipelineCompilationOptions {
                        zero_initialize_workgroup_memory: false,
                        ..Default::default()
                    },
                    cache: None,
                })
            },
            move |error| async move {
                let error = match error {
                    None => None,
                    Some(wgpu::Error::OutOfMemory { .. }) => {
                        Some(Error::out_of_memory(op, "no room for a compute pipeline"))
                    }
                    Some(other) => Some(match told.is_empty() {
                        true => Error::kernel(op, format!("the shader does not compile: {other}\n{text}")),
                        false => diagnostic::error(op, made.get().cloned(), &told, &other.to_string(), &text).await,
                    }),
                };
                slot.resolve(error, &report);
            },
        );
        counters.add(|counters| &mut counters.pipelines);
        let _ = pipeline.raw.set(raw);
    }

    /// The shader of a pipeline, unless the pipeline was dropped.
    pub(crate) fn source(&self, pipeline: &Rc<Pipeline>) -> Option<String> {
        self.made.borrow().iter().find(|(_, known)| Rc::ptr_eq(known, pipeline)).map(|(source, _)| source.text())
    }

    /// Drops the least recently used pipelines that no plan holds.
    fn forget_old(&self) {
        let mut made = self.made.borrow_mut();
        if made.len() <= MAX_UNUSED {
            return;
        }
        let mut idle: Vec<u64> =
            made.values().filter(|known| Rc::strong_count(known) == 1).map(|known| known.last_used.get()).collect();
        idle.sort_unstable();
        if let Some(&limit) = idle.get(idle.len() / 4) {
            made.retain(|_, known| Rc::strong_count(known) > 1 || known.last_used.get() > limit);
        }
    }

    /// Drops a pipeline that failed to compile.
    pub(crate) fn forget(&self, pipeline: &Rc<Pipeline>) {
        self.made.borrow_mut().retain(|_, known| !Rc::ptr_eq(known, pipeline));
    }
}
