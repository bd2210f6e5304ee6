//! Linear algebra composed of the factorizations in [`leaf::linalg`](crate::ops::leaf::linalg).

pub(crate) mod norm;
pub(crate) mod solutions;
