//! Elements of one and two bytes, which share words with others. No kernel kind changes the other
//! elements of a word.

use crate::common::{
    fused_reductions::{one, row, x},
    *,
};
use lanthorn_ir::{
    Backend, DType, Kernel, Layout,
    backend::{InPlace, Launch},
    expr::{Expr, Program, Type},
    kernel::{
        Contract, Copy, Epilogue, FusedReduction, Gather, Map, Reduce, ReduceOp, Scan, ScanOp, Scatter, ScatterOp,
        Sort, identity,
    },
};
use lanthorn_wgpu::{Contraction, Options, Rows, Tuning, WgpuBackend};

const PACKED: [DType; 4] = [DType::Bool, DType::U8, DType::F16, DType::BF16];

/// With float16 in shaders and without it.
fn backends() -> [WgpuBackend; 2] {
    [Options::default(), Options { default_limits: true, ..Options::default() }].map(open)
}

/// Numbers that a type represents exactly.
fn exact(dtype: DType, n: usize, seed: u32) -> Vec<f64> {
    integers(n, seed, 0, if dtype == DType::Bool { 2 } else { 100 })
}

#[test]
fn an_element_takes_its_own_size() {
    for backend in backends() {
        let bytes = [DType::Bool, DType::U8, DType::F16, DType::BF16, DType::I32, DType::F32];
        assert_eq!(bytes.map(|dtype| backend.storage_bytes(dtype, 1001)), [1004, 1004, 2004, 2004, 4004, 4004]);
    }
}

#[test]
fn maps_of_any_length_write_whole_words() {
    for backend in backends() {
        for dtype in PACKED {
            let value = Expr::input(0, Type::from(dtype));
            let ty = Type::from(dtype);
            let program =
                Program::new(&[value.clone(), value.gt(Expr::constant(0.0, ty)), value.cast(Type::F32) * 2.0]);
            for dims in
                [&[0][..], &[1], &[2], &[3], &[5], &[8], &[9], &[63], &[64], &[4099], &[5, 3], &[7, 9, 2], &[6, 8]]
            {
                let n = dims.iter().product::<usize>();
                // In order from an odd offset on, and in another order.
                let order: Vec<usize> = (0..dims.len()).rev().collect();
                let reversed: Vec<usize> = dims.iter().rev().copied().collect();
                let shifted = Layout::new(shape(dims), contiguous(dims).strides().iter().copied(), 1);
                for layout in [contiguous(dims), shifted, contiguous(&reversed).permute(&order)] {
                    for second in [DType::U8, DType::Bool] {
                        let map = Map {
                            indices: vec![],
                            shape: shape(dims),
                            inputs: vec![operand(dtype, layout.clone())],
                            params: vec![],
                            program: program.clone(),
                            dtypes: vec![dtype, second, DType::BF16],
                        };
                        let kernel = Kernel::Map(map);
                        let sources = backend.shaders("test", &kernel).unwrap();
                        assert!(sources.iter().all(|source| !source.contains("atomic")));
                        check_kernel(&backend, &kernel, &[&exact(dtype, n + 1, 1)], &[]);
                    }
                }
            }
        }
    }
}

