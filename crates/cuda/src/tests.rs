//! The backend with the emulator, and handwritten kernels.

use super::*;
use crate::{
    compiled::{CompiledPass, Step},
    emulator::{Emulator, Options, open},
};
use lanthorn_ir::{
    Layout, Shape,
    backend::Profiler as _,
    expr::{Constant, Type},
    kernel::{Linalg, Routine},
};
use lanthorn_kernels::Slot;
use pollster::block_on;

type Backing = CudaBackend<Emulator>;

/// A kernel of one pass, with eight threads a block.
struct Written {
    body: &'static str,
    inputs: usize,
    params: Vec<Type>,
    words: Vec<u32>,
    reports: bool,
    blocks: u32,
}

impl Default for Written {
    fn default() -> Written {
        Written { body: "", inputs: 1, params: vec![], words: vec![8], reports: false, blocks: 1 }
    }
}

impl Written {
    fn compile(self, device: &Backing) -> Compiled {
        let inputs: String = (0..self.inputs).map(|slot| format!("const u32* in{slot}, ")).collect();
        let status = if self.reports { "u32* status, " } else { "" };
        let params = if self.params.is_empty() { "" } else { ", const u32* __restrict__ params" };
        let source = format!(
            "typedef unsigned int u32;\nstruct Words {{ u32 at[{}]; }};\nextern \"C\" __global__ void kernel({inputs}u32* out0, {status}const Words words{params}) {{\n\
             u32 i = blockIdx.x * blockDim.x + threadIdx.x;\n{}\n}}\n",
            self.words.len(),
            self.body
        );
        let slots = (0..self.inputs).map(Slot::Input).chain([Slot::Output(0)]).collect();
        let pass = CompiledPass {
            module: device.0.module("written", source.into()).unwrap(),
            slots,
            arguments: self.words,
            params: !self.params.is_empty(),
            extent: Extent { grid: [self.blocks, 1, 1], block: [8, 1, 1] },
            reports: self.reports,
        };
        let (number, steps) = (device.0.next_number(), vec![Step::Pass(pass)]);
        Rc::new(Ready {
            number,
            steps,
            for_ones: None,
            params: self.params,
            inputs: self.inputs,
            outputs: 1,
            host: None,
        })
    }
}

/// The number of submissions that were recorded, and that were replayed.
fn graphs(device: &Backing) -> (u64, u64) {
    let counters = device.counters();
    (counters.graphs_recorded, counters.graph_replays)
}

fn device() -> Backing {
    let settings = Settings { poison: true, ..Settings::default() };
    // Marks that are not done immediately, as on a GPU.
    open(Options { deferred: true, checked: true, settings, ..Options::default() }).unwrap()
}

fn upload_words(device: &Backing, words: &[u32]) -> BufferId {
    let buffer = device.allocate(words.len() as u64 * 4).unwrap();
    device.upload(buffer, DType::I32, 0, bytemuck::cast_slice(words)).unwrap();
    buffer
}

fn words(buffer: BufferId, elements: usize) -> Read {
    Read { buffer, dtype: DType::I32, offset: 0, elements }
}

fn launch(kernel: &Compiled, inputs: &[BufferId], output: BufferId, params: &[Constant]) -> Launch {
    Launch {
        op: "written",
        kernel: kernel.clone(),
        inputs: inputs.into(),
        outputs: vec![output].into(),
        params: params.into(),
    }
}

fn submit(device: &Backing, launches: &[Launch], reads: &[Read]) -> Vec<Result<Vec<u32>>> {
    let submission = device.submit(launches, reads);
    submission.reads.into_iter().map(|read| block_on(read).map(|bytes| bytemuck::pod_collect_to_vec(&bytes))).collect()
}

/// `out0[i] = in0[i] * params[0]`, with an eight-byte parameter before it.
fn scale(device: &Backing) -> Compiled {
    let body = "if (i < words.at[0]) out0[i] = in0[i] * params[2] + params[1];";
    Written { body, params: vec![Type::F64, Type::I32], ..Written::default() }.compile(device)
}

