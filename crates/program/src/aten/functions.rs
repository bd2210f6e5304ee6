//! Operators that need more than one call of the table.

mod attention;
mod complex;
mod convolutions;
mod detection;
mod factories;
mod grouped;
mod norms;
mod pointwise;
mod reads;
mod shapes;
mod signal;
mod sizes;

use crate::operators::functions::{Given, Output, arg, tensor, text, with};

crate::functions! {
    ready {
        attention: embedding embedding_bag native_multi_head_attention transformer_encoder_layer_fwd;
        convolutions: conv_depthwise conv_tbc convolution convolution_mode grid_sampler max_unpool pad_enum upsample;
        detection: deform_conv2d roi_align;
        factories: alpha_dropout feature_dropout native_dropout randint_like random range to view_dtype;
        norms: batch_norm_functional masked_softmax norm_except_dim safe_softmax weight_norm;
        pointwise: add_relu addmm_activation copy fill_tensor prelu_kernel rrelu scalar_first trilinear;
        reads: assert_scalar;
        shapes: fill_diagonal numpy_T svd;
        complex: complex_added complex_adjoint complex_bilinear complex_cumprod complex_div complex_einsum complex_eq
            complex_full_like complex_isclose complex_mul complex_pow complex_prod complex_test complex_unary complex_var;
        signal: angle complex complex_angle complex_conj fft_c2c fft_c2r fft_r2c imag isreal polar real stft;
        sizes: detach dim element_size get_device identity is_contiguous is_floating_point is_leaf is_same_size
            is_signed nothing numel requires_grad_ shape_as_tensor size storage_offset stride;
    }
    pending {
        complex: complex_allclose;
        grouped: grouped_mm;
        attention: one_hot;
        reads: allclose assert_async equal item item_bool item_float item_int reshape_from_tensor;
        shapes: hsplit repeat_interleave;
        signal: istft;
    }
}
