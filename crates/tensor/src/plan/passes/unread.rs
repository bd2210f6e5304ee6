//! Results that nobody needs: one kernel made of several maps has theirs too, and its own steps may have been all that read them.
//!
//! What is not stored costs neither memory nor its traffic: the moments of an optimizer's step are results, what lies between them and the parameter is not.

use super::super::graph::Graph;
use lanthorn_ir::{
    DType, Kernel,
    expr::Program,
    kernel::{Contract, Epilogue, FusedReduction, Map, Reduce},
};

/// Drops the results that do not escape and that no work reads, but for the works of which that are all results.
pub(super) fn drop_results(graph: &mut Graph) {
    let readers = graph.readers();
    for work in &mut graph.works {
        let kept: Vec<bool> = work.outputs.iter().map(|&value| graph.values[value].escapes || !readers[value].is_empty()).collect();
        if kept.iter().all(|&kept| kept) || !kept.contains(&true) {
            continue;
        }
        if let Some(kernel) = with_results(&work.kernel, &kept) {
            work.kernel = kernel;
            work.outputs = chosen(&work.outputs, &kept);
        }
    }
}

fn chosen<T: Copy>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| *one).collect()
}

/// The kernel with the results that are kept; `None` for the kinds whose results belong together.
fn with_results(kernel: &Kernel, kept: &[bool]) -> Option<Kernel> {
    let pointwise = |program: &Program, dtypes: &[DType], kept: &[bool]| (program.with_results(kept), chosen(dtypes, kept));
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
        Kernel::Contract(contract) => Kernel::Contract(Contract { epilogue: ending(&contract.epilogue), ..contract.clone() }),
        Kernel::FusedReduction(row) => {
            let (of_rows, of_elements) = kept.split_at(row.row_dtypes.len());
            let (rows, row_dtypes) = pointwise(&row.rows, &row.row_dtypes, of_rows);
            let (elements, element_dtypes) = pointwise(&row.elements, &row.element_dtypes, of_elements);
            Kernel::FusedReduction(FusedReduction { rows, row_dtypes, elements, element_dtypes, ..row.clone() })
        }
        _ => return None,
    })
}
