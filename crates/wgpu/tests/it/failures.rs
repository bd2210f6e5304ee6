//! Errors reach exactly the results that they affect. A repeated step creates nothing.

use crate::common::*;
use lanthorn_ir::{
    Backend, DType, Kernel, Layout,
    backend::{BufferId, Launch, Read, Submission},
    expr::{Constant, Expr, Program, Type},
    kernel::{Contract, Epilogue, Gather, Map, Reduce, ReduceOp, Scatter, ScatterOp},
};
use lanthorn_wgpu::WgpuBackend;

fn read(buffer: BufferId, elements: usize) -> Read {
    Read { buffer, dtype: DType::F32, offset: 0, elements }
}

fn values(submission: Submission) -> Vec<Vec<f64>> {
    submission.reads.into_iter().map(|read| from_bytes(DType::F32, &pollster::block_on(read).unwrap())).collect()
}

/// `output = input + param`.
fn add(n: usize) -> Kernel {
    Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[n]),
        inputs: vec![operand(DType::F32, contiguous(&[n]))],
        params: vec![Type::F32],
        program: Program::new(&[Expr::input(0, Type::F32) + Expr::param(0, Type::F32)]),
        dtypes: vec![DType::F32],
    })
}

fn pick(n: usize, extent: usize) -> Kernel {
    Kernel::Gather(Gather {
        shape: shape(&[n]),
        dtype: DType::F32,
        source: Layout::new(shape(&[n]), [0], 0),
        stride: 1,
        extent,
        index: contiguous(&[n]),
    })
}

fn floats(backend: &WgpuBackend, n: usize) -> BufferId {
    backend.allocate(backend.storage_bytes(DType::F32, n)).unwrap()
}

fn launch(
    backend: &WgpuBackend,
    op: &'static str,
    kernel: &Kernel,
    inputs: &[BufferId],
    output: BufferId,
    params: &[Constant],
) -> Launch {
    let kernel = backend.compile(op, kernel, &[]).unwrap();
    Launch { op, kernel, inputs: inputs.into(), outputs: vec![output].into(), params: params.into() }
}

#[test]
fn a_read_sees_the_value_at_the_time_of_its_call() {
    let backend = backend();
    let buffers = [upload(&backend, DType::F32, &[1.0; 4]), floats(&backend, 4)];
    let mut reads = Vec::new();
    for step in 0..100 {
        let (from, to) = (buffers[step % 2], buffers[(step + 1) % 2]);
        let step = launch(&backend, "add", &add(4), &[from], to, &[Constant::new(1.0, Type::F32)]);
        reads.push(backend.submit(&[step], &[read(to, 4)]));
    }
    // Read in another order than written. Some results are not read.
    for (step, submission) in reads.into_iter().enumerate().rev().filter(|(step, _)| step % 3 != 1) {
        assert_eq!(values(submission), [[2.0 + step as f64; 4]]);
    }
    assert!(backend.failures().is_empty());
}

#[test]
fn a_repeated_step_creates_nothing() {
    let backend = backend();
    let (x, w) = (
        upload(&backend, DType::F32, &numbers(64 * 32, 1, 1.0)),
        upload(&backend, DType::F32, &numbers(32 * 16, 2, 1.0)),
    );
    let index = upload(&backend, DType::I32, &[1.0, 2.0]);
    let (y, loss, picked) = (floats(&backend, 64 * 16), floats(&backend, 1), floats(&backend, 2));
    let product = Contract::matrices(DType::F32, contiguous(&[64, 32]), contiguous(&[32, 16]));
    let sum = Reduce {
        indices: vec![],
        outer: shape(&[]),
        inner: shape(&[1024]),
        inputs: vec![operand(DType::F32, contiguous(&[1024]))],
        params: vec![Type::F32],
        prologue: Program::new(&[Expr::input(0, Type::F32) * Expr::param(0, Type::F32)]),
        op: ReduceOp::Sum,
        epilogue: Epilogue::store(Type::F32, DType::F32),
    };
    let launches = |lr: f64| {
        vec![
            launch(&backend, "matmul", &Kernel::Contract(product.clone()), &[x, w], y, &[]),
            launch(&backend, "sum", &Kernel::Reduce(sum.clone()), &[y], loss, &[Constant::new(lr, Type::F32)]),
            launch(&backend, "gather", &pick(2, 1024), &[y, index], picked, &[]),
        ]
    };
    let step = |step: usize| values(backend.submit(&launches(1.0 + step as f64), &[read(loss, 1), read(picked, 2)]));
    let first = step(0);
    let before = backend.counters();
    for i in 1..50 {
        let again = step(i);
        // The parameter is data: it changes with the step.
        assert!((again[0][0] - first[0][0] * (1.0 + i as f64)).abs() <= 1e-4 * (1.0 + i as f64));
        assert_eq!(again[1], first[1]);
    }
    let after = backend.counters();
    assert_eq!(
        (after.buffers, after.bind_groups, after.pipelines),
        (before.buffers, before.bind_groups, before.pipelines)
    );
    assert_eq!((after.submits - before.submits, after.uniform_writes - before.uniform_writes), (49, 49));
    assert!(backend.failures().is_empty());
}

