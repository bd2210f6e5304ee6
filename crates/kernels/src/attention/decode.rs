//! The forward pass for few queries, such as the next token of a decoder. The other passes divide
//! the queries among threads, which would leave all threads but one idle for one query. This pass
//! divides the keys.
//!
//! If the queries do not fill the device and there are many keys, several workgroups each process
//! an equal share of the filled keys, and a second pass combines their results. With one workgroup,
//! 4,096 keys of 64 took 97 us on an H200.

use super::{Rows, Writer};
use crate::{Builder, Dialect, Plan, Slot, Target, indent, indexing::COMPONENTS, language::word_count, prelude};
use lanthorn_ir::{DType, Result, expr::Type};
use std::fmt::Write;

const WGSL: Templates = Templates {
    decode: include_str!("../../shaders/attention/decode.wgsl"),
    share: include_str!("../../shaders/attention/share.wgsl"),
    combine: include_str!("../../shaders/attention/combine.wgsl"),
    finish: include_str!("../../shaders/attention/finish.wgsl"),
};
const CUDA: Templates = Templates {
    decode: include_str!("../../shaders/attention/decode.cu"),
    share: include_str!("../../shaders/attention/share.cu"),
    combine: include_str!("../../shaders/attention/combine.cu"),
    finish: include_str!("../../shaders/attention/finish.cu"),
};

/// The templates of one language.
#[derive(Clone, Copy)]
struct Templates {
    /// The pass over the keys.
    decode: &'static str,
    /// Statements that store the result of a share of the keys.
    share: &'static str,
    /// The pass over the shares.
    combine: &'static str,
    /// Statements that store the results.
    finish: &'static str,
}

/// Number of workgroups that fill a GPU: two for each processor of a large one.
const BUSY_GROUPS: usize = 256;

/// The threads of a workgroup, which is the number of keys scored at once. On a GPU it is the
/// largest number that every GPU supports. On a processor, where barriers are expensive, it is the
/// number of the other passes.
const fn threads(software: bool) -> usize {
    if software { 64 } else { 256 }
}

/// The number of workgroups that share the keys of a query. There are at least as many tiles of
/// keys.
fn shares(rows: usize, met: usize, target: &Target) -> usize {
    if target.software { 1 } else { met.div_ceil(threads(false)).min(BUSY_GROUPS.div_ceil(rows)).max(1) }
}

