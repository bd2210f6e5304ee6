//! Every kernel that has a text in CUDA C++ compiles as C++, by g++ with a header that declares
//! CUDA's built-in functions. Other tests, on devices, check the results.
#![cfg(feature = "cuda")]
#![allow(missing_docs)]

use lanthorn_ir::{
    DType, Kernel,
    kernel::{Contract, Copy},
};
use lanthorn_kernel_tests::{contiguous, corpus, rotation};
use lanthorn_kernels::{Language, Target, Tuning, Variant, plan};
use std::{collections::BTreeSet, fs, process::Command};

const TARGET: Target = Target {
    language: Language::Cuda,
    software: false,
    quads: false,
    max_groups: 65_535,
    max_scratch_bytes: 64 << 20,
    max_buffer_bytes: 1 << 32,
    tuning: Tuning { contract: None, reduce: None, rows: None, software: None },
};

/// The texts of all variants of the kernels that have one.
fn texts(kernels: impl IntoIterator<Item = Kernel>) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for kernel in kernels {
        let variants = Variant::of(&kernel, &TARGET);
        // Only an unsupported type explains a kernel without a text.
        if variants.is_empty() {
            assert!(plan("test", &kernel, &[], &TARGET).unwrap_err().is_dtype(), "{kernel:?}");
        }
        for variant in variants {
            texts.extend(
                plan("test", &kernel, &[], &TARGET.with_tuning(variant.tuning))
                    .unwrap()
                    .passes
                    .into_iter()
                    .map(|pass| pass.source.text()),
            );
        }
    }
    texts
}

/// Compiles every third text, in rotation, as C++, and asserts that at least `at_least` of the
/// texts are different.
fn compile(name: &str, kernels: impl IntoIterator<Item = Kernel>, at_least: usize) {
    let mut texts = texts(kernels);
    assert!(texts.len() >= at_least, "{name}: {} texts", texts.len());
    let mut numbers = 0..;
    texts.retain(|_| numbers.next().is_some_and(|number| rotation::takes(number, 3)));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // An earlier run may have left the folder.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let files: Vec<_> = (0..texts.len()).map(|at| folder.join(format!("{at}.cpp"))).collect();
    texts.iter().zip(&files).for_each(|(text, file)| fs::write(file, text).unwrap());
    for files in files.chunks(50) {
        let mut compiler = Command::new("g++");
        let compiler = compiler.args([
            "-std=c++17",
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused",
            "-Wno-unknown-pragmas",
        ]);
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda.h");
        let output = compiler.args(["-include", header]).args(files).output().expect("g++");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn functions_of_one_value_and_conversions() {
    compile("unary", corpus::unary(), 100);
}

#[test]
fn functions_of_two_values() {
    compile("binary", corpus::binary(), 100);
}

#[test]
fn affine_indices() {
    compile("affine", corpus::affine::all(), 15);
}

#[test]
fn maps_of_every_walk() {
    compile("walks", corpus::layouts(), 45);
}

#[test]
fn reductions_rows_and_scans() {
    compile("reductions", corpus::reductions(), 150);
}

#[test]
fn sorts_and_scatters() {
    compile("sorts", corpus::sorts(), 100);
}

#[test]
fn products() {
    compile("products", corpus::products(), 50);
}

#[test]
fn products_of_formulas() {
    compile("prologues", corpus::prologues(), 50);
}

#[test]
fn attentions() {
    compile("attentions", corpus::attentions(), 30);
}

#[test]
fn a_product_reads_vectors_where_its_operands_have_them() {
    let texts = |turned: bool| {
        let a = if turned { contiguous(&[64, 128]).permute(&[1, 0]) } else { contiguous(&[128, 64]) };
        let contract = Contract::matrices(DType::F32, a, contiguous(&[64, 128]));
        texts([Kernel::Contract(contract)])
    };
    for text in texts(true).into_iter().chain(texts(false)).filter(|text| text.contains("tile_a")) {
        assert!(text.contains("const vec4<f32>* __restrict__ in0, const vec4<f32>* __restrict__ in1"), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let wide = |elements: usize| {
        let layout = contiguous(&[elements]);
        Kernel::Copy(Copy { dtype: DType::U8, source: layout.clone(), target: layout })
    };
    assert!(plan("copy", &wide(i32::MAX as usize), &[], &TARGET).is_ok());
    let error = plan("copy", &wide(1 << 31), &[], &TARGET).unwrap_err();
    assert!(error.is_limit() && error.to_string().contains("copy"), "{error}");
}
