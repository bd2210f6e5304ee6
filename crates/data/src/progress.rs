//! A progress bar in the terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Wraps an iterator with a progress bar on standard error: position, rate and time. It shows
/// nothing if standard error is not a terminal.
///
/// ```
/// use lanthorn::data::progress;
/// let steps = progress(0..3);
/// let bar = steps.bar();
/// for step in steps {
///     bar.set_message(format!("loss {step}"));
/// }
/// ```
pub fn progress<I: IntoIterator>(items: I) -> Progress<I::IntoIter> {
    let items = items.into_iter();
    let template = match items.size_hint().1 {
        Some(_) => "{bar:40} {pos}/{len}, {per_sec}, {eta} left {msg}",
        None => "{spinner} {pos}, {per_sec} {msg}",
    };
    let bar = items.size_hint().1.map_or_else(ProgressBar::new_spinner, |len| ProgressBar::new(len as u64));
    // The templates are valid. An invalid one falls back to the default style, because a progress
    // bar should not fail.
    let bar = bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    Progress { items, bar }
}

/// See [`progress`].
pub struct Progress<I> {
    items: I,
    bar: ProgressBar,
}

impl<I> Progress<I> {
    /// Returns the bar, which can show a message.
    pub fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }
}

impl<I: Iterator> Iterator for Progress<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next();
        match item {
            Some(_) => self.bar.inc(1),
            None => self.bar.finish(),
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I> Drop for Progress<I> {
    fn drop(&mut self) {
        if !self.bar.is_finished() {
            self.bar.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_pass_through_and_are_counted() {
        let steps = progress(vec!["a", "b"]);
        let bar = steps.bar();
        assert_eq!(bar.length(), Some(2));
        assert_eq!(steps.collect::<Vec<_>>(), ["a", "b"]);
        assert!(bar.is_finished());
        assert_eq!(bar.position(), 2);
        let endless = progress(std::iter::repeat(1));
        assert_eq!(endless.bar().length(), None);
    }
}
