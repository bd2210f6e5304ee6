//! Classes of structs, abstract classes of traits, and classes and unions of enums.

use super::{
    Printer, comments,
    expressions::quote,
    functions::{Declared, is_optional, params},
    types::mutable,
};
use crate::{
    error::Result,
    layout::{Doc, render},
    library::{Class, Function, ModuleField, Parameter},
    names::{camel, function, variable, variant},
    syntax::{docs, implemented_type, is_test},
    types::{Generics, Type},
};

impl Printer<'_> {
    /// The class of a struct: its fields, its constructor, and the functions of its impls.
    pub(super) fn class(&self, name: &str, attributes: &[syn::Attribute]) -> Result<String> {
        let class = &self.library.classes[name];
        let is_exported = self.library.is_exported(name);
        let mut base = class.base.as_ref().map_or(String::new(), |base| {
            self.use_global(base);
            format!(" extends {base}")
        });
        let mut members: Vec<String> = vec![self.fields(name, class)];
        if let Some(fields) = &class.module_fields {
            self.uses("PrintedModule");
            base = " extends PrintedModule".into();
            members[0] = self.module_fields(name, class, fields);
        }
        if is_exported {
            members.push(self.constructor(name, class));
        }
        members.extend(self.impls(name, is_exported)?);
        members.retain(|member| !member.is_empty());
        let docs = docs(attributes);
        let docs = comments::comment(&docs, &self.example(&docs), 0);
        Ok(format!("{docs}export class {name}{base} {{\n{}}}\n", members.join("\n")))
    }

    /// The interface of a struct that is plain data. None is null, or missing in a file.
    pub(super) fn interface(&self, item: &syn::ItemStruct) -> String {
        let name = item.ident.to_string();
        let class = &self.library.classes[&name];
        let own = Type::Object(name.clone());
        let mut text = comments::comment(&docs(&item.attrs), &[], 0) + &format!("export interface {name} {{\n");
        for ((field, ty), declared) in class.fields.iter().zip(&item.fields) {
            let (key, value) = (self.field_name(&own, field), self.type_name(ty.value()));
            text += &comments::comment(&docs(&declared.attrs), &[], 2);
            text += &match ty {
                Type::Optional(_) if class.is_read => format!("  readonly {key}?: {value} | null;\n"),
                Type::Optional(_) => format!("  readonly {key}: {value} | null;\n"),
                _ => format!("  readonly {key}: {value};\n"),
            };
        }
        text + "}\n"
    }

    /// The fields. A field that a method of the same name reads has its documentation.
    fn fields(&self, name: &str, class: &Class) -> String {
        let own = Type::Object(name.to_string());
        let mut text = String::new();
        for (field, ty) in &class.fields {
            let getter = class.functions.get(field).filter(|getter| is_merged(getter));
            let docs = getter.map(|_| self.docs_of(name, field)).unwrap_or_default();
            let docs = match getter.is_some_and(|getter| getter.is_public) {
                true => comments::comment(&docs, &[], 2),
                false => comments::comment(&[], &["@internal".to_string()], 2),
            };
            let printed = self.field_name(&own, field);
            let is_declared = class.base.as_ref().is_some_and(|base| self.library.method(base, field).is_some());
            let keyword = if is_declared && printed == camel(field) { "override " } else { "" };
            text += &format!("{docs}  {keyword}readonly {printed}!: {};\n", self.type_name(ty));
        }
        text
    }

    /// The fields of a module, and the names in state dicts of those that differ.
    fn module_fields(&self, name: &str, class: &Class, fields: &[ModuleField]) -> String {
        let own = Type::Object(name.to_string());
        let mut text = format!("  static override readonly name: string = {};\n", quote(name));
        let mut names = Vec::new();
        for ((field, ty), declared) in class.fields.iter().zip(fields).filter(|((field, _), _)| field != "training") {
            let printed = self.field_name(&own, field);
            let is_state = self.library.has_modules(ty) || ty.has_tensors();
            if is_state && printed != declared.state_name {
                names.push(format!("{printed}: {}", quote(&declared.state_name)));
            }
            text += &match declared.is_public {
                true => comments::comment(&declared.docs, &[], 2),
                false => comments::comment(&[], &["@internal".to_string()], 2),
            };
            self.use_types(ty);
            let (keyword, ty) = match is_state {
                true => ("", mutable(ty)),
                false => ("readonly ", self.type_name(ty)),
            };
            text += &format!("  {keyword}{printed}!: {ty};\n");
        }
        if !names.is_empty() {
            let list = Doc::Brackets("{".into(), names.into_iter().map(Doc::Text).collect(), "}".into());
            let list = render(&list, 2, 40, 1);
            text += &format!("  /** @internal */\n  static override readonly stateNames = {list};\n");
        }
        text
    }

    /// The documentation of a method in an impl of this file.
    fn docs_of(&self, class: &str, method: &str) -> Vec<String> {
        let impls = self.file.syntax.items.iter().filter(|item| implemented_type(item).as_deref() == Some(class));
        let methods =
            impls.filter_map(|item| if let syn::Item::Impl(item) = item { Some(&item.items) } else { None }).flatten();
        let found = methods.filter_map(|item| match item {
            syn::ImplItem::Fn(item) if item.sig.ident == method => Some(docs(&item.attrs)),
            _ => None,
        });
        found.into_iter().next().unwrap_or_default()
    }

    /// JavaScript's constructor: it selects the constructor of Rust whose parameters are given.
    fn constructor(&self, name: &str, class: &Class) -> String {
        let own = Type::Object(name.to_string());
        let is_constructor = |function: &&Function| {
            let is_named = function.name == "new" || function.name.starts_with("from_");
            !function.takes_self && function.result == own && function.is_public && is_named
        };
        let mut constructors: Vec<&Function> = class.functions.values().filter(is_constructor).collect();
        constructors.sort_by_key(|function| function.name != "new");
        let is_derived = class.base.is_some() || class.module_fields.is_some();
        let super_call = if is_derived { "    super();\n" } else { "" };
        match &constructors[..] {
            [] => String::new(),
            [one] => {
                let params = params(one);
                let mut signatures = self.signatures(&params);
                let fields: Vec<String> = params.iter().map(|param| self.option(param)).collect();
                if params.iter().any(|param| !is_optional(param)) {
                    signatures.push(format!("options: {{ {} }}", fields.join("; ")));
                }
                let names: Vec<String> = params.iter().map(|param| variable(&param.name)).collect();
                let bound =
                    if params.is_empty() { String::new() } else { format!("    {}\n", self.bind_call(name, &params)) };
                let args = names.join(", ");
                let call = format!("    Object.assign(this, {name}.{}({args}));\n", function(&one.name));
                constructor(&signatures, &format!("{super_call}{bound}{call}"))
            }
            several => self.alternatives(name, several, super_call),
        }
    }

    fn option(&self, param: &Parameter) -> String {
        let optional = if is_optional(param) { "?" } else { "" };
        format!("{}{optional}: {}", camel(&param.name), self.argument_type(&param.ty))
    }

    /// A constructor that selects one of several by the parameters that only it has.
    fn alternatives(&self, name: &str, constructors: &[&Function], super_call: &str) -> String {
        let has = |function: &Function, param: &str| function.params.iter().any(|own| own.name == param);
        let mut all: Vec<Parameter> = Vec::new();
        for constructor in constructors {
            for param in params(constructor) {
                if all.iter().any(|known| known.name == param.name) {
                    continue;
                }
                let is_common = constructors.iter().all(|other| has(other, &param.name));
                let mut param = param.clone();
                if !is_common && !is_optional(&param) {
                    param.ty = Type::optional(param.ty);
                }
                all.push(param);
            }
        }
        let exclusive: Vec<&Parameter> =
            all.iter().filter(|param| !constructors.iter().all(|other| has(other, &param.name))).collect();
        let all: Vec<&Parameter> = all.iter().collect();
        let mut signatures = vec![self.signatures(&all).remove(0)];
        for constructor in constructors {
            let fields: Vec<String> = params(constructor).iter().map(|param| self.option(param)).collect();
            signatures.push(format!("options: {{ {} }}", fields.join("; ")));
        }
        let mut body = format!("{super_call}    {}\n", self.bind_call(name, &all));
        for one in constructors {
            let conditions = exclusive.iter().map(|param| {
                let operator = if has(one, &param.name) { "!==" } else { "===" };
                format!("{} {operator} undefined", variable(&param.name))
            });
            let condition = conditions.collect::<Vec<_>>().join(" && ");
            let args: Vec<String> = params(one).iter().map(|param| variable(&param.name)).collect();
            let call = format!("{name}.{}({})", function(&one.name), args.join(", "));
            let keyword = if one.name == constructors[0].name { "    if" } else { "    else if" };
            body += &format!("{keyword} ({condition}) Object.assign(this, {call});\n");
        }
        self.uses("failure");
        let names: Vec<String> = exclusive.iter().map(|param| camel(&param.name)).collect();
        let message = quote(&format!("takes exactly one of {}", names.join(", ")));
        body += &format!("    else throw failure('argument', {}, {message});\n", quote(name));
        constructor(&signatures, &body)
    }

    /// The functions and methods in the impls of this file.
    fn impls(&self, class: &str, is_exported: bool) -> Result<Vec<String>> {
        let mut members = Vec::new();
        for item in &self.file.syntax.items {
            let syn::Item::Impl(item) = item else { continue };
            let of =
                item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|last| last.ident.to_string());
            let is_library = of.as_ref().is_none_or(|of| self.library.names.contains_key(of) || of == "Layer");
            if implemented_type(&syn::Item::Impl(item.clone())).as_deref() != Some(class)
                || !is_library
                || is_test(&item.attrs)
            {
                continue;
            }
            let generics = self.library.generics(self.file, &item.generics, &Generics::new())?;
            for entry in &item.items {
                let syn::ImplItem::Fn(method) = entry else { continue };
                let declared = &self.library.classes[class].functions[&method.sig.ident.to_string()];
                if is_merged(declared)
                    && self.library.classes[class].fields.iter().any(|(field, _)| *field == declared.name)
                {
                    continue;
                }
                let docs = docs(&method.attrs);
                members.push(self.member(
                    class,
                    declared,
                    &docs,
                    &method.sig,
                    &method.block,
                    &generics,
                    is_exported,
                )?);
            }
        }
        Ok(members)
    }

    #[allow(clippy::too_many_arguments)]
    fn member(
        &self,
        class: &str,
        declared: &Function,
        docs: &[String],
        signature: &syn::Signature,
        block: &syn::Block,
        generics: &Generics,
        is_exported: bool,
    ) -> Result<String> {
        let generics = self.library.generics(self.file, &signature.generics, generics)?;
        let base = self.library.classes[class].base.as_ref();
        let is_forward = declared.name == "forward" && self.library.is_module(class);
        let is_override = declared.takes_self
            && (is_forward || base.is_some_and(|base| self.library.method(base, &declared.name).is_some()));
        let asynchronous = if declared.is_async { "async " } else { "" };
        let is_static = !declared.takes_self;
        let prefix = match (is_static, is_override) {
            (true, _) => format!("static {asynchronous}"),
            (false, true) => format!("override {asynchronous}"),
            (false, false) => asynchronous.to_string(),
        };
        let is_checked = self.is_checked_member(class, declared);
        let op = format!("{class}.{}", camel(&declared.name));
        let own = Type::Object(class.to_string());
        let declared = Declared { function: declared, op, prefix, is_checked };
        let body = self.lower(&declared, block, generics, Some(own))?;
        let internal = (!declared.is_checked && is_exported).then(|| "@internal".to_string());
        let docs = match (is_override && !is_forward, internal) {
            (true, _) => String::new(),
            (false, Some(internal)) => comments::comment(&[], &[internal], 2),
            (false, None) => comments::comment(docs, &[], 2),
        };
        Ok(docs + &self.print_function(&declared, &body, 2))
    }

    /// The abstract class of a trait.
    pub(super) fn abstract_class(&self, item: &syn::ItemTrait) -> Result<String> {
        let name = item.ident.to_string();
        let class = &self.library.classes[&name];
        let base = class.base.as_ref().map_or(String::new(), |base| {
            self.use_global(base);
            format!(" extends {base}")
        });
        let is_exported = self.library.is_exported(&name);
        let mut members = Vec::new();
        for entry in &item.items {
            let syn::TraitItem::Fn(method) = entry else { continue };
            let declared = &class.functions[&method.sig.ident.to_string()];
            let docs = docs(&method.attrs);
            if let Some(block) = &method.default {
                members.push(self.member(&name, declared, &docs, &method.sig, block, &Generics::new(), is_exported)?);
                continue;
            }
            let (printed, result) = (camel(&declared.name), self.result(declared));
            let mut text = comments::comment(&docs, &[], 2);
            if declared.is_property {
                text += &format!("  abstract get {printed}(): {result};\n");
            } else {
                for list in self.signatures(&params(declared)) {
                    text += &format!("  abstract {printed}({list}): {result};\n");
                }
            }
            members.push(text);
        }
        let docs = docs(&item.attrs);
        let docs = comments::comment(&docs, &self.example(&docs), 0);
        Ok(format!("{docs}export abstract class {name}{base} {{\n{}}}\n", members.join("\n")))
    }

    /// A union of strings, or the class of an enum with data or methods.
    pub(super) fn enumeration(&self, item: &syn::ItemEnum) -> Result<String> {
        let name = item.ident.to_string();
        let docs_text = docs(&item.attrs);
        let docs_text = comments::comment(&docs_text, &self.example(&docs_text), 0);
        if let Some((_, variants)) = self.library.choices.get(&name) {
            let names: Vec<String> = variants.iter().map(|name| quote(&crate::lower::snake(name))).collect();
            return Ok(format!("{docs_text}export type {name} = {};\n", names.join(" | ")));
        }
        let class = &self.library.classes[&name];
        let kinds: Vec<String> = class.variants.iter().map(|(name, _)| quote(&variant(name))).collect();
        let mut members = vec![format!(
            "  /** @internal */\n  constructor(\n    readonly kind:\n      | {},\n    readonly values: readonly unknown[] = [],\n  ) {{}}\n",
            kinds.join("\n      | ")
        )];
        for ((declared, data), written) in class.variants.iter().zip(&item.variants) {
            let docs = comments::comment(&docs(&written.attrs), &[], 2);
            let (printed, kind) = (variant(declared), quote(&variant(declared)));
            members.push(match &data[..] {
                [] => format!("{docs}  static readonly {printed} = new {name}({kind});\n"),
                data => {
                    let types: Vec<String> = data.iter().map(|ty| self.type_name(ty)).collect();
                    let types = types.join(", ");
                    format!("{docs}  static {printed}(...values: [{types}]): {name} {{\n    return new {name}({kind}, values);\n  }}\n")
                }
            });
        }
        members.extend(self.impls(&name, self.library.is_exported(&name))?);
        Ok(format!("{docs_text}export class {name} {{\n{}}}\n", members.join("\n")))
    }
}

/// Whether a method only reads the field of its name, which is then printed instead of it.
fn is_merged(function: &Function) -> bool {
    function.is_property && function.field.as_deref() == Some(&function.name)
}

fn constructor(signatures: &[String], body: &str) -> String {
    let signatures: String = signatures.iter().map(|list| format!("  constructor({list});\n")).collect();
    format!("{signatures}  constructor(...args: unknown[]) {{\n{body}  }}\n")
}
