//! Parts of Rust's syntax: names, attributes, documentation, and bodies of one expression.

use crate::{
    library::{Exports, SourceFile},
    names::camel,
};
use std::collections::HashMap;

/// The exports of a module and of its public modules.
pub(crate) fn collect_exports(files: &[SourceFile], module: &str, exports: &mut Vec<Exports>) {
    let Some(file) = files.iter().find(|file| file.module == module) else { return };
    let mut names = Vec::new();
    collect_names(files, file, &mut names);
    let namespaces: Vec<String> = file.syntax.items.iter().filter_map(public_module).collect();
    exports.push(Exports { module: module.to_string(), names, namespaces: namespaces.clone() });
    for namespace in namespaces {
        let path = if module == "lib" { namespace } else { format!("{module}/{namespace}") };
        collect_exports(files, &path, exports);
    }
}

fn public_module(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Mod(item) if is_pub(&item.vis) => Some(item.ident.to_string()),
        _ => None,
    }
}

/// The names of `pub use` in a file; all names of a module for `module::*`.
fn collect_names(files: &[SourceFile], file: &SourceFile, names: &mut Vec<String>) {
    for item in &file.syntax.items {
        let (visibility, name) = match item {
            syn::Item::Use(item) => {
                if is_pub(&item.vis) {
                    collect_tree(files, &item.tree, None, names);
                }
                continue;
            }
            syn::Item::Struct(item) => (&item.vis, &item.ident),
            syn::Item::Trait(item) => (&item.vis, &item.ident),
            syn::Item::Enum(item) => (&item.vis, &item.ident),
            syn::Item::Fn(item) => (&item.vis, &item.sig.ident),
            _ => continue,
        };
        if is_pub(visibility) {
            names.push(name.to_string());
        }
    }
}

fn collect_tree(files: &[SourceFile], tree: &syn::UseTree, module: Option<&str>, names: &mut Vec<String>) {
    match tree {
        syn::UseTree::Path(path) => collect_tree(files, &path.tree, Some(&path.ident.to_string()), names),
        syn::UseTree::Name(name) => names.push(name.ident.to_string()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| collect_tree(files, tree, module, names)),
        syn::UseTree::Glob(_) => {
            let is_it = |file: &&SourceFile| file.module.rsplit('/').next() == module;
            if let Some(file) = files.iter().find(is_it) {
                collect_names(files, file, names);
            }
        }
        syn::UseTree::Rename(_) => {}
    }
}

/// The name of the type that an impl is for.
pub(crate) fn implemented_type(item: &syn::Item) -> Option<String> {
    let syn::Item::Impl(item) = item else { return None };
    let syn::Type::Path(path) = &*item.self_ty else { return None };
    path.path.segments.last().map(|last| last.ident.to_string())
}

/// The lines of a documentation comment.
pub(crate) fn docs(attributes: &[syn::Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    lines.flat_map(|text| text.split('\n').map(str::to_string).collect::<Vec<_>>()).collect()
}

/// The values of a paragraph `Defaults: loc = 0, scale = 1.`
pub(crate) fn defaults(docs: &[String]) -> HashMap<String, String> {
    let lines = docs.iter().map(|line| line.trim()).skip_while(|line| !line.starts_with("Defaults:"));
    let text = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.trim_start_matches("Defaults:").trim().trim_end_matches('.');
    let pair =
        |entry: &str| entry.split_once('=').map(|(name, value)| (name.trim().to_string(), value.trim().to_string()));
    entries(text).into_iter().filter_map(pair).collect()
}

/// The parts of a text between commas outside of brackets.
fn entries(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, vec![]);
    for (index, character) in text.char_indices() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The field that a body only reads, or nothing of it if the body is a literal.
pub(crate) fn field_of(body: &syn::Block) -> Option<Option<String>> {
    const COPIES: [&str; 4] = ["clone", "as_ref", "to_vec", "as_str"];
    fn of_expr(expr: &syn::Expr) -> Option<Option<String>> {
        match expr {
            syn::Expr::Reference(inner) => of_expr(&inner.expr),
            syn::Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => of_expr(&inner.expr),
            syn::Expr::MethodCall(call) if call.args.is_empty() && COPIES.iter().any(|name| call.method == name) => {
                of_expr(&call.receiver)
            }
            syn::Expr::Field(field) if matches!(&*field.base, syn::Expr::Path(path) if path.path.is_ident("self")) => {
                match &field.member {
                    syn::Member::Named(name) => Some(Some(name.to_string())),
                    syn::Member::Unnamed(_) => None,
                }
            }
            syn::Expr::Lit(_) => Some(None),
            _ => None,
        }
    }
    match &body.stmts[..] {
        [syn::Stmt::Expr(expr, None)] => of_expr(expr),
        _ => None,
    }
}

pub(crate) fn is_path(ty: &syn::Type, ident: &syn::Ident) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(ident))
}

