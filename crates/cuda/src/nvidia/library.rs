//! cuBLASLt: matrix products, with the algorithm that its heuristic ranks first.
//!
//! cuBLASLt stores matrices by columns. A row-major product `A B` is the column-major product
//! `Bᵀ Aᵀ`, so the operands are swapped and not copied. Our bias for each column is its bias for
//! each row.

use crate::{
    driver::{Factors, Pointer},
    product::{Activation, Matrix, Product},
};
use cudarc::{
    cublaslt::{
        result::{self, CublasError},
        sys,
    },
    driver::{result as driver, sys::CUstream},
};
use lanthorn_ir::{DType, Error, Result, cache::Cache};
use std::{cell::RefCell, ffi::c_void, rc::Rc};

/// Size of the workspace of an algorithm: NVIDIA's recommendation for the largest GPUs.
const WORKSPACE: usize = 32 << 20;

/// Whether the library is installed.
pub(super) fn is_present() -> bool {
    // SAFETY: this locates a library, which runs no code when it is loaded.
    unsafe { sys::is_culib_present() }
}

fn to_result<T>(answer: Result<T, CublasError>) -> Result<T> {
    answer.map_err(|error| Error::kernel("multiply", format!("cuBLASLt: {:?}", error.0)))
}

/// Maximum number of planned products.
const MAX_PRODUCTS: usize = 4096;

/// The library with a stream.
pub(super) struct Library {
    handle: sys::cublasLtHandle_t,
    stream: CUstream,
    workspace: Pointer,
    /// The plan of each product; none for products that the library does not support.
    known: RefCell<Cache<Product, Option<Rc<Planned>>>>,
}

/// The library's description of a product.
struct Planned {
    descriptor: sys::cublasLtMatmulDesc_t,
    /// The first operand, which is our right one; the second operand; the result.
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    algorithm: sys::cublasLtMatmulAlgo_t,
}

impl Drop for Planned {
    fn drop(&mut self) {
        // SAFETY: the descriptor was created, and so was each layout that is not null.
        unsafe {
            for layout in self.layouts.into_iter().filter(|layout| !layout.is_null()) {
                let _ = result::destroy_matrix_layout(layout);
            }
            let _ = result::destroy_matmul_desc(self.descriptor);
        }
    }
}

impl Library {
    pub(super) fn open(stream: CUstream) -> Result<Library> {
        let handle = to_result(result::create_handle())?;
        // SAFETY: the context is current on this thread.
        let workspace = unsafe { driver::malloc_sync(WORKSPACE) };
        let workspace = workspace.map_err(|error| Error::out_of_memory("multiply", format!("{error:?}")))?;
        Ok(Library { handle, stream, workspace: Pointer(workspace), known: RefCell::new(Cache::new(MAX_PRODUCTS)) })
    }

    /// The number of products that were planned.
    pub(super) fn planned_products(&self) -> u64 {
        self.known.borrow().insertions()
    }

    /// Whether the library has an algorithm for a product.
    pub(super) fn multiplies(&self, product: &Product) -> bool {
        self.find_plan(product).is_some()
    }

    fn find_plan(&self, product: &Product) -> Option<Rc<Planned>> {
        if let Some(known) = self.known.borrow_mut().get(product) {
            return known.clone();
        }
        // A generated kernel computes products that the library does not support.
        let planned = self.plan(product).ok().map(Rc::new);
        self.known.borrow_mut().insert(product.clone(), planned.clone());
        planned
    }

