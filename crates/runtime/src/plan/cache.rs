//! The caches of plans and of their templates, both of limited size.

use super::{Key, Plan, Template};
use lanthorn_ir::{
    cache::Cache,
    number::{Trace, Values},
};
use std::rc::Rc;

const MAX_PLANS: usize = 256;
const MAX_STRUCTURES: usize = 128;
/// Maximum number of templates of one structure.
const MAX_TEMPLATES: usize = 8;

/// Plans by the key of their segment, and templates by its structure, with counts of their use.
pub(crate) struct Plans {
    plans: Cache<Key, Rc<Plan>>,
    /// Each structure has a template for every path of planning, with the trace that determines for
    /// which sizes the template is valid. The most recently used one is first.
    templates: Cache<Key, Vec<(Rc<Template>, Trace)>>,
    pub hits: u64,
    pub resizes: u64,
    pub misses: u64,
}

impl Default for Plans {
    fn default() -> Plans {
        Plans { plans: Cache::new(MAX_PLANS), templates: Cache::new(MAX_STRUCTURES), hits: 0, resizes: 0, misses: 0 }
    }
}

impl Plans {
    /// The plan of a key, if it is in the cache.
    pub fn plan(&mut self, key: &Key) -> Option<Rc<Plan>> {
        self.plans.get(key).cloned()
    }

    /// A template for a structure with these numbers, and the values of its numbers.
    pub fn template(&mut self, structure: &Key, numbers: &[i64]) -> Option<(Rc<Template>, Values)> {
        let entries = self.templates.get_mut(structure)?;
        let valid = |(_, trace): &(Rc<Template>, Trace)| trace.evaluate(numbers);
        let (index, values) = entries.iter().enumerate().find_map(|(index, entry)| Some((index, valid(entry)?)))?;
        entries[..=index].rotate_right(1);
        Some((entries[0].0.clone(), values))
    }

    pub fn insert_plan(&mut self, key: Key, plan: Rc<Plan>) {
        self.plans.insert(key, plan);
    }

    pub fn insert_template(&mut self, structure: Key, template: Rc<Template>, trace: Trace) {
        match self.templates.get_mut(&structure) {
            Some(entries) => {
                entries.truncate(MAX_TEMPLATES - 1);
                entries.insert(0, (template, trace));
            }
            None => self.templates.insert(structure, vec![(template, trace)]),
        }
    }

    /// Drops all plans and templates, but keeps the counts.
    pub fn clear(&mut self) {
        self.plans.clear();
        self.templates.clear();
    }
}
