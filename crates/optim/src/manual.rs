//! The optimizer without a rule, whose steps a program computes.
//!
//! Its options are the program's, so that no struct declares them: the numbers among them are
//! stored as a schedule's are, beside the options.

use crate::{
    group::{GroupOptions, Slot},
    table::OptimizerSpec,
};
use lanthorn_tensor::{Error, HostNumber, Result, ops::Arg};

struct ManualOptions;

/// The declaration, which is no row of the table: nothing makes it by name.
pub(crate) static MANUAL: OptimizerSpec = OptimizerSpec {
    name: "Optimizer",
    #[cfg(any(test, feature = "reference"))]
    doc: &[],
    #[cfg(any(test, feature = "reference"))]
    option_docs: &[],
    params: Vec::new,
    fields: &[],
    check: |_, _| Ok(Box::new(ManualOptions)),
    of_fitting: |_| Box::new(ManualOptions),
    needs_closure: false,
};

impl GroupOptions for ManualOptions {
    fn to_args(&self) -> Vec<Arg> {
        vec![]
    }

    fn update(&self, _: &mut [Slot], _: &[HostNumber]) -> Result<()> {
        Err(Error::argument("step", "the optimizer has no rule: the program computes its steps"))
    }
}
