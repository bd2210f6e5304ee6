//! Prints a library as TypeScript: a module for each file, and an index of the exports.

mod calls;
mod classes;
mod comments;
mod examples;
mod expressions;
mod functions;
mod statements;
mod types;

use crate::{
    error::{Result, unsupported},
    library::{Exports, Library, SourceFile},
    lower::Lowerer,
    names::{camel, global},
    syntax::{docs, is_test},
    types::{Generics, Type},
};
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
};

/// Where printed modules import from, relative to their folder.
pub struct Paths {
    /// The line at the top of a printed module.
    pub header: &'static str,
    /// The module of `Tensor` and `TensorLike`.
    pub tensor: &'static str,
    /// The module of types such as `DType`.
    pub types: &'static str,
    /// The module of the class of errors.
    pub errors: &'static str,
    /// The module of `scope`.
    pub scope: &'static str,
    /// The module of the functions that printed code calls: `bind`, `make`, `failure`.
    pub support: &'static str,
    /// The module of `PrintedModule` and `makeModule`, which printed modules are and are made by.
    pub modules: &'static str,
    /// The module of `nn`.
    pub nn: &'static str,
    /// The module of the operations.
    pub operations: &'static str,
    /// The modules of the namespaces of operations, with `*` for the name.
    pub namespaces: &'static str,
    /// The module that is written by hand.
    pub host: &'static str,
}

/// The functions of the package that the texts of intrinsics call.
const HELPERS: &[&str] =
    &["asFlag", "asInteger", "asList", "asNumber", "asObject", "asText", "getOwn", "mapValue", "sortedEntries", "zip"];

/// The names that a printed module uses of others.
#[derive(Default)]
struct Uses {
    /// Names of the package: `Tensor`, `scope`, `linalg`.
    package: BTreeSet<String>,
    /// Names of the library that are called or made.
    values: BTreeSet<String>,
    /// Names of the library that only types contain.
    types: BTreeSet<String>,
}

/// Prints one file.
struct Printer<'a> {
    library: &'a Library,
    file: &'a SourceFile,
    uses: RefCell<Uses>,
    /// The types of the variables of the body that is printed.
    variables: RefCell<Vec<Type>>,
    /// Whether an example is printed, which calls what users call.
    is_example: Cell<bool>,
}

/// A printed file.
struct Module {
    /// Its path without an ending.
    path: String,
    docs: Vec<String>,
    /// The text of its items, each class with the one that it extends.
    items: Vec<Item>,
    uses: Uses,
}

/// A printed item.
struct Item {
    text: String,
    /// The name of a class, and the class that it extends.
    class: Option<(String, Option<String>)>,
}

/// The modules of a library: the path of each file and its text.
///
/// Files that use one another become one module, because a class is defined before those that
/// extend it.
///
/// # Errors
///
/// The first construct outside of the subset, with its position.
pub fn print(library: &Library, paths: &Paths) -> Result<Vec<(String, String)>> {
    let mut modules = Vec::new();
    for file in library.files.iter().filter(|file| !file.is_host && file.module != "lib") {
        let printer = Printer {
            library,
            file,
            uses: RefCell::default(),
            variables: RefCell::default(),
            is_example: Cell::new(false),
        };
        let items = printer.items()?;
        if !items.is_empty() {
            let (path, docs) = (kebab(&file.module), docs(&file.syntax.attrs));
            modules.push(Module { path, docs, items, uses: printer.uses.into_inner() });
        }
    }
    let merged = merge_cycles(library, &mut modules);
    let mut printed: Vec<(String, String)> =
        modules.iter().map(|module| (format!("{}.ts", module.path), module.text(library, &merged, paths))).collect();
    printed.extend(
        library
            .exports
            .iter()
            .map(|exports| (format!("{}.ts", index_of(&exports.module)), index(library, exports, &merged, paths))),
    );
    Ok(printed)
}

/// `log_normal` becomes `log-normal`, as the package's files are named.
fn kebab(module: &str) -> String {
    module.replace('_', "-")
}