#[test]
fn uploads_launches_and_reads_in_order() {
    let device = device();
    let x = upload_words(&device, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let y = device.allocate(32).unwrap();
    let kernel = scale(&device);
    // Its upper word is 5.
    let number = Constant::F64(5 << 32);
    let by = |factor| [number, Constant::I32(factor)];
    let launches = [launch(&kernel, &[x], y, &by(2)), launch(&kernel, &[y], x, &by(3))];
    let read = Read { buffer: x, dtype: DType::I32, offset: 6, elements: 2 };
    let got = submit(&device, &launches, &[words(y, 3), read]);
    assert_eq!(*got[0].as_ref().unwrap(), [7, 9, 11]);
    assert_eq!(*got[1].as_ref().unwrap(), [(7 * 2 + 5) * 3 + 5, (8 * 2 + 5) * 3 + 5]);
    assert!(device.failures().is_empty());
    assert_eq!(device.counters().dispatches, 2);
    assert!(device.sources(&kernel)[0].contains("params[2]"));
}

#[test]
fn fresh_memory_is_poisoned_and_bools_are_bools() {
    let device = device();
    let x = device.allocate(3).unwrap();
    assert_eq!(submit(&device, &[], &[words(x, 4)])[0].as_ref().unwrap(), &[0xCDCD_CDCD; 4]);
    device.upload(x, DType::Bool, 0, &[0, 7, 1]).unwrap();
    let read = Read { buffer: x, dtype: DType::Bool, offset: 1, elements: 2 };
    let bytes = device.submit(&[], &[read]).reads.remove(0);
    assert_eq!(block_on(bytes).unwrap(), [1, 1]);
    assert!(device.upload(x, DType::I32, 0, &[0; 20]).unwrap_err().is_argument());
    assert!(device.upload(x, DType::I32, 0, &[0; 3]).unwrap_err().is_argument());
    assert!(device.allocate(u64::MAX).unwrap_err().is_out_of_memory());
    device.free(x);
    assert!(submit(&device, &[], &[words(x, 1)]).remove(0).unwrap_err().is_disposed());
}

#[test]
fn an_upload_larger_than_a_block_arrives_whole() {
    let device = device();
    let count = 19 << 20;
    let values: Vec<u32> = (0..count).collect();
    let buffer = upload_words(&device, &values);
    let got = submit(&device, &[], &[words(buffer, count as usize)]).remove(0).unwrap();
    assert!(got == values);
}

#[test]
fn an_index_out_of_range_is_its_launchs_failure_alone() {
    let device = device();
    let body =
        "if (i < 8 && in0[i] >= words.at[0]) atomicExch(status, words.at[0] + 1); else if (i < 8) out0[i] = in0[i];";
    let kernel = Written { body, words: vec![100], reports: true, ..Written::default() }.compile(&device);
    let [fine, off] = [[7; 8], [100; 8]].map(|values| upload_words(&device, &values));
    let outputs = [0; 3].map(|_| upload_words(&device, &[0; 8]));
    for _ in 0..3 {
        let inputs = [fine, off, fine];
        let launches: Vec<Launch> =
            inputs.iter().zip(outputs).map(|(&input, output)| launch(&kernel, &[input], output, &[])).collect();
        let submission = device.submit(&launches, &[words(outputs[2], 1)]);
        assert_eq!(block_on({ submission.reads }.remove(0)).unwrap(), 7u32.to_le_bytes());
        let failures = device.failures();
        assert_eq!(failures.len(), 1);
        assert_eq!((failures[0].submission, failures[0].launch), (submission.id, Some(1)));
        assert_eq!(
            failures[0].error.to_string(),
            Error::index("written", "an index is out of range for a dimension of size 100").to_string()
        );
    }
    // The third submission was a recording's.
    assert_eq!(graphs(&device), (1, 2));
}

#[test]
fn launches_that_cannot_run_are_reported_and_the_others_run() {
    let device = device();
    let (x, y) = (upload_words(&device, &[1; 8]), upload_words(&device, &[0; 8]));
    let copy = Written { body: "if (i < 8) out0[i] = in0[i];", ..Written::default() }.compile(&device);
    let broken = Written { body: "__trap();", ..Written::default() }.compile(&device);
    let foreign: Compiled = Rc::new(1);
    let launches = [
        launch(&foreign, &[x], y, &[]),
        launch(&copy, &[BufferId(99)], y, &[]),
        launch(&copy, &[x, x], y, &[]),
        launch(&copy, &[x], y, &[Constant::I32(1)]),
        launch(&broken, &[x], y, &[]),
        launch(&copy, &[x], y, &[]),
    ];
    assert_eq!(submit(&device, &launches, &[words(y, 1)])[0].as_ref().unwrap(), &[1]);
    let failures = device.failures();
    assert_eq!(failures.iter().map(|failure| failure.launch).collect::<Vec<_>>(), [0, 1, 2, 3, 4].map(Some));
    assert!(failures[4].error.is_kernel() && failures[4].error.op() == "written", "{}", failures[4].error);
}

#[test]
fn a_submission_that_comes_again_is_one_launch_with_new_numbers() {
    let device = device();
    let (x, y) = (upload_words(&device, &[1; 8]), upload_words(&device, &[0; 8]));
    let kernel = scale(&device);
    for step in 0..5 {
        let by = [Constant::F64(0), Constant::I32(step)];
        let launches =
            [launch(&kernel, &[x], y, &by), launch(&kernel, &[y], x, &[Constant::F64(1 << 32), Constant::I32(0)])];
        let before = device.counters().dispatches;
        assert_eq!(
            submit(&device, &launches, &[words(y, 1), words(x, 1)])[0].as_ref().unwrap(),
            &[step as u32],
            "step {step}"
        );
        let dispatched = device.counters().dispatches - before;
        // The first time they are launched, the second time recorded and replayed.
        assert_eq!(dispatched, [2, 3, 1, 1, 1][step as usize]);
    }
    assert_eq!(graphs(&device), (1, 4));
    assert!(device.failures().is_empty());
    let made = device.counters().buffers;
    let launches = [
        launch(&kernel, &[x], y, &[Constant::F64(0), Constant::I32(1)]),
        launch(&kernel, &[y], x, &[Constant::F64(0), Constant::I32(4)]),
    ];
    assert_eq!(submit(&device, &launches, &[words(x, 1)])[0].as_ref().unwrap(), &[4]);
    assert_eq!(device.counters().buffers, made);
    // With another buffer it is another submission. Freeing the buffer drops its recordings.
    let z = upload_words(&device, &[1; 8]);
    let other = [launch(&kernel, &[x], z, &[Constant::F64(0), Constant::I32(1)]), launches[1].clone()];
    submit(&device, &other, &[]);
    assert_eq!(device.counters().graph_replays, 5);
    assert_eq!(device.0.graphs.borrow().recordings(), 1);
    device.free(y);
    assert_eq!(device.0.graphs.borrow().recordings(), 0);
}

#[test]
fn recordings_are_bounded_and_go_when_memory_that_they_know_moves() {
    let device = device();
    let kernel = Written { body: "if (i < 8) out0[i] = in0[i] + 1;", ..Written::default() }.compile(&device);
    let buffers: Vec<BufferId> = (0..300).map(|_| upload_words(&device, &[1; 8])).collect();
    for pair in buffers.windows(2) {
        for _ in 0..2 {
            submit(
                &device,
                &[launch(&kernel, &[pair[0]], pair[1], &[]), launch(&kernel, &[pair[1]], pair[0], &[])],
                &[],
            );
        }
    }
    assert_eq!(device.counters().graphs_recorded, 299);
    assert!((64..=128).contains(&device.0.graphs.borrow().recordings()));
    device.0.ensure(&device.0.scratch, 1 << 10).unwrap();
    device.0.ensure(&device.0.scratch, 1 << 20).unwrap();
    assert_eq!(device.0.graphs.borrow().recordings(), 0);
}

#[test]
fn a_factorization_runs_between_launches() {
    let device = device();
    let double =
        Written { body: "if (i < 4) ((float*)out0)[i] = 2.0f * ((const float*)in0)[i];", ..Written::default() }
            .compile(&device);
    let routine = Routine::Cholesky { size: 2, upper: false };
    let kernel = Kernel::Linalg(Linalg { routine, dtype: DType::F32, batch: 1, checked: true });
    let cholesky = device.compile("cholesky", &kernel, &[]).unwrap();
    let of = |values: [f32; 4]| upload_words(&device, bytemuck::cast_slice(&values));
    let (info, lower, result) = (upload_words(&device, &[9]), of([0.0; 4]), of([0.0; 4]));
    let run = |matrix: BufferId| {
        let doubled = of([0.0; 4]);
        let factor = Launch {
            op: "cholesky",
            kernel: cholesky.clone(),
            inputs: vec![doubled].into(),
            outputs: vec![lower, info].into(),
            params: vec![].into(),
        };
        let launches = [launch(&double, &[matrix], doubled, &[]), factor, launch(&double, &[lower], result, &[])];
        submit(&device, &launches, &[words(result, 4), words(info, 1)])
            .into_iter()
            .map(Result::unwrap)
            .collect::<Vec<_>>()
    };
    let got = run(of([2.0, 1.0, 1.0, 2.5]));
    assert_eq!(bytemuck::cast_slice::<u32, f32>(&got[0]), [4.0, 0.0, 2.0, 4.0]);
    assert_eq!(got[1], [0]);
    assert!(device.failures().is_empty());
    run(of([-1.0; 4]));
    let failures = device.failures();
    assert_eq!(failures.iter().map(|failure| failure.launch).collect::<Vec<_>>(), [Some(1)]);
    assert!(failures[0].error.is_linalg());
}

#[test]
fn launches_are_measured_while_profiling() {
    let device = device();
    let kernel = Written { body: "if (i < 8) out0[i] = in0[i];", ..Written::default() }.compile(&device);
    let (x, y) = (upload_words(&device, &[1; 8]), upload_words(&device, &[0; 8]));
    let launches = [launch(&kernel, &[x], y, &[]), launch(&kernel, &[y], x, &[])];
    submit(&device, &launches, &[]);
    device.set_profiling(true);
    (0..2).for_each(|_| drop(submit(&device, &launches, &[])));
    device.set_profiling(false);
    submit(&device, &launches, &[]);
    let timings = block_on(device.timings()).unwrap();
    let measured: Vec<_> = timings.iter().map(|timing| (timing.submission, timing.launch)).collect();
    assert_eq!(measured, [(2, Some(0)), (2, Some(1)), (3, Some(0)), (3, Some(1))]);
    assert!(timings.windows(2).all(|pair| pair[0].start + pair[0].duration <= pair[1].start + 1.0));
    assert!(timings.iter().all(|timing| timing.start >= 0.0 && timing.duration > 0.0));
}

#[test]
fn a_read_that_nobody_awaits_and_a_wait_without_a_read() {
    let device = device();
    let x = upload_words(&device, &[3; 8]);
    drop(device.submit(&[], &[words(x, 8)]));
    block_on(device.synchronize()).unwrap();
    // No result is awaited, so nothing waits: far more submissions than may be in flight.
    for _ in 0..1000 {
        drop(device.submit(&[], &[words(x, 8)]));
    }
    assert!(device.0.in_flight.borrow().len() <= 128);
    assert_eq!(submit(&device, &[], &[words(x, 1)])[0].as_ref().unwrap(), &[3]);
}

#[test]
fn what_is_too_much_for_the_device_is_refused_when_it_is_compiled() {
    let device = device();
    let layout = Layout::contiguous(Shape::from_dims([2]));
    let map = lanthorn_ir::kernel::Map {
        indices: vec![],
        shape: Shape::from_dims([2]),
        inputs: vec![lanthorn_ir::kernel::Operand::new(DType::F32, layout); MAX_BINDINGS],
        params: vec![],
        program: lanthorn_ir::kernel::identity(Type::F32),
        dtypes: vec![DType::F32],
    };
    let error = device.compile("wide", &Kernel::Map(map), &[]).err().unwrap();
    assert!(error.is_limit() && error.op() == "wide", "{error}");
}
