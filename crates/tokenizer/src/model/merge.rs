//! Merging of neighbours, the best pair first: the loop of both kinds of byte-pair encoding.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A part of a word: its length in bytes (0 once it was merged into the one before it), its
/// neighbours, and the data of the kind of encoding.
#[derive(Clone, Debug)]
pub(super) struct Symbol<S> {
    pub(super) symbol: S,
    pub(super) length: usize,
    previous: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The symbols of a word, in order.
pub(super) struct Word<S> {
    pub(super) symbols: Vec<Symbol<S>>,
}

impl<S> Word<S> {
    pub(super) fn new() -> Word<S> {
        Word { symbols: Vec::new() }
    }

    /// Adds a symbol at the end.
    pub(super) fn push(&mut self, symbol: S, length: usize) {
        let index = self.symbols.len() as u32;
        if let Some(last) = self.symbols.last_mut() {
            last.next = index;
        }
        self.symbols.push(Symbol { symbol, length, previous: index.wrapping_sub(1), next: NONE });
    }

    /// Merges pairs of neighbours in the order of their ranks, and of equal ranks the leftmost
    /// first. `rank` returns the rank of a pair, at the offsets of its first and last byte, and the
    /// merged symbol.
    pub(super) fn merge<R: Ord + Copy>(&mut self, rank: impl Fn(&S, &S, Pair) -> Option<(R, S)>) {
        let starts = self.starts();
        let mut queue: BinaryHeap<Reverse<(R, u32, usize)>> = BinaryHeap::new();
        let found = |symbols: &[Symbol<S>], left: u32| {
            let first = symbols.get(left as usize)?;
            let second = symbols.get(first.next as usize)?;
            let pair =
                Pair { start: starts[left as usize], middle: first.length, length: first.length + second.length };
            let (rank, merged) = rank(&first.symbol, &second.symbol, pair)?;
            Some((rank, pair.length, merged))
        };
        for left in 0..self.symbols.len() as u32 {
            if let Some((rank, length, _)) = found(&self.symbols, left) {
                queue.push(Reverse((rank, left, length)));
            }
        }
        while let Some(Reverse((rank, left, length))) = queue.pop() {
            // A pair of which one was merged since has another length or rank.
            let Some((now, now_length, merged)) = found(&self.symbols, left) else { continue };
            if self.symbols[left as usize].length == 0 || now_length != length || now != rank {
                continue;
            }
            self.join(left, merged);
            for left in [self.symbols[left as usize].previous, left] {
                if let Some((rank, length, _)) = found(&self.symbols, left) {
                    queue.push(Reverse((rank, left, length)));
                }
            }
        }
        self.symbols.retain(|symbol| symbol.length > 0);
    }

    fn starts(&self) -> Vec<usize> {
        let mut at = 0;
        let start = |symbol: &Symbol<S>| {
            at += symbol.length;
            at - symbol.length
        };
        self.symbols.iter().map(start).collect()
    }

    fn join(&mut self, left: u32, merged: S) {
        let right = self.symbols[left as usize].next;
        let (length, next) = (self.symbols[right as usize].length, self.symbols[right as usize].next);
        self.symbols[right as usize].length = 0;
        self.symbols[right as usize].next = NONE;
        let symbol = &mut self.symbols[left as usize];
        (symbol.symbol, symbol.next) = (merged, next);
        symbol.length += length;
        if let Some(after) = self.symbols.get_mut(next as usize) {
            after.previous = left;
        }
    }
}

/// Where a pair is: the offset of its first byte, the length of the first symbol, and of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) start: usize,
    pub(super) middle: usize,
    pub(super) length: usize,
}