/// Joins modules that use one another, and returns the module in which each file's items are.
fn merge_cycles(library: &Library, modules: &mut Vec<Module>) -> BTreeMap<String, String> {
    let count = modules.len();
    let position = |modules: &[Module], name: &str| {
        let path = library.module_of(name).map(kebab)?;
        modules.iter().position(|module| module.path == path)
    };
    let mut reaches = vec![vec![false; count]; count];
    for (from, module) in modules.iter().enumerate() {
        for name in &module.uses.values {
            if let Some(to) = position(modules, name) {
                reaches[from][to] = true;
            }
        }
    }
    for middle in 0..count {
        for from in 0..count {
            if reaches[from][middle] {
                let next = reaches[middle].clone();
                reaches[from].iter_mut().zip(next).for_each(|(own, next)| *own |= next);
            }
        }
    }
    let mut merged = BTreeMap::new();
    let mut targets: Vec<usize> = (0..count).collect();
    for (index, module) in modules.iter().enumerate() {
        let others = (0..count).filter(|&other| other == index || (reaches[index][other] && reaches[other][index]));
        // The module with the shortest path is the one that the others belong to.
        let target = others.min_by_key(|&other| (modules[other].path.len(), other)).unwrap_or(index);
        merged.insert(module.path.clone(), modules[target].path.clone());
        targets[index] = target;
    }
    for index in (0..count).rev() {
        if targets[index] != index {
            let items = std::mem::take(&mut modules[index].items);
            let uses = std::mem::take(&mut modules[index].uses);
            let target = &mut modules[targets[index]];
            target.items.extend(items);
            target.uses.extend(uses);
        }
    }
    modules.retain(|module| !module.items.is_empty());
    for module in modules {
        order_classes(&mut module.items);
    }
    merged
}

/// Puts classes after those that they extend.
fn order_classes(items: &mut Vec<Item>) {
    let mut rest = std::mem::take(items);
    while !rest.is_empty() {
        let is_defined_later = |item: &Item| {
            let base = item.class.as_ref().and_then(|(_, base)| base.as_ref());
            base.is_some_and(|base| rest.iter().any(|other| other.class.as_ref().is_some_and(|(name, _)| name == base)))
        };
        let next = rest.iter().position(|item| !is_defined_later(item)).unwrap_or(0);
        items.push(rest.remove(next));
    }
}

/// The path of the file that declares a name, without an ending.
fn path_of(library: &Library, merged: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let module = kebab(library.module_of(name)?);
    Some(merged.get(&module).cloned().unwrap_or(module))
}

/// The address of a file in an import of another one.
fn address(from: &str, to: &str, paths: &Paths) -> String {
    let up = "../".repeat(from.matches('/').count());
    if to == "host" {
        return format!("{up}{}", paths.host);
    }
    if up.is_empty() { format!("./{to}.js") } else { format!("{up}{to}.js") }
}

/// The path of the file with a module's exports, without an ending.
fn index_of(module: &str) -> String {
    if module == "lib" { "index".into() } else { format!("{}/index", kebab(module)) }
}

/// The file with a module's exports: its items by name, and its public modules as namespaces.
fn index(library: &Library, exports: &Exports, merged: &BTreeMap<String, String>, paths: &Paths) -> String {
    let own = index_of(&exports.module);
    let mut modules: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for name in &exports.names {
        let host = library.files.iter().filter(|file| file.is_host).find_map(|file| host_item(file, name));
        let path = path_of(library, merged, name).or(host.map(|_| "host".to_string()));
        let Some(path) = path else { continue };
        let (values, types) = modules.entry(path).or_default();
        let is_type = library.choices.contains_key(name) || host == Some(true);
        let names = if is_type { types } else { values };
        names.insert(global(name));
    }
    let mut text = paths.header.to_string();
    if let Some(file) = library.files.iter().find(|file| file.module == exports.module) {
        text += &comments::comment(&docs(&file.syntax.attrs), &[], 0);
    }
    for namespace in &exports.namespaces {
        let path = if exports.module == "lib" { namespace.clone() } else { format!("{}/{namespace}", exports.module) };
        text += &format!("export * as {} from '{}';\n", camel(namespace), address(&own, &index_of(&path), paths));
    }
    for (path, (values, types)) in modules {
        if values.is_empty() {
            let names: Vec<String> = types.into_iter().collect();
            text += &list_line("export type", &names, &address(&own, &path, paths));
            continue;
        }
        let types = types.into_iter().map(|name| format!("type {name}"));
        let names: Vec<String> = values.into_iter().chain(types).collect();
        text += &list_line("export", &names, &address(&own, &path, paths));
    }
    text
}

/// Whether an item of a host's file is a type only, if the file has it. Traits are Rust's alone.
fn host_item(file: &SourceFile, name: &str) -> Option<bool> {
    file.syntax.items.iter().find_map(|item| match item {
        syn::Item::Fn(item) => (item.sig.ident == name).then_some(false),
        syn::Item::Struct(item) => (item.ident == name).then_some(false),
        syn::Item::Enum(item) => (item.ident == name).then_some(true),
        syn::Item::Type(item) => (item.ident == name).then_some(true),
        _ => None,
    })
}

