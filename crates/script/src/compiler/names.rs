//! Resolves names that are not local variables: functions, classes, constants and built-in
//! functions.

use super::types::{Type, annotation_type};
use crate::{
    ast::{Block, Expr, ExprKind, StmtKind},
    builtins::Builtin,
    code::Constant,
};
use lanthorn_io::DType;
use lanthorn_program::value::scalar_type;
use std::{collections::HashSet, rc::Rc};

/// The names of one source text.
pub(crate) struct Names {
    module: String,
    defined: HashSet<Rc<str>>,
}

impl Names {
    /// Collects the names that a text defines, below a module's path.
    pub fn new(module: &str, block: &Block) -> Names {
        let defined = block.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Function(def) => Some(def.name.clone()),
            StmtKind::Class(def) => Some(def.name.clone()),
            StmtKind::Assign(targets, _) => match targets.first().map(|target| &target.kind) {
                Some(ExprKind::Name(name)) => Some(name.clone()),
                _ => None,
            },
            StmtKind::Annotated(target, ..) => match &target.kind {
                ExprKind::Name(name) => Some(name.clone()),
                _ => None,
            },
            _ => None,
        });
        Names { module: module.to_string(), defined: defined.collect() }
    }

    /// Returns the path of a name that the text defines.
    pub fn qualify(&self, name: &str) -> Rc<str> {
        if self.module.is_empty() { name.into() } else { format!("{}.{name}", self.module).into() }
    }

    /// Returns the path of an expression: names joined by dots.
    pub fn path(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.to_string()),
            ExprKind::Attribute(object, name) => {
                let mut path = self.path(object)?;
                path.push('.');
                path.push_str(name);
                Some(path)
            }
            _ => None,
        }
    }

    /// Whether the text defines the first name of a path.
    fn defines(&self, path: &str) -> bool {
        self.defined.contains(path.split('.').next().unwrap_or(path))
    }

    /// Finds the built-in function of a path.
    pub fn builtin(&self, path: &str) -> Option<Builtin> {
        if self.defines(path) { None } else { Builtin::find(path) }
    }

    /// Returns the type of an annotation.
    pub fn annotation_type(&self, expr: &Expr) -> Type {
        annotation_type(expr, &|expr| {
            let path = self.path(expr)?;
            if self.defines(&path) {
                return Some(self.qualify(&path));
            }
            path.starts_with("__torch__.").then(|| path.into())
        })
    }

    /// Returns the constant of a path: a constant of the language, or a global that is resolved at
    /// its use.
    pub fn resolve(&self, path: &str) -> Constant {
        if self.defines(path) {
            return Constant::Global(self.qualify(path));
        }
        if let Some(index) = path.strip_prefix("CONSTANTS.c").and_then(|index| index.parse().ok()) {
            return Constant::Archived(index);
        }
        match path {
            "inf" | "math.inf" | "torch.inf" => return Constant::Float(f64::INFINITY),
            "nan" | "math.nan" | "torch.nan" => return Constant::Float(f64::NAN),
            "math.pi" | "torch.pi" => return Constant::Float(std::f64::consts::PI),
            "math.e" | "torch.e" => return Constant::Float(std::f64::consts::E),
            "math.tau" => return Constant::Float(std::f64::consts::TAU),
            _ => {}
        }
        if let Some(number) = path.strip_prefix("torch.").and_then(number) {
            return Constant::Int(number);
        }
        match self.builtin(path) {
            Some(builtin) => Constant::Builtin(Box::new(builtin)),
            None => Constant::Global(path.into()),
        }
    }
}

/// Returns the number of a dtype, a layout or a memory format.
fn number(name: &str) -> Option<i64> {
    let dtype = match name {
        "float" => "float32",
        "double" => "float64",
        "half" => "float16",
        "int" => "int32",
        "long" => "int64",
        "short" => "int16",
        "complex64" | "cfloat" => return Some(9),
        "complex128" | "cdouble" => return Some(10),
        "strided" | "contiguous_format" => return Some(0),
        "preserve_format" => return Some(1),
        "channels_last" => return Some(2),
        "channels_last_3d" => return Some(3),
        name => name,
    };
    DType::from_name(dtype).map(scalar_type)
}
