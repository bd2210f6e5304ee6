//! The product with both tiles in workgroup memory: how the threads of a workgroup fill the tiles.
//!
//! A tile of 1024 elements is 64 rows (or columns) by 16 steps of k, in CUDA also 128 by 8; a thread fills four. Neighbouring threads read along the dimension in which the operand
//! is contiguous; a thread's four elements then have either one step of k or one row in common, so that its coordinates are taken apart once. In CUDA the four are
//! neighbours, read at once, where the operand has vectors along that dimension.

use super::{
    A, B, BATCH, K, M, N, Texts,
    factor::{self, Cursors, Factor},
};
use crate::{
    Builder, indent,
    indexing::{Indexer, Space},
};
use lanthorn_ir::{Result, kernel::Contract};
use std::fmt::Write;

pub(super) const WGSL: &str = include_str!("../../shaders/contract/tiled.wgsl");
pub(super) const CUDA: &str = include_str!("../../shaders/contract/contract.cu");

/// Elements of a tile that each thread loads.
const PIECES: usize = 4;

/// The threads of a workgroup.
pub(super) const THREADS: usize = 256;

/// How a thread's four elements lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// In as many rows, at one step of k.
    Rows,
    /// In one row, at as many steps of k.
    Steps,
    /// In one row, as a vector along k.
    AlongK,
    /// At one step of k, as a vector of neighbouring rows.
    Across,
}

/// One factor and its tile.
struct Tile<'a> {
    factor: Factor<'a>,
    /// The group of its own, its number of rows or columns, and the first of this workgroup.
    group: usize,
    count: &'static str,
    first: &'static str,
    name: &'static str,
    reading: Reading,
    /// Its rows or columns, and its steps of k.
    size: usize,
    depth: usize,
}

/// The texts for tiles of `size` rows or columns.
pub(super) fn texts(contract: &Contract, mut space: Space, size: usize, builder: &mut Builder) -> Result<Texts> {
    let cuda = builder.language.is_cuda();
    let mut reading = |(operand, group)| {
        if cuda && factor::by_vectors(&mut space, contract, operand, K) {
            Reading::AlongK
        } else if cuda && factor::by_vectors(&mut space, contract, operand, group) {
            Reading::Across
        } else if space.is_in_order(operand, K) {
            Reading::Rows
        } else {
            Reading::Steps
        }
    };
    let [a, b] = [(A, M), (B, N)].map(&mut reading);
    let indexer = space.bind(builder);
    let depth = THREADS * PIECES / size;
    let mut tile = |operand: usize, group, count, first, name, reading| -> Result<Tile> {
        let factor = Factor::bind(contract, operand, &indexer, builder)?;
        Ok(Tile { factor, group, count, first, name, reading, size, depth })
    };
    let tiles = [tile(A, M, "m", "row", "a", a)?, tile(B, N, "n", "column", "b", b)?];
    let (mut before, mut fill, mut keep) = (indexer.coordinates(BATCH, "batch", "z"), String::new(), String::new());
    for tile in &tiles {
        let bases = tile.bases(&indexer, &mut before);
        tile.fill(&indexer, &bases, builder, &mut fill)?;
        keep.push_str(&tile.keep());
    }
    let (before, fill) = (indent(&before, 1), indent(&fill, 2));
    Ok(builder.language.pick(
        vec![("before", before.clone()), ("fill", fill.clone())],
        vec![("before", before), ("fetch", fill), ("keep", indent(&keep, 2))],
    ))
}