/// `import { a, b } from 'path';`, with a line for each ten names.
fn list_line(keyword: &str, names: &[String], path: &str) -> String {
    let line = format!("{keyword} {{ {} }} from '{path}';\n", names.join(", "));
    if line.len() <= 100 {
        return line;
    }
    let mut lines = vec![String::new()];
    for name in names {
        if lines.last().is_some_and(|line| line.len() + name.len() > 90) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += &format!("{}{name},", if line.is_empty() { "  " } else { " " });
        }
    }
    format!("{keyword} {{\n{}\n}} from '{path}';\n", lines.join("\n"))
}

impl Uses {
    fn extend(&mut self, other: Uses) {
        self.package.extend(other.package);
        self.values.extend(other.values);
        self.types.extend(other.types);
    }
}

impl Module {
    fn text(&self, library: &Library, merged: &BTreeMap<String, String>, paths: &Paths) -> String {
        let docs = if self.docs.is_empty() { String::new() } else { comments::comment(&self.docs, &[], 0) };
        let imports = self.imports(library, merged, paths);
        let space = if imports.is_empty() { "" } else { "\n" };
        let items: Vec<&str> = self.items.iter().map(|item| item.text.as_str()).collect();
        format!("{}{docs}{imports}{space}{}", paths.header, items.join("\n"))
    }

    fn imports(&self, library: &Library, merged: &BTreeMap<String, String>, paths: &Paths) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        let mut text = String::new();
        let package = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|name| self.uses.package.contains(**name)).map(ToString::to_string).collect()
        };
        let mut line = |keyword: &str, names: Vec<String>, path: &str| {
            if !names.is_empty() {
                text += &list_line(keyword, &names, &format!("{up}{path}"));
            }
        };
        let has_value = self.uses.package.contains("Tensor");
        let has_type = self.uses.package.contains("Tensor type");
        let mut tensor = if has_value || has_type { vec!["Tensor".to_string()] } else { vec![] };
        if self.uses.package.contains("TensorLike") {
            tensor.push(if has_value { "type TensorLike".into() } else { "TensorLike".into() });
        }
        line("import type", package(&["LanthornError"]), paths.errors);
        let mut support = package(&[&["bind", "failure", "make"], HELPERS].concat());
        support.sort();
        let is_type = support.is_empty();
        support.extend(package(&["Json"]).into_iter().map(|name| if is_type { name } else { format!("type {name}") }));
        line(if is_type { "import type" } else { "import" }, support, paths.support);
        line("import", package(&["PrintedModule", "makeModule"]), paths.modules);
        line("import", package(&["scope"]), paths.scope);
        line(if has_value { "import" } else { "import type" }, tensor, paths.tensor);
        line("import type", package(&["DType", "Scalar"]), paths.types);
        if self.uses.package.contains("nn") {
            text += &format!("import * as nn from '{up}{}';\n", paths.nn);
        }
        if self.uses.package.contains("torch") {
            text += &format!("import * as torch from '{up}{}';\n", paths.operations);
        }
        for namespace in ["fft", "linalg", "special", "windows"] {
            if self.uses.package.contains(namespace) {
                text += &format!("import * as {namespace} from '{up}{}';\n", paths.namespaces.replace('*', namespace));
            }
        }
        text + &self.library_imports(library, merged, paths)
    }

    fn library_imports(&self, library: &Library, merged: &BTreeMap<String, String>, paths: &Paths) -> String {
        let mut modules: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
        let path = |name: &str| path_of(library, merged, name).filter(|path| *path != self.path);
        for name in &self.uses.values {
            if let Some(path) = path(name) {
                modules.entry(path).or_default().0.insert(global(name));
            }
        }
        for name in self.uses.types.difference(&self.uses.values) {
            if let Some(path) = path(name) {
                modules.entry(path).or_default().1.insert(global(name));
            }
        }
        let mut text = String::new();
        for (path, (values, types)) in modules {
            let is_type = values.is_empty();
            let types = types.into_iter().map(|name| if is_type { name } else { format!("type {name}") });
            let names: Vec<String> = values.into_iter().chain(types).collect();
            let keyword = if is_type { "import type" } else { "import" };
            text += &list_line(keyword, &names, &address(&self.path, &path, paths));
        }
        text
    }
}

/// Whether a type is a list of tuples.
fn has_tuples(ty: &Type) -> bool {
    match ty {
        Type::List(item) => matches!(**item, Type::Tuple(_)) || has_tuples(item),
        Type::Tuple(items) => items.iter().any(has_tuples),
        _ => false,
    }
}

