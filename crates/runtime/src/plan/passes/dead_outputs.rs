//! Dead outputs: results of fused kernels that nothing outside of the kernel reads are not stored.
//!
//! An update step of an optimizer stores its moments and the parameter, and none of the
//! intermediate values.

use super::super::graph::Graph;
use crate::plan::traced::{Contract, Epilogue, FusedReduction, Kernel, Map, Reduce};
use lanthorn_ir::{DType, expr::Program};

/// Removes unread results that do not escape, from nodes that keep at least one result.
pub(super) fn eliminate(graph: &mut Graph) {
    let consumers = graph.consumers();
    for node in &mut graph.nodes {
        let kept: Vec<bool> =
            node.outputs.iter().map(|&value| graph.values[value].escapes || !consumers[value].is_empty()).collect();
        if kept.iter().all(|&kept| kept) || !kept.contains(&true) {
            continue;
        }
        if let Some(kernel) = with_results(&node.kernel, &kept) {
            node.kernel = kernel;
            node.outputs = select(&node.outputs, &kept);
        }
    }
}

fn select<T: Copy>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| *one).collect()
}

/// The kernel with only the kept results; `None` for kinds whose results cannot be separated.
fn with_results(kernel: &Kernel, kept: &[bool]) -> Option<Kernel> {
    let pointwise =
        |program: &Program, dtypes: &[DType], kept: &[bool]| (program.with_results(kept), select(dtypes, kept));
    let ending = |epilogue: &Epilogue| {
        let (program, dtypes) = pointwise(&epilogue.program, &epilogue.dtypes, kept);
        Epilogue { program, dtypes, ..epilogue.clone() }
    };
    Some(match kernel {
        Kernel::Map(map) => {
            let (program, dtypes) = pointwise(&map.program, &map.dtypes, kept);
            Kernel::Map(Map { program, dtypes, ..map.clone() })
        }
        Kernel::Reduce(reduce) => Kernel::Reduce(Reduce { epilogue: ending(&reduce.epilogue), ..reduce.clone() }),
        Kernel::Contract(contract) => {
            Kernel::Contract(Contract { epilogue: ending(&contract.epilogue), ..contract.clone() })
        }
        Kernel::FusedReduction(row) => {
            let (of_rows, of_elements) = kept.split_at(row.row_dtypes.len());
            let (rows, row_dtypes) = pointwise(&row.rows, &row.row_dtypes, of_rows);
            let (elements, element_dtypes) = pointwise(&row.elements, &row.element_dtypes, of_elements);
            Kernel::FusedReduction(FusedReduction { rows, row_dtypes, elements, element_dtypes, ..row.clone() })
        }
        _ => return None,
    })
}
