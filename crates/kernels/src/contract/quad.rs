//! The product on software adapters: the four threads of a quad own the same rows, and four columns each.
//!
//! There a load costs several times as much as an arithmetic instruction, since each thread's element is fetched and checked by itself. So each thread of a quad reads a fourth of
//! the rows, and the others get them by exchanges, which are a shuffle of one register. An exchange gives a thread the row of that neighbour whose number differs by the
//! exchange's: its sums are of its rows in another order, which is undone where they are stored.

use super::{
    A, B, BATCH, K, M, N, SIDE, Texts,
    register::{Reading, Side, reading, vector},
};
use crate::{Builder, Slot, indent, walk::Space};
use lanthorn_ir::Result;
use std::fmt::Write;

pub(super) const TEMPLATE: &str = include_str!("../../../../shaders/contract/quad.wgsl");

/// The columns of a quad.
pub(super) const COLUMNS: usize = 16;

/// The most rows of a quad: their sums are as many vectors a thread.
const MOST_ROWS: usize = 16;

/// What gives a thread the value of the neighbour whose number differs from its own in these bits.
const EXCHANGES: [&str; 4] = ["", "quadSwapX", "quadSwapY", "quadSwapDiagonal"];

/// The rows of a quad: as many as `m`, which is not 0, fills.
pub(super) fn rows(m: usize) -> usize {
    m.div_ceil(m.div_ceil(MOST_ROWS)).next_multiple_of(4)
}

pub(super) fn texts(mut space: Space, rows: usize, k: usize, builder: &mut Builder) -> Result<Texts> {
    let steps = if k.is_multiple_of(4) { 4 } else { 1 };
    // A thread's rows are its own, so they are never read as a vector.
    let a = if steps == 4 && space.by_vectors(A, K) { Reading::AlongK } else { Reading::Single };
    let mut b = if steps == 4 { reading(&mut space, B, N) } else { Reading::Single };
    if b == Reading::Single && space.by_steps_of_four(B, N) {
        b = Reading::Together;
    }
    let walk = space.bind(builder);
    let mut buffer = |operand| walk.reads(builder, operand, Slot::Input(operand));
    let a = Side { operand: A, group: M, reading: a, buffer: buffer(A)?, name: "a", places: "row", count: rows / 4 };
    let b = Side { operand: B, group: N, reading: b, buffer: buffer(B)?, name: "b", places: "column", count: SIDE };

    let mut before = String::new();
    for at in 0..rows / 4 {
        // Writing to a String does not fail.
        let _ = writeln!(before, "let row{at} = min(row + {}u + member, m - 1u);", 4 * at);
    }
    before.push_str(&walk.coordinates(BATCH, "batch", "z"));
    let bases = [&a, &b].map(|side| side.bases(&walk, &mut before));
    before.push_str(&walk.odometer(K, "start", "k"));
    let sums: Vec<String> = (0..rows).map(|row| format!("sum{row}")).collect();
    for sum in &sums {
        let _ = writeln!(before, "var {sum} = vec4<f32>();");
    }
    let mut body = String::new();
    for (side, bases) in [&a, &b].into_iter().zip(&bases).filter(|(side, _)| side.reading == Reading::AlongK) {
        side.load_block(bases, &mut body);
    }
    for step in 0..steps {
        let _ = writeln!(body, "let step{step} = d + {step}u;");
        let left = a.load_step(&walk, &bases[0], step, builder, &mut body);
        let right = b.load_step(&walk, &bases[1], step, builder, &mut body);
        let _ = writeln!(body, "let right{step} = {};", vector(&right));
        for (at, value) in left.iter().enumerate() {
            let _ = writeln!(body, "let left{step}_{at} = {value};");
            for (row, exchange) in EXCHANGES.iter().enumerate() {
                let _ = writeln!(body, "sum{} += {exchange}(left{step}_{at}) * right{step};", 4 * at + row);
            }
        }
        body.push_str(&walk.next(K, "k"));
    }
    Ok(vec![
        ("before", indent(&before, 1)),
        ("body", indent(&body, 2)),
        ("steps", format!("{steps}u")),
        ("rows", format!("{rows}u")),
        ("sums", format!("array<vec4<f32>, {rows}>({})", sums.join(", "))),
    ])
}
