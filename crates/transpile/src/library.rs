//! The declarations of a library: what its files declare, and with which types.
//!
//! A file of the folder `host` is not printed. It is written once in each language, and only its
//! signatures are read here.

use crate::{
    error::{Error, Result, unsupported},
    lower::snake,
    names::camel,
    operations::Operations,
    syntax::{
        attributes, collect_exports, defaults, derives_module, docs, field_of, implemented_type, is_path, is_property,
        is_pub, is_read_from_files, is_test, record_keys, state_name,
    },
    types::{Generics, Type, TypeReader},
};
use std::collections::{BTreeMap, HashMap};
use syn::spanned::Spanned;

/// The structs, traits and enums of a library by their names.
pub type Names = HashMap<String, Type>;

/// A file of a library.
pub struct SourceFile {
    /// The path, for errors.
    pub path: String,
    /// The module's path below `src`: `univariate/normal`.
    pub module: String,
    /// Whether the file is only declared here, and written by hand in the printed language.
    pub is_host: bool,
    /// Its items.
    pub syntax: syn::File,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// The default in the printed language, as it is written there.
    pub default: Option<String>,
    /// The name in the body, if it differs.
    pub local: Option<String>,
}

impl Parameter {
    /// The name in the body.
    pub fn local_name(&self) -> &str {
        self.local.as_deref().unwrap_or(&self.name)
    }
}

/// A function, a method or a function of a struct.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The module that declares it.
    pub module: String,
    /// The parameters without `self`.
    pub params: Vec<Parameter>,
    /// The type of the result without `Result`.
    pub result: Type,
    /// Whether it is a method.
    pub takes_self: bool,
    /// Whether its result is awaited.
    pub is_async: bool,
    /// Whether users call it.
    pub is_public: bool,
    /// Whether it is read without a call.
    pub is_property: bool,
    /// Whether it is a method of a trait without a body.
    pub is_abstract: bool,
    /// The field that its body only reads.
    pub field: Option<String>,
    /// The type parameter that callers name, as in `downcast::<Normal>(x)`.
    pub turbofish: Option<String>,
}

impl Function {
    /// Copies the mark of a property and the defaults of the method that the trait declares.
    fn inherit(&mut self, declared: &Function) {
        self.is_property = declared.is_property;
        for (own, param) in self.params.iter_mut().zip(&declared.params) {
            own.default.clone_from(&param.default);
        }
    }
}

/// A struct, a trait, or an enum with data or methods.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The module that declares it.
    pub module: String,
    /// The fields with their types, in order.
    pub fields: Vec<(String, Type)>,
    /// The variants with the types of their data, of an enum.
    pub variants: Vec<(String, Vec<Type>)>,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// Of plain data, the printed names of the fields.
    pub keys: Option<Vec<String>>,
    /// Whether it is plain data of a file, which leaves out fields.
    pub is_read: bool,
    /// The trait that it implements or extends.
    pub base: Option<String>,
    /// The fields of a module, by which it is printed as one; nothing for other structs.
    pub module_fields: Option<Vec<ModuleField>>,
    /// The methods and functions.
    pub functions: BTreeMap<String, Function>,
}

/// A field of a module.
#[derive(Clone, Debug)]
pub struct ModuleField {
    /// The name in state dicts; empty for a field whose members belong to the module itself.
    pub state_name: String,
    /// Whether users read and replace it.
    pub is_public: bool,
    /// The lines of its documentation.
    pub docs: Vec<String>,
}

/// The names that a module exports: its public items, and the items of its `pub use`.
#[derive(Clone, Debug)]
pub struct Exports {
    /// The module: `lib`, or a path such as `transforms/functional`.
    pub module: String,
    /// The names.
    pub names: Vec<String>,
    /// Its public modules, each a namespace of the printed library.
    pub namespaces: Vec<String>,
}

/// Traits of the standard library that have no counterpart in the printed code.
const IGNORED_TRAITS: &[&str] = &["Any", "Clone", "Copy", "Debug", "Default", "Display", "From", "PartialEq", "Eq"];

