//! The product on software adapters: the four threads of a quad own the same rows, and four columns
//! each.
//!
//! On a software adapter a load costs several times as much as an arithmetic instruction, because
//! each thread's element is bounds-checked and loaded separately. Each thread of a quad therefore
//! loads a quarter of the rows and receives the others by exchanges, each of which shuffles one
//! register. Exchange `i` returns the row of the thread whose number differs by the bits of `i`. A
//! thread's sums are therefore in a different order of rows, which the stores undo.

use super::{
    A, K, Texts, factor,
    register::{self, Reading, Side},
};
use crate::{Builder, indent, indexing::Space};
use lanthorn_ir::{Result, kernel::Contract};
use std::fmt::Write;

pub(super) const TEMPLATE: &str = include_str!("../../shaders/contract/quad.wgsl");

/// The columns of a quad.
pub(super) const COLUMNS: usize = 16;

/// Maximum number of rows of a quad. Each row needs a vector of sums in every thread.
const MAX_ROWS: usize = 16;

/// The exchange for each difference between the numbers of two threads.
const EXCHANGES: [&str; 4] = ["", "quadSwapX", "quadSwapY", "quadSwapDiagonal"];

/// The number of rows of a quad for `m` rows; `m` is not 0.
pub(super) fn rows(m: usize) -> usize {
    m.div_ceil(m.div_ceil(MAX_ROWS)).next_multiple_of(4)
}

pub(super) fn texts(
    contract: &Contract,
    mut space: Space,
    rows: usize,
    k: usize,
    builder: &mut Builder,
) -> Result<Texts> {
    let steps = register::steps(k);
    // A thread's rows are not shared, so they are never read as a vector.
    let a = match steps == 4 && factor::by_vectors(&mut space, contract, A, K) {
        true => Reading::AlongK,
        false => Reading::Single,
    };
    let b = register::reading_columns(&mut space, contract, steps);
    let indexer = space.bind(builder);
    let sides = Side::both(contract, [a, b], rows / 4, &indexer, builder)?;

    let own: String =
        (0..rows / 4).map(|at| format!("let row{at} = min(row + {}u + member, m - 1u);\n", 4 * at)).collect();
    let names: Vec<String> = (0..rows).map(|row| format!("sum{row}")).collect();
    let sums: String = names.iter().map(|sum| format!("var {sum} = vec4<f32>();\n")).collect();
    let add = |step: usize, left: &[String], right: &str| {
        let mut text = String::new();
        for (at, value) in left.iter().enumerate() {
            // Writing to a String does not fail.
            let _ = writeln!(text, "let left{step}_{at} = {value};");
            for (row, exchange) in EXCHANGES.iter().enumerate() {
                let _ = writeln!(text, "sum{} += {exchange}(left{step}_{at}) * {right};", 4 * at + row);
            }
        }
        text
    };
    let [before, body] = register::products(&sides, &indexer, steps, builder, add)?;
    Ok(vec![
        ("before", indent(&(own + &before + &sums), 1)),
        ("body", indent(&body, 2)),
        ("steps", format!("{steps}u")),
        ("rows", format!("{rows}u")),
        ("sums", format!("array<vec4<f32>, {rows}>({})", names.join(", "))),
    ])
}
