//! The caches of plans and of their templates, both bounded.

use super::{Key, Plan, Template};
use lanthorn_ir::number::{Trace, Values};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A template with the sizes that it is valid for.
struct Entry {
    template: Rc<Template>,
    trace: Trace,
    used: u64,
}

/// Plans by the key of their segment, and templates by its structure. The least recently used half is
/// dropped when a cache is full.
#[derive(Default)]
pub(crate) struct Cache {
    plans: FxHashMap<Key, (Rc<Plan>, u64)>,
    /// Each structure has a template for every course that planning took with it.
    templates: FxHashMap<Key, Vec<Entry>>,
    clock: u64,
    pub hits: u64,
    pub resizes: u64,
    pub misses: u64,
}

impl Cache {
    const MAX_PLANS: usize = 256;
    const MAX_STRUCTURES: usize = 128;
    /// The bound of the templates of one structure.
    const MAX_TEMPLATES: usize = 8;

    /// The plan of a key, if it is known.
    pub fn plan(&mut self, key: &Key) -> Option<Rc<Plan>> {
        self.clock += 1;
        let clock = self.clock;
        self.plans.get_mut(key).map(|(plan, used)| {
            *used = clock;
            plan.clone()
        })
    }

    /// A template for a structure with these numbers, and the values of its own numbers.
    pub fn template(&mut self, structure: &Key, numbers: &[i64]) -> Option<(Rc<Template>, Values)> {
        let clock = self.clock;
        self.templates.get_mut(structure)?.iter_mut().find_map(|entry| {
            let values = entry.trace.evaluate(numbers)?;
            entry.used = clock;
            Some((entry.template.clone(), values))
        })
    }

    pub fn insert_plan(&mut self, key: Key, plan: Rc<Plan>) {
        if self.plans.len() >= Cache::MAX_PLANS {
            let median = median(self.plans.values().map(|(_, used)| *used));
            self.plans.retain(|_, (_, used)| *used > median);
        }
        self.plans.insert(key, (plan, self.clock));
    }

    pub fn insert_template(&mut self, structure: Key, template: Rc<Template>, trace: Trace) {
        let latest = |entries: &[Entry]| entries.iter().map(|entry| entry.used).max().unwrap_or(0);
        if self.templates.len() >= Cache::MAX_STRUCTURES && !self.templates.contains_key(&structure) {
            let median = median(self.templates.values().map(|entries| latest(entries)));
            self.templates.retain(|_, entries| latest(entries) > median);
        }
        let entries = self.templates.entry(structure).or_default();
        if entries.len() >= Cache::MAX_TEMPLATES
            && let Some(oldest) = (0..entries.len()).min_by_key(|&index| entries[index].used)
        {
            entries.remove(oldest);
        }
        entries.push(Entry { template, trace, used: self.clock });
    }
}

fn median(uses: impl Iterator<Item = u64>) -> u64 {
    let mut uses: Vec<u64> = uses.collect();
    uses.sort_unstable();
    uses[uses.len() / 2]
}