#[test]
fn new_shapes_take_no_new_pipeline() {
    let backend = backend();
    for n in 1..200 {
        let (from, to) = (upload(&backend, DType::F32, &vec![1.0; n]), floats(&backend, n));
        let work = launch(&backend, "add", &add(n), &[from], to, &[Constant::new(n as f64, Type::F32)]);
        assert_eq!(values(backend.submit(&[work], &[read(to, n)]))[0], vec![1.0 + n as f64; n]);
        backend.free(from);
        backend.free(to);
    }
    // One for a single element, which has no stride, one for multiples of four, and one for all
    // other sizes.
    assert_eq!(backend.counters().pipelines, 3);
}

#[test]
fn a_bad_index_among_many_that_are_sorted_fails_its_launch() {
    let backend = backend();
    let n = 1100;
    for bad in [n as f64, -1.0, 2147483647.0, -2147483648.0] {
        let mut indices: Vec<f64> = (0..n).rev().map(|index| index as f64).collect();
        indices[5] = bad;
        let (source, index) = (upload(&backend, DType::F32, &vec![1.0; n]), upload(&backend, DType::I32, &indices));
        let output = upload(&backend, DType::F32, &vec![5.0; n]);
        let layout = contiguous(&[n]);
        let scatter = Kernel::Scatter(Scatter {
            shape: shape(&[n]),
            dim: 0,
            dtype: DType::F32,
            op: ScatterOp::Add,
            source: layout.clone(),
            index: layout,
            output: shape(&[n]),
        });
        let work = launch(&backend, "scatter_add", &scatter, &[source, index], output, &[]);
        let got = values(backend.submit(&[work], &[read(output, n)]));
        // The element that it would have written is unchanged.
        assert!(
            got[0].iter().enumerate().all(|(index, &value)| value == if index == n - 6 { 5.0 } else { 6.0 }),
            "{bad}"
        );
        assert!(matches!(&backend.failures()[..], [failure] if failure.error.is_index()), "{bad}");
        [source, index, output].into_iter().for_each(|buffer| backend.free(buffer));
    }
}

#[test]
fn a_bad_index_fails_its_launch_and_no_other() {
    let backend = backend();
    let source = upload(&backend, DType::F32, &[10.0, 11.0, 12.0, 13.0]);
    let good = upload(&backend, DType::I32, &[0.0, 3.0]);
    let outputs = [floats(&backend, 2), floats(&backend, 2), floats(&backend, 4)];
    let neighbour = upload(&backend, DType::F32, &[5.0; 4]);
    for bad in [4.0, -1.0, 2147483647.0, -2147483648.0] {
        let bad = upload(&backend, DType::I32, &[1.0, bad]);
        let scatter = |op| {
            Kernel::Scatter(Scatter {
                shape: shape(&[2]),
                dim: 0,
                dtype: DType::F32,
                op,
                source: contiguous(&[2]),
                index: contiguous(&[2]),
                output: shape(&[4]),
            })
        };
        // No read of this one: a read of a later submission reports its failure.
        let unread = backend.submit(&[launch(&backend, "take", &pick(2, 4), &[source, bad], outputs[0], &[])], &[]);
        let work = [
            launch(&backend, "gather", &pick(2, 4), &[source, good], outputs[0], &[]),
            launch(&backend, "index_select", &pick(2, 4), &[source, bad], outputs[1], &[]),
            launch(&backend, "scatter_add", &scatter(ScatterOp::Add), &[source, bad], neighbour, &[]),
            launch(&backend, "scatter", &scatter(ScatterOp::Set), &[source, bad], neighbour, &[]),
            launch(&backend, "add", &add(4), &[neighbour], outputs[2], &[Constant::new(1.0, Type::F32)]),
        ];
        let submission = backend.submit(&work, &[read(outputs[0], 2), read(outputs[2], 4)]);
        let id = submission.id;
        let got = values(submission);
        assert_eq!(got[0], [10.0, 13.0]);
        // The valid half of the scatters is stored. The rest of the output is unchanged.
        assert_eq!(got[1], [6.0, 11.0, 6.0, 6.0]);
        let mut failures = backend.failures();
        failures.sort_by_key(|failure| (failure.submission, failure.launch));
        let found: Vec<_> = failures
            .iter()
            .map(|failure| (failure.submission, failure.launch, failure.error.op().to_string()))
            .collect();
        let want = [
            (unread.id, Some(0), "take"),
            (id, Some(1), "index_select"),
            (id, Some(2), "scatter_add"),
            (id, Some(3), "scatter"),
        ];
        assert_eq!(found, want.map(|(submission, launch, op)| (submission, launch, op.to_string())));
        assert!(failures.iter().all(|failure| failure.error.is_index()));
        assert!(failures[0].error.to_string().contains("dimension of size 4"), "{}", failures[0].error);
        backend.upload(neighbour, DType::F32, 0, &to_bytes(DType::F32, &[5.0; 4])).unwrap();
        // The next step has no error.
        values(backend.submit(&work[..1], &[read(outputs[0], 2)]));
        assert!(backend.failures().is_empty());
        backend.free(bad);
    }
}

