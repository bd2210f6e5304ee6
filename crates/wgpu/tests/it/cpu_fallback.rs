//! CPU fallbacks and the tasks that are queued after them: run immediately, as on native devices,
//! and only when a result is awaited, as in a page.

use crate::common::*;
use lanthorn_ir::{
    Backend, DType, Kernel,
    backend::{BufferId, Launch, Profiler, Read, Submission},
    expr::{Constant, Expr, Program, Type},
    kernel::{Linalg, Map, Routine},
};
use lanthorn_wgpu::{Options, WgpuBackend};

/// Devices that run the tasks immediately and when awaited.
fn backends() -> [WgpuBackend; 2] {
    [false, true].map(|deferred| open(Options { deferred, ..Options::default() }))
}

fn read(buffer: BufferId, elements: usize) -> Read {
    Read { buffer, dtype: DType::F32, offset: 0, elements }
}

fn values(submission: Submission) -> Vec<Vec<f64>> {
    submission.reads.into_iter().map(|read| from_bytes(DType::F32, &pollster::block_on(read).unwrap())).collect()
}

fn words(backend: &WgpuBackend, n: usize) -> BufferId {
    backend.allocate(backend.storage_bytes(DType::F32, n)).unwrap()
}

fn launch(
    backend: &WgpuBackend,
    op: &'static str,
    kernel: &Kernel,
    inputs: &[BufferId],
    outputs: &[BufferId],
) -> Launch {
    let params = kernel.params().iter().map(|&ty| Constant::new(1.0, ty)).collect();
    let kernel = backend.compile(op, kernel, &[]).unwrap();
    Launch { op, kernel, inputs: inputs.into(), outputs: outputs.into(), params }
}

/// `output = input + 1`.
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

/// The square root of `batch` numbers, or an error of the launch.
fn roots(batch: usize) -> Kernel {
    let routine = Routine::Cholesky { size: 1, upper: false };
    Kernel::Linalg(Linalg { routine, dtype: DType::F32, batch, checked: true })
}

#[test]
fn a_step_between_shaders() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[3.0, 8.0]);
        let [y, root, info, z] = [2, 2, 2, 2].map(|n| words(&backend, n));
        let work = [
            launch(&backend, "add", &add(2), &[x], &[y]),
            launch(&backend, "cholesky", &roots(2), &[y], &[root, info]),
            launch(&backend, "add", &add(2), &[root], &[z]),
        ];
        let got = values(backend.submit(&work, &[read(z, 2), read(root, 2), read(info, 2), read(x, 2)]));
        assert_eq!(got, [[3.0, 4.0], [2.0, 3.0], [0.0, 0.0], [3.0, 8.0]]);
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn reads_uploads_and_frees_keep_their_order_in_the_program() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[15.0]);
        let [y, info, z] = [1, 1, 1].map(|n| words(&backend, n));
        let take_root = launch(&backend, "cholesky", &roots(1), &[x], &[y, info]);
        let next = launch(&backend, "add", &add(1), &[x], &[z]);
        let mut reads = Vec::new();
        for step in 1..40 {
            let square = (step * step) as f64;
            backend.upload(x, DType::F32, 0, &to_bytes(DType::F32, &[square])).unwrap();
            // The root, and then other work on its input.
            reads.push((f64::from(step), backend.submit(std::slice::from_ref(&take_root), &[read(y, 1)])));
            reads.push((square + 1.0, backend.submit(std::slice::from_ref(&next), &[read(z, 1)])));
            // A buffer that is dropped after one step.
            let short = upload(&backend, DType::F32, &[square * 4.0]);
            let work = [launch(&backend, "cholesky", &roots(1), &[short], &[y, info])];
            reads.push((2.0 * f64::from(step), backend.submit(&work, &[read(y, 1)])));
            backend.free(short);
            backend.upload(x, DType::F32, 0, &to_bytes(DType::F32, &[-1.0])).unwrap();
        }
        // Read in another order than written. Some results are not read.
        for (number, (want, submission)) in reads.into_iter().enumerate().rev().filter(|(number, _)| number % 5 != 1) {
            assert_eq!(values(submission), [[want]], "read {number}");
        }
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn steps_that_follow_one_another_share_a_journey() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[65536.0]);
        let [y, z, info] = [1, 1, 1].map(|n| words(&backend, n));
        // The buffers are reused in the order x, y, z, y, x.
        let work = [(x, y), (y, z), (z, y), (y, x)]
            .map(|(from, to)| launch(&backend, "cholesky", &roots(1), &[from], &[to, info]));
        let before = backend.counters().submits;
        assert_eq!(values(backend.submit(&work, &[read(x, 1), read(y, 1), read(z, 1)])), [[2.0], [4.0], [16.0]]);
        assert_eq!(backend.counters().submits - before, 2);
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn a_repeated_step_creates_nothing() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[4.0, 9.0]);
        let [y, info, z] = [2, 2, 2].map(|n| words(&backend, n));
        let work = [
            launch(&backend, "cholesky", &roots(2), &[x], &[y, info]),
            launch(&backend, "add", &add(2), &[y], &[z]),
            launch(&backend, "cholesky", &roots(2), &[z], &[y, info]),
        ];
        let step = || assert_eq!(values(backend.submit(&work, &[read(z, 2)])), [[3.0, 4.0]]);
        step();
        let before = backend.counters();
        (0..20).for_each(|_| step());
        let after = backend.counters();
        let created = |stats: lanthorn_ir::backend::Counters| (stats.buffers, stats.bind_groups, stats.pipelines);
        assert_eq!(created(after), created(before));
    }
}

