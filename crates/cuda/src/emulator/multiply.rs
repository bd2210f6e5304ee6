//! The library of matrix products as a plain loop, to test the code around it.

use crate::{
    driver::{Factors, Pointer},
    product::{Activation, Product},
};
use lanthorn_ir::{DType, half};

/// # Safety
/// As for [`crate::Driver::multiply`].
pub(super) unsafe fn multiply(product: &Product, factors: Factors) {
    // SAFETY: the caller guarantees all positions of the product.
    let at = |pointer, dtype, position| unsafe { read(pointer, dtype, position) };
    // Overwrites the previous output, as a library may that clears it and adds partial sums.
    for position in 0..product.batch * product.m * product.n {
        // SAFETY: as above.
        unsafe { write(factors.output, product.output, position, f32::NAN) };
    }
    for batch in 0..product.batch {
        for i in 0..product.m {
            for j in 0..product.n {
                let term = |l: usize| {
                    let a = at(factors.a, product.dtype, product.a.position(batch, i, l));
                    let b = at(factors.b, product.dtype, product.b.position(batch, l, j));
                    // A product that exceeds float32's range is infinite, as on a GPU.
                    f64::from(a * b)
                };
                let sum = (0..product.k).map(term).sum::<f64>() as f32;
                let bias =
                    factors.bias.zip(product.bias).map_or(0.0, |(bias, offset)| at(bias, product.output, offset + j));
                let result = activate(product.activation, sum + bias);
                let position = (batch * product.m + i) * product.n + j;
                // SAFETY: as above.
                unsafe { write(factors.output, product.output, position, result) };
            }
        }
    }
}

fn activate(activation: Activation, x: f32) -> f32 {
    match activation {
        Activation::None => x,
        Activation::Relu => {
            if x <= 0.0 {
                0.0
            } else {
                x
            }
        }
        Activation::Gelu => x * 0.5 * (1.0 + ((x + x * x * x * 0.044715) * (2.0 / std::f32::consts::PI).sqrt()).tanh()),
    }
}

unsafe fn read(pointer: Pointer, dtype: DType, position: usize) -> f32 {
    // SAFETY: the caller guarantees the position.
    unsafe {
        match dtype {
            DType::F16 => half::f16_to_f32((pointer.0 as *const u16).add(position).read()),
            DType::BF16 => half::bf16_to_f32((pointer.0 as *const u16).add(position).read()),
            _ => (pointer.0 as *const f32).add(position).read(),
        }
    }
}

unsafe fn write(pointer: Pointer, dtype: DType, position: usize, value: f32) {
    // SAFETY: the caller guarantees the position.
    unsafe {
        match dtype {
            DType::F16 => (pointer.0 as *mut u16).add(position).write(half::f16_from_f32(value)),
            DType::BF16 => (pointer.0 as *mut u16).add(position).write(half::bf16_from_f32(value)),
            _ => (pointer.0 as *mut f32).add(position).write(value),
        }
    }
}
