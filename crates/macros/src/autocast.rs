//! Which operations run in which type under autocast: PyTorch's lists.

use proc_macro2::TokenStream;
use quote::quote;

/// What gains by a half type and loses little: products of matrices, and what is made of them.
const LOWERED: &[&str] = &[
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "einsum",
    "linalg_multi_dot",
    "linear",
    "matmul",
    "mm",
    "mv",
    "prelu",
    "scaled_dot_product_attention",
];

/// What a half type has too few digits for, or too small a range: sums, powers, norms and losses.
const WIDENED: &[&str] = &[
    "acos",
    "asin",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "cumprod",
    "cumsum",
    "dist",
    "erfinv",
    "exp",
    "expm1",
    "gaussian_nll_loss",
    "group_norm",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logsumexp",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nll_loss",
    "norm",
    "pdist",
    "poisson_nll_loss",
    "pow",
    "prod",
    "reciprocal",
    "renorm",
    "rms_norm",
    "rsqrt",
    "sinh",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "sum",
    "tan",
    "triplet_margin_loss",
];

/// The policy of an op of this name, and whether it has one.
pub fn policy(name: &str) -> (TokenStream, bool) {
    match (LOWERED.contains(&name), WIDENED.contains(&name)) {
        (true, _) => (quote!(crate::autocast::Policy::Lower), true),
        (_, true) => (quote!(crate::autocast::Policy::Widen), true),
        _ => (quote!(crate::autocast::Policy::Keep), false),
    }
}