/// A library: its files, and their declarations.
pub struct Library {
    /// The files in order of their names.
    pub files: Vec<SourceFile>,
    /// The types.
    pub names: Names,
    /// The structs, traits, and enums with data.
    pub classes: BTreeMap<String, Class>,
    /// The enums without data, with their variants.
    pub choices: BTreeMap<String, (String, Vec<String>)>,
    /// The functions of all files.
    pub functions: BTreeMap<String, Function>,
    /// The constants of all files, with their modules and types.
    pub constants: BTreeMap<String, (String, Type)>,
    /// The functions that one module has, by the module and the name.
    private_functions: BTreeMap<(String, String), Function>,
    /// The constants that one module has, by the module and the name.
    private_constants: BTreeMap<(String, String), Type>,
    /// The operations on tensors.
    pub operations: Operations,
    /// What users import: of `lib.rs`, and of each of its public modules.
    pub exports: Vec<Exports>,
}

impl Library {
    /// Reads a library from the texts of its files, each with its path.
    ///
    /// # Errors
    ///
    /// The first construct outside of the subset, with its position.
    pub fn parse(files: &[(String, String)], operations: Operations) -> Result<Library> {
        let mut library = Library {
            files: vec![],
            names: Names::new(),
            classes: BTreeMap::new(),
            choices: BTreeMap::new(),
            functions: BTreeMap::new(),
            constants: BTreeMap::new(),
            private_functions: BTreeMap::new(),
            private_constants: BTreeMap::new(),
            operations,
            exports: vec![],
        };
        for (path, text) in files {
            let syntax = syn::parse_file(text).map_err(|error| Error::at(path, error.span(), error.to_string()))?;
            let below_src = path.rsplit_once("/src/").map(|(_, inside)| inside).or(path.strip_prefix("src/"));
            let inside = below_src.unwrap_or(path);
            let is_host = inside.split('/').any(|folder| folder == "host" || folder == "host.rs");
            let module = if is_host { "host" } else { inside.trim_end_matches(".rs") };
            let module = module.strip_suffix("/mod").unwrap_or(module).to_string();
            library.files.push(SourceFile { path: path.clone(), module, is_host, syntax });
        }
        let files = std::mem::take(&mut library.files);
        for file in &files {
            library.declare_names(file)?;
        }
        for (name, texts) in library.operations.enums() {
            library.names.entry(name).or_insert(Type::Texts(texts));
        }
        // A method of an impl is compared with its trait's, which may be in a later file.
        for is_use in [false, true] {
            for file in &files {
                library.declare(file, is_use)?;
            }
        }
        collect_exports(&files, "lib", &mut library.exports);
        library.files = files;
        Ok(library)
    }

    /// Declares the types of a file. Types are known by their names alone, so two of a name are an
    /// error.
    fn declare_names(&mut self, file: &SourceFile) -> Result<()> {
        let implemented: Vec<String> = file.syntax.items.iter().filter_map(implemented_type).collect();
        for item in &file.syntax.items {
            let (name, ty) = match item {
                syn::Item::Struct(item) => (item.ident.to_string(), Type::Object(item.ident.to_string())),
                // A trait of the host converts between Rust's pointers.
                syn::Item::Trait(_) if file.is_host => continue,
                syn::Item::Trait(item) => (item.ident.to_string(), Type::Object(item.ident.to_string())),
                syn::Item::Enum(item) => {
                    let name = item.ident.to_string();
                    let is_plain = item.variants.iter().all(|variant| variant.fields.is_empty());
                    let is_choice = is_plain && !implemented.contains(&name);
                    // Of the host's, only the name is known: its values pass through.
                    (name.clone(), if is_choice { Type::Choice(name) } else { Type::Object(name) })
                }
                _ => continue,
            };
            let ty = if file.is_host && name == "Param" { Type::Operand } else { ty };
            if self.names.insert(name.clone(), ty).is_some() {
                return Err(Error::at(&file.path, item.span(), format!("a second type has the name {name}")));
            }
        }
        Ok(())
    }

