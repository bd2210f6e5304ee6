//! The core's table of operations, as `lanthorn-bindings` prints it.
//!
//! Each line is an operation, in the order of their numbers: its schema (which may contain `|`),
//! `|`, `!` if it has an in-place form, and its other names.

use lanthorn_program::Overload;
use lanthorn_schema::Schema;
use rustc_hash::FxHashMap;
use std::{cell::RefCell, rc::Rc};

/// A line of the table.
struct Line {
    schema: String,
    in_place: bool,
}

/// The operations by name. Their schemas are parsed when they are first used.
pub struct Operations {
    lines: Vec<Line>,
    /// The numbers of the overloads of each name and alias.
    names: FxHashMap<String, Rc<[usize]>>,
    /// The numbers of full names.
    full: FxHashMap<String, usize>,
    parsed: RefCell<Vec<Option<Rc<Overload>>>>,
    resolved: RefCell<FxHashMap<String, Rc<[Overload]>>>,
}

impl Operations {
    /// Reads the table.
    pub fn parse(text: &str) -> Operations {
        let (mut lines, mut full) = (Vec::new(), FxHashMap::default());
        let mut bases: Vec<(String, Vec<usize>)> = Vec::new();
        let mut indices: FxHashMap<String, usize> = FxHashMap::default();
        let mut names: Vec<(String, usize)> = Vec::new();
        for (number, row) in text.lines().enumerate() {
            let (schema, rest) = row.rsplit_once('|').unwrap_or((row, ""));
            let (in_place, aliases) = rest.strip_prefix('!').map_or((false, rest), |rest| (true, rest));
            let name = schema.split('(').next().unwrap_or_default();
            let base = name.split('.').next().unwrap_or_default();
            let index = *indices.entry(base.to_string()).or_insert_with(|| {
                bases.push((base.to_string(), Vec::new()));
                bases.len() - 1
            });
            bases[index].1.push(number);
            full.insert(name.to_string(), number);
            names.extend(aliases.split(' ').filter(|alias| !alias.is_empty()).map(|alias| (alias.to_string(), index)));
            lines.push(Line { schema: schema.to_string(), in_place });
        }
        let numbers: Vec<Rc<[usize]>> = bases.iter().map(|(_, numbers)| numbers.as_slice().into()).collect();
        let mut named: FxHashMap<String, Rc<[usize]>> = FxHashMap::default();
        for (alias, index) in names {
            full.entry(alias.clone()).or_insert_with(|| bases[index].1[0]);
            named.insert(alias, numbers[index].clone());
        }
        for ((base, _), numbers) in bases.into_iter().zip(numbers) {
            named.insert(base, numbers);
        }
        let parsed = RefCell::new(vec![None; lines.len()]);
        Operations { lines, names: named, full, parsed, resolved: RefCell::default() }
    }

    /// The overloads of a name or an alias.
    pub fn overloads(&self, name: &str) -> Rc<[Overload]> {
        if let Some(found) = self.resolved.borrow().get(name) {
            return found.clone();
        }
        let numbers = self.names.get(name).or_else(|| self.names.get(name.split('.').next().unwrap_or_default()));
        let numbers: &[usize] = numbers.map_or(&[], |numbers| numbers);
        let found = numbers.iter().filter_map(|&number| self.overload(number)).map(|found| (*found).clone());
        let found: Rc<[Overload]> = found.collect();
        // Names outside of the table come from a file, which may have any number of them.
        if !found.is_empty() {
            self.resolved.borrow_mut().insert(name.to_string(), found.clone());
        }
        found
    }

    /// The operation of a full name, with its number.
    pub fn find(&self, name: &str) -> Option<(u32, Rc<Overload>)> {
        let number = *self.full.get(name)?;
        Some((number as u32, self.overload(number)?))
    }

    /// The operation of a number.
    pub fn overload(&self, number: usize) -> Option<Rc<Overload>> {
        if let Some(Some(found)) = self.parsed.borrow().get(number) {
            return Some(found.clone());
        }
        let line = self.lines.get(number)?;
        // The table was printed from schemas.
        let schema = Schema::parse(&line.schema).ok()?;
        let made = Rc::new(Overload { schema, in_place: line.in_place });
        self.parsed.borrow_mut()[number] = Some(made.clone());
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "relu(Tensor self, Tensor|Scalar other) -> Tensor|!\nmax(Tensor self) -> Tensor|amax_all\nmax.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)|";

    #[test]
    fn operations_are_found_by_name_alias_and_overload() {
        let operations = Operations::parse(TABLE);
        assert_eq!(operations.overloads("max").len(), 2);
        assert_eq!(operations.overloads("amax_all").len(), 2);
        assert_eq!(operations.overloads("absent").len(), 0);
        let (number, found) = operations.find("max.dim").unwrap();
        assert_eq!((number, found.schema.returns.len(), found.in_place), (2, 2, false));
        assert!(operations.find("relu").unwrap().1.in_place);
    }
}