impl Tile<'_> {
    /// The row of a thread's elements within the tile, or that of a piece.
    fn row(&self, piece: usize) -> String {
        let Tile { size, depth, .. } = *self;
        match self.reading {
            Reading::Rows => format!("{piece}u * {}u + (lane >> {}u)", THREADS / depth, depth.ilog2()),
            Reading::Steps => format!("(lane & {}u)", size - 1),
            Reading::AlongK => format!("lane / {}u", depth / 4),
            Reading::Across => format!("lane % {}u * 4u", size / 4),
        }
    }

    /// The step of k of a thread's elements within the tile, or that of a piece.
    fn step(&self, piece: usize) -> String {
        let Tile { size, depth, .. } = *self;
        match self.reading {
            Reading::Rows => format!("(lane & {}u)", depth - 1),
            Reading::Steps => format!("{piece}u * {}u + (lane >> {}u)", THREADS / size, size.ilog2()),
            Reading::AlongK => format!("lane % {}u * 4u", depth / 4),
            Reading::Across => format!("lane / {}u", size / 4),
        }
    }

    /// The rows or columns of a thread's elements: one, or one a piece.
    fn bases(&self, indexer: &Indexer, text: &mut String) -> Vec<Cursors> {
        let Tile { ref factor, group, name, .. } = *self;
        let mut base = factor.advance(indexer, &factor.start(indexer), BATCH, "batch", "z");
        text.push_str(&base.bind(&format!("{name}_base")));
        let each = |piece: usize| {
            let (place, coordinates) = (format!("{name}_place{piece}"), format!("{name}{piece}_"));
            // Writing to a String does not fail.
            let _ = writeln!(
                text,
                "let {name}_within{piece} = {};\nlet {place} = {} + {name}_within{piece};",
                self.row(piece),
                self.first
            );
            if self.reading == Reading::Across {
                return factor.by_vectors(indexer, &base, &format!("{place} / 4u"));
            }
            text.push_str(&indexer.coordinates(group, &place, &coordinates));
            let mut cursor = factor.advance(indexer, &base, group, &place, &coordinates);
            text.push_str(&cursor.bind(&format!("{name}{piece}")));
            cursor
        };
        (0..if self.reading == Reading::Rows { PIECES } else { 1 }).map(each).collect()
    }

    /// Statements that load a thread's elements of the tile that begins at `step`: into the tile, in CUDA into registers.
    fn fill(&self, indexer: &Indexer, bases: &[Cursors], builder: &mut Builder, text: &mut String) -> Result<()> {
        let Tile { ref factor, name, count, reading, .. } = *self;
        let cuda = builder.language.is_cuda();
        let vectors = matches!(reading, Reading::AlongK | Reading::Across);
        let mut along = None;
        for piece in 0..if vectors { 1 } else { PIECES } {
            let row = if reading == Reading::Rows { piece } else { 0 };
            let at = format!("{name}_d{piece}");
            if reading != Reading::Rows || piece == 0 {
                let coordinates = format!("{name}_k{piece}_");
                // Writing to a String does not fail.
                let _ = writeln!(text, "let {at} = {};\nlet {name}_step{piece} = step + {at};", self.step(piece));
                text.push_str(&indexer.coordinates(K, &format!("{name}_step{piece}"), &coordinates));
                let mut term = factor.term(indexer, K, &format!("{name}_step{piece}"), &coordinates);
                if reading == Reading::AlongK {
                    term = factor.by_vectors(indexer, &term, &format!("{name}_step{piece} / 4u"));
                }
                text.push_str(&term.bind(&format!("{name}_along{piece}")));
                along = Some((piece, term));
            }
            let Some((step, term)) = &along else { continue };
            let mut inner = String::new();
            let values =
                factor.load(indexer, builder, &bases[row].plus(term), &format!("{name}_x{piece}"), &mut inner)?;
            let condition = format!("({name}_place{row} < {count}) & ({name}_step{step} < end)");
            let inner = indent(&inner, 1);
            let _ = match cuda {
                true => {
                    let value =
                        |(lane, value): (usize, &String)| format!("    {name}_value[{}] = {value};\n", piece + lane);
                    let values: String = values.iter().enumerate().map(value).collect();
                    let nothing: String = (0..if vectors { PIECES } else { 1 })
                        .map(|lane| format!("{name}_value[{}] = 0;\n", piece + lane))
                        .collect();
                    writeln!(text, "{nothing}if ({condition}) {{\n{inner}{values}}}")
                }
                false => writeln!(
                    text,
                    "var {name}_value{piece} = 0.0f;\nif ({condition}) {{\n{inner}    {name}_value{piece} = {};\n}}\ntile_{name}[{name}_d{step} * 64u + {name}_within{row}] = {name}_value{piece};",
                    values[0]
                ),
            };
        }
        Ok(())
    }

    /// Statements that bring a thread's elements from registers to one half of the tiles, in CUDA.
    fn keep(&self) -> String {
        let name = self.name;
        let store = |step: String, row: String, piece: usize| {
            format!("tile_{name}[half][{step}][{row}] = {name}_value[{piece}];\n")
        };
        let each = |piece: usize| match self.reading {
            Reading::Rows => store(self.step(piece), format!("{name}_within{piece}"), piece),
            Reading::Steps => store(self.step(piece), format!("{name}_within0"), piece),
            Reading::AlongK => store(format!("{} + {piece}u", self.step(0)), format!("{name}_within0"), piece),
            Reading::Across => store(self.step(0), format!("{name}_within0 + {piece}u"), piece),
        };
        (0..PIECES).map(each).collect()
    }
}
