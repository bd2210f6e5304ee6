//! The syntax of expressions.

use super::class::Class;
use crate::{Error, Result};
use std::iter::Peekable;
use std::str::CharIndices;

/// The deepest nesting of groups.
const DEPTH_LIMIT: usize = 100;

/// Oniguruma's word characters, unlike `regex-syntax`'s without joiners.
const WORD: &str = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}";

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Char(char),
    /// The number of a class.
    Class(usize),
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        kind: RepeatKind,
    },
    Look {
        node: Box<Node>,
        behind: bool,
        negative: bool,
    },
    Atomic(Box<Node>),
    Assert(Assertion),
}

/// How a repetition backtracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatKind {
    Greedy,
    Lazy,
    Possessive,
}

/// A condition on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    /// The end, or before a line feed at the end.
    LastLineEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

/// An expression and its classes.
pub(super) struct Parsed {
    pub(super) node: Node,
    /// Class 0 has the word characters.
    pub(super) classes: Vec<Class>,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
}

struct Parser<'a> {
    source: &'a str,
    rest: Peekable<CharIndices<'a>>,
    classes: Vec<(String, bool)>,
    compiled: Vec<Class>,
    depth: usize,
}

/// Reads an expression.
pub(super) fn parse(source: &str) -> Result<Parsed> {
    let mut parser =
        Parser { source, rest: source.char_indices().peekable(), classes: Vec::new(), compiled: Vec::new(), depth: 0 };
    parser.class(&format!("[{WORD}]"), false)?;
    let node = parser.alternatives(&mut Flags::default())?;
    match parser.rest.next() {
        None => Ok(Parsed { node, classes: parser.compiled }),
        Some((at, character)) => Err(Error::malformed(format!("unmatched {character} at byte {at}"))),
    }
}

