//! The modules that a node was called in: PyTorch's `nn_module_stack`.

use std::rc::Rc;

/// The deepest stack that is kept.
const MAX_DEPTH: usize = 64;

/// A call of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCall {
    /// PyTorch's key of the call, which tells calls of one module apart.
    pub key: String,
    /// The module's path in the model, which is empty for the model itself.
    pub path: String,
    /// The qualified name of the module's class.
    pub class: String,
}

/// The modules that a node was called in, the outermost first. Nodes of one call share it.
pub type ModuleStack = Rc<[ModuleCall]>;

/// Reads `key,path,class` of each module, with semicolons between them. Entries of another form are left out.
pub(crate) fn parse_stack(text: &str) -> ModuleStack {
    let call = |entry: &str| {
        let (key, rest) = entry.split_once(',')?;
        let (path, class) = rest.rsplit_once(',')?;
        Some(ModuleCall { key: key.to_string(), path: path.to_string(), class: class.to_string() })
    };
    text.split(';').take(MAX_DEPTH).filter_map(call).collect()
}

/// The text that [`parse_stack`] reads.
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
