//! Tests in a real browser: its own compiler of shaders, errors that are reported late, a lost
//! device.
//!
//! They inject faults by patching the browser's prototypes, because no correct kernel causes these
//! faults.
#![cfg(target_arch = "wasm32")]

use lanthorn_ir::{
    Backend, DType, Kernel, Layout,
    backend::{BufferId, Launch, Read},
    expr::{BinaryOp, Expr, Program, Type},
    kernel::{Contract, Epilogue, Gather, Linalg, Map, Reduce, ReduceOp, Routine, Scatter, ScatterOp, identity},
};
use lanthorn_kernel_tests::{convolution::Convolution, *};
use lanthorn_wgpu::{Contraction, Options, Reduction, Rows, Tuning, WgpuBackend};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

async fn open(tuning: Tuning) -> WgpuBackend {
    WgpuBackend::new(Options { poison: true, tuning, ..Options::default() }).await.expect("a WebGPU adapter")
}

/// Runs `then` with a JavaScript patch in place.
fn with_patch<T>(patch: &str, undo: &str, then: impl FnOnce() -> T) -> T {
    js_sys::eval(patch).unwrap();
    let result = then();
    js_sys::eval(undo).unwrap();
    result
}

fn launch(backend: &WgpuBackend, op: &'static str, kernel: &Kernel, inputs: &[BufferId], output: BufferId) -> Launch {
    let kernel = backend.compile(op, kernel, &[]).unwrap();
    Launch { op, kernel, inputs: inputs.into(), outputs: vec![output].into(), params: vec![].into() }
}

/// `output = input + addend`. Each addend has a separate pipeline.
fn add(addend: f64) -> Kernel {
    Kernel::Map(Map {
        shape: shape(&[4]),
        inputs: vec![operand(DType::F32, contiguous(&[4]))],
        indices: vec![],
        params: vec![],
        program: Program::new(&[Expr::input(0, Type::F32) + addend]),
        dtypes: vec![DType::F32],
    })
}

#[wasm_bindgen_test]
async fn every_kernel_kind() {
    for (contract, reduce, software) in [
        (None, None, true),
        (Some(Contraction::Tiled), Some(Reduction::Tree), false),
        (Some(Contraction::Simple), Some(Reduction::Thread), false),
    ] {
        let backend = open(Tuning { contract, reduce, software: Some(software), ..Tuning::default() }).await;
        for (m, n, k) in [(65, 70, 33), (4, 5, 3000)] {
            let kernel = Contract::matrices(DType::F32, contiguous(&[k, m]).permute(&[1, 0]), contiguous(&[k, n]));
            let (a, b) = (numbers(m * k, 1, 1.0), numbers(k * n, 2, 1.0));
            let want = reference::contract(&kernel, &[&a, &b], &[]).swap_remove(0);
            let got =
                run_async(&backend, &Kernel::Contract(kernel), &[(DType::F32, &a), (DType::F32, &b)], &[], None).await;
            assert_within(&got[0], &want, 1.3e-6, 2e-5);
        }
        for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin] {
            for dtype in [DType::Bool, DType::U8, DType::I32] {
                let kernel = Reduce {
                    outer: shape(&[3]),
                    inner: shape(&[5000]),
                    inputs: vec![operand(dtype, contiguous(&[5000, 3]).permute(&[1, 0]))],
                    indices: vec![],
                    params: vec![],
                    prologue: identity(Type::from(dtype)),
                    op,
                    epilogue: if op.is_index() {
                        Epilogue::store(Type::I32, DType::I32)
                    } else {
                        Epilogue::store(Type::from(dtype), dtype)
                    },
                };
                let x = integers(15_000, 3, 0, if dtype == DType::Bool { 2 } else { 100 });
                let want = reference::reduce(&kernel, &[&x], &[]).swap_remove(0);
                assert_eq!(run_async(&backend, &Kernel::Reduce(kernel), &[(dtype, &x)], &[], None).await[0], want);
            }
        }
        for (op, extent) in [(ScatterOp::Add, 3), (ScatterOp::Set, 3), (ScatterOp::Add, 90), (ScatterOp::Set, 90)] {
            let kernel = Scatter {
                shape: shape(&[20]),
                dim: 0,
                dtype: DType::I32,
                op,
                source: contiguous(&[20]),
                index: contiguous(&[20]),
                output: shape(&[extent]),
            };
            let (source, index, base) =
                (integers(20, 4, 0, 99), integers(20, 5, 0, extent as i32), integers(extent, 6, 0, 99));
            let want = reference::scatter(&kernel, &source, &index, &base);
            let got = run_async(
                &backend,
                &Kernel::Scatter(kernel),
                &[(DType::I32, &source), (DType::I32, &index)],
                &[],
                Some(&base),
            )
            .await;
            assert_eq!(got[0], want);
        }
    }
}