impl Parser<'_> {
    fn class(&mut self, source: &str, ignore_case: bool) -> Result<Node> {
        let key = (source.to_string(), ignore_case);
        if let Some(known) = self.classes.iter().position(|known| *known == key) {
            return Ok(Node::Class(known));
        }
        self.compiled.push(Class::parse(source, ignore_case)?);
        self.classes.push(key);
        Ok(Node::Class(self.classes.len() - 1))
    }

    fn eat(&mut self, expected: char) -> bool {
        self.rest.next_if(|(_, character)| *character == expected).is_some()
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, character)| *character)
    }

    fn next(&mut self, within: &str) -> Result<char> {
        self.rest
            .next()
            .map(|(_, character)| character)
            .ok_or_else(|| Error::malformed(format!("the end, within {within}")))
    }

    fn offset(&mut self) -> usize {
        self.rest.peek().map_or(self.source.len(), |(at, _)| *at)
    }

    fn alternatives(&mut self, flags: &mut Flags) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(Error::malformed("groups lie more than 100 deep in one another"));
        }
        let mut all = vec![self.concat(flags)?];
        while self.eat('|') {
            all.push(self.concat(flags)?);
        }
        self.depth -= 1;
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Node::Alternatives(all) })
    }

    fn concat(&mut self, flags: &mut Flags) -> Result<Node> {
        let mut all = Vec::new();
        while let Some(character) = self.peek() {
            if matches!(character, '|' | ')') {
                break;
            }
            if let Some(node) = self.atom(flags)? {
                all.push(self.parse_repetition(node)?);
            }
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Node::Concat(all) })
    }

    fn parse_repetition(&mut self, mut node: Node) -> Result<Node> {
        loop {
            let (min, max, is_interval) = match self.peek() {
                Some('*') => (0, None, false),
                Some('+') => (1, None, false),
                Some('?') => (0, Some(1), false),
                Some('{') => match self.interval() {
                    Some((min, max)) => (min, max, true),
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            if !is_interval {
                self.rest.next();
            }
            if max.is_some_and(|max| max < min) {
                return Err(Error::malformed(format!("a repeat of at least {min} and at most {max:?}")));
            }
            let kind = match (self.eat('?'), is_interval) {
                (true, _) => RepeatKind::Lazy,
                // `a{2}+` repeats the interval.
                (false, false) if self.eat('+') => RepeatKind::Possessive,
                _ => RepeatKind::Greedy,
            };
            node = Node::Repeat { node: Box::new(node), min, max, kind };
        }
    }

    /// `{2}`, `{2,}`, `{,3}` or `{2,3}`; anything else is text.
    fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.offset();
        let body = self.source.get(start + 1..)?;
        let body = body.get(..body.find('}')?)?;
        let number = |text: &str| text.parse::<u32>().ok();
        let bounds = match body.split_once(',') {
            None => number(body).map(|count| (count, Some(count))),
            Some(("", max)) => Some((0, Some(number(max)?))),
            Some((min, "")) => Some((number(min)?, None)),
            Some((min, max)) => Some((number(min)?, Some(number(max)?))),
        }?;
        while self.rest.next_if(|(at, _)| *at < start + body.len() + 2).is_some() {}
        Some(bounds)
    }

    fn atom(&mut self, flags: &mut Flags) -> Result<Option<Node>> {
        let start = self.offset();
        let character = self.next("an expression")?;
        Ok(Some(match character {
            '(' => return self.group(flags),
            '[' => {
                let source = self.bracket(start)?;
                self.class(&source, flags.ignore_case)?
            }
            '\\' => self.escape(flags)?,
            '.' => self.class(if flags.dot_all { "(?s:.)" } else { "." }, false)?,
            '^' => Node::Assert(Assertion::LineStart),
            '$' => Node::Assert(Assertion::LineEnd),
            '*' | '+' | '?' => return Err(Error::malformed(format!("nothing to repeat before {character}"))),
            _ => self.literal(character, flags)?,
        }))
    }

    fn literal(&mut self, character: char, flags: &Flags) -> Result<Node> {
        if flags.ignore_case && character.is_alphabetic() {
            return self.class(&format!("[{character}]"), true);
        }
        Ok(Node::Char(character))
    }

    fn group(&mut self, flags: &mut Flags) -> Result<Option<Node>> {
        if !self.eat('?') {
            return self.inner(*flags).map(Some);
        }
        let look = |node, behind, negative| Node::Look { node: Box::new(node), behind, negative };
        Ok(Some(match self.next("a group")? {
            ':' => self.inner(*flags)?,
            '>' => Node::Atomic(Box::new(self.inner(*flags)?)),
            '=' => look(self.inner(*flags)?, false, false),
            '!' => look(self.inner(*flags)?, false, true),
            '<' if self.eat('=') => look(self.inner(*flags)?, true, false),
            '<' if self.eat('!') => look(self.inner(*flags)?, true, true),
            'P' if self.eat('<') => self.parse_named_group(*flags)?,
            '<' => self.parse_named_group(*flags)?,
            '#' => {
                while self.next("a comment")? != ')' {}
                return Ok(None);
            }
            first => return self.parse_flags(first, flags),
        }))
    }

    fn parse_named_group(&mut self, flags: Flags) -> Result<Node> {
        while self.next("the name of a group")? != '>' {}
        self.inner(flags)
    }

    /// `(?i)`, for the rest of the group, or `(?i:…)`.
    fn parse_flags(&mut self, first: char, flags: &mut Flags) -> Result<Option<Node>> {
        let (mut given, mut value, mut character) = (*flags, true, first);
        loop {
            match character {
                '-' => value = false,
                'i' => given.ignore_case = value,
                'm' | 's' => given.dot_all = value,
                ':' => return self.inner(given).map(Some),
                ')' => {
                    *flags = given;
                    return Ok(None);
                }
                _ => return Err(Error::unsupported(format!("the group (?{character}"))),
            }
            character = self.next("a group")?;
        }
    }

    fn inner(&mut self, mut flags: Flags) -> Result<Node> {
        let node = self.alternatives(&mut flags)?;
        if self.eat(')') { Ok(node) } else { Err(Error::malformed("a group without an end")) }
    }

    fn escape(&mut self, flags: &Flags) -> Result<Node> {
        let character = self.next("an escape")?;
        Ok(match character {
            'A' => Node::Assert(Assertion::TextStart),
            'z' => Node::Assert(Assertion::TextEnd),
            'Z' => Node::Assert(Assertion::LastLineEnd),
            'b' => Node::Assert(Assertion::WordBoundary),
            'B' => Node::Assert(Assertion::NoWordBoundary),
            's' | 'S' | 'd' | 'D' => self.class(&format!(r"\{character}"), false)?,
            'w' => Node::Class(0),
            'W' => self.class(&format!("[^{WORD}]"), false)?,
            'h' => self.class("[0-9a-fA-F]", false)?,
            'H' => self.class("[^0-9a-fA-F]", false)?,
            'p' | 'P' => {
                let property = self.property(character)?;
                self.class(&property, flags.ignore_case)?
            }
            '0'..='9' | 'k' | 'g' => return Err(Error::unsupported(format!(r"the back-reference \{character}"))),
            'G' | 'K' | 'R' | 'X' | 'O' | 'N' | 'y' | 'Y' => return Err(Error::unsupported(format!(r"\{character}"))),
            'x' | 'u' => self.code(character, flags)?,
            _ => self.literal(control(character), flags)?,
        })
    }

    /// `\x41`, `\x{1F600}` or `\u0041`.
    fn code(&mut self, kind: char, flags: &Flags) -> Result<Node> {
        let mut digits = String::new();
        if self.eat('{') {
            while !self.eat('}') {
                digits.push(self.next("a code point")?);
            }
        } else {
            for _ in 0..if kind == 'x' { 2 } else { 4 } {
                digits.push(self.next("a code point")?);
            }
        }
        let character = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        let character = character.ok_or_else(|| Error::malformed(format!(r"\{kind}{digits} is no character")))?;
        self.literal(character, flags)
    }

    /// `\p{L}`, `\p{^L}` or `\pL`, as `regex-syntax` has it.
    fn property(&mut self, kind: char) -> Result<String> {
        let mut name = String::new();
        if !self.eat('{') {
            return Ok(format!(r"\{kind}{}", self.next("a property")?));
        }
        let negated = self.eat('^');
        while !self.eat('}') {
            name.push(self.next("a property")?);
        }
        let kind = if negated == (kind == 'P') { 'p' } else { 'P' };
        Ok(format!(r"\{kind}{{{name}}}"))
    }

    /// A class in brackets, as `regex-syntax` has it; the first bracket was read.
    fn bracket(&mut self, start: usize) -> Result<String> {
        let (mut class, mut depth) = ("[".to_string(), 1);
        self.after_bracket(&mut class);
        while depth > 0 {
            match self.rest.next() {
                None => return Err(Error::malformed(format!("a class without an end, from byte {start}"))),
                Some((_, '\\')) => match self.next("a class")? {
                    'w' => class.push_str(WORD),
                    'h' => class.push_str("0-9a-fA-F"),
                    'p' => class.push_str(&self.property('p')?),
                    'P' => class.push_str(&self.property('P')?),
                    other => class.extend(['\\', other]),
                },
                Some((_, '[')) => {
                    class.push('[');
                    depth += 1;
                    if self.peek() != Some(':') {
                        self.after_bracket(&mut class);
                    }
                }
                Some((_, ']')) => {
                    class.push(']');
                    depth -= 1;
                }
                // Operators of `regex-syntax` only.
                Some((_, character @ ('~' | '-'))) if self.peek() == Some(character) => class.extend(['\\', character]),
                Some((_, character)) => class.push(character),
            }
        }
        Ok(class)
    }

    /// A negation, and a bracket that is the first member.
    fn after_bracket(&mut self, class: &mut String) {
        if self.eat('^') {
            class.push('^');
        }
        if self.eat(']') {
            class.push_str(r"\]");
        }
    }
}

fn control(escaped: char) -> char {
    match escaped {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'a' => '\u{7}',
        'e' => '\u{1b}',
        other => other,
    }
}
