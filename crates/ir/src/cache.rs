//! A cache with a bound: the least recently used half is dropped when it is full.
//!
//! It drops half of the entries at once, so that sorting by last use is rare. Rejected: a list of
//! entries in the order of their use, which every lookup would have to change.

use rustc_hash::FxHashMap;
use std::{borrow::Borrow, hash::Hash};

/// Values by key, up to a maximum number.
///
/// ```
/// use lanthorn_ir::cache::Cache;
/// let mut squares = Cache::new(4);
/// for x in [1, 2, 3, 4, 1, 5] {
///     if squares.get(&x).is_none() {
///         squares.insert(x, x * x);
///     }
/// }
/// // 2 and 3 were used least recently.
/// assert_eq!((squares.len(), squares.insertions()), (3, 5));
/// assert_eq!(squares.get(&1), Some(&1));
/// assert_eq!(squares.get(&2), None);
/// ```
#[derive(Clone, Debug)]
pub struct Cache<K, V> {
    /// Each value with the time of its last use.
    entries: FxHashMap<K, (V, u64)>,
    bound: usize,
    clock: u64,
    made: u64,
}

impl<K: Hash + Eq, V> Cache<K, V> {
    /// A cache of at most `bound` values.
    pub fn new(bound: usize) -> Cache<K, V> {
        Cache { entries: FxHashMap::default(), bound, clock: 0, made: 0 }
    }

    /// The value of a key, which counts as used now.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_mut(key).map(|value| &*value)
    }

    /// [`Cache::get`] of a value that can be changed.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.clock += 1;
        let (value, used) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value)
    }

    /// Adds a value. If the cache is full, the least recently used half is dropped.
    pub fn insert(&mut self, key: K, value: V) {
        self.insert_unless(key, value, |_| false);
    }

    /// [`Cache::insert`] that drops no value which is `in_use`. Such values may exceed the bound.
    pub fn insert_unless(&mut self, key: K, value: V, in_use: impl Fn(&V) -> bool) {
        self.clock += 1;
        self.made += 1;
        if self.is_full() && !self.entries.contains_key(&key) {
            let idle = self.entries.values().filter(|(value, _)| !in_use(value));
            let mut times: Vec<u64> = idle.map(|(_, used)| *used).collect();
            if !times.is_empty() {
                let middle = (times.len() - 1) / 2;
                let limit = *times.select_nth_unstable(middle).1;
                self.entries.retain(|_, (value, used)| *used > limit || in_use(value));
            }
        }
        self.entries.insert(key, (value, self.clock));
    }

    /// Whether the next new value drops others.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.bound
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The keys and values, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, (value, _))| (key, value))
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of values that were inserted, including dropped ones.
    pub fn insertions(&self) -> u64 {
        self.made
    }
}