#[wasm_bindgen_test]
async fn rows_and_windows() {
    let case = Convolution {
        batch: 2,
        groups: 2,
        input: 3,
        output: 4,
        size: [8, 9],
        kernel: [3, 2],
        stride: [2; 2],
        padding: [1; 2],
        dilation: [1; 2],
    };
    let count = |dims: [usize; 4]| dims.iter().product();
    let image = numbers(count(case.image()), 1, 1.0);
    let (weight, result) = (numbers(count(case.weight()), 2, 1.0), numbers(count(case.result()), 3, 1.0));
    let logits = numbers(30 * 24, 4, 8.0);
    let kernels: [(Kernel, Vec<&[f64]>); 4] = [
        (Kernel::Contract(case.forward()), vec![&weight, &image]),
        (Kernel::Contract(case.weight_gradient()), vec![&result, &image]),
        (Kernel::Contract(case.image_gradient()), vec![&weight, &result]),
        (Kernel::FusedReduction(fused_reductions::softmax(30, 24, contiguous(&[30, 24]))), vec![&logits]),
    ];
    for (software, rows) in [(true, Rows::Thread), (false, Rows::Workgroup)] {
        let backend = open(Tuning { software: Some(software), rows: Some(rows), ..Tuning::default() }).await;
        for (kernel, inputs) in &kernels {
            let want = reference::outputs(kernel, inputs, &[]).swap_remove(0);
            let typed: Vec<(DType, &[f64])> = inputs.iter().map(|values| (DType::F32, *values)).collect();
            assert_close(&run_async(&backend, kernel, &typed, &[], None).await[0], &want);
        }
    }
}

#[wasm_bindgen_test]
async fn blocks_of_every_format() {
    let backend = open(Tuning::default()).await;
    blocks::products_async(&backend, &|_| {}).await;
    blocks::maps_async(&backend, &|_| {}).await;
}

#[wasm_bindgen_test]
async fn every_function() {
    let backend = open(Tuning::default()).await;
    let mut a = vec![
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.0,
        1e30,
        -1e30,
        3e5,
        50.0,
        -50.0,
        100.0,
    ];
    a.extend(numbers(2000, 7, 10.0));
    a.iter_mut().for_each(|v| *v = f64::from(*v as f32));
    let mut b = a.clone();
    b[..16].rotate_right(5);
    b[16..].rotate_right(77);
    let (x, y) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    let mut roots = vec![
        -&x,
        x.abs(),
        x.sign(),
        x.exp(),
        x.expm1(),
        x.log(),
        x.log1p(),
        x.sqrt(),
        x.sin(),
        x.cos(),
        x.tanh(),
        x.erf(),
        x.floor(),
        x.ceil(),
        x.round(),
        x.trunc(),
        x.is_nan(),
        x.cast(Type::I32),
        x.cast(Type::U8),
        x.cast(Type::Bool),
    ];
    let binary = BinaryOp::ALL.iter().filter(|op| op.takes_floats());
    roots.extend(binary.map(|&op| x.binary(op, &y)));
    for root in roots {
        let dtype = match root.ty() {
            Type::Bool => DType::Bool,
            Type::U8 => DType::U8,
            Type::I32 => DType::I32,
            _ => DType::F32,
        };
        let label = root.to_string();
        let map = Map {
            shape: shape(&[a.len()]),
            inputs: (0..2).map(|_| operand(DType::F32, contiguous(&[a.len()]))).collect(),
            indices: vec![],
            params: vec![],
            program: Program::new(&[root]),
            dtypes: vec![dtype],
        };
        let want = reference::map(&map, &[&a, &b], &[]);
        let got = run_async(&backend, &Kernel::Map(map), &[(DType::F32, &a), (DType::F32, &b)], &[], None).await;
        for (i, (&g, &w)) in got[0].iter().zip(&want[0]).enumerate() {
            let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= 1e-5 + 1.3e-6 * w.abs();
            assert!(same, "{label} of {}, {}: got {g}, want {w}", a[i], b[i]);
        }
    }
}

