//! The modules that a node was called in: PyTorch's `nn_module_stack`.

use std::rc::Rc;

/// The deepest stack of modules to keep.
const MAX_DEPTH: usize = 64;

/// A call of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCall {
    /// PyTorch's key of the call, which distinguishes calls of one module.
    pub key: String,
    /// The module's path in the model. The path of the model itself is empty.
    pub path: String,
    /// The qualified name of the module's class.
    pub class: String,
}

/// The modules that a node was called in, outermost first. Nodes of one call share it.
pub type ModuleStack = Rc<[ModuleCall]>;

/// Parses `key,path,class` of each module, separated by semicolons. Skips entries of another form.
pub(crate) fn parse_stack(text: &str) -> ModuleStack {
    let call = |entry: &str| {
        let (key, rest) = entry.split_once(',')?;
        let (path, class) = rest.rsplit_once(',')?;
        Some(ModuleCall { key: key.to_string(), path: path.to_string(), class: class.to_string() })
    };
    text.split(';').take(MAX_DEPTH).filter_map(call).collect()
}

/// Formats a stack for [`parse_stack`].
pub(crate) fn stack_text(stack: &[ModuleCall]) -> String {
    let entries = stack.iter().map(|call| format!("{},{},{}", call.key, call.path, call.class));
    entries.collect::<Vec<String>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_read_and_written() {
        let text = "L__self__,,net.Net;L__self___blocks_0,blocks.0,net.Block";
        let stack = parse_stack(text);
        assert_eq!(stack_text(&stack), text);
        assert_eq!((stack[0].path.as_str(), stack[1].path.as_str()), ("", "blocks.0"));
        assert!(parse_stack("").is_empty() && parse_stack("a;b,c").is_empty());
        assert_eq!(parse_stack(&"k,p,c;".repeat(1000)).len(), MAX_DEPTH);
    }
}
