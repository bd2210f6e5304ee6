//! `*` and `?` in names.

/// Whether `text` matches `pattern`, where `*` matches any characters and `?` matches one.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // `reached[i]`: the pattern so far can have consumed the first `i` characters.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for wanted in pattern {
        if wanted == '*' {
            for i in 0..text.len() {
                reached[i + 1] |= reached[i];
            }
            continue;
        }
        for i in (0..text.len()).rev() {
            reached[i + 1] = reached[i] && (wanted == '?' || wanted == text[i]);
        }
        reached[0] = false;
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        assert!(matches("linalg.*", "linalg.qr"));
        assert!(matches("*/3/val?e", "add/3/value"));
        assert!(matches("add", "add") && !matches("add", "addmm") && !matches("add*", "ad"));
        assert!(matches("*a*b*", "xaybz") && !matches("*a*b", "xaybz"));
        assert!(matches("", "") && !matches("", "a") && matches("**", ""));
    }
}
