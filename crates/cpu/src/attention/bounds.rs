//! The keys that a query attends to: filled keys, not after the query's position, and within its
//! window.
//!
//! The keys of a query and the queries of a key are ranges whose ends do not decrease from one row
//! to the next. The range of a block of rows therefore follows from its first and last row, and
//! kernels read nothing outside of it.

use std::ops::Range;

/// The ranges of keys and queries of one matrix of the batch.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    queries: usize,
    filled: usize,
    causal: Option<Causal>,
}

/// The positions of queries among the keys.
#[derive(Clone, Copy)]
struct Causal {
    /// The position of query 0; below 0 if there are more queries than filled keys.
    first: i64,
    /// The size of the window: the number of keys up to its own position to which a query attends.
    window: Option<i64>,
}

/// Clamps a number to 0..=`most`.
fn clamp(number: i64, most: usize) -> usize {
    // The result is not below 0 and fits in a `usize`.
    number.clamp(0, most as i64) as usize
}

impl Bounds {
    /// The bounds of `queries` queries and `keys` keys, of which `length` are filled; all keys are
    /// filled if there is no length. With a length, the last query has the position of the last
    /// filled key. Without one, query 0 has position 0.
    pub fn new(queries: usize, keys: usize, length: Option<i32>, causal: bool, window: Option<i32>) -> Bounds {
        let filled = length.map_or(keys, |length| clamp(length.into(), keys));
        let first = if length.is_some() { filled as i64 - queries as i64 } else { 0 };
        Bounds { queries, filled, causal: causal.then_some(Causal { first, window: window.map(i64::from) }) }
    }

    /// The number of filled keys.
    pub fn filled_keys(&self) -> usize {
        self.filled
    }

    /// Whether queries attend to different keys.
    pub fn differ(&self) -> bool {
        self.causal.is_some()
    }

    /// The keys that a query attends to.
    pub fn keys(&self, query: usize) -> Range<usize> {
        let Some(Causal { first, window }) = self.causal else { return 0..self.filled };
        let end = first + query as i64 + 1;
        let start = window.map_or(0, |window| end - window);
        let end = clamp(end, self.filled);
        clamp(start, end)..end
    }

    /// The queries that attend to a key.
    pub fn queries(&self, key: usize) -> Range<usize> {
        if key >= self.filled {
            return 0..0;
        }
        let Some(Causal { first, window }) = self.causal else { return 0..self.queries };
        let start = key as i64 - first;
        let end = window.map_or(self.queries, |window| clamp(start + window, self.queries));
        clamp(start, end)..end
    }

    /// The keys that a block of queries attends to.
    pub fn keys_of(&self, queries: &Range<usize>) -> Range<usize> {
        match queries.clone().next_back() {
            Some(last) => self.keys(queries.start).start..self.keys(last).end,
            None => 0..0,
        }
    }

    /// The queries that attend to a block of keys.
    pub fn queries_of(&self, keys: &Range<usize>) -> Range<usize> {
        match (keys.start..keys.end.min(self.filled)).next_back() {
            Some(last) => self.queries(keys.start).start..self.queries(last).end,
            None => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares every pair with the definition, and the ranges with the pairs.
    fn check(queries: usize, keys: usize, length: Option<i32>, window: Option<i32>, causal: bool) {
        let bounds = Bounds::new(queries, keys, length, causal, window);
        let filled = length.unwrap_or(keys as i32).clamp(0, keys as i32) as i64;
        let sees = |i: usize, j: usize| {
            let (position, j) = (if length.is_some() { filled - queries as i64 } else { 0 } + i as i64, j as i64);
            j < filled && (!causal || j <= position && window.is_none_or(|window| j > position - i64::from(window)))
        };
        let what = format!("{queries} queries, {keys} keys, {length:?}, window {window:?}");
        for i in 0..queries {
            (0..keys).for_each(|j| {
                assert_eq!(bounds.keys(i).contains(&j), sees(i, j), "{what}: {i}, {j}");
                assert_eq!(bounds.queries(j).contains(&i), sees(i, j), "{what}: {i}, {j}");
            });
            for end in i + 1..=queries {
                let all = bounds.keys_of(&(i..end));
                assert!(all.end <= filled as usize);
                (i..end).for_each(|i| (0..keys).for_each(|j| assert!(!sees(i, j) || all.contains(&j), "{what}")));
            }
        }
        for j in 0..keys {
            for end in j + 1..=keys {
                let all = bounds.queries_of(&(j..end));
                (j..end).for_each(|j| (0..queries).for_each(|i| assert!(!sees(i, j) || all.contains(&i), "{what}")));
            }
        }
    }

    #[test]
    fn ranges_have_exactly_the_pairs_of_the_definition() {
        for (queries, keys) in [(1, 1), (1, 6), (4, 6), (6, 4)] {
            for length in [None, Some(i32::MIN), Some(-1), Some(0), Some(1), Some(3), Some(6), Some(i32::MAX)] {
                check(queries, keys, length, None, false);
                for window in [None, Some(1), Some(2), Some(5), Some(i32::MAX)] {
                    check(queries, keys, length, window, true);
                }
            }
        }
    }
}
