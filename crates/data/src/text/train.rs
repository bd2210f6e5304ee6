//! Training of byte-pair encoding: the choice of pairs to merge.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

type Pair = (i32, i32);

/// The pairs to merge, in order, until a vocabulary of `size` tokens has `wanted`. `words` have
/// their frequencies; the token of a merge is the next number.
///
/// Pair counts are updated from merge to merge. The heap may hold outdated counts, which are too
/// large; such an entry is put back with its current count.
pub(super) fn merges(mut words: Vec<(Vec<i32>, usize)>, size: usize, wanted: usize) -> Vec<Pair> {
    let mut counts: HashMap<Pair, usize> = HashMap::new();
    let mut occurrences: HashMap<Pair, HashSet<usize>> = HashMap::new();
    for (index, (word, count)) in words.iter().enumerate() {
        for pair in pairs(word) {
            *counts.entry(pair).or_default() += count;
            occurrences.entry(pair).or_default().insert(index);
        }
    }
    let mut heap: BinaryHeap<(usize, Reverse<Pair>)> =
        counts.iter().map(|(&pair, &count)| (count, Reverse(pair))).collect();
    let mut merges = Vec::new();
    while size + merges.len() < wanted {
        let Some((count, Reverse(pair))) = heap.pop() else { break };
        let current = counts.get(&pair).copied().unwrap_or(0);
        if count != current {
            if current > 0 && current < count {
                heap.push((current, Reverse(pair)));
            }
            continue;
        }
        let merged = (size + merges.len()) as i32;
        merges.push(pair);
        let mut grown = HashSet::new();
        for index in occurrences.remove(&pair).unwrap_or_default() {
            let (word, count) = &mut words[index];
            for old in pairs(word) {
                counts.entry(old).and_modify(|total| *total -= *count);
            }
            merge(word, pair, merged);
            for new in pairs(word) {
                *counts.entry(new).or_default() += *count;
                occurrences.entry(new).or_default().insert(index);
                if new.0 == merged || new.1 == merged {
                    grown.insert(new);
                }
            }
        }
        counts.remove(&pair);
        heap.extend(grown.into_iter().map(|new| (counts[&new], Reverse(new))));
    }
    merges
}

fn pairs(word: &[i32]) -> impl Iterator<Item = Pair> {
    word.windows(2).map(|pair| (pair[0], pair[1]))
}

/// Replaces each occurrence of the pair, from the left, with a token.
pub(super) fn merge(word: &mut Vec<i32>, pair: Pair, merged: i32) {
    let (mut read, mut write) = (0, 0);
    while read < word.len() {
        let both = read + 1 < word.len() && (word[read], word[read + 1]) == pair;
        word[write] = if both { merged } else { word[read] };
        read += 1 + usize::from(both);
        write += 1;
    }
    word.truncate(write);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by definition: counts all pairs again before each merge.
    fn merges_by_counting(mut words: Vec<(Vec<i32>, usize)>, size: usize, wanted: usize) -> Vec<Pair> {
        let mut merges = Vec::new();
        while size + merges.len() < wanted {
            let mut counts: HashMap<Pair, usize> = HashMap::new();
            for (word, count) in &words {
                pairs(word).for_each(|pair| *counts.entry(pair).or_default() += count);
            }
            let Some((_, Reverse(pair))) = counts.into_iter().map(|(pair, count)| (count, Reverse(pair))).max() else {
                break;
            };
            let merged = (size + merges.len()) as i32;
            words.iter_mut().for_each(|(word, _)| merge(word, pair, merged));
            merges.push(pair);
        }
        merges
    }

    proptest! {
        #[test]
        fn counts_kept_are_counts_taken(words in proptest::collection::vec((proptest::collection::vec(0i32..4, 0..12), 1usize..5), 0..12), more in 0usize..20) {
            prop_assert_eq!(merges(words.clone(), 4, 4 + more), merges_by_counting(words, 4, 4 + more));
        }
    }
}
