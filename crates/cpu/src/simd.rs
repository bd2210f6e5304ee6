//! Run-time choice of the instruction set: one source, compiled again for wide vectors.
//!
//! The loops of this crate are plain Rust that LLVM vectorizes. [`dispatch!`] compiles the same
//! body for the build's baseline (SSE2 on x86-64, simd128 on wasm) and again for AVX2 and AVX-512,
//! and chooses by the features of the processor. Rejected: intrinsics, a second source to keep
//! equal to the first; and `-C target-cpu`, because a distributed binary does not know its
//! processor.
//!
//! Multiplication and addition are never fused here, so that an expression has the same bits on
//! every target. The matrix product, whose rounding depends on its blocking anyway, may fuse them.

/// Defines a function whose body is compiled for the baseline, for AVX2 and for AVX-512. All
/// functions that it calls must be `#[inline(always)]` or small, so that they are compiled for the
/// same target.
macro_rules! dispatch {
    ($(#[$meta:meta])* $vis:vis fn $name:ident
        $(<$($generic:ident: $bound:path),*>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$meta])*
        $vis fn $name $(<$($generic: $bound),*>)? ($($arg: $ty),*) $(-> $out)? {
            #[inline(always)]
            fn generic $(<$($generic: $bound),*>)? ($($arg: $ty),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512dq") && std::arch::is_x86_feature_detected!("avx512vl") {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
                fn widest $(<$($generic: $bound),*>)? ($($arg: $ty),*) $(-> $out)? {
                    generic $(::<$($generic),*>)? ($($arg),*)
                }
                // SAFETY: the only requirement is that the processor has these parts of AVX-512.
                // Processors with DQ and VL have F and BW.
                return unsafe { widest $(::<$($generic),*>)? ($($arg),*) };
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn wide $(<$($generic: $bound),*>)? ($($arg: $ty),*) $(-> $out)? {
                    generic $(::<$($generic),*>)? ($($arg),*)
                }
                // SAFETY: the only requirement is that the processor has AVX2, and that was
                // checked.
                return unsafe { wide $(::<$($generic),*>)? ($($arg),*) };
            }
            generic $(::<$($generic),*>)? ($($arg),*)
        }
    };
}

pub(crate) use dispatch;
