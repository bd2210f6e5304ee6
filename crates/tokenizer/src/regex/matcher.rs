//! Runs programs, with a stack of the choices that are left.

use super::class::Class;
use super::compile::{Instruction, Widths};
use super::parse::{Assertion, RepeatKind};
use std::ops::Range;

/// The maximum number of steps of a search, and the additional steps for each byte of the text.
const STEP_LIMIT: u64 = 5_000_000;
const STEPS_PER_BYTE: u64 = 1000;

/// The search took too long.
pub(super) struct TooLong;

type Found<T> = Result<T, TooLong>;

pub(super) struct Matcher<'a> {
    program: &'a [Instruction],
    classes: &'a [Class],
    text: &'a str,
    /// The steps that are left.
    steps: u64,
}

/// A choice that is left.
enum Choice {
    /// Continue at an instruction, at an offset.
    At(usize, usize),
    /// Drop a character of a greedy repetition, down to the offset.
    Shorter { then: usize, at: usize, down_to: usize },
    /// Match one more character of a lazy repetition, up to `left` times.
    Longer { then: usize, at: usize, class: usize, left: u32 },
}

impl<'a> Matcher<'a> {
    pub(super) fn new(program: &'a [Instruction], classes: &'a [Class], text: &'a str) -> Matcher<'a> {
        let steps = STEP_LIMIT + STEPS_PER_BYTE * text.len() as u64;
        Matcher { program, classes, text, steps }
    }

    /// The first match that begins at the offset or after it.
    pub(super) fn find(&mut self, from: usize) -> Found<Option<Range<usize>>> {
        let mut start = from;
        loop {
            if let Some(end) = self.run(0, start, None)? {
                return Ok(Some(start..end));
            }
            match self.char_at(start) {
                Some(character) => start += character.len_utf8(),
                None => return Ok(None),
            }
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        let bytes = self.text.as_bytes();
        match bytes.get(at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.text.get(at..).and_then(|rest| rest.chars().next()),
            None => None,
        }
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at).and_then(|before| before.chars().next_back())
    }

    /// The end of a match that begins here, of the program from an instruction to its `Done`; only
    /// one that ends at an offset, if there is one.
    fn run(&mut self, start: usize, at: usize, end: Option<usize>) -> Found<Option<usize>> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut state = Some((start, at));
        loop {
            self.count(1)?;
            let Some((pc, at)) = state else {
                match choices.pop() {
                    Some(choice) => state = self.resume(choice, &mut choices),
                    None => return Ok(None),
                }
                continue;
            };
            state = match &self.program[pc] {
                Instruction::Done if end.is_none_or(|end| end == at) => return Ok(Some(at)),
                Instruction::Done => None,
                Instruction::Char(expected) => {
                    self.char_at(at).filter(|found| found == expected).map(|found| (pc + 1, at + found.len_utf8()))
                }
                Instruction::Class(class) => self.step(*class, at).map(|next| (pc + 1, next)),
                Instruction::RepeatClass { class, min, max, kind } => {
                    self.repeat(*class, *min, *max, *kind, (pc + 1, at), &mut choices)
                }
                Instruction::Fork(first, second) => {
                    choices.push(Choice::At(*second, at));
                    Some((*first, at))
                }
                Instruction::Jump(target) => Some((*target, at)),
                Instruction::Assert(assertion) => self.holds(*assertion, at).then_some((pc + 1, at)),
                Instruction::Look { behind, negative, target } => {
                    let found = match behind {
                        None => self.run(pc + 1, at, None)?.is_some(),
                        Some(widths) => self.is_behind(pc + 1, at, *widths)?,
                    };
                    (found != *negative).then_some((*target, at))
                }
                Instruction::Atomic { target } => self.run(pc + 1, at, None)?.map(|end| (*target, end)),
            };
        }
    }

    /// Counts steps.
    fn count(&mut self, steps: u64) -> Found<()> {
        self.steps = self.steps.checked_sub(steps).ok_or(TooLong)?;
        Ok(())
    }

    /// The offset behind a character of a set.
    fn step(&self, class: usize, at: usize) -> Option<usize> {
        self.char_at(at).filter(|found| self.classes[class].contains(*found)).map(|found| at + found.len_utf8())
    }

    fn repeat(
        &mut self,
        class: usize,
        min: u32,
        max: u32,
        kind: RepeatKind,
        (then, start): (usize, usize),
        choices: &mut Vec<Choice>,
    ) -> Option<(usize, usize)> {
        let (mut at, mut count) = (start, 0);
        let mut shortest = (min == 0).then_some(start);
        let wanted = if kind == RepeatKind::Lazy { min } else { max };
        while count < wanted {
            let Some(next) = self.step(class, at) else { break };
            (at, count) = (next, count + 1);
            if count == min {
                shortest = Some(at);
            }
        }
        // A step for each 16 characters, so that long runs count.
        self.steps = self.steps.saturating_sub(u64::from(count / 16));
        let shortest = shortest?;
        match kind {
            RepeatKind::Greedy if at > shortest => choices.push(Choice::Shorter { then, at, down_to: shortest }),
            RepeatKind::Lazy if max > min => choices.push(Choice::Longer { then, at, class, left: max - min }),
            _ => {}
        }
        Some((then, at))
    }

    fn resume(&mut self, choice: Choice, choices: &mut Vec<Choice>) -> Option<(usize, usize)> {
        match choice {
            Choice::At(pc, at) => Some((pc, at)),
            Choice::Shorter { then, at, down_to } => {
                let at = at - self.char_before(at).map_or(0, char::len_utf8);
                if at > down_to {
                    choices.push(Choice::Shorter { then, at, down_to });
                }
                Some((then, at))
            }
            Choice::Longer { then, at, class, left } => {
                let at = self.step(class, at)?;
                if left > 1 {
                    choices.push(Choice::Longer { then, at, class, left: left - 1 });
                }
                Some((then, at))
            }
        }
    }

    /// Whether a match of the program ends here.
    fn is_behind(&mut self, pc: usize, at: usize, widths: Widths) -> Found<bool> {
        let mut start = at;
        for width in 0..=widths.max {
            self.count(1)?;
            if width >= widths.min && self.run(pc, start, Some(at))?.is_some() {
                return Ok(true);
            }
            match self.char_before(start) {
                Some(character) => start -= character.len_utf8(),
                None => break,
            }
        }
        Ok(false)
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let (before, after) = (self.char_before(at), self.char_at(at));
        let is_word = |character: Option<char>| character.is_some_and(|character| self.classes[0].contains(character));
        match assertion {
            Assertion::TextStart => at == 0,
            Assertion::TextEnd => after.is_none(),
            Assertion::LastLineEnd => after.is_none() || &self.text[at..] == "\n",
            Assertion::LineStart => before.is_none_or(|character| character == '\n'),
            Assertion::LineEnd => after.is_none_or(|character| character == '\n'),
            Assertion::WordBoundary => is_word(before) != is_word(after),
            Assertion::NoWordBoundary => is_word(before) == is_word(after),
        }
    }
}
