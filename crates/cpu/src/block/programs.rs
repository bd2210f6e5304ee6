//! A cache of compiled programs. Kernels of other sizes, and other plans, use the same ones.

use super::{Code, Slots, maxima::with_maxima};
use lanthorn_ir::{
    Result,
    cache::Cache,
    expr::{Program, Type},
};
use std::{cell::RefCell, sync::Arc};

/// Maximum number of programs in the cache.
const MAX_PROGRAMS: usize = 2048;

/// The inputs of a compilation: the program, its slots, its parameters, and its first stored
/// result.
type Key = (Program, Slots, Vec<Type>, usize);

thread_local! {
    static PROGRAMS: RefCell<Cache<Key, Arc<Code>>> = RefCell::new(Cache::new(MAX_PROGRAMS));
}

/// The number of programs that this thread has compiled.
pub(crate) fn count_compiled() -> u64 {
    PROGRAMS.with_borrow(Cache::insertions)
}

impl Code {
    /// [`Code::new`], from the cache if it was compiled before.
    pub fn compile_cached(
        op: &str,
        program: &Program,
        slots: Slots,
        params: &[Type],
        stored: usize,
    ) -> Result<Arc<Code>> {
        let key = (program.clone(), slots, params.to_vec(), stored);
        if let Some(known) = PROGRAMS.with_borrow_mut(|programs| programs.get(&key).cloned()) {
            return Ok(known);
        }
        let code = Arc::new(Code::new(op, &with_maxima(program), &key.1, params, stored)?);
        PROGRAMS.with_borrow_mut(|programs| programs.insert(key, code.clone()));
        Ok(code)
    }
}