#[wasm_bindgen_test]
async fn a_shader_that_does_not_compile_fails_its_launch_and_no_other() {
    let backend = open(Tuning::default()).await;
    let (x, y, z) = (
        upload(&backend, DType::F32, &[1.0; 4]),
        upload(&backend, DType::F32, &[0.0; 4]),
        upload(&backend, DType::F32, &[0.0; 4]),
    );
    let good = launch(&backend, "good", &add(1.0), &[x], y);
    let read = [Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 }];
    for read in backend.submit(std::slice::from_ref(&good), &read).reads {
        read.await.unwrap();
    }
    // A pipeline is created when its turn comes, so shaders are invalid until then.
    js_sys::eval(
        "globalThis.kept = GPUDevice.prototype.createShaderModule; GPUDevice.prototype.createShaderModule = function (d) { return kept.call(this, { code: 'no shader' }); }",
    )
    .unwrap();
    let bad = launch(&backend, "bad", &add(2.0), &[x], z);
    let submission = backend.submit(&[bad.clone(), good.clone()], &read);
    let id = submission.id;
    for read in submission.reads {
        assert_eq!(from_bytes(DType::F32, &read.await.unwrap()), [2.0; 4]);
    }
    js_sys::eval("GPUDevice.prototype.createShaderModule = kept").unwrap();
    let failures = backend.failures();
    assert!(
        failures
            .iter()
            .any(|failure| (failure.submission, failure.launch) == (id, Some(0)) && failure.error.is_kernel()),
        "{failures:?}"
    );
    assert!(failures.iter().all(|failure| failure.launch != Some(1)), "{failures:?}");
    // A known failure is reported immediately. Compiled again, the kernel works.
    backend.submit(&[bad], &[]);
    assert!(backend.failures()[0].error.is_kernel());
    let again = launch(&backend, "bad", &add(2.0), &[x], z);
    for read in backend.submit(&[again], &[Read { buffer: z, dtype: DType::F32, offset: 0, elements: 4 }]).reads {
        assert_eq!(from_bytes(DType::F32, &read.await.unwrap()), [3.0; 4]);
    }
    assert!(backend.failures().is_empty());
}

#[wasm_bindgen_test]
async fn a_buffer_that_does_not_come_to_be_fails_what_uses_it() {
    let backend = open(Tuning::default()).await;
    let (x, y) = (upload(&backend, DType::F32, &[1.0; 4]), upload(&backend, DType::F32, &[0.0; 4]));
    // The pipeline exists, so a launch is submitted immediately, before the buffer's failure is
    // known.
    backend.submit(&[launch(&backend, "add", &add(1.0), &[x], y)], &[]);
    backend.synchronize().await.unwrap();
    let gone = with_patch(
        "globalThis.kept = GPUDevice.prototype.createBuffer; GPUDevice.prototype.createBuffer = function (d) { return kept.call(this, { ...d, size: 2 ** 45 }); }",
        "GPUDevice.prototype.createBuffer = kept",
        || backend.allocate(16),
    );
    let gone = gone.unwrap();
    let submission = backend.submit(
        &[launch(&backend, "add", &add(1.0), &[gone], y)],
        &[Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 }],
    );
    let id = submission.id;
    for read in submission.reads {
        let _ = read.await;
    }
    let failures = backend.failures();
    assert!(failures.iter().any(|failure| (failure.submission, failure.launch) == (id, None)), "{failures:?}");
    assert!(backend.upload(gone, DType::F32, 0, &[0; 16]).is_err());
    // Other results are correct, and the next step runs.
    for read in backend
        .submit(
            &[launch(&backend, "add", &add(1.0), &[x], y)],
            &[Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 }],
        )
        .reads
    {
        assert_eq!(from_bytes(DType::F32, &read.await.unwrap()), [2.0; 4]);
    }
    let failures = backend.failures();
    assert!(failures.is_empty(), "{failures:?}");
}

