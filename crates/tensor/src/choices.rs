//! The closed sets of strings that arguments are chosen from, as enums.
//!
//! A schema lists the strings, `str{none|mean|sum}`, and the function of the op takes the enum. The
//! `op` attribute compares the two lists when it is compiled. Another language passes a string,
//! which is checked where the arguments are bound. Rejected: strings in Rust's methods, because a
//! misspelled one compiles.

use crate::{BlockFormat, Error};

/// A closed set of strings as a type.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// use lanthorn::{Choice, Reduction};
/// assert_eq!(Reduction::from_name("mean"), Some(Reduction::Mean));
/// assert_eq!(Reduction::Mean.name(), "mean");
/// assert!("average".parse::<Reduction>().is_err());
/// ```
pub trait Choice: Copy + 'static {
    /// The values, in the order of [`Choice::NAMES`]. One with two names appears twice.
    const ALL: &'static [Self];
    /// The strings of a schema.
    const NAMES: &'static [&'static str];

    /// The string of a schema, the first if there are two.
    fn name(self) -> &'static str;

    /// The value of a string.
    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|own| *own == name).map(|index| Self::ALL[index])
    }
}

/// Whether two strings are equal, in a constant.
const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Whether a type and a schema have the same strings in the same order.
#[doc(hidden)]
pub const fn are_equal(names: &[&str], choices: &[&str]) -> bool {
    let mut index = 0;
    while index < names.len() && index < choices.len() && is_equal(names[index], choices[index]) {
        index += 1;
    }
    index == names.len() && index == choices.len()
}

/// The position of a string that is in the list.
#[doc(hidden)]
pub const fn position(names: &[&str], name: &str) -> usize {
    let mut index = 0;
    while !is_equal(names[index], name) {
        index += 1;
    }
    index
}

/// An enum for each set: its values with their strings.
#[macro_export]
#[doc(hidden)]
macro_rules! choices {
    ($($(#[$doc:meta])* $ty:ident { $($(#[$about:meta])* $value:ident = $name:literal $(| $other:literal)?,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $ty {
            $($(#[$about])* #[doc = concat!("`\"", $name, "\"`.")] $value,)*
        }

        impl $crate::Choice for $ty {
            const ALL: &'static [$ty] = &[$($ty::$value,)* $($($crate::choices!(@first $ty::$value, $other),)?)*];
            const NAMES: &'static [&'static str] = &[$($name,)* $($($other,)?)*];

            fn name(self) -> &'static str {
                match self { $($ty::$value => $name,)* }
            }
        }

        impl ::std::str::FromStr for $ty {
            type Err = $crate::Error;

            fn from_str(text: &str) -> ::std::result::Result<$ty, $crate::Error> {
                $crate::choices::parse(stringify!($ty), text)
            }
        }

        impl ::std::fmt::Display for $ty {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str($crate::Choice::name(*self))
            }
        }
    )* };
    (@first $value:path, $other:literal) => { $value };
}

/// The value of a string, for `FromStr` of a choice.
///
/// # Errors
///
/// `argument` with the strings that there are.
#[doc(hidden)]
pub fn parse<C: Choice>(ty: &str, text: &str) -> Result<C, Error> {
    C::from_name(text).ok_or_else(|| Error::argument(ty, format!("takes one of {:?}, not {text:?}", C::NAMES)))
}