    fn declare(&mut self, file: &SourceFile, is_use: bool) -> Result<()> {
        for item in &file.syntax.items {
            let uses_types = matches!(item, syn::Item::Impl(_) | syn::Item::Fn(_) | syn::Item::Const(_));
            if is_test(attributes(item)) || uses_types != is_use {
                continue;
            }
            match item {
                syn::Item::Use(_) | syn::Item::Mod(_) | syn::Item::ExternCrate(_) => {}
                syn::Item::Const(item) => {
                    let ty = self.read(file, &item.ty, &Generics::new(), None)?;
                    let name = item.ident.to_string();
                    match &item.vis {
                        syn::Visibility::Inherited => {
                            drop(self.private_constants.insert((file.module.clone(), name), ty))
                        }
                        _ => drop(self.constants.insert(name, (file.module.clone(), ty))),
                    }
                }
                syn::Item::Struct(item) => self.declare_struct(file, item)?,
                syn::Item::Enum(item) => self.declare_enum(file, item)?,
                syn::Item::Trait(_) if file.is_host => {}
                syn::Item::Trait(item) => self.declare_trait(file, item)?,
                syn::Item::Impl(item) => self.declare_impl(file, item)?,
                syn::Item::Fn(item) => {
                    let function = self.function(
                        file,
                        &item.sig,
                        is_pub(&item.vis),
                        &item.attrs,
                        Some(&item.block),
                        None,
                        &Generics::new(),
                    );
                    match function {
                        Ok(function) if matches!(item.vis, syn::Visibility::Inherited) && !file.is_host => {
                            self.private_functions.insert((file.module.clone(), function.name.clone()), function);
                        }
                        Ok(function) => {
                            let name = function.name.clone();
                            if self.functions.insert(name.clone(), function).is_some() {
                                let message = format!("a second function has the name {name}");
                                return Err(Error::at(&file.path, item.sig.ident.span(), message));
                            }
                        }
                        // Printed code cannot call it.
                        Err(_) if file.is_host => {}
                        Err(error) => return Err(error),
                    }
                }
                // Macros and the rest of a host's file are its own.
                _ if file.is_host => {}
                _ => return unsupported(&file.path, item, "this item"),
            }
        }
        Ok(())
    }

    fn class(&mut self, file: &SourceFile, name: &str) -> &mut Class {
        let class = self.classes.entry(name.to_string()).or_default();
        if class.module.is_empty() {
            class.module.clone_from(&file.module);
        }
        class
    }

    fn declare_struct(&mut self, file: &SourceFile, item: &syn::ItemStruct) -> Result<()> {
        let name = item.ident.to_string();
        let mut fields = Vec::new();
        for field in &item.fields {
            match (&field.ident, self.read(file, &field.ty, &Generics::new(), None)) {
                (Some(ident), Ok(ty)) => fields.push((ident.to_string(), ty)),
                (_, _) if file.is_host => {}
                (None, _) => return unsupported(&file.path, item, "a struct without names of fields"),
                (_, Err(error)) => return Err(error),
            }
        }
        if !(file.is_host && name == "Param") {
            let keys = record_keys(item);
            let class = self.class(file, &name);
            (class.fields, class.keys, class.is_read) = (fields, keys, is_read_from_files(item));
        }
        if derives_module(&item.attrs) {
            let field = |field: &syn::Field| ModuleField {
                state_name: state_name(field),
                is_public: is_pub(&field.vis),
                docs: docs(&field.attrs),
            };
            self.class(file, &name).module_fields = Some(item.fields.iter().map(field).collect());
        }
        Ok(())
    }