#[test]
fn a_copy_keeps_what_lies_beside_it() {
    for backend in backends() {
        for dtype in PACKED {
            let base = exact(dtype, 90, 2);
            for (offset, count) in (0..6).flat_map(|offset| [1, 2, 3, 4, 7, 8, 17].map(|count| (offset, count))) {
                let run_of = |stride: isize, offset| Layout::new(shape(&[count]), [stride], offset);
                let columns = Layout::new(shape(&[3, count]), [29, 1], offset);
                let copies = [
                    (run_of(1, 0), run_of(1, offset)),
                    (run_of(1, offset), run_of(4, offset)),
                    (run_of(0, 0), run_of(3, offset)),
                    (contiguous(&[count, 3]).permute(&[1, 0]), columns),
                ];
                for (source, target) in copies {
                    let copy = Copy { dtype, source, target };
                    let values = exact(dtype, 60, 3);
                    let want = reference::copy(&copy, &values, &base);
                    let kernel = Kernel::Copy(copy);
                    backend.shaders("test", &kernel).unwrap().iter().for_each(|source| validate(source));
                    assert_eq!(
                        run(&backend, &kernel, &[(dtype, &values)], &[], Some(&base))[0],
                        want,
                        "{dtype} {kernel:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_copy_keeps_the_bits_of_halves() {
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for backend in backends() {
        for dtype in [DType::F16, DType::BF16] {
            // In order and transposed, so that elements are moved one by one.
            for source in [contiguous(&[1 << 16]), contiguous(&[1 << 8, 1 << 8]).permute(&[1, 0])] {
                let target = Layout::contiguous(source.shape().clone());
                let compiled = backend
                    .compile("copy", &Kernel::Copy(Copy { dtype, source: source.clone(), target }), &[])
                    .unwrap();
                let buffers = [(); 2].map(|()| backend.allocate(backend.storage_bytes(dtype, 1 << 16)).unwrap());
                backend.upload(buffers[0], dtype, 0, &all).unwrap();
                let (inputs, outputs) = (vec![buffers[0]], vec![buffers[1]]);
                let launch = Launch {
                    op: "copy",
                    kernel: compiled,
                    inputs: inputs.into(),
                    outputs: outputs.into(),
                    params: vec![].into(),
                };
                let read = lanthorn_ir::backend::Read { buffer: buffers[1], dtype, offset: 0, elements: 1 << 16 };
                let got = pollster::block_on(backend.submit(&[launch], &[read]).reads.swap_remove(0)).unwrap();
                let want: Vec<u8> = source.offsets().flat_map(|at| [all[2 * at], all[2 * at + 1]]).collect();
                assert!(got == want, "{dtype}");
            }
        }
    }
}

#[test]
fn values_are_scattered_beside_one_another() {
    for backend in backends() {
        for dtype in PACKED {
            let combining = !dtype.is_half();
            for op in [ScatterOp::Set, ScatterOp::Add, ScatterOp::Max]
                .into_iter()
                .filter(|&op| combining || op == ScatterOp::Set)
            {
                // By the owner of a position, by the leader of a value, and sorted first.
                for (count, extent, columns) in [(40, 5, 3), (9, 50, 3), (5000, 5000, 2)] {
                    let layout = contiguous(&[count, columns]);
                    let (source, index) = (layout.clone(), layout);
                    let (shape, output) = (shape(&[count, columns]), shape(&[extent, columns + 1]));
                    let scatter = Scatter { shape, dim: 0, dtype, op, source, index, output };
                    let (values, base) = (exact(dtype, count * columns, 4), exact(dtype, extent * (columns + 1), 5));
                    let index = integers(count * columns, 6, 0, extent as i32);
                    let want = reference::scatter(&scatter, &values, &index, &base);
                    let inputs = [(dtype, values.as_slice()), (DType::I32, &index)];
                    let kernel = Kernel::Scatter(scatter);
                    backend.shaders("test", &kernel).unwrap().iter().for_each(|source| validate(source));
                    assert_eq!(run(&backend, &kernel, &inputs, &[], Some(&base))[0], want, "{dtype} {op:?}");
                }
            }
        }
    }
}

#[test]
fn elements_are_gathered_into_whole_words() {
    for backend in backends() {
        for dtype in PACKED {
            for (rows, columns) in [(1, 1), (1, 3), (5, 3), (9, 8), (1000, 7)] {
                let gather = Gather {
                    shape: shape(&[rows, columns]),
                    dtype,
                    source: Layout::new(shape(&[rows, columns]), [0, 1], 1),
                    stride: columns as isize,
                    extent: 6,
                    index: Layout::new(shape(&[rows, columns]), [1, 0], 0),
                };
                let (values, index) = (exact(dtype, 6 * columns + 1, 7), integers(rows, 8, 0, 6));
                let want = reference::gather(&gather, &values, &index);
                let kernel = Kernel::Gather(gather);
                backend.shaders("test", &kernel).unwrap().iter().for_each(|source| validate(source));
                let inputs = [(dtype, values.as_slice()), (DType::I32, &index)];
                assert_eq!(run(&backend, &kernel, &inputs, &[], None)[0], want, "{dtype}");
                // An index out of range fails the launch.
                let compiled = backend.compile("gather", &kernel, &[]).unwrap();
                let buffers = [upload(&backend, dtype, &values), upload(&backend, DType::I32, &vec![-1.0; rows])];
                let output = backend.allocate(backend.storage_bytes(dtype, rows * columns)).unwrap();
                let launch = Launch {
                    op: "gather",
                    kernel: compiled,
                    inputs: buffers.as_slice().into(),
                    outputs: vec![output].into(),
                    params: vec![].into(),
                };
                backend.submit(&[launch], &[]);
                pollster::block_on(backend.synchronize()).unwrap();
                assert_eq!(backend.failures().len(), 1);
            }
        }
    }
}

#[test]
fn operands_are_replaced_in_place() {
    for backend in backends() {
        for dtype in PACKED {
            let ty = Type::from(dtype);
            let (value, other) = (Expr::input(0, ty), Expr::input(1, ty));
            let larger = value.gt(&other).select(&value, &other);
            for n in [1, 3, 64, 65, 1001] {
                let map = Kernel::Map(Map {
                    indices: vec![],
                    shape: shape(&[n]),
                    inputs: [0; 2].map(|_| operand(dtype, contiguous(&[n]))).to_vec(),
                    params: vec![],
                    program: Program::new(&[larger.clone(), value.gt(&other)]),
                    dtypes: vec![dtype, DType::U8],
                });
                let inputs = [exact(dtype, n, 9), exact(dtype, n, 10)];
                for input in 0..2 {
                    check_in_place(&backend, &map, InPlace { input, output: 0 }, &inputs.each_ref().map(Vec::as_slice));
                }
            }
        }
        // Operands that are added to a sum or a product.
        for dtype in [DType::F16, DType::BF16] {
            let epilogue = |dims: &[usize]| Epilogue {
                inputs: vec![operand(dtype, contiguous(dims))],
                program: Program::new(&[x(0) + x(1)]),
                dtypes: vec![dtype],
            };
            for (outer, n) in [(1, 3), (5, 7), (6, 8), (65, 20)] {
                let sum = Kernel::Reduce(Reduce {
                    indices: vec![],
                    outer: shape(&[outer]),
                    inner: shape(&[2]),
                    inputs: vec![operand(dtype, contiguous(&[outer, 2]))],
                    params: vec![],
                    prologue: identity(Type::F32),
                    op: ReduceOp::Sum,
                    epilogue: epilogue(&[outer]),
                });
                let small = |n, seed| integers(n, seed, 0, 4);
                check_in_place(
                    &backend,
                    &sum,
                    InPlace { input: 1, output: 0 },
                    &[&small(2 * outer, 11), &small(outer, 12)],
                );
                let plain = Contract::matrices(dtype, contiguous(&[outer, 4]), contiguous(&[4, n]));
                let product = Kernel::Contract(Contract { epilogue: epilogue(&[outer, n]), ..plain });
                let inputs = [small(outer * 4, 13), small(4 * n, 14), small(outer * n, 15)];
                check_in_place(
                    &backend,
                    &product,
                    InPlace { input: 2, output: 0 },
                    &inputs.each_ref().map(Vec::as_slice),
                );
            }
        }
    }
}

#[test]
fn products_of_every_variant_store_packed_results() {
    let variants =
        [Contraction::Tiled, Contraction::Wide, Contraction::Register, Contraction::Quad, Contraction::Simple];
    let tunings = variants.map(|contract| Tuning { contract: Some(contract), ..Tuning::default() });
    let opened = |tuning| open(Options { tuning, ..Options::default() });
    let weak = |tuning| open(Options { tuning, default_limits: true, ..Options::default() });
    for backend in tunings.into_iter().flat_map(|tuning| [opened(tuning), weak(tuning)]) {
        for dtype in [DType::F16, DType::BF16] {
            for [m, n, k] in [[3, 5, 7], [20, 24, 8], [17, 30, 12], [5, 8, 1200]] {
                // In order, and with the second operand transposed.
                for b in [contiguous(&[k, n]), contiguous(&[n, k]).permute(&[1, 0])] {
                    let epilogue = Epilogue {
                        inputs: vec![],
                        program: Program::new(&[x(0), x(0).gt(8.0)]),
                        dtypes: vec![dtype, DType::Bool],
                    };
                    let contract = Contract { epilogue, ..Contract::matrices(dtype, contiguous(&[m, k]), b) };
                    let few = |n: usize, seed| {
                        integers(n, seed, 0, 10).into_iter().map(|v| f64::from(v >= 9.0)).collect::<Vec<_>>()
                    };
                    check_kernel(&backend, &Kernel::Contract(contract), &[&few(m * k, 16), &few(k * n, 17)], &[]);
                }
            }
        }
    }
}

#[test]
fn results_of_sums_rows_scans_and_sorts_share_words() {
    let variants = [Rows::Thread, Rows::Workgroup].map(|rows| Tuning { rows: Some(rows), ..Tuning::default() });
    let tuned = variants.map(|tuning| open(Options { tuning, ..Options::default() }));
    for backend in backends().into_iter().chain(tuned) {
        for dtype in PACKED {
            let ty = Type::from(dtype);
            for (outer, inner) in [(1, 5), (7, 4), (66, 3), (9, 300)] {
                let values = exact(dtype, outer * inner, 18);
                let reduce = Reduce {
                    indices: vec![],
                    outer: shape(&[outer]),
                    inner: shape(&[inner]),
                    inputs: vec![operand(dtype, contiguous(&[outer, inner]))],
                    params: vec![],
                    prologue: identity(ty),
                    op: ReduceOp::Max,
                    epilogue: Epilogue::store(ty, dtype),
                };
                check_kernel(&backend, &Kernel::Reduce(reduce), &[&values], &[]);
                let best = Expr::input(1, ty);
                let kernel = FusedReduction {
                    reductions: vec![(ReduceOp::Max, identity(ty))],
                    rows: one(&best),
                    row_dtypes: vec![dtype],
                    elements: Program::new(&[
                        Expr::input(0, ty).lt(&best).select(Expr::input(0, ty), &best),
                        Expr::input(0, ty).lt(&best),
                    ]),
                    element_dtypes: vec![dtype, DType::Bool],
                    ..row(&[outer], &[inner], vec![operand(dtype, contiguous(&[outer, inner]))])
                };
                check_kernel(&backend, &Kernel::FusedReduction(kernel), &[&values], &[]);
                for dim in 0..2 {
                    let scan = Scan {
                        indices: vec![],
                        shape: shape(&[outer, inner]),
                        dim,
                        reverse: dim == 0,
                        inputs: vec![operand(dtype, contiguous(&[outer, inner]))],
                        params: vec![],
                        prologue: identity(ty),
                        op: ScanOp::Max,
                        dtype,
                    };
                    check_kernel(&backend, &Kernel::Scan(scan), &[&values], &[]);
                    let sort = Sort { dtype, source: contiguous(&[outer, inner]), dim, descending: dim == 1 };
                    check_kernel(&backend, &Kernel::Sort(sort), &[&values], &[]);
                }
            }
            // Several merges, between which keys take more room than elements.
            let sort = Sort { dtype, source: contiguous(&[20_001]), dim: 0, descending: false };
            check_kernel(&backend, &Kernel::Sort(sort), &[&exact(dtype, 20_001, 19)], &[]);
        }
    }
}

#[test]
fn any_byte_but_zero_is_true() {
    let backend = backend();
    let buffer = backend.allocate(backend.storage_bytes(DType::Bool, 5)).unwrap();
    backend.upload(buffer, DType::Bool, 0, &[0, 1, 2, 255, 0]).unwrap();
    let read = lanthorn_ir::backend::Read { buffer, dtype: DType::Bool, offset: 0, elements: 5 };
    let got = pollster::block_on(backend.submit(&[], &[read]).reads.swap_remove(0)).unwrap();
    assert_eq!(got, [0, 1, 1, 1, 0]);
    let error = backend.upload(buffer, DType::F16, 0, &[0; 3]).unwrap_err();
    assert!(error.to_string().contains("no whole number of elements"), "{error}");
}