#[test]
fn synchronize_finds_failures_that_nothing_reads() {
    let backend = backend();
    let source = upload(&backend, DType::F32, &[1.0; 4]);
    let bad = upload(&backend, DType::I32, &[9.0]);
    let output = floats(&backend, 1);
    let submission = backend.submit(&[launch(&backend, "gather", &pick(1, 4), &[source, bad], output, &[])], &[]);
    pollster::block_on(backend.synchronize()).unwrap();
    let failures = backend.failures();
    assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, submission.id, Some(0)));
    pollster::block_on(backend.synchronize()).unwrap();
    assert!(backend.failures().is_empty());
}

#[test]
fn more_launches_with_indices_than_the_status_buffer_holds() {
    let backend = backend();
    let source = upload(&backend, DType::F32, &[1.0; 4]);
    let (good, bad) = (upload(&backend, DType::I32, &[1.0]), upload(&backend, DType::I32, &[4.0]));
    let output = floats(&backend, 1);
    let good = launch(&backend, "gather", &pick(1, 4), &[source, good], output, &[]);
    let bad = launch(&backend, "gather", &pick(1, 4), &[source, bad], output, &[]);
    let mut many = vec![good; 9000];
    many[4095] = bad.clone();
    many[8999] = bad;
    let mut want = Vec::new();
    for _ in 0..2 {
        let submission = backend.submit(&many, &[]);
        want.extend([(submission.id, Some(4095)), (submission.id, Some(8999))]);
    }
    pollster::block_on(backend.synchronize()).unwrap();
    let mut found: Vec<_> = backend.failures().iter().map(|failure| (failure.submission, failure.launch)).collect();
    found.sort();
    assert_eq!(found, want);
}

#[test]
fn a_launch_over_a_freed_buffer_fails_alone() {
    let backend = backend();
    let (x, gone) = (upload(&backend, DType::F32, &[1.0; 4]), floats(&backend, 4));
    let y = floats(&backend, 4);
    backend.free(gone);
    let one = [Constant::new(1.0, Type::F32)];
    let work = [launch(&backend, "add", &add(4), &[gone], y, &one), launch(&backend, "add", &add(4), &[x], y, &one)];
    let submission = backend.submit(&work, &[read(y, 4), read(gone, 4)]);
    let id = submission.id;
    let mut reads = submission.reads.into_iter();
    assert_eq!(from_bytes(DType::F32, &pollster::block_on(reads.next().unwrap()).unwrap()), [2.0; 4]);
    assert!(pollster::block_on(reads.next().unwrap()).unwrap_err().is_disposed());
    let failures = backend.failures();
    assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, id, Some(0)));
    assert_eq!(failures[0].error.op(), "add");
}

#[test]
fn free_after_submit_is_safe() {
    let backend = backend();
    let (x, y) = (upload(&backend, DType::F32, &[1.0; 4]), floats(&backend, 4));
    let submission =
        backend.submit(&[launch(&backend, "add", &add(4), &[x], y, &[Constant::new(1.0, Type::F32)])], &[read(y, 4)]);
    backend.free(x);
    backend.free(y);
    backend.free(y);
    assert_eq!(values(submission), [[2.0; 4]]);
    assert!(backend.failures().is_empty());
}

#[test]
fn wrong_parameters_are_an_error_of_the_launch() {
    let backend = backend();
    let (x, y) = (upload(&backend, DType::F32, &[1.0; 4]), floats(&backend, 4));
    let work = launch(&backend, "add", &add(4), &[x], y, &[Constant::new(1.0, Type::I32)]);
    backend.submit(&[work], &[]);
    assert!(backend.failures()[0].error.is_argument());
}

