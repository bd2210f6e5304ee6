//! Compiles syntax trees to instructions, and resolves names.

mod class;
mod constant;
mod expression;
mod names;
mod scope;
mod statement;
mod types;

pub(crate) use class::is_member;
pub(crate) use names::Names;
pub(crate) use types::Type;

use crate::{
    Error, Result, Source,
    ast::{Expr, FunctionDef, StmtKind},
    builtins::Builtin,
    code::{Code, Constant, Function, Instr, Item, Library, Param},
    parser::parse,
};
use scope::Scope;
use std::{collections::HashMap, rc::Rc};

/// Compiles a source text. Its definitions get paths below `module`.
pub(crate) fn compile(source: &Rc<Source>, module: &str, library: &mut Library) -> Result<()> {
    let block = parse(source)?;
    let names = Names::new(module, &block);
    for stmt in &block {
        let (name, item) = match &stmt.kind {
            StmtKind::Function(def) => {
                (def.name.clone(), Item::Function(Rc::new(function(def, &names, source, None)?)))
            }
            StmtKind::Class(def) => (def.name.clone(), Item::Class(Rc::new(class::class(def, &names, source)?))),
            StmtKind::Assign(targets, value) => match &targets[..] {
                [Expr { kind: crate::ast::ExprKind::Name(name), .. }] => {
                    (name.clone(), Item::Constant(constant::constant(value, &names, source)?))
                }
                _ => return Err(Error::syntax("expected one name", source.locate(stmt.at as usize))),
            },
            StmtKind::Annotated(Expr { kind: crate::ast::ExprKind::Name(name), .. }, _, Some(value)) => {
                (name.clone(), Item::Constant(constant::constant(value, &names, source)?))
            }
            // A docstring, or the placeholder of an interface.
            StmtKind::Expr(Expr { kind: crate::ast::ExprKind::Str(_), .. }) | StmtKind::Pass => continue,
            _ => {
                let message = "only functions, classes and constants can be defined outside of functions";
                return Err(Error::syntax(message, source.locate(stmt.at as usize)));
            }
        };
        library.items.insert(names.qualify(&name), item);
    }
    Ok(())
}

/// Compiles a function. For a method, `class` is the path of its class.
fn function(def: &FunctionDef, names: &Names, source: &Rc<Source>, class: Option<&Rc<str>>) -> Result<Function> {
    let params = def.params.iter().map(|param| {
        let ty = param.annotation.as_ref().map_or(Type::Any, |annotation| names.annotation_type(annotation));
        let default = match &param.default {
            Some(default) => Some(constant::constant(default, names, source)?),
            None => None,
        };
        Ok(Param { name: param.name.clone(), ty, default, keyword_only: param.keyword_only })
    });
    let params = params.collect::<Result<_>>()?;
    let mut compiler = Compiler {
        source,
        names,
        scope: Scope::of(def),
        instrs: Vec::new(),
        offsets: Vec::new(),
        constants: Vec::new(),
        interned: HashMap::new(),
        builtins: Vec::new(),
        loops: Vec::new(),
        contexts: Vec::new(),
        at: def.at,
    };
    compiler.block(&def.body)?;
    compiler.constant(Constant::None);
    compiler.emit(Instr::Return);
    let Compiler { instrs, offsets, constants, builtins, scope, .. } = compiler;
    let code = Code { source: source.clone(), instrs, offsets, constants, builtins, locals: scope.names };
    let name = match class {
        Some(class) => format!("{class}.{}", def.name).into(),
        None => names.qualify(&def.name),
    };
    Ok(Function { name, params, code })
}

/// A loop that encloses the current statement.
struct OpenLoop {
    start: u32,
    /// The jumps out of the loop, whose targets are still unknown.
    breaks: Vec<usize>,
    /// Whether an iterator is on the stack.
    iterates: bool,
    /// The number of open contexts outside of the loop.
    contexts: usize,
}

/// The compiler of one function.
struct Compiler<'c> {
    source: &'c Rc<Source>,
    names: &'c Names,
    scope: Scope,
    instrs: Vec<Instr>,
    offsets: Vec<u32>,
    constants: Vec<Constant>,
    /// The indices of string constants.
    interned: HashMap<Rc<str>, u32>,
    builtins: Vec<Builtin>,
    loops: Vec<OpenLoop>,
    /// The variables that hold the managers of open contexts.
    contexts: Vec<u32>,
    at: u32,
}

impl Compiler<'_> {
    fn emit(&mut self, instr: Instr) -> usize {
        self.instrs.push(instr);
        self.offsets.push(self.at);
        self.instrs.len() - 1
    }

    fn here(&self) -> u32 {
        self.instrs.len() as u32
    }

    /// Sets the target of a jump to the next instruction.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.instrs[jump] {
            Instr::Jump(target)
            | Instr::JumpIfFalse(target)
            | Instr::JumpIfTrue(target)
            | Instr::JumpIfFalseOrPop(target)
            | Instr::JumpIfTrueOrPop(target)
            | Instr::Next(target) => *target = here,
            _ => {}
        }
    }

    fn constant(&mut self, constant: Constant) {
        let index = self.add(constant);
        self.emit(Instr::Constant(index));
    }

    fn add(&mut self, constant: Constant) -> u32 {
        self.constants.push(constant);
        self.constants.len() as u32 - 1
    }

    /// Returns the constant of a name or a text.
    fn text(&mut self, text: &Rc<str>) -> u32 {
        if let Some(&index) = self.interned.get(text) {
            return index;
        }
        let index = self.add(Constant::Str(text.clone()));
        self.interned.insert(text.clone(), index);
        index
    }

    fn builtin(&mut self, builtin: Builtin) -> u32 {
        self.builtins.push(builtin);
        self.builtins.len() as u32 - 1
    }

    fn error<T>(&self, message: impl Into<String>, at: u32) -> Result<T> {
        Err(Error::syntax(message, self.source.locate(at as usize)))
    }
}
