//! The attention pass in CUDA: a group of lanes owns several rows, each lane holds a part of every
//! row in registers, and all owned rows meet a row of shared memory at once.

use super::{Rows, Writer};
use crate::{Dialect, Pass, Slot, Target, indent, language::word_count};
use lanthorn_ir::{DType, Result, expr::Type, kernel::AttentionPass};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("../../shaders/attention/attention.cu");

/// The threads of a block.
const THREADS: usize = 128;

/// Maximum number of vectors of a row that a lane holds.
const PARTS: usize = 4;

/// Bytes of shared memory for the rows that are met.
const TILE_BYTES: usize = 32 << 10;

impl Rows {
    /// A function that returns a vector of the row that starts at an index. Elements past the end
    /// of the row are 0.
    pub(super) fn loading_in_cuda(&self, element: &str, by_vectors: bool) -> String {
        let Rows { name, buffer, column, width, .. } = self;
        let value = if by_vectors {
            format!("c < {}u ? {buffer}[at + c] : vec4<{element}>({element}(0))", self.vectors())
        } else {
            let each = |lane: usize| {
                let index = format!("c * 4u + {lane}u");
                format!("{index} < {width}u ? {buffer}[at + ({index}) * {column}] : {element}(0)")
            };
            format!("vec4<{element}>({})", (0..4).map(each).collect::<Vec<_>>().join(", "))
        };
        format!("const auto load_{name} = [=](u32 at, u32 c) {{ return {value}; }};\n")
    }

    /// A vector of an owned row.
    fn load(&self, row: &str, c: &str) -> String {
        let Rows { name, row: step, .. } = self;
        format!("load_{name}({name}_base + ({row}) * {step}, {c})")
    }
}