impl Writer<'_> {
    /// The passes for a batch of `owned` queries each, over the keys.
    pub(super) fn decode(mut self, [batch, owned, met]: [usize; 3], target: &Target) -> Result<Plan> {
        let language = self.builder.language;
        let templates = language.pick(WGSL, CUDA);
        let ty = Type::from(self.attention.dtype());
        let name = language.type_name(ty)?;
        let (rows, width) = (batch * owned, self.value.width);
        let (threads, shares) = (threads(target.software), shares(rows, met, target));
        let vectors = [&self.key, &self.value].map(Rows::vectors);
        // The record of a share: two numbers padded to a vector, then the sums.
        let record = 4 * (1 + vectors[1]);
        let functions = ["exp_f32", "log_f32", "select_bits"].map(String::from);
        if !language.is_cuda() {
            self.builder.functions.extend(functions.clone());
            self.builder.functions.extend(self.attention.capped.then(|| "tanh_f32".to_string()));
        }
        let mut common = vec![
            ("type", name.to_string()),
            ("value_vectors", vectors[1].to_string()),
            ("shares", self.builder.count(shares)),
            ("record", record.to_string()),
            ("exp", format!("exp_{name}")),
            ("log", format!("log_{name}")),
            ("max", format!("max_{name}")),
        ];
        let stores = if shares == 1 {
            finish(&mut self.builder, templates, self.attention.dtype(), width, &common)?
        } else {
            common.push(("scratch", self.builder.output("u32", Slot::Scratch)));
            prelude::fill(templates.share, &borrow(&common))
        };
        let [groups, owned_count, met_count] = [rows * shares, owned, met].map(|value| self.builder.count(value));
        let (query, key, value) = (&self.query, &self.key, &self.value);
        let texts = [
            ("threads", threads.to_string()),
            ("key_vectors", vectors[0].to_string()),
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
            ("finish", indent(&stores, 2)),
            ("groups", groups),
            ("owned", owned_count),
            ("met", met_count),
        ];
        let texts: Vec<(&str, String)> = common.iter().cloned().chain(texts).collect();
        let first =
            self.builder.finish(&self.own, templates.decode, &borrow(&texts), [rows * shares, threads], target)?;
        if shares == 1 {
            return Ok(Plan { passes: vec![first], scratch_bytes: 0 });
        }
        let mut builder = Builder::new(language, &[], &[])?;
        if !language.is_cuda() {
            builder.functions.extend(functions);
        }
        common.retain(|(name, _)| !matches!(*name, "scratch" | "shares"));
        common.push(("scratch", builder.input("u32", Slot::Scratch)));
        common.push(("shares", builder.count(shares)));
        let results = rows * vectors[1];
        common.push(("results", builder.count(results)));
        common.push(("threads", threads.to_string()));
        let stores = finish(&mut builder, templates, self.attention.dtype(), width, &common)?;
        common.push(("finish", indent(&stores, 1)));
        let groups = results.div_ceil(threads);
        let second = builder.finish("", templates.combine, &borrow(&common), [groups, threads], target)?;
        let scratch_bytes = (rows * shares * record * 4 * word_count(ty)) as u64;
        Ok(Plan { passes: vec![first, second], scratch_bytes })
    }

    /// Statements that cap the score of a pair, add the mask to it, and set whether the pair takes
    /// part.
    fn score(&self, ty: &str) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        if let Some(slot) = self.attention.cap_param() {
            let _ = writeln!(text, "score = tanh_{ty}(score / p{slot}) * p{slot};");
        }
        let (Some(rows), Some(operand)) = (&self.mask, &self.attention.mask) else { return text };
        let element = rows.buffer.at(&format!("mask_base + own * {} + other * {}", rows.row, rows.column));
        if operand.encoding == DType::Bool {
            let _ = writeln!(text, "keep = u32({element}) != 0u;");
            return text;
        }
        // A mask of negative infinity excludes the pair.
        let is_out = self.builder.language.pick("bitcast<u32>(added) == 0xff800000u", "added < lowest");
        let declared = self.builder.language.pick("let added", "const Real added");
        let _ = writeln!(text, "{declared} = {element};\nscore += added;\nkeep = !({is_out});");
        text
    }
}

/// Borrows the texts for a template.
fn borrow<'t>(texts: &'t [(&'static str, String)]) -> Vec<(&'static str, &'t str)> {
    texts.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

/// Statements that store vector `vector` of the result `row`, which has `width` numbers, and the
/// logarithm of the row's sum.
fn finish(
    builder: &mut Builder,
    templates: Templates,
    dtype: DType,
    width: usize,
    common: &[(&'static str, String)],
) -> Result<String> {
    let language = builder.language;
    let (element, ty) = (language.element(dtype)?, language.type_name(Type::from(dtype))?);
    let by_vectors = width.is_multiple_of(4);
    let declared = if by_vectors && !language.is_cuda() { format!("vec4<{ty}>") } else { element.to_string() };
    let output = builder.output(&declared, Slot::Output(0));
    let store = if by_vectors {
        let result =
            language.pick("sum * inverse", "Four(sum.x * inverse, sum.y * inverse, sum.z * inverse, sum.w * inverse)");
        let output = if language.is_cuda() { format!("reinterpret_cast<Four*>({output})") } else { output };
        format!("{output}[row * {}u + vector] = {result};\n", width / 4)
    } else {
        let each = COMPONENTS.iter().enumerate().map(|(at, component)| {
            let column = format!("vector * 4u + {at}u");
            format!("if ({column} < {width}u) {{\n    {output}[row * {width}u + {column}] = sum.{component} * inverse;\n}}\n")
        });
        each.collect()
    };
    let logarithms = builder.output(element, Slot::Output(1));
    let texts: Vec<(&str, String)> =
        common.iter().cloned().chain([("store", store), ("logarithms", logarithms)]).collect();
    Ok(prelude::fill(templates.finish, &borrow(&texts)))
}
