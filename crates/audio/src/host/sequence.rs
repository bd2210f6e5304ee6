//! Distances of sequences.

/// The Levenshtein distance of two sequences: the smallest number of insertions, deletions and
/// substitutions that turn one into the other. Elements are compared by `==`.
///
/// Source: Wagner and Fischer, "The String-to-String Correction Problem", 1974.
///
/// ```
/// use lanthorn::audio::functional::edit_distance;
/// let (a, b): (Vec<char>, Vec<char>) = ("kitten".chars().collect(), "sitting".chars().collect());
/// assert_eq!(edit_distance(&a, &b), 3);
/// ```
pub fn edit_distance<T: PartialEq>(seq1: &[T], seq2: &[T]) -> usize {
    let mut previous: Vec<usize> = (0..=seq2.len()).collect();
    for (row, first) in seq1.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, second) in seq2.iter().enumerate() {
            let substituted = previous[column] + usize::from(first != second);
            current.push(substituted.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    previous[seq2.len()]
}
