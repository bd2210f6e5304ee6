//! The product with tiles of both operands in workgroup memory: how the threads of a workgroup fill
//! the tiles.
//!
//! A tile of 1024 elements is 64 rows (or columns) by 16 steps of k, or 128 by 8. Each thread loads
//! four elements. Adjacent threads read along the dimension in which the operand is contiguous. The
//! four elements of a thread share one step of k, so its coordinates are computed once, and the
//! coordinates of the rows are computed before the loop. If the operand has vectors along that
//! dimension, the four elements are adjacent and read at once.
//!
//! In WGSL, workgroup memory holds vectors of four adjacent rows, and a thread writes a whole
//! vector. Not every implementation of WGSL can write a single component.

use super::{
    A, B, BATCH, K, M, N, Texts,
    factor::{self, Cursors, Factor},
};
use crate::{
    Builder, indent,
    indexing::{COMPONENTS, Indexer, Space},
};
use lanthorn_ir::{Result, kernel::Contract};
use std::fmt::Write;

pub(super) const WGSL: &str = include_str!("../../shaders/contract/tiled.wgsl");
pub(super) const CUDA: &str = include_str!("../../shaders/contract/contract.cu");

/// Number of elements of a tile that each thread loads.
const PIECES: usize = 4;

/// The threads of a workgroup.
pub(super) const THREADS: usize = 256;

/// How the four elements of a thread are arranged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// In four rows, at one step of k. The next thread has the next step.
    Rows,
    /// In four rows, at one step of k. The next thread has other rows.
    Columns,
    /// In one row, as a vector along k. Only in CUDA.
    AlongK,
    /// At one step of k, as a vector of adjacent rows.
    Across,
}

/// One factor and its tile.
struct Tile<'a> {
    factor: Factor<'a>,
    /// The group of its rows or columns, their number, and the first one of this workgroup.
    group: usize,
    count: &'static str,
    first: &'static str,
    name: &'static str,
    reading: Reading,
    /// The number of rows or columns of the tile, and of its steps of k.
    size: usize,
    depth: usize,
    cuda: bool,
}

/// The texts for tiles of `size` rows or columns.
pub(super) fn texts(contract: &Contract, mut space: Space, size: usize, builder: &mut Builder) -> Result<Texts> {
    let cuda = builder.language.is_cuda();
    let mut reading = |(operand, group)| {
        if cuda && factor::by_vectors(&mut space, contract, operand, K) {
            Reading::AlongK
        } else if factor::by_vectors(&mut space, contract, operand, group) {
            Reading::Across
        } else if space.is_in_order(operand, K) {
            Reading::Rows
        } else {
            Reading::Columns
        }
    };
    let [a, b] = [(A, M), (B, N)].map(&mut reading);
    let indexer = space.bind(builder);
    let depth = THREADS * PIECES / size;
    let mut tile = |operand: usize, group, count, first, name, reading| -> Result<Tile> {
        let factor = Factor::bind(contract, operand, &indexer, builder)?;
        Ok(Tile { factor, group, count, first, name, reading, size, depth, cuda })
    };
    let tiles = [tile(A, M, "m", "row", "a", a)?, tile(B, N, "n", "column", "b", b)?];
    let (mut before, mut fill, mut keep) = (indexer.coordinates(BATCH, "batch", "z"), String::new(), String::new());
    for tile in &tiles {
        let bases = tile.bases(&indexer, &mut before);
        tile.fill(&indexer, &bases, builder, &mut fill)?;
        keep.push_str(&tile.keep());
    }
    let inside = builder.language.pick(3, 2);
    let texts = [("before", indent(&before, 1)), ("fetch", indent(&fill, inside)), ("keep", indent(&keep, inside))];
    if cuda {
        return Ok(texts.into());
    }
    let [sums, every_sum] = sums(4 * (size / 64).pow(2));
    let own = [("multiply", indent(&multiply(size), 4)), ("sums", indent(&sums, 1)), ("every_sum", every_sum)];
    Ok(texts.into_iter().chain(own).collect())
}

/// The sums of a thread in WGSL, each a vector of four columns: their declarations, and an array of
/// all of them. Separate variables, because an array with a dynamic index may not be kept in
/// registers.
fn sums(count: usize) -> [String; 2] {
    let names: Vec<String> = (0..count).map(|at| format!("sum{at}")).collect();
    let declarations = names.iter().map(|name| format!("var {name} = vec4<f32>();\n")).collect();
    [declarations, format!("array<vec4<f32>, {count}>({})", names.join(", "))]
}

/// The products of a thread at one step of k, in WGSL: a square of rows and columns, by vectors of
/// four columns. It calls `fma`, because a driver need not fuse a multiplication and an addition.
/// Without `fma`, both tile sizes reached 42 % of the CUDA figure on an H200. With `fma` it has not
/// been measured.
fn multiply(size: usize) -> String {
    let parts = size / 64;
    let load = |part: usize| {
        let at = part * 16;
        format!("let a{part} = tile_a[begin + {at}u + y];\nlet b{part} = tile_b[begin + {at}u + x];\n")
    };
    let add = |at: usize| {
        let (row, part) = (at / parts, at % parts);
        format!("sum{at} = fma(vec4<f32>(a{}.{}), b{part}, sum{at});\n", row / 4, COMPONENTS[row % 4])
    };
    (0..parts).map(load).chain((0..4 * parts * parts).map(add)).collect()
}

