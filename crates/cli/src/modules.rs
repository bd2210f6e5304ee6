//! `lanthorn modules`: prints the table of modules, or their reference page.

use crate::reference::prose;
use clap::Args;
use lanthorn::{
    Error, Result,
    nn::table::{FAMILIES, ModuleSpec},
};
use lanthorn_conformance::golden;
use std::fmt::Write;

/// The arguments of `modules`.
#[derive(Args)]
pub struct Arguments {
    /// Only modules whose name matches; `*` and `?` are wildcards.
    #[arg(value_name = "GLOB")]
    name: Option<String>,
    /// Prints the reference page in Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Prints the table.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let wanted = |spec: &&&ModuleSpec| arguments.name.as_ref().is_none_or(|glob| golden::selects(glob, spec.name()));
    let mut text = if arguments.markdown { HEAD.to_string() } else { String::new() };
    for family in FAMILIES {
        for spec in family.iter().collect::<Vec<_>>().iter().filter(wanted) {
            let (constructor, forward) = (spec.text.trim_end_matches(" -> Module"), takes(spec));
            let written = match arguments.markdown {
                true => {
                    writeln!(
                        text,
                        "### {}\n\n{}\n\n```text\n{constructor}\n{forward}\n```\n",
                        spec.name(),
                        prose(spec.doc.lines())
                    )
                }
                false => writeln!(text, "{constructor}\n    {forward}"),
            };
            written.map_err(|error| Error::argument("modules", error.to_string()))?;
        }
    }
    print!("{text}");
    Ok(true)
}

const HEAD: &str = "# Modules

`lanthorn modules --markdown` prints this page from the table. To change it, change the documentation
of the modules. A constructor builds a module, and `forward` applies it. The names are PyTorch's, in
JavaScript in camel case, and `nn.NAME` in both languages. Every module runs on every backend.

";

/// Returns the signature of `forward`, whatever the method's name in Rust.
fn takes(spec: &ModuleSpec) -> String {
    let schema = spec.forward_schema().to_string();
    schema.find('(').map_or(String::new(), |at| format!("forward{}", &schema[at..]))
}