choices! {
    /// The reduction of the losses of elements to a result.
    Reduction {
        /// The losses themselves.
        None = "none",
        /// Their mean.
        Mean = "mean",
        /// Their sum.
        Sum = "sum",
    }

    /// The reduction of [`Tensor::kl_div`](crate::Tensor::kl_div).
    KlReduction {
        /// The losses themselves.
        None = "none",
        /// Their sum divided by the size of the batch, which is the divergence by its definition.
        BatchMean = "batchmean",
        /// Their mean.
        Mean = "mean",
        /// Their sum.
        Sum = "sum",
    }

    /// The scale of a Fourier transform.
    FftNorm {
        /// `1/n` forward.
        Forward = "forward",
        /// `1/n` backward.
        Backward = "backward",
        /// `1/sqrt(n)` in both directions.
        Ortho = "ortho",
    }

    /// The rule of a quantile that lies between two elements.
    QuantileInterpolation {
        /// Linear interpolation.
        Linear = "linear",
        /// The lower element.
        Lower = "lower",
        /// The higher element.
        Higher = "higher",
        /// The mean of both.
        Midpoint = "midpoint",
        /// The nearest element.
        Nearest = "nearest",
    }

    /// The formula of [`Tensor::gelu`](crate::Tensor::gelu).
    Approximate {
        /// The definition, by the error function.
        None = "none",
        /// The approximation by the hyperbolic tangent.
        Tanh = "tanh",
    }

    /// The values that [`Tensor::pad`](crate::Tensor::pad) adds.
    PadMode {
        /// One value.
        Constant = "constant",
        /// The elements mirrored at the edge element.
        Reflect = "reflect",
        /// The edge element.
        Replicate = "replicate",
        /// The elements of the other end.
        Circular = "circular",
    }

    /// The padding of a convolution layer's input.
    PaddingMode {
        /// Zeros.
        Zeros = "zeros",
        /// The elements mirrored at the edge element.
        Reflect = "reflect",
        /// The edge element.
        Replicate = "replicate",
        /// The elements of the other end.
        Circular = "circular",
    }

    /// The interpolation of [`Tensor::interpolate`](crate::Tensor::interpolate).
    InterpolateMode {
        /// The nearest element, rounding down.
        Nearest = "nearest",
        /// Linear, along one dimension.
        Linear = "linear",
        /// Linear, along two dimensions.
        Bilinear = "bilinear",
        /// Cubic, along two dimensions.
        Bicubic = "bicubic",
        /// Linear, along three dimensions.
        Trilinear = "trilinear",
        /// The mean of the elements that an output covers.
        Area = "area",
        /// The nearest element, as image libraries round.
        NearestExact = "nearest-exact",
    }

    /// The interpolation of [`Tensor::grid_sample`](crate::Tensor::grid_sample).
    GridMode {
        /// Linear; of volumes, along three dimensions.
        Bilinear = "bilinear",
        /// The nearest element.
        Nearest = "nearest",
        /// Cubic.
        Bicubic = "bicubic",
    }

    /// The values of [`Tensor::grid_sample`](crate::Tensor::grid_sample) outside of the input.
    GridPadding {
        /// Zeros.
        Zeros = "zeros",
        /// The nearest edge element.
        Border = "border",
        /// The elements mirrored at the edge.
        Reflection = "reflection",
    }

    /// The reduction of a bag of rows: [`Tensor::embedding_bag`](crate::Tensor::embedding_bag).
    BagMode {
        /// Their sum.
        Sum = "sum",
        /// Their mean.
        Mean = "mean",
        /// Their maximum.
        Max = "max",
    }

    /// The reduction of [`Tensor::scatter_reduce`](crate::Tensor::scatter_reduce).
    ScatterReduction {
        /// The sum.
        Sum = "sum",
        /// The product.
        Prod = "prod",
        /// The mean.
        Mean = "mean",
        /// The maximum.
        Amax = "amax",
        /// The minimum.
        Amin = "amin",
    }

    /// The reduction of [`Tensor::index_reduce`](crate::Tensor::index_reduce).
    IndexReduction {
        /// The product.
        Prod = "prod",
        /// The mean.
        Mean = "mean",
        /// The maximum.
        Amax = "amax",
        /// The minimum.
        Amin = "amin",
    }

    /// The combination of an element and a scattered one: [`Tensor::scatter`](crate::Tensor::scatter).
    ScatterUpdate {
        /// Their sum.
        Add = "add",
        /// Their product.
        Multiply = "multiply",
    }

    /// The rounding of a quotient.
    RoundingMode {
        /// Towards zero.
        Trunc = "trunc",
        /// Down.
        Floor = "floor",
    }

    /// An end of a sequence, or of the range of positions where a value may be inserted.
    Side {
        /// The first one.
        Left = "left",
        /// The last one.
        Right = "right",
    }

    /// The order of the first two dimensions of [`Tensor::meshgrid`](crate::Tensor::meshgrid).
    Indexing {
        /// The order of matrices.
        Ij = "ij",
        /// The second one first, as in plots.
        Xy = "xy",
    }

    /// A norm of matrices that has no number.
    MatrixNorm {
        /// The root of the sum of squares.
        Frobenius = "fro",
        /// The sum of the singular values.
        Nuclear = "nuc",
    }

    /// The triangle of a symmetric matrix that is read.
    MatrixTriangle {
        /// The lower one.
        Lower = "L" | "l",
        /// The upper one.
        Upper = "U" | "u",
    }

    /// The results of [`Tensor::linalg_qr`](crate::Tensor::linalg_qr).
    QrMode {
        /// `Q: [m, k]` and `R: [k, n]`, where k is the smaller of m and n.
        Reduced = "reduced",
        /// `Q: [m, m]` and `R: [m, n]`.
        Complete = "complete",
        /// Only `R: [k, n]`.
        R = "r",
    }

    /// The method that [`Tensor::linalg_svd`](crate::Tensor::linalg_svd) has in cuSOLVER.
    SvdDriver {
        /// QR iteration.
        Gesvd = "gesvd",
        /// Jacobi rotations.
        Gesvdj = "gesvdj",
        /// Approximate.
        Gesvda = "gesvda",
    }

    /// The method that [`Tensor::linalg_lstsq`](crate::Tensor::linalg_lstsq) has in LAPACK.
    LstsqDriver {
        /// For matrices of full rank.
        Gels = "gels",
        /// An orthogonal factorization.
        Gelsy = "gelsy",
        /// A singular value decomposition by division.
        Gelsd = "gelsd",
        /// A singular value decomposition.
        Gelss = "gelss",
    }

    /// The computation of Euclidean distances: [`Tensor::cdist`](crate::Tensor::cdist).
    CdistMode {
        /// By a matrix product if there are more than 25 rows.
        MatmulIfLarge = "use_mm_for_euclid_dist_if_necessary",
        /// By a matrix product.
        Matmul = "use_mm_for_euclid_dist",
        /// By differences.
        Differences = "donot_use_mm_for_euclid_dist",
    }
}

impl From<IndexReduction> for ScatterReduction {
    fn from(reduction: IndexReduction) -> ScatterReduction {
        match reduction {
            IndexReduction::Prod => ScatterReduction::Prod,
            IndexReduction::Mean => ScatterReduction::Mean,
            IndexReduction::Amax => ScatterReduction::Amax,
            IndexReduction::Amin => ScatterReduction::Amin,
        }
    }
}

impl Choice for BlockFormat {
    const ALL: &'static [BlockFormat] = &BlockFormat::ALL;
    const NAMES: &'static [&'static str] = &{
        let mut names = [""; BlockFormat::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = BlockFormat::ALL[index].name();
            index += 1;
        }
        names
    };

    fn name(self) -> &'static str {
        BlockFormat::name(self)
    }
}
