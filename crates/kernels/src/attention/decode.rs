//! The forward pass of a few queries, as of a decoder's next token: the keys are divided among a workgroup's threads, where the other passes divide the queries. For one query
//! those would leave all threads but one with nothing to do.

use super::{Rows, Writer};
use crate::{Dialect, Pass, Slot, Target, indent, indexing::COMPONENTS};
use lanthorn_ir::{DType, Result, expr::Type};
use std::fmt::Write;

const WGSL: &str = include_str!("../../shaders/attention/decode.wgsl");
const CUDA: &str = include_str!("../../shaders/attention/decode.cu");

/// The threads of a workgroup, and so the keys that are scored at once: the most that every GPU has, and on a processor, where barriers cost, as many as the other passes have.
const fn threads(software: bool) -> usize {
    if software { 64 } else { 256 }
}

impl Writer<'_> {
    /// The pass over the queries of a batch, `owned` of each, and the keys.
    pub(super) fn decode(mut self, [batch, owned, met]: [usize; 3], target: &Target) -> Result<Pass> {
        let language = self.builder.language;
        let ty = Type::from(self.attention.dtype());
        let name = language.type_name(ty)?;
        if !language.is_cuda() {
            self.builder.functions.extend(["exp_f32", "log_f32", "select_bits"].map(String::from));
            self.builder.functions.extend(self.attention.capped.then(|| "tanh_f32".to_string()));
        }
        let threads = threads(target.software);
        let vectors = [&self.key, &self.value].map(Rows::vectors);
        let store = self.store_vector(name)?;
        let logarithms = self.builder.output(language.element(self.attention.dtype())?, Slot::Output(1));
        let [groups, owned, met] = [batch * owned, owned, met].map(|value| self.builder.count(value));
        let (query, key, value) = (&self.query, &self.key, &self.value);
        let texts = [
            ("type", name.to_string()),
            ("threads", threads.to_string()),
            ("key_vectors", vectors[0].to_string()),
            ("value_vectors", vectors[1].to_string()),
            ("parts", (threads / vectors[1]).to_string()),
            ("before", indent(&self.before, 1)),
            ("query_row", query.row.clone()),
            ("query_column", query.column.clone()),
            ("key_row", key.row.clone()),
            ("key_column", key.column.clone()),
            ("value_row", value.row.clone()),
            ("value_column", value.column.clone()),
            ("start", self.bounds.start("own")),
            ("end", self.bounds.end("own")),
            ("score", indent(&self.score(name), 3)),
            ("exp", format!("exp_{name}")),
            ("log", format!("log_{name}")),
            ("max", format!("max_{name}")),
            ("logarithms", logarithms),
            ("store", indent(&store, 2)),
            ("groups", groups),
            ("owned", owned),
            ("met", met),
        ];
        let values: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let template = language.pick(WGSL, CUDA);
        self.builder.finish(&self.own, template, &values, [batch * self.attention.extents()[1], threads], target)
    }

    /// Statements that cap the score of a pair, add the mask to it, and say whether it takes part.
    fn score(&self, ty: &str) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        if let Some(slot) = self.attention.cap_param() {
            let _ = writeln!(text, "score = tanh_{ty}(score / p{slot}) * p{slot};");
        }
        let (Some(rows), Some(operand)) = (&self.mask, &self.attention.mask) else { return text };
        let element = rows.buffer.at(&format!("mask_base + own * {} + other * {}", rows.row, rows.column));
        if operand.dtype == DType::Bool {
            let _ = writeln!(text, "keep = u32({element}) != 0u;");
            return text;
        }
        // Negative infinity takes the pair out.
        let is_out = self.builder.language.pick("bitcast<u32>(added) == 0xff800000u", "added < lowest");
        let declared = self.builder.language.pick("let added", "const Real added");
        let _ = writeln!(text, "{declared} = {element};\nscore += added;\nkeep = !({is_out});");
        text
    }

    /// Statements that store vector `lane` of a row.
    fn store_vector(&mut self, ty: &str) -> Result<String> {
        let language = self.builder.language;
        let (width, vectors) = (self.value.width, self.value.vectors());
        let by_vectors = width.is_multiple_of(4);
        let element = language.element(self.attention.dtype())?;
        let declared = if by_vectors && !language.is_cuda() { format!("vec4<{ty}>") } else { element.to_string() };
        let output = self.builder.output(&declared, Slot::Output(0));
        if by_vectors {
            let result = language
                .pick("sum * inverse", "Four(sum.x * inverse, sum.y * inverse, sum.z * inverse, sum.w * inverse)");
            let output = if language.is_cuda() { format!("reinterpret_cast<Four*>({output})") } else { output };
            return Ok(format!("{output}[row * {vectors}u + lane] = {result};\n"));
        }
        let each = COMPONENTS.iter().enumerate().map(|(at, component)| {
            let column = format!("lane * 4u + {at}u");
            format!("if ({column} < {width}u) {{\n    {output}[row * {width}u + {column}] = sum.{component} * inverse;\n}}\n")
        });
        Ok(each.collect())
    }
}