pub(crate) fn is_pub(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

pub(crate) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item exists in tests only.
pub(crate) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") && quote::quote!(#attribute).to_string().contains("test"))
}

/// Whether a struct derives `Module`.
pub(crate) fn derives_module(attributes: &[syn::Attribute]) -> bool {
    let derives = |attribute: &syn::Attribute| {
        let mut found = false;
        let is_derive = attribute.path().is_ident("derive");
        // Other derives have the same syntax, so nothing is an error here.
        let _ = is_derive.then(|| {
            attribute.parse_nested_meta(|meta| {
                found |= meta.path.segments.last().is_some_and(|last| last.ident == "Module");
                Ok(())
            })
        });
        found
    };
    attributes.iter().any(derives)
}

/// The name of a module's field in state dicts: its own, or the one in `#[module(name = "…")]`;
/// empty for `#[module(flatten)]`.
pub(crate) fn state_name(field: &syn::Field) -> String {
    let own = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut name = own.trim_start_matches("r#").to_string();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("module")) {
        // The derive reports unknown words.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("flatten") {
                name.clear();
            } else if meta.path.is_ident("name") {
                name = meta.value()?.parse::<syn::LitStr>()?.value();
            }
            Ok(())
        });
    }
    name
}

/// Whether a method is marked as one that is read without a call: `#[property]`.
pub(crate) fn is_property(attributes: &[syn::Attribute]) -> bool {
    let is_it =
        |attribute: &syn::Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "property");
    attributes.iter().any(is_it)
}

/// The printed names of the fields of a struct that is plain data: of one that is read from a file,
/// with serde's `Deserialize`, the names in the file, and of one that is marked, `#[record]`,
/// JavaScript's.
pub(crate) fn record_keys(item: &syn::ItemStruct) -> Option<Vec<String>> {
    let is_record =
        |attribute: &syn::Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "record");
    let is_read = is_read_from_files(item);
    let key = |field: &syn::Field| {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        if is_read { rename_of(&field.attrs).unwrap_or(name) } else { camel(&name) }
    };
    let is_plain = is_read || item.attrs.iter().any(is_record);
    is_plain.then(|| item.fields.iter().map(key).collect())
}

/// Whether a struct derives serde's `Deserialize`.
pub(crate) fn is_read_from_files(item: &syn::ItemStruct) -> bool {
    let mut is_derived = false;
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // Names of traits have no arguments, so nothing is refused.
        let _ = attribute.parse_nested_meta(|meta| {
            is_derived |= meta.path.segments.last().is_some_and(|last| last.ident == "Deserialize");
            Ok(())
        });
    }
    is_derived
}

/// The name of a field in a file: `#[serde(rename = "final")]`.
fn rename_of(attributes: &[syn::Attribute]) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let read = attribute.parse_nested_meta(|meta| {
            let is_rename = meta.path.is_ident("rename");
            if let Ok(value) = meta.value() {
                let text: syn::LitStr = value.parse()?;
                if is_rename {
                    found = Some(text.value());
                }
            }
            Ok(())
        });
        read.ok()?;
    }
    found
}