#[test]
fn a_breakdown_fails_its_launch_and_no_other() {
    for backend in backends() {
        let (good, bad) = (upload(&backend, DType::F32, &[4.0]), upload(&backend, DType::F32, &[-4.0]));
        let [y, z, w, info] = [1, 1, 1, 1].map(|n| words(&backend, n));
        let work = [
            launch(&backend, "inverse", &roots(1), &[bad], &[z, info]),
            launch(&backend, "cholesky", &roots(1), &[good], &[y, info]),
            launch(&backend, "add", &add(1), &[y], &[w]),
            launch(&backend, "solve", &roots(1), &[bad], &[z, info]),
        ];
        let unread = backend.submit(&work, &[]).id;
        let last = backend.submit(&work, &[read(w, 1)]);
        let id = last.id;
        assert_eq!(values(last), [[3.0]]);
        let found: Vec<_> = backend
            .failures()
            .iter()
            .map(|failure| {
                assert!(failure.error.is_linalg(), "{}", failure.error);
                (failure.submission, failure.launch.unwrap(), failure.error.op().to_string())
            })
            .collect();
        let want = [unread, id].into_iter().flat_map(|id| [(id, 0, "inverse".into()), (id, 3, "solve".into())]);
        assert_eq!(found, want.collect::<Vec<_>>());
        // Later work is not affected.
        assert_eq!(values(backend.submit(&work[1..3], &[read(w, 1)])), [[3.0]]);
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn synchronize_waits_for_the_queue() {
    for backend in backends() {
        let bad = upload(&backend, DType::F32, &[-4.0]);
        let [z, info] = [1, 1].map(|n| words(&backend, n));
        let id = backend.submit(&[launch(&backend, "cholesky", &roots(1), &[bad], &[z, info])], &[]).id;
        pollster::block_on(backend.synchronize()).unwrap();
        let failures = backend.failures();
        assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, id, Some(0)));
        pollster::block_on(backend.synchronize()).unwrap();
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn a_launch_over_a_freed_buffer_fails_alone() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[4.0]);
        let [gone, y, info] = [1, 1, 1].map(|n| words(&backend, n));
        let good = launch(&backend, "cholesky", &roots(1), &[x], &[y, info]);
        let bad = launch(&backend, "inverse", &roots(1), &[gone], &[y, info]);
        backend.submit(std::slice::from_ref(&good), &[]);
        backend.free(gone);
        let submission = backend.submit(&[bad, good], &[read(y, 1), read(gone, 1)]);
        let id = submission.id;
        let mut reads = submission.reads.into_iter();
        assert_eq!(from_bytes(DType::F32, &pollster::block_on(reads.next().unwrap()).unwrap()), [2.0]);
        assert!(pollster::block_on(reads.next().unwrap()).unwrap_err().is_disposed());
        let failures = backend.failures();
        assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, id, Some(0)));
        assert_eq!(failures[0].error.op(), "inverse");
    }
}

#[test]
fn nothing_and_empty_batches() {
    for backend in backends() {
        let empty = upload(&backend, DType::F32, &[]);
        let [y, info] = [0, 0].map(|n| words(&backend, n));
        let work = [launch(&backend, "cholesky", &roots(0), &[empty], &[y, info])];
        assert_eq!(values(backend.submit(&work, &[read(y, 0)])), [[0.0; 0]]);
        assert!(backend.failures().is_empty());
    }
}

#[test]
fn a_lost_device_rejects_what_waits_and_hangs_nothing() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[4.0]);
        let [y, info, z] = [1, 1, 1].map(|n| words(&backend, n));
        let work =
            [launch(&backend, "cholesky", &roots(1), &[x], &[y, info]), launch(&backend, "add", &add(1), &[y], &[z])];
        let before = backend.submit(&work, &[read(z, 1)]);
        let behind = backend.submit(&work, &[read(z, 1)]);
        let done = backend.synchronize();
        backend.device().destroy();
        // Earlier reads may have completed, but must not hang.
        for read in before.reads.into_iter().chain(behind.reads) {
            if let Err(error) = pollster::block_on(read) {
                assert!(error.is_device_lost(), "{error}");
            }
        }
        let _ = pollster::block_on(done);
        let after = backend.submit(&work, &[read(z, 1)]);
        for read in after.reads {
            assert!(pollster::block_on(read).unwrap_err().is_device_lost());
        }
        assert!(backend.upload(x, DType::F32, 0, &[0; 4]).unwrap_err().is_device_lost());
        assert!(pollster::block_on(backend.synchronize()).unwrap_err().is_device_lost());
        let failures = backend.failures();
        assert!(failures.iter().any(|failure| failure.submission == after.id && failure.error.is_device_lost()));
        backend.free(x);
    }
}

#[test]
fn steps_are_measured() {
    for backend in backends() {
        let x = upload(&backend, DType::F32, &[4.0]);
        let [y, info, z] = [1, 1, 1].map(|n| words(&backend, n));
        backend.set_profiling(true);
        let work =
            [launch(&backend, "cholesky", &roots(1), &[x], &[y, info]), launch(&backend, "add", &add(1), &[y], &[z])];
        let id = backend.submit(&work, &[]).id;
        pollster::block_on(backend.synchronize()).unwrap();
        let timings = pollster::block_on(backend.timings()).unwrap();
        let of_step: Vec<_> = timings.iter().filter(|timing| timing.launch == Some(0)).collect();
        assert!(of_step.len() == 1 && of_step[0].submission == id && of_step[0].duration >= 0.0, "{timings:?}");
        assert!(timings.len() > 1);
    }
}