impl Writer<'_> {
    /// The pass over the owned rows of a batch and the rows that they meet.
    pub(super) fn cuda(mut self, [batch, owned, met]: [usize; 3], target: &Target) -> Result<Pass> {
        let [_, _, _, d, e] = self.attention.extents();
        let ty = Type::from(self.attention.dtype());
        let name = target.language.type_name(ty)?;
        let vectors = [d, e].map(|width| width.div_ceil(4));
        let group = vectors[0].max(vectors[1]).div_ceil(PARTS).next_power_of_two();
        let parts = vectors.map(|vectors| vectors.div_ceil(group));
        let bytes = 4 * word_count(ty) * 4 * group * (parts[0] + parts[1]);
        let tile = (TILE_BYTES / bytes / 4 * 4).min(64);
        // A pass that owns keys has two sums, which leave registers for one row only. So do rows of
        // float64.
        let own = if self.keys_own || ty == Type::F64 { 1 } else { 2 };
        let rows = own * THREADS / group;
        let start = self.bounds.start("first");
        let end = self.bounds.end_of("first", "min(first + ROWS - 1, owned - 1)");
        let store = self.store_in_cuda(batch * owned, [d, e])?;
        let [own_statistics, met_statistics] = self.statistics();
        let mask = self.mask_in_cuda(name);
        let blocks = owned.div_ceil(rows);
        let counts = [batch * blocks, blocks, owned, met].map(|value| self.builder.count(value));
        let (owners, others) = self.sides();
        let part = "c * GROUP + member";
        let second = owners.get(1).map_or("Four(0)".to_string(), |rows| rows.load("own[r]", part));
        let vector = |which: usize| format!("at % (PARTS_{which} * GROUP)");
        let texts = [
            ("type", name.to_string()),
            ("group", group.to_string()),
            ("own", own.to_string()),
            ("tile", tile.to_string()),
            ("parts_0", parts[0].to_string()),
            ("parts_1", parts[1].to_string()),
            ("backward", self.gradient.is_some().to_string()),
            ("keys_own", self.keys_own.to_string()),
            ("own_start", self.bounds.start("own[r]")),
            ("own_end", self.bounds.end("own[r]")),
            ("soft_cap", indent(&self.soft_cap_in_cuda(name), 5)),
            ("before", indent(&self.before, 1)),
            ("load_own_0", owners[0].load("own[r]", part)),
            ("load_own_1", second),
            ("load_met_0", others[0].load("row", &vector(0))),
            ("load_met_1", others[1].load("row", &vector(1))),
            ("own_statistics", indent(&own_statistics, 2)),
            ("met_statistics", indent(&met_statistics, 4)),
            ("mask", indent(&mask, 5)),
            ("exp", format!("exp_{name}")),
            ("max", format!("max_{name}")),
            ("store", indent(&store, 2)),
            ("start", start),
            ("end", end),
        ];
        let mut values: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        values.extend(["groups", "blocks", "owned", "met"].into_iter().zip(counts.iter().map(String::as_str)));
        self.builder.finish("", TEMPLATE, &values, [batch * blocks, THREADS], target)
    }

    /// Statements that set the statistics of row `r`, for owned rows and for rows that are met.
    fn statistics(&self) -> [String; 2] {
        let Some([_, statistics]) = &self.gradient else { return Default::default() };
        let set = |row: &str, r: &str| {
            let each = |(which, name): (usize, &str)| {
                format!(
                    "{name}[{r}] = {};\n",
                    statistics.element(&format!("statistics_base + {row} * {}", statistics.row), which)
                )
            };
            ["logarithm", "product"].into_iter().enumerate().map(each).collect::<String>()
        };
        // A pass that meets rows with statistics owns one row at a time.
        if self.keys_own { [String::new(), set("at", "0")] } else { [set("own[r]", "r"), String::new()] }
    }

    /// Statements that cap a score, and its derivative with respect to the dot product.
    fn soft_cap_in_cuda(&self, ty: &str) -> String {
        let Some(slot) = self.attention.cap_param() else { return String::new() };
        format!(
            "const {ty} ratio = tanh_{ty}(score[r] / p{slot});\nscore[r] = ratio * p{slot};\nderivative = scale * (Real(1) - ratio * ratio);\n"
        )
    }

    /// Statements that add the mask to a score, and set whether the pair takes part.
    fn mask_in_cuda(&self, ty: &str) -> String {
        let (Some(rows), Some(operand)) = (&self.mask, &self.attention.mask) else { return String::new() };
        let (query, key) = if self.keys_own { ("at", "mine") } else { ("mine", "at") };
        let element = format!("{}[mask_base + {query} * {} + {key} * {}]", rows.buffer, rows.row, rows.column);
        if operand.encoding == DType::Bool {
            return format!("keep[r][t] = keep[r][t] && {element} != 0;\n");
        }
        format!(
            "const {ty} added = {element};\nscore[r] += added;\n// Negative infinity takes the pair out.\nkeep[r][t] = keep[r][t] && !(added < lowest);\n"
        )
    }

    /// Statements that store the results of the row. `rows` is the number of all rows.
    fn store_in_cuda(&mut self, rows: usize, [d, e]: [usize; 2]) -> Result<String> {
        let language = self.builder.language;
        let name = language.type_name(Type::from(self.attention.dtype()))?;
        let output = self.builder.output(language.element(self.attention.dtype())?, Slot::Output(0));
        // The gradients of values follow the gradients of keys, so the width of a key decides their
        // alignment.
        let by_vectors = d.is_multiple_of(4) || !matches!(self.attention.pass, AttentionPass::Keys(_));
        let mut text = String::new();
        let mut sum = |which: usize, width: usize, begin: &str, factor: &str| {
            let by_vectors = by_vectors && width.is_multiple_of(4);
            // Writing to a String does not fail.
            let _ = writeln!(
                text,
                "store_row<{width}, PARTS_{which}, {by_vectors}>({output} + {begin}row * {width}u, sum_{which}[r], member, {factor});"
            );
        };
        match self.attention.pass {
            AttentionPass::Forward => sum(1, e, "", "total[r] == 0 ? Real(0) : Real(1) / total[r]"),
            AttentionPass::Queries(_) => sum(0, d, "", "Real(1)"),
            AttentionPass::Keys(_) => {
                sum(0, d, "", "Real(1)");
                let begin = format!("{} + ", self.builder.count(rows * d));
                sum(1, e, &begin, "Real(1)");
            }
        }
        if self.gradient.is_none() {
            let logarithms = self.builder.output(language.element(self.attention.dtype())?, Slot::Output(1));
            // The logarithm of 0 is negative infinity.
            let _ = writeln!(
                text,
                "if (member == 0) {logarithms}[row] = total[r] == 0 ? log_{name}(Real(0)) : largest[r] + log_{name}(total[r]);"
            );
        }
        Ok(text)
    }
}
