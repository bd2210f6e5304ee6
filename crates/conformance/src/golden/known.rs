//! The list of known misses, each with its reason.
//!
//! A line is `NAME/SAMPLE/ASPECT: reason`, where `*` and `?` are wildcards. `[cpu]`, `[wgpu]`,
//! `[cuda]` and `[cuda-host]` begin lines that apply to that device only, `[native]` and `[native
//! cpu]` lines that do not apply to the npm package, `[cpu avx512]` lines for processors with
//! AVX-512, whose products sum in another order; `[any]` ends such a section. `#` begins a
//! comment. A listed check counts as skipped while it fails, and as failed once it passes: the
//! list shrinks with every fix.

use super::glob::matches;

/// The project's own list.
pub const KNOWN_MISSES: &str = include_str!("known_misses.txt");

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMiss {
    /// A pattern for checks: `linalg.qr/*/gradient`.
    pub pattern: String,
    /// The reason.
    pub reason: String,
    /// The line in the file.
    pub line: String,
}

/// Reads the lines that apply to `device`, natively.
pub fn parse(text: &str, device: &str) -> Result<Vec<KnownMiss>, String> {
    let native_device = format!("native {device}");
    let wide_device = if has_avx512() { format!("{device} avx512") } else { device.to_string() };
    let mut section = "any";
    let mut misses = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
            continue;
        }
        let Some((pattern, reason)) = line
            .split_once(": ")
            .filter(|(pattern, reason)| pattern.split('/').count() == 3 && !reason.trim().is_empty())
        else {
            return Err(format!("a known miss is `NAME/SAMPLE/ASPECT: reason`, not {line:?}"));
        };
        if ["any", "native", device, native_device.as_str(), wide_device.as_str()].contains(&section) {
            misses.push(KnownMiss { pattern: pattern.into(), reason: reason.trim().into(), line: line.into() });
        }
    }
    Ok(misses)
}

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The line that matches a check.
pub fn find<'a>(misses: &'a [KnownMiss], check: &str) -> Option<&'a KnownMiss> {
    misses.iter().find(|miss| matches(&miss.pattern, check))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_comments_and_patterns() {
        let text = "# why\nadd/*/value: one\n[wgpu]\nmul/2/*: two\n[any]\ndiv/?/error: three\n[native cpu]\nsub/*/*: four\n[page cpu]\nsub/*/*: five\n";
        let cpu = parse(text, "cpu").unwrap();
        assert_eq!(cpu.iter().map(|miss| miss.reason.as_str()).collect::<Vec<_>>(), ["one", "three", "four"]);
        assert_eq!(parse(text, "wgpu").unwrap().len(), 3);
        assert!(find(&cpu, "add/11/value").is_some() && find(&cpu, "mul/2/value").is_none());
        assert!(parse("add/1: why", "cpu").is_err() && parse("add/1/value", "cpu").is_err());
    }

    #[test]
    fn the_projects_own_list_is_read() {
        for device in ["cpu", "wgpu", "cuda", "cuda-host"] {
            parse(KNOWN_MISSES, device).unwrap();
        }
    }
}