#[wasm_bindgen_test]
async fn a_bad_index_is_reported() {
    let backend = open(Tuning::default()).await;
    let source = upload(&backend, DType::F32, &[1.0, 2.0]);
    let index = upload(&backend, DType::I32, &[1.0, 2.0]);
    let output = backend.allocate(16).unwrap();
    let gather = Gather {
        shape: shape(&[2]),
        dtype: DType::F32,
        source: Layout::new(shape(&[2]), [0], 0),
        stride: 1,
        extent: 2,
        index: contiguous(&[2]),
    };
    let submission =
        backend.submit(&[launch(&backend, "gather", &Kernel::Gather(gather), &[source, index], output)], &[]);
    backend.synchronize().await.unwrap();
    let failures = backend.failures();
    assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, submission.id, Some(0)));
    assert!(failures[0].error.is_index());
}

#[wasm_bindgen_test]
async fn many_reads_at_once_and_a_steady_state() {
    let backend = open(Tuning::default()).await;
    let buffers = [upload(&backend, DType::F32, &[1.0; 4]), backend.allocate(16).unwrap()];
    let kernel = backend.compile("add", &add(1.0), &[]).unwrap();
    // Until a pipeline exists, all work waits for it and then runs in order.
    let scratch = backend.allocate(16).unwrap();
    let first = Launch {
        op: "add",
        kernel: kernel.clone(),
        inputs: vec![buffers[0]].into(),
        outputs: vec![scratch].into(),
        params: vec![].into(),
    };
    backend.submit(&[first], &[]);
    backend.synchronize().await.unwrap();
    let mut before = None;
    for round in 0..20 {
        let mut reads = Vec::new();
        for step in 0..10 {
            let (from, to) = (buffers[step % 2], buffers[(step + 1) % 2]);
            let work = Launch {
                op: "add",
                kernel: kernel.clone(),
                inputs: vec![from].into(),
                outputs: vec![to].into(),
                params: vec![].into(),
            };
            reads.extend(
                backend.submit(&[work], &[Read { buffer: to, dtype: DType::F32, offset: 0, elements: 4 }]).reads,
            );
        }
        for (step, read) in reads.into_iter().enumerate() {
            assert_eq!(from_bytes(DType::F32, &read.await.unwrap()), [2.0 + step as f64 + 10.0 * round as f64; 4]);
        }
        let stats = backend.counters();
        let created = (stats.buffers, stats.bind_groups, stats.pipelines);
        assert!(before.is_none() || before == Some(created), "{before:?} {created:?}");
        before = Some(created);
    }
}

#[wasm_bindgen_test]
async fn a_lost_device_rejects_everything() {
    let backend = open(Tuning::default()).await;
    let (x, y) = (upload(&backend, DType::F32, &[1.0; 4]), backend.allocate(16).unwrap());
    let work = launch(&backend, "add", &add(1.0), &[x], y);
    let under_way =
        backend.submit(std::slice::from_ref(&work), &[Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 }]);
    backend.device().destroy();
    for read in under_way.reads {
        let _ = read.await;
    }
    // The event loop resolves the promise of the loss.
    for _ in 0..100 {
        if backend.lost().is_some() {
            break;
        }
        let _ = backend.synchronize().await;
    }
    assert!(backend.lost().unwrap().is_device_lost());
    assert!(backend.allocate(16).unwrap_err().is_device_lost());
    for read in backend.submit(&[work], &[Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 }]).reads {
        assert!(read.await.unwrap_err().is_device_lost());
    }
    // Another one works.
    let next = open(Tuning::default()).await;
    upload(&next, DType::F32, &[1.0]);
}