#[test]
fn what_is_too_large_is_refused_by_size() {
    let backend = backend();
    let error = backend.allocate(1 << 50).unwrap_err();
    assert!(error.is_limit() && error.message().contains(&(1u64 << 50).to_string()), "{error}");
}

#[test]
fn out_of_memory_is_an_error_and_the_rest_lives() {
    // Without poison, because a machine provides more memory than it has, as long as it is not
    // written.
    let backend = pollster::block_on(WgpuBackend::new(Default::default())).unwrap();
    let most = backend.capabilities().max_buffer_bytes;
    let x = upload(&backend, DType::F32, &[3.0; 4]);
    let mut held = Vec::new();
    let mut refused = None;
    while refused.is_none() && held.len() < 64 {
        match backend.allocate(most) {
            Ok(buffer) => held.push(buffer),
            Err(error) => refused = Some(error),
        }
    }
    if let Some(error) = refused {
        assert!(error.is_out_of_memory() && error.message().contains(&most.to_string()), "{error}");
    }
    held.into_iter().for_each(|buffer| backend.free(buffer));
    assert_eq!(values(backend.submit(&[], &[read(x, 4)])), [[3.0; 4]]);
    assert!(backend.failures().is_empty());
}

#[test]
fn a_lost_device_rejects_everything_and_hangs_nothing() {
    let backend = backend();
    let (x, y) = (upload(&backend, DType::F32, &[1.0; 4]), floats(&backend, 4));
    let one = [Constant::new(1.0, Type::F32)];
    let work = [launch(&backend, "add", &add(4), &[x], y, &one)];
    assert!(backend.lost().is_none());
    let before = backend.submit(&work, &[read(y, 4)]);
    backend.device().destroy();
    // Earlier reads may have completed, but must not hang.
    for read in before.reads {
        if let Err(error) = pollster::block_on(read) {
            assert!(error.is_device_lost(), "{error}");
        }
    }
    let after = backend.submit(&work, &[read(y, 4)]);
    for read in after.reads {
        assert!(pollster::block_on(read).unwrap_err().is_device_lost());
    }
    assert!(backend.lost().is_some_and(|error| error.is_device_lost()));
    assert!(backend.allocate(64).unwrap_err().is_device_lost());
    assert!(backend.upload(x, DType::F32, 0, &[0; 16]).unwrap_err().is_device_lost());
    assert!(backend.compile("add", &add(5), &[]).map(|_| ()).unwrap_err().is_device_lost());
    assert!(pollster::block_on(backend.synchronize()).unwrap_err().is_device_lost());
    assert!(backend.failures().iter().any(|failure| failure.submission == after.id && failure.error.is_device_lost()));
    backend.free(x);
    drop(backend);
}

#[test]
fn an_error_that_nothing_caught_fails_the_submissions_it_may_concern() {
    let backend = backend();
    let x = upload(&backend, DType::F32, &[1.0; 4]);
    let fine = backend.submit(&[], &[read(x, 4)]);
    values(fine);
    let doubtful = backend.submit(&[], &[]);
    // Through the raw device: a buffer that exceeds every limit.
    let _ = backend.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 1 << 60,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let failures = backend.failures();
    assert_eq!(
        failures.iter().map(|failure| (failure.submission, failure.launch)).collect::<Vec<_>>(),
        [(doubtful.id, None)]
    );
}

#[test]
fn reads_of_every_type_and_of_nothing() {
    let backend = backend();
    for (dtype, data) in [
        (DType::Bool, vec![1.0, 0.0, 1.0]),
        (DType::U8, vec![255.0, 0.0, 7.0]),
        (DType::I32, vec![-1.0, 0.0, 2e9]),
        (DType::F32, vec![0.5, -0.0, 1e30]),
    ] {
        let buffer = upload(&backend, dtype, &data);
        let submission = backend.submit(
            &[],
            &[Read { buffer, dtype, offset: 0, elements: 3 }, Read { buffer, dtype, offset: 0, elements: 0 }],
        );
        let got: Vec<Vec<u8>> = submission.reads.into_iter().map(|read| pollster::block_on(read).unwrap()).collect();
        assert_eq!(got, [to_bytes(dtype, &data), vec![]]);
    }
    let empty = upload(&backend, DType::F32, &[]);
    assert_eq!(values(backend.submit(&[], &[read(empty, 0)])), [[0.0; 0]]);
}

#[test]
fn new_buffers_are_poisoned() {
    let backend = backend();
    let buffer = backend.allocate(64).unwrap();
    let submission = backend.submit(&[], &[read(buffer, 16)]);
    let bytes = pollster::block_on(submission.reads.into_iter().next().unwrap()).unwrap();
    assert_eq!(bytes, [0xcd; 64]);
}
