//! The product with both tiles in workgroup memory: how the threads of a workgroup fill the tiles.
//!
//! A tile is 64 rows (or columns) by 16 steps of k, four elements a thread. Neighbouring threads read along the dimension in which the operand is contiguous; a thread's four
//! elements then have either one step of k or one row in common, so that its coordinates are taken apart once.

use super::{A, B, BATCH, K, M, N, Texts};
use crate::{
    Builder, Slot, indent,
    walk::{Cursor, Space, Walk},
};
use lanthorn_ir::Result;
use std::fmt::Write;

pub(super) const TEMPLATE: &str = include_str!("../../../../shaders/contract/tiled.wgsl");

/// Elements of a tile that each thread loads.
const PIECES: usize = 4;

/// One operand and its tile.
struct Tile {
    operand: usize,
    /// The group of its own, its number of rows or columns, and the first of this workgroup.
    group: usize,
    count: &'static str,
    first: &'static str,
    name: &'static str,
    buffer: String,
    /// Whether it is contiguous along k.
    along_k: bool,
}

pub(super) fn texts(space: Space, builder: &mut Builder) -> Result<Texts> {
    let along_k = [A, B].map(|operand| space.is_in_order(operand, K));
    let walk = space.bind(builder);
    let mut tile = |operand: usize, group, count, first, name| -> Result<Tile> {
        let buffer = builder.input(&walk.element_type(operand)?, Slot::Input(operand));
        Ok(Tile { operand, group, count, first, name, buffer, along_k: along_k[operand] })
    };
    let tiles = [tile(A, M, "m", "row", "a")?, tile(B, N, "n", "column", "b")?];
    let (mut before, mut fill) = (walk.coordinates(BATCH, "batch", "z"), String::new());
    for tile in &tiles {
        let bases = tile.bases(&walk, &mut before);
        tile.fill(&walk, &bases, builder, &mut fill);
    }
    Ok(vec![("before", indent(&before, 1)), ("fill", indent(&fill, 2))])
}

impl Tile {
    /// The rows or columns of a thread's elements: one, or one a piece.
    fn bases(&self, walk: &Walk, text: &mut String) -> Vec<Cursor> {
        let Tile { operand, group, name, .. } = *self;
        let mut base = walk.advance(&walk.start(operand), operand, BATCH, "batch", "z");
        text.push_str(&base.bind(&format!("{name}_base")));
        let each = |piece: usize| {
            let (place, coordinates) = (format!("{name}_place{piece}"), format!("{name}{piece}_"));
            let within = if self.along_k { format!("{piece}u * 16u + (lane >> 4u)") } else { "(lane & 63u)".to_string() };
            // Writing to a String does not fail.
            let _ = writeln!(text, "let {name}_within{piece} = {within};\nlet {place} = {} + {name}_within{piece};", self.first);
            text.push_str(&walk.coordinates(group, &place, &coordinates));
            let mut cursor = walk.advance(&base, operand, group, &place, &coordinates);
            text.push_str(&cursor.bind(&format!("{name}{piece}")));
            cursor
        };
        (0..if self.along_k { PIECES } else { 1 }).map(each).collect()
    }

    /// Statements that load a thread's elements of the tile that begins at `step`.
    fn fill(&self, walk: &Walk, bases: &[Cursor], builder: &mut Builder, text: &mut String) {
        let Tile { operand, name, count, .. } = *self;
        let mut along = None;
        for piece in 0..PIECES {
            let row = if self.along_k { piece } else { 0 };
            let at = format!("{name}_d{piece}");
            if !self.along_k || piece == 0 {
                let within = if self.along_k { "(lane & 15u)".to_string() } else { format!("{piece}u * 4u + (lane >> 6u)") };
                let coordinates = format!("{name}_k{piece}_");
                // Writing to a String does not fail.
                let _ = writeln!(text, "let {at} = {within};\nlet {name}_step{piece} = step + {at};");
                text.push_str(&walk.coordinates(K, &format!("{name}_step{piece}"), &coordinates));
                let mut term = walk.term(operand, K, &format!("{name}_step{piece}"), &coordinates);
                text.push_str(&term.bind(&format!("{name}_along{piece}")));
                along = Some((piece, term));
            }
            let Some((step, term)) = &along else { continue };
            let mut inner = String::new();
            let value = walk.load(builder, operand, &self.buffer, &bases[row].plus(term), &format!("{name}_x{piece}"), &mut inner);
            let condition = format!("({name}_place{row} < {count}) & ({name}_step{step} < end)");
            let _ = writeln!(
                text,
                "var {name}_value{piece} = 0.0f;\nif ({condition}) {{\n{}    {name}_value{piece} = {};\n}}\ntile_{name}[{name}_d{step} * 64u + {name}_within{row}] = {name}_value{piece};",
                indent(&inner, 1),
                value[0]
            );
        }
    }
}