/// All work after a step on the host waits for it in order, while the page continues.
#[wasm_bindgen_test]
async fn work_after_a_step_on_the_host_keeps_its_order() {
    let backend = open(Tuning::default()).await;
    let routine = Routine::Cholesky { size: 1, upper: false };
    let roots = Kernel::Linalg(Linalg { routine, dtype: DType::F32, batch: 4, checked: true });
    let x = upload(&backend, DType::F32, &[1.0; 4]);
    let [y, info, z] = [4, 4, 4].map(|n| backend.allocate(backend.storage_bytes(DType::F32, n)).unwrap());
    let root = |from, to| {
        let kernel = backend.compile("cholesky", &roots, &[]).unwrap();
        Launch {
            op: "cholesky",
            kernel,
            inputs: vec![from].into(),
            outputs: vec![to, info].into(),
            params: vec![].into(),
        }
    };
    let read = |buffer| Read { buffer, dtype: DType::F32, offset: 0, elements: 4 };
    let mut reads = Vec::new();
    for step in 1..12 {
        let square = f64::from(step * step);
        backend.upload(x, DType::F32, 0, &to_bytes(DType::F32, &[square; 4])).unwrap();
        let work = [root(x, y), launch(&backend, "add", &add(1.0), &[y], z)];
        reads.push((f64::from(step) + 1.0, backend.submit(&work, &[read(z)])));
        reads.push((square + 1.0, backend.submit(&[launch(&backend, "add", &add(1.0), &[x], z)], &[read(z)])));
        let short = upload(&backend, DType::F32, &[square * 4.0; 4]);
        reads.push((2.0 * f64::from(step), backend.submit(&[root(short, y)], &[read(y)])));
        backend.free(short);
        backend.upload(x, DType::F32, 0, &to_bytes(DType::F32, &[-1.0; 4])).unwrap();
    }
    for (want, submission) in reads.into_iter().rev() {
        for read in submission.reads {
            assert_eq!(from_bytes(DType::F32, &read.await.unwrap()), [want; 4]);
        }
    }
    // Only the failing launch fails, and a later read reports it.
    let failing = backend.submit(&[root(x, y)], &[]).id;
    let behind = backend.submit(&[], &[read(z)]);
    for read in behind.reads {
        read.await.unwrap();
    }
    let failures = backend.failures();
    assert_eq!((failures.len(), failures[0].submission, failures[0].launch), (1, failing, Some(0)));
    assert!(failures[0].error.is_linalg());
    backend.submit(&[root(x, y)], &[]);
    backend.synchronize().await.unwrap();
    assert_eq!(backend.failures().len(), 1);
}

#[wasm_bindgen_test]
async fn a_device_lost_during_a_step_on_the_host_rejects_what_waits() {
    let backend = open(Tuning::default()).await;
    let routine = Routine::Cholesky { size: 1, upper: false };
    let roots = Kernel::Linalg(Linalg { routine, dtype: DType::F32, batch: 4, checked: true });
    let x = upload(&backend, DType::F32, &[4.0; 4]);
    let [y, info] = [4, 4].map(|n| backend.allocate(backend.storage_bytes(DType::F32, n)).unwrap());
    let kernel = backend.compile("cholesky", &roots, &[]).unwrap();
    let root =
        Launch { op: "cholesky", kernel, inputs: vec![x].into(), outputs: vec![y, info].into(), params: vec![].into() };
    let read = Read { buffer: y, dtype: DType::F32, offset: 0, elements: 4 };
    let waiting: Vec<_> = (0..3).flat_map(|_| backend.submit(std::slice::from_ref(&root), &[read]).reads).collect();
    let done = backend.synchronize();
    backend.device().destroy();
    for read in waiting {
        assert!(read.await.unwrap_err().is_device_lost());
    }
    assert!(done.await.unwrap_err().is_device_lost());
    assert!(backend.failures().iter().any(|failure| failure.error.is_device_lost()));
}