impl Tile<'_> {
    /// The row within the tile of a thread's elements, or of one piece.
    fn row(&self, piece: usize) -> String {
        let Tile { size, depth, cuda, .. } = *self;
        match self.reading {
            // In CUDA the loads and stores of a warp are adjacent. In WGSL the elements of a thread
            // are.
            Reading::Rows if cuda => format!("{piece}u * {}u + (lane >> {}u)", THREADS / depth, depth.ilog2()),
            Reading::Rows => format!("(lane >> {}u) * 4u + {piece}u", depth.ilog2()),
            Reading::Columns if cuda => format!("{piece}u * {}u + (lane & {}u)", size / PIECES, size / PIECES - 1),
            Reading::Columns => format!("(lane & {}u) * 4u + {piece}u", size / PIECES - 1),
            Reading::AlongK => format!("lane / {}u", depth / 4),
            Reading::Across => format!("lane % {}u * 4u", size / 4),
        }
    }

    /// The step of k within the tile of a thread's elements.
    fn step(&self) -> String {
        let Tile { size, depth, .. } = *self;
        match self.reading {
            Reading::Rows => format!("(lane & {}u)", depth - 1),
            Reading::AlongK => format!("lane % {}u * 4u", depth / 4),
            Reading::Columns | Reading::Across => format!("lane / {}u", size / 4),
        }
    }

    /// Whether a thread's elements are read one by one.
    fn by_pieces(&self) -> bool {
        matches!(self.reading, Reading::Rows | Reading::Columns)
    }

    /// The cursors of a thread's rows or columns: one, or one for each piece.
    fn bases(&self, indexer: &Indexer, text: &mut String) -> Vec<Cursors> {
        let Tile { ref factor, group, name, .. } = *self;
        let mut base = factor.advance(indexer, &factor.start(indexer), BATCH, "batch", "z");
        text.push_str(&base.bind(&format!("{name}_base")));
        let each = |piece: usize| {
            let (linear, coordinates) = (format!("{name}_index{piece}"), format!("{name}{piece}_"));
            // Writing to a String does not fail.
            let _ = writeln!(
                text,
                "let {name}_within{piece} = {};\nlet {linear} = {} + {name}_within{piece};",
                self.row(piece),
                self.first
            );
            if self.reading == Reading::Across {
                return factor.by_vectors(indexer, &base, &format!("{linear} / 4u"));
            }
            text.push_str(&indexer.coordinates(group, &linear, &coordinates));
            let mut cursor = factor.advance(indexer, &base, group, &linear, &coordinates);
            text.push_str(&cursor.bind(&format!("{name}{piece}")));
            cursor
        };
        (0..if self.by_pieces() { PIECES } else { 1 }).map(each).collect()
    }

    /// Statements that load a thread's elements of the tile that starts at `step` to registers.
    fn fill(&self, indexer: &Indexer, bases: &[Cursors], builder: &mut Builder, text: &mut String) -> Result<()> {
        let Tile { ref factor, name, count, reading, .. } = *self;
        let (step, coordinates) = (format!("{name}_step"), format!("{name}_k_"));
        // Writing to a String does not fail.
        let _ = writeln!(text, "let {step} = step + {};", self.step());
        text.push_str(&indexer.coordinates(K, &step, &coordinates));
        let mut term = factor.term(indexer, K, &step, &coordinates);
        if reading == Reading::AlongK {
            term = factor.by_vectors(indexer, &term, &format!("{step} / 4u"));
        }
        text.push_str(&term.bind(&format!("{name}_along")));
        for (piece, base) in bases.iter().enumerate() {
            let mut inner = String::new();
            let values = factor.load(indexer, builder, &base.plus(&term), &format!("{name}_x{piece}"), &mut inner)?;
            let lanes = if self.by_pieces() { 1 } else { PIECES };
            let set = |lane: usize, value: &str| format!("{name}_value[{}] = {value};\n", piece + lane);
            let nothing: String = (0..lanes).map(|lane| set(lane, "0")).collect();
            let values: String = values.iter().enumerate().map(|(lane, value)| set(lane, value)).collect();
            let (inner, values) = (indent(&inner, 1), indent(&values, 1));
            let condition = format!("({name}_index{piece} < {count}) & ({step} < end)");
            let _ = writeln!(text, "{nothing}if ({condition}) {{\n{inner}{values}}}");
        }
        Ok(())
    }

    /// Statements that store a thread's elements from registers to one half of the tiles.
    fn keep(&self) -> String {
        let Tile { name, size, cuda, .. } = *self;
        if !cuda {
            let vectors = size / 4;
            return format!(
                "tile_{name}[current + {} * {vectors}u + {name}_within0 / 4u] = {name}_value;\n",
                self.step()
            );
        }
        let store = |step: String, row: String, piece: usize| {
            format!("tile_{name}[half][{step}][{row}] = {name}_value[{piece}];\n")
        };
        let each = |piece: usize| match self.reading {
            Reading::Rows | Reading::Columns => store(self.step(), format!("{name}_within{piece}"), piece),
            Reading::AlongK => store(format!("{} + {piece}u", self.step()), format!("{name}_within0"), piece),
            Reading::Across => store(self.step(), format!("{name}_within0 + {piece}u"), piece),
        };
        (0..PIECES).map(each).collect()
    }
}