impl Printer<'_> {
    /// The items of the file, constants first, because they are read when the module is loaded.
    fn items(&self) -> Result<Vec<Item>> {
        let mut constants = String::new();
        let mut items = Vec::new();
        for item in &self.file.syntax.items {
            let (text, name) = match item {
                syn::Item::Const(item) if !is_test(&item.attrs) => {
                    constants += &self.constant(item)?;
                    continue;
                }
                syn::Item::Struct(item) if self.is_record(&item.ident.to_string()) => (self.interface(item), None),
                syn::Item::Struct(item) => {
                    (self.class(&item.ident.to_string(), &item.attrs)?, Some(item.ident.to_string()))
                }
                syn::Item::Trait(item) => (self.abstract_class(item)?, Some(item.ident.to_string())),
                syn::Item::Enum(item) => (self.enumeration(item)?, None),
                syn::Item::Fn(item) if !is_test(&item.attrs) => (self.free_function(item)?, None),
                syn::Item::Use(_) | syn::Item::Mod(_) | syn::Item::Impl(_) | syn::Item::Const(_) | syn::Item::Fn(_) => {
                    continue;
                }
                syn::Item::ExternCrate(_) => continue,
                _ => return unsupported(&self.file.path, item, "this item"),
            };
            let class = name.map(|name| {
                let base = self.library.classes.get(&name).and_then(|class| class.base.clone());
                (name, base)
            });
            items.push(Item { text, class });
        }
        if !constants.is_empty() {
            items.insert(0, Item { text: constants, class: None });
        }
        Ok(items)
    }

    fn constant(&self, item: &syn::ItemConst) -> Result<String> {
        let name = item.ident.to_string();
        let ty = self.library.constant_in(&self.file.module, &name).unwrap_or(&Type::Open);
        let mut lowerer = Lowerer::new(self.library, self.file, Generics::new(), None);
        let value = lowerer.constant(&item.expr, ty)?;
        let docs = comments::comment(&docs(&item.attrs), &[], 0);
        let export = if self.library.is_private(&self.file.module, &name) { "" } else { "export " };
        // An array of tuples would be an array of arrays.
        let annotation = if has_tuples(ty) { format!(": {}", self.type_name(ty)) } else { String::new() };
        Ok(format!("{docs}{export}const {}{annotation} = {};\n", item.ident, self.text(&value, 0, 20, 1)))
    }

    fn uses(&self, name: &str) {
        self.uses.borrow_mut().package.insert(name.to_string());
    }

    fn use_global(&self, name: &str) {
        if self.library.is_private(&self.file.module, name) {
            return;
        }
        self.uses.borrow_mut().values.insert(name.to_string());
    }

    fn use_type(&self, name: &str) {
        self.uses.borrow_mut().types.insert(name.to_string());
    }

    /// Imports the classes in a type.
    fn use_types(&self, ty: &Type) {
        match ty {
            Type::Tensor | Type::Operand => self.uses("Tensor type"),
            Type::DType => self.uses("DType"),
            Type::Scalar => self.uses("Scalar"),
            Type::Json => self.uses("Json"),
            Type::Error => self.uses("LanthornError"),
            Type::Object(name) | Type::Choice(name) => self.use_type(name),
            Type::Module(_) => self.uses("nn"),
            Type::List(item) | Type::Optional(item) | Type::Map(item) => self.use_types(item),
            Type::Tuple(items) => items.iter().for_each(|item| self.use_types(item)),
            Type::Function(params, result) => {
                params.iter().for_each(|ty| self.use_types(ty));
                self.use_types(result);
            }
            _ => {}
        }
    }

    /// Whether a struct is plain data.
    fn is_record(&self, class: &str) -> bool {
        self.library.classes.get(class).is_some_and(|class| class.keys.is_some())
    }

    fn variable_type(&self, id: usize) -> Type {
        self.variables.borrow().get(id).cloned().unwrap_or(Type::Open)
    }

    /// The name of a field; one that a method of another meaning has is marked.
    fn field_name(&self, ty: &Type, field: &str) -> String {
        if let Some(key) = self.library.key_of(ty, field) {
            return key.to_string();
        }
        let Type::Object(class) = ty else { return camel(field) };
        match self.library.method(class, field) {
            Some(method) if !(method.is_property && method.field.as_deref() == Some(field)) => {
                format!("_{}", camel(field))
            }
            _ => camel(field),
        }
    }
}