    fn plan(&self, product: &Product) -> Result<Planned> {
        let compute = match product.tf32 {
            true => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32,
            false => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
        };
        let descriptor = to_result(result::create_matmul_desc(compute, sys::cudaDataType_t::CUDA_R_32F))?;
        let null = std::ptr::null_mut();
        let algorithm = sys::cublasLtMatmulAlgo_t { data: [0; 8] };
        // Its destructor frees everything that is created from here on, on errors too.
        let mut planned = Planned { descriptor, layouts: [null; 3], algorithm };
        let (m, n, k) = (product.m as u64, product.n as u64, product.k as u64);
        let Matrix { leading, step, .. } = product.b;
        planned.layouts[0] = layout(product.dtype, product.b.transposed, [k, n], leading, step, product.batch)?;
        let Matrix { leading, step, .. } = product.a;
        planned.layouts[1] = layout(product.dtype, product.a.transposed, [m, k], leading, step, product.batch)?;
        planned.layouts[2] = layout(product.output, false, [m, n], product.n, product.m * product.n, product.batch)?;
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        let set = |attribute, value: i32| descriptor_attribute(descriptor, attribute, &value);
        set(Attribute::CUBLASLT_MATMUL_DESC_TRANSA, i32::from(product.b.transposed))?;
        set(Attribute::CUBLASLT_MATMUL_DESC_TRANSB, i32::from(product.a.transposed))?;
        set(Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(product) as i32)?;
        if product.bias.is_some() {
            set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, data_type(product.output) as i32)?;
        }
        planned.algorithm = self.algorithm(product, &planned)?;
        Ok(planned)
    }

    /// The algorithm that the library's heuristic ranks first.
    fn algorithm(&self, product: &Product, planned: &Planned) -> Result<sys::cublasLtMatmulAlgo_t> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let preference = to_result(result::create_matmul_pref())?;
        let aligned = |matrix: &Matrix| alignment(matrix.offset * product.dtype.size());
        let wanted = [
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned(&product.b)),
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned(&product.a)),
        ];
        let [first, second, output] = planned.layouts;
        // SAFETY: all objects exist until the preference is destroyed. Values have the sizes of
        // their attributes.
        unsafe {
            let set = |attribute, value: *const c_void, size| {
                to_result(result::set_matmul_pref_attribute(preference, attribute, value, size))
            };
            let workspace = (&raw const WORKSPACE_BYTES).cast();
            let mut outcome = set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace, size_of::<usize>());
            for (attribute, bytes) in &wanted {
                outcome = outcome.and_then(|()| set(*attribute, (&raw const *bytes).cast(), size_of::<u32>()));
            }
            let found = outcome.and_then(|()| {
                let descriptor = planned.descriptor;
                to_result(result::get_matmul_algo_heuristic(
                    self.handle,
                    descriptor,
                    first,
                    second,
                    output,
                    output,
                    preference,
                ))
            });
            let _ = result::destroy_matmul_pref(preference);
            found.map(|found| found.algo)
        }
    }

    /// # Safety
    /// As for [`crate::Driver::multiply`].
    pub(super) unsafe fn multiply(&self, product: &Product, factors: Factors) -> Result<()> {
        let refused = || Error::kernel("multiply", "cuBLASLt has no algorithm for the product");
        let planned = self.find_plan(product).ok_or_else(refused)?;
        let at = |pointer: Pointer, dtype: DType, offset: usize| {
            pointer.after((offset * dtype.size()) as u64).0 as *const c_void
        };
        if let (Some(bias), Some(offset)) = (factors.bias, product.bias) {
            let bias = at(bias, product.output, offset);
            let attribute = sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_BIAS_POINTER;
            descriptor_attribute(planned.descriptor, attribute, &bias)?;
        }
        let (alpha, beta) = (1f32, 0f32);
        let [first, second, output] = planned.layouts;
        let target = factors.output.0 as *mut c_void;
        // SAFETY: the caller guarantees the buffers. The rest was created for the product.
        to_result(unsafe {
            result::matmul(
                self.handle,
                planned.descriptor,
                (&raw const alpha).cast(),
                (&raw const beta).cast(),
                at(factors.b, product.dtype, product.b.offset),
                first,
                at(factors.a, product.dtype, product.a.offset),
                second,
                target,
                output,
                target,
                output,
                &planned.algorithm,
                self.workspace.0 as *mut c_void,
                WORKSPACE,
                self.stream.cast(),
            )
        })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        self.known.borrow_mut().clear();
        // SAFETY: both were created, and the backend has waited for their work.
        unsafe {
            let _ = result::destroy_handle(self.handle);
            let _ = driver::free_sync(self.workspace.0);
        }
    }
}

static WORKSPACE_BYTES: usize = WORKSPACE;

/// One of our matrices, by columns: our rows are its columns.
fn layout(
    dtype: DType,
    transposed: bool,
    [rows, columns]: [u64; 2],
    leading: usize,
    step: usize,
    batch: usize,
) -> Result<sys::cublasLtMatrixLayout_t> {
    use sys::cublasLtMatrixLayoutAttribute_t as Attribute;
    let (rows, columns) = if transposed { (rows, columns) } else { (columns, rows) };
    let made = to_result(result::create_matrix_layout(data_type(dtype), rows, columns, leading as i64))?;
    let (count, step) = (batch as i32, step as i64);
    // SAFETY: the layout was created, and the values have the sizes of the attributes.
    let set = unsafe {
        let set = |attribute, value: *const c_void, size| {
            to_result(result::set_matrix_layout_attribute(made, attribute, value, size))
        };
        set(Attribute::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (&raw const count).cast(), size_of::<i32>()).and_then(|()| {
            set(Attribute::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, (&raw const step).cast(), size_of::<i64>())
        })
    };
    set.map(|()| made).inspect_err(|_| {
        // SAFETY: it was created, and is not used elsewhere.
        let _ = unsafe { result::destroy_matrix_layout(made) };
    })
}

fn descriptor_attribute<T>(
    descriptor: sys::cublasLtMatmulDesc_t,
    attribute: sys::cublasLtMatmulDescAttributes_t,
    value: &T,
) -> Result<()> {
    // SAFETY: the descriptor was created, and the values have the sizes of their attributes.
    to_result(unsafe {
        result::set_matmul_desc_attribute(descriptor, attribute, (&raw const *value).cast(), size_of::<T>())
    })
}

fn data_type(dtype: DType) -> sys::cudaDataType_t {
    match dtype {
        DType::F16 => sys::cudaDataType_t::CUDA_R_16F,
        DType::BF16 => sys::cudaDataType_t::CUDA_R_16BF,
        // A product has no other dtype.
        _ => sys::cudaDataType_t::CUDA_R_32F,
    }
}

fn epilogue(product: &Product) -> sys::cublasLtEpilogue_t {
    use sys::cublasLtEpilogue_t as Epilogue;
    match (product.activation, product.bias.is_some()) {
        (Activation::None, false) => Epilogue::CUBLASLT_EPILOGUE_DEFAULT,
        (Activation::None, true) => Epilogue::CUBLASLT_EPILOGUE_BIAS,
        (Activation::Relu, false) => Epilogue::CUBLASLT_EPILOGUE_RELU,
        (Activation::Relu, true) => Epilogue::CUBLASLT_EPILOGUE_RELU_BIAS,
        (Activation::Gelu, false) => Epilogue::CUBLASLT_EPILOGUE_GELU,
        (Activation::Gelu, true) => Epilogue::CUBLASLT_EPILOGUE_GELU_BIAS,
    }
}

/// The largest power of two that divides an address `offset` bytes after a buffer's start.
fn alignment(offset: usize) -> u32 {
    match offset {
        0 => 256,
        _ => 1 << offset.trailing_zeros().min(8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lower_the_alignment() {
        assert_eq!([0, 4, 6, 1024, 48].map(alignment), [256, 4, 2, 256, 16]);
    }
}
