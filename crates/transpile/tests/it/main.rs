//! The printer: a table of Rust with its TypeScript, and a table of errors with their positions.

use lanthorn_schema::Schema;
use lanthorn_transpile::{Library, Operations, Result, typescript};

const SCHEMAS: &[&str] = &[
    "add(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
    "sub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
    "mul(Tensor self, Tensor|Scalar other) -> Tensor",
    "exp(Tensor self) -> Tensor",
    "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    "linalg_cholesky_ex(Tensor self) -> (Tensor L, Tensor info)",
    "linalg_eigvalsh(Tensor self, str{L|U} UPLO=\"L\") -> Tensor",
    "log(Tensor self) -> Tensor",
    "mT(Tensor self) -> Tensor",
    "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    "cat(Tensor[] tensors, int dim=0) -> Tensor",
    "sum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "where(Tensor condition, Tensor|Scalar self, Tensor|Scalar other) -> Tensor",
];

const MODULES: &[&str] = &[
    "Conv2d(int in_channels, int out_channels, int[] kernel_size, int[] stride=1, bool bias=True) -> Module",
    "Linear(int in_features, int out_features, *, bool bias=True) -> Module",
    "ReLU() -> Module",
];

const PATHS: typescript::Paths = typescript::Paths {
    header: "",
    tensor: "tensor.js",
    types: "types.js",
    errors: "errors.js",
    scope: "scope.js",
    support: "support.js",
    modules: "modules.js",
    nn: "nn.js",
    operations: "operations.js",
    namespaces: "*.js",
    host: "host.js",
};

/// The modules of a library with these files.
fn print(files: &[(&str, &str)]) -> Result<Vec<(String, String)>> {
    let schemas = SCHEMAS.iter().map(|text| Schema::parse(text).expect("the schemas parse"));
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| (format!("src/{path}"), text.to_string())).collect();
    let choices = [("MatrixTriangle::Upper".to_string(), "U".to_string())];
    let modules = MODULES.iter().map(|text| Schema::parse(text).expect("the schemas parse"));
    let operations =
        Operations::new(schemas).with_choices(choices).with_modules(modules).with_initializers(["normal_".to_string()]);
    typescript::print(&Library::parse(&files, operations)?, &PATHS)
}

/// The entries of a table: a name, and the two texts that `---` separates.
fn entries(table: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    table.split("\n=== ").skip(1).map(|entry| {
        let (name, texts) = entry.split_once('\n').expect("a name is a line");
        let (rust, expected) = texts.split_once("---\n").expect("`---` separates the texts");
        (name, rust, expected)
    })
}

#[test]
fn every_construct_has_its_counterpart() {
    let mut failures = String::new();
    for (name, rust, expected) in entries(include_str!("snippets.txt")) {
        let printed = match print(&[("snippet.rs", rust)]) {
            Ok(modules) => modules.into_iter().map(|(_, text)| text).collect::<String>(),
            Err(error) => format!("{error}\n"),
        };
        if printed.trim_end() != expected.trim_end() {
            failures += &format!("\n=== {name}\n{rust}---\n{printed}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn what_is_outside_of_the_subset_is_an_error_with_its_position() {
    let mut failures = String::new();
    for (name, rust, expected) in entries(include_str!("errors.txt")) {
        let printed =
            print(&[("snippet.rs", rust)]).map_or_else(|error| error.to_string(), |modules| modules[0].1.clone());
        if printed.trim_end() != expected.trim_end() {
            failures += &format!("\n=== {name}\n{rust}---\n{printed}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

const LIB: &str = "//! Shapes.\nmod base;\nmod kinds;\npub use base::Base;\npub use kinds::*;\n";
const BASE: &str = "use super::kinds::Round;\npub trait Base {\n    fn area(&self) -> f64;\n    \
    fn round(&self) -> Rc<dyn Base> { Rc::new(Round { radius: self.area() }) }\n}\n";
const KINDS: &str = "mod flat;\npub use flat::Flat;\npub struct Round { pub radius: f64 }\n\
    impl Base for Round { fn area(&self) -> f64 { square(self.radius) } }\n";
const FLAT: &str = "#[derive(Clone)]\npub struct Flat;\nimpl Base for Flat { fn area(&self) -> f64 { 0.0 } }\n";
const HOST: &str = "pub(crate) fn square(x: f64) -> f64 { x * x }\nmacro_rules! any { () => {} }\n";

#[test]
fn files_that_use_one_another_are_one_module_and_the_host_is_imported() {
    let files =
        [("lib.rs", LIB), ("base.rs", BASE), ("kinds/mod.rs", KINDS), ("kinds/flat.rs", FLAT), ("host/mod.rs", HOST)];
    let modules = print(&files).expect("the library is in the subset");
    let paths: Vec<&str> = modules.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["base.ts", "kinds/flat.ts", "index.ts"]);
    let text = |path: &str| &modules.iter().find(|(name, _)| name == path).expect("the module is there").1;
    let (base, round) = ("export abstract class Base {", "export class Round extends Base {");
    assert!(text("base.ts").find(base) < text("base.ts").find(round), "{}", text("base.ts"));
    assert!(text("base.ts").contains("import { square } from 'host.js';\n"));
    assert!(text("kinds/flat.ts").starts_with("import { Base } from '../base.js';\n"));
    assert_eq!(
        text("index.ts"),
        "/** Shapes. */\nexport { Base, Round } from './base.js';\nexport { Flat } from './kinds/flat.js';\n"
    );
}