    fn declare_enum(&mut self, file: &SourceFile, item: &syn::ItemEnum) -> Result<()> {
        let name = item.ident.to_string();
        match self.names.get(&name) {
            Some(Type::Choice(_)) => {
                let variants = item.variants.iter().map(|variant| variant.ident.to_string()).collect();
                self.choices.insert(name, (file.module.clone(), variants));
            }
            Some(Type::Object(_)) => {
                let mut variants = Vec::new();
                for variant in &item.variants {
                    let data = variant.fields.iter().map(|field| self.read(file, &field.ty, &Generics::new(), None));
                    variants.push((variant.ident.to_string(), data.collect::<Result<Vec<_>>>()?));
                }
                self.class(file, &name).variants = variants;
            }
            _ => {}
        }
        Ok(())
    }

    fn declare_trait(&mut self, file: &SourceFile, item: &syn::ItemTrait) -> Result<()> {
        let name = item.ident.to_string();
        let own = Type::Object(name.clone());
        let base = item.supertraits.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        });
        let base = base.filter(|base| self.names.contains_key(base));
        let mut functions = BTreeMap::new();
        for item in &item.items {
            let syn::TraitItem::Fn(method) = item else { return unsupported(&file.path, item, "this item of a trait") };
            let function = self.function(
                file,
                &method.sig,
                true,
                &method.attrs,
                method.default.as_ref(),
                Some(&own),
                &Generics::new(),
            )?;
            functions.insert(function.name.clone(), function);
        }
        let class = self.class(file, &name);
        (class.is_trait, class.base) = (true, base);
        class.functions.extend(functions);
        Ok(())
    }

    fn declare_impl(&mut self, file: &SourceFile, item: &syn::ItemImpl) -> Result<()> {
        let Some(name) = implemented_type(&syn::Item::Impl(item.clone())) else {
            return if file.is_host { Ok(()) } else { unsupported(&file.path, &item.self_ty, "an impl of this type") };
        };
        let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|last| last.ident.to_string());
        if of.as_deref().is_some_and(|of| IGNORED_TRAITS.contains(&of)) {
            return Ok(());
        }
        if self.names.get(&name) == Some(&Type::Operand) {
            self.declare_param_functions(file, item, of.is_some());
            return Ok(());
        }
        let Some(own) = self.names.get(&name).cloned() else {
            return if file.is_host { Ok(()) } else { unsupported(&file.path, &item.self_ty, "an impl of this type") };
        };
        // The trait of modules with one input; a module is one by its derive.
        let of = of.filter(|of| !(of == "Layer" && self.is_module(&name)));
        if let Some(of) = &of {
            if !self.names.contains_key(of) {
                return if file.is_host { Ok(()) } else { unsupported(&file.path, item, "an impl of this trait") };
            }
            let class = self.class(file, &name);
            if class.base.as_ref().is_some_and(|base| base != of) {
                return unsupported(&file.path, &item.self_ty, "a second trait of the library");
            }
            class.base = Some(of.clone());
        }
        let generics = self.generics(file, &item.generics, &Generics::new())?;
        for entry in &item.items {
            let syn::ImplItem::Fn(method) = entry else {
                return unsupported(&file.path, entry, "this item of an impl");
            };
            let is_public = item.trait_.is_some() || is_pub(&method.vis);
            let function =
                self.function(file, &method.sig, is_public, &method.attrs, Some(&method.block), Some(&own), &generics);
            match function {
                Ok(mut function) => {
                    if let Some(declared) =
                        of.as_ref().and_then(|of| self.classes.get(of)?.functions.get(&function.name))
                    {
                        function.inherit(declared);
                    }
                    self.class(file, &name).functions.insert(function.name.clone(), function);
                }
                Err(_) if file.is_host => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A tensor or a number has no methods in JavaScript: the methods of `Param` are functions.
    fn declare_param_functions(&mut self, file: &SourceFile, item: &syn::ItemImpl, is_trait: bool) {
        for entry in item.items.iter().filter(|_| !is_trait) {
            let syn::ImplItem::Fn(method) = entry else { continue };
            let own = Some(&Type::Operand);
            let function =
                self.function(file, &method.sig, true, &method.attrs, Some(&method.block), own, &Generics::new());
            if let Ok(mut function) = function {
                function
                    .params
                    .insert(0, Parameter { name: "param".into(), ty: Type::Operand, default: None, local: None });
                function.name = format!("param_{}", function.name);
                self.functions.insert(function.name.clone(), function);
            }
        }
    }

    /// The type parameters, each with the trait of the library that it is bound by.
    pub(crate) fn generics(&self, file: &SourceFile, generics: &syn::Generics, outer: &Generics) -> Result<Generics> {
        let mut found = outer.clone();
        for param in generics.type_params() {
            let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
            let clauses = clause.filter_map(|predicate| match predicate {
                syn::WherePredicate::Type(ty) if is_path(&ty.bounded_ty, &param.ident) => Some(&ty.bounds),
                _ => None,
            });
            let bounds = param
                .bounds
                .iter()
                .chain(clauses.flatten())
                .filter(|bound| matches!(bound, syn::TypeParamBound::Trait(_)));
            let bounds: syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]> = bounds.cloned().collect();
            let bound = syn::Type::ImplTrait(syn::TypeImplTrait { impl_token: <syn::Token![impl]>::default(), bounds });
            // A parameter without a trait is named by callers: `downcast::<Normal>(x)`.
            let ty = self.read(file, &bound, &found, None).unwrap_or(Type::Open);
            found.insert(param.ident.to_string(), ty);
        }
        Ok(found)
    }

    fn read(&self, file: &SourceFile, ty: &syn::Type, generics: &Generics, own: Option<&Type>) -> Result<Type> {
        TypeReader { file: &file.path, names: &self.names, operations: &self.operations, generics, own }.read(ty)
    }

    #[allow(clippy::too_many_arguments)]
    fn function(
        &self,
        file: &SourceFile,
        signature: &syn::Signature,
        is_public: bool,
        attributes: &[syn::Attribute],
        body: Option<&syn::Block>,
        own: Option<&Type>,
        outer: &Generics,
    ) -> Result<Function> {
        let generics = self.generics(file, &signature.generics, outer)?;
        let name = signature.ident.to_string();
        let docs = docs(attributes);
        let defaults = defaults(&docs);
        let mut params = Vec::new();
        let mut takes_self = false;
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(_) => takes_self = true,
                syn::FnArg::Typed(typed) => {
                    let syn::Pat::Ident(ident) = &*typed.pat else {
                        return unsupported(&file.path, typed, "this parameter");
                    };
                    let name = ident.ident.to_string();
                    let ty = self.read(file, &typed.ty, &generics, own)?;
                    let default = defaults.get(name.trim_start_matches('_')).cloned();
                    params.push(Parameter { name, ty, default, local: None });
                }
            }
        }
        let result = match &signature.output {
            syn::ReturnType::Default => Type::Unit,
            syn::ReturnType::Type(_, ty) => self.read(file, ty, &generics, own)?,
        };
        let is_read = is_property(attributes) || body.and_then(field_of).is_some();
        let is_property = takes_self && params.is_empty() && is_read;
        let turbofish = signature
            .generics
            .type_params()
            .map(|param| param.ident.to_string())
            .find(|name| generics.get(name) == Some(&Type::Open));
        Ok(Function {
            name,
            module: file.module.clone(),
            params,
            result,
            takes_self,
            is_async: signature.asyncness.is_some(),
            is_public,
            is_property: is_property && signature.asyncness.is_none(),
            is_abstract: body.is_none(),
            field: body.and_then(field_of).flatten(),
            turbofish,
        })
    }

    /// The function of a struct, of a trait that it implements, or of one above.
    pub fn method(&self, class: &str, name: &str) -> Option<&Function> {
        let class = self.classes.get(class)?;
        class.functions.get(name).or_else(|| self.method(class.base.as_ref()?, name))
    }

    /// Whether a value of a type may contain tensors. An object may, unless it is plain data whose
    /// fields have none.
    pub fn has_tensors(&self, ty: &Type) -> bool {
        match ty {
            Type::List(item) | Type::Optional(item) | Type::Map(item) => self.has_tensors(item),
            Type::Tuple(items) => items.iter().any(|item| self.has_tensors(item)),
            Type::Object(name) => match self.classes.get(name).filter(|class| class.keys.is_some()) {
                Some(class) => class.fields.iter().any(|(_, ty)| self.has_tensors(ty)),
                None => true,
            },
            ty => ty.has_tensors(),
        }
    }

    /// The printed name of a field, if a type is plain data.
    pub fn key_of(&self, ty: &Type, field: &str) -> Option<&str> {
        let Type::Object(class) = ty else { return None };
        let class = self.classes.get(class)?;
        let index = class.fields.iter().position(|(name, _)| name == field)?;
        class.keys.as_ref()?.get(index).map(String::as_str)
    }

    /// The function that a module calls by a name.
    pub fn function_in(&self, module: &str, name: &str) -> Option<&Function> {
        let key = (module.to_string(), name.to_string());
        self.private_functions.get(&key).or_else(|| self.functions.get(name))
    }

    /// The type of the constant that a module names.
    pub fn constant_in(&self, module: &str, name: &str) -> Option<&Type> {
        let key = (module.to_string(), name.to_string());
        self.private_constants.get(&key).or_else(|| self.constants.get(name).map(|(_, ty)| ty))
    }

    /// Whether a function or constant of this name belongs to a module alone.
    pub fn is_private(&self, module: &str, name: &str) -> bool {
        let key = (module.to_string(), name.to_string());
        self.private_functions.contains_key(&key) || self.private_constants.contains_key(&key)
    }

    /// The namespaces before the name of a function for users, `functional.`; none of one that the
    /// library itself exports.
    pub fn namespace_of(&self, name: &str) -> String {
        let has = |exports: &&Exports| exports.names.iter().any(|export| export == name);
        let mut found: Vec<&Exports> = self.exports.iter().filter(has).collect();
        found.sort_by_key(|exports| exports.module != "lib");
        match found.first() {
            Some(exports) if exports.module != "lib" => {
                exports.module.split('/').map(|part| camel(part) + ".").collect()
            }
            _ => String::new(),
        }
    }

    /// Whether users have a struct, trait, enum or function: all of them, in a library without
    /// `lib.rs`.
    pub fn is_exported(&self, name: &str) -> bool {
        self.exports.is_empty() || self.exports.iter().any(|exports| exports.names.iter().any(|export| export == name))
    }

    /// The texts of an enum of the library without data.
    pub fn choices_of(&self, ty: &Type) -> Option<Vec<String>> {
        let Type::Choice(name) = ty else { return None };
        let (_, variants) = self.choices.get(name)?;
        Some(variants.iter().map(|variant| snake(variant)).collect())
    }

    /// Whether a struct is a module: it derives `Module`.
    pub fn is_module(&self, name: &str) -> bool {
        self.classes.get(name).is_some_and(|class| class.module_fields.is_some())
    }

    /// Whether a value of a type is a module or has one.
    pub fn has_modules(&self, ty: &Type) -> bool {
        match ty {
            Type::Module(_) => true,
            Type::Object(name) => {
                self.is_module(name)
                    || self.classes.get(name).is_some_and(|class| {
                        class.base.is_none() && class.fields.iter().any(|(_, ty)| matches!(ty, Type::Module(_)))
                    })
            }
            Type::List(item) | Type::Optional(item) => self.has_modules(item),
            Type::Tuple(items) => items.iter().any(|item| self.has_modules(item)),
            _ => false,
        }
    }

    /// The module that declares a struct, trait, enum, function or constant.
    pub fn module_of(&self, name: &str) -> Option<&str> {
        let class = self.classes.get(name).map(|class| class.module.as_str());
        let choice = || self.choices.get(name).map(|(module, _)| module.as_str());
        let function = || self.functions.get(name).map(|function| function.module.as_str());
        let constant = || self.constants.get(name).map(|(module, _)| module.as_str());
        class.or_else(choice).or_else(function).or_else(constant)
    }
}
