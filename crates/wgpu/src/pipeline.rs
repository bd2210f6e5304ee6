//! Compute pipelines and bind group layouts, each made once.
//!
//! The key of a pipeline is its shader's text. All that varies from launch to launch is data, so the text *is* the structure: two kernels share a pipeline
//! exactly if they would compile to the same thing, and no key can forget something that changes the code.

use crate::{
    device::Device,
    failure::{Failures, Resource, guarded},
    stats::Counters,
};
use lanthorn_ir::Error;
use lanthorn_kernels::{Bindings, Pass};
use rustc_hash::FxHashMap;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

/// Pipelines that are kept when no plan uses them any more.
const KEPT: usize = 512;

/// A pipeline and whether it compiled.
pub(crate) struct Pipeline {
    pub(crate) raw: wgpu::ComputePipeline,
    pub(crate) resource: Rc<Resource>,
    last_used: Cell<u64>,
}

#[derive(Default)]
pub(crate) struct Pipelines {
    made: RefCell<FxHashMap<String, Rc<Pipeline>>>,
    layouts: RefCell<FxHashMap<Bindings, Layouts>>,
    uniform: RefCell<Option<wgpu::BindGroupLayout>>,
    tick: Cell<u64>,
}

#[derive(Clone)]
struct Layouts {
    group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

fn entry(binding: u32, ty: wgpu::BufferBindingType, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::COMPUTE, ty, count: None }
}

/// The text for the compiler at hand. A browser wants to be told of subgroups, which naga does not know how to be; and it takes the loops of a quad, whose threads go through
/// them together, for loops that they might leave one by one.
fn text(pass: &Pass) -> Cow<'_, str> {
    if cfg!(target_arch = "wasm32") && pass.quads {
        return Cow::Owned(format!("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n\n{}", pass.source));
    }
    Cow::Borrowed(&pass.source)
}

impl Pipelines {
    /// The layout of the group that every kernel has: one slice of the uniform buffer.
    pub(crate) fn uniform_layout(&self, device: &Device) -> wgpu::BindGroupLayout {
        let make = || {
            let entries = [entry(0, wgpu::BufferBindingType::Uniform, true)];
            device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("uniform"), entries: &entries })
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
        let writable = bindings.outputs + u32::from(bindings.status);
        let entries: Vec<_> = (0..bindings.inputs + writable)
            .map(|at| entry(at, wgpu::BufferBindingType::Storage { read_only: at < bindings.inputs }, false))
            .collect();
        let group = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
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
        counters: &Counters,
        op: &'static str,
        pass: &Pass,
    ) -> Rc<Pipeline> {
        self.tick.set(self.tick.get() + 1);
        if let Some(known) = self.made.borrow().get(&pass.source) {
            known.last_used.set(self.tick.get());
            return known.clone();
        }
        let resource = Rc::new(Resource::default());
        let (slot, report) = (resource.clone(), failures.clone());
        let source = pass.source.clone();
        let raw = guarded(
            &device.device,
            failures,
            || {
                let layouts = self.layouts(device, pass.bindings);
                let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(op),
                    source: wgpu::ShaderSource::Wgsl(text(pass)),
                });
                device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(op),
                    layout: Some(&layouts.pipeline),
                    module: &module,
                    entry_point: Some("main"),
                    // Every kernel writes workgroup memory before it reads it.
                    compilation_options: wgpu::PipelineCompilationOptions {
                        zero_initialize_workgroup_memory: false,
                        ..Default::default()
                    },
                    cache: None,
                })
            },
            move |error| {
                let error = error.map(|error| match error {
                    wgpu::Error::OutOfMemory { .. } => Error::out_of_memory(op, "no room for a compute pipeline"),
                    other => Error::kernel(op, format!("the shader does not compile: {other}\n{source}")),
                });
                slot.resolve(error, &report);
            },
        );
        counters.add(|stats| &mut stats.pipelines_created);
        let pipeline = Rc::new(Pipeline { raw, resource, last_used: Cell::new(self.tick.get()) });
        // One that failed is made anew next time: the reason may have passed.
        if pipeline.resource.error().is_none() {
            self.made.borrow_mut().insert(pass.source.clone(), pipeline.clone());
            self.forget_old();
        }
        pipeline
    }

    /// The shader of a pipeline, unless that is forgotten.
    pub(crate) fn source(&self, pipeline: &Rc<Pipeline>) -> Option<String> {
        self.made.borrow().iter().find(|(_, known)| Rc::ptr_eq(known, pipeline)).map(|(source, _)| source.clone())
    }

    /// Drops the least recently used of the pipelines that no plan holds.
    fn forget_old(&self) {
        let mut made = self.made.borrow_mut();
        if made.len() <= KEPT {
            return;
        }
        let mut idle: Vec<u64> =
            made.values().filter(|known| Rc::strong_count(known) == 1).map(|known| known.last_used.get()).collect();
        idle.sort_unstable();
        if let Some(&limit) = idle.get(idle.len() / 4) {
            made.retain(|_, known| Rc::strong_count(known) > 1 || known.last_used.get() > limit);
        }
    }

    /// Forgets a pipeline that turned out not to compile.
    pub(crate) fn forget(&self, pipeline: &Rc<Pipeline>) {
        self.made.borrow_mut().retain(|_, known| !Rc::ptr_eq(known, pipeline));
    }
}
