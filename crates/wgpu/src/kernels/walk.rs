//! Where operands are read.
//!
//! The place of an element, and the coordinate of each window, are linear functions of the iteration space's coordinates. A kernel cuts the dimensions into
//! groups, each numbered by a linear index of its own (the rows and columns of a product, the kept and the reduced dimensions); the functions fall apart into one term a
//! group, so that each term is computed where its group's index is known and no sooner. Steps of 0 and 1 and offsets of 0 are code; all others are data.
//!
//! The last dimension of one group can be taken four elements at a time: then an operand that is contiguous there is read as vectors.

use super::{Builder, element_type};
use lanthorn_ir::{
    DType, Layout, Result, Shape,
    kernel::{Operand, Window},
};
use std::{fmt::Write, ops::Range};

/// How an operand gives the elements of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// One element.
    One,
    /// Four neighbours, as a vector.
    Vector,
    /// The same element four times.
    Same,
    /// Four elements, each found by itself.
    Apart,
}

impl Lanes {
    /// The type in which a buffer is declared.
    pub(super) fn element(self, dtype: DType) -> Result<String> {
        let element = element_type(dtype)?;
        Ok(if self == Lanes::Vector { format!("vec4<{element}>") } else { element.to_string() })
    }

    /// The elements of a step as one value to store.
    pub(super) fn gather(self, dtype: DType, values: &[String]) -> Result<String> {
        Ok(if self == Lanes::Vector { format!("{}({})", self.element(dtype)?, values.join(", ")) } else { values[0].clone() })
    }
}

/// Operands over an iteration space whose dimensions fall into groups, merged as far as all of them allow.
pub(super) struct Space {
    groups: Vec<Group>,
    operands: Vec<Operand>,
    lanes: Vec<Lanes>,
    /// The group that is taken four elements at a time.
    fours: Option<usize>,
}

struct Group {
    sizes: Vec<usize>,
    /// By operand, then by function: the strided place, then the windows' coordinates.
    steps: Vec<Vec<Vec<isize>>>,
}

/// The functions of an operand, restricted to a range of dimensions.
fn functions(operand: &Operand, range: &Range<usize>) -> Vec<Vec<isize>> {
    let strided = operand.layout.strides()[range.clone()].to_vec();
    std::iter::once(strided).chain(operand.windows.iter().map(|window| window.steps[range.clone()].to_vec())).collect()
}

impl Space {
    /// The operands' shape is that of the groups one after another.
    pub(super) fn new(groups: &[&Shape], operands: Vec<Operand>) -> Space {
        let mut start = 0;
        let cut = |shape: &&Shape| {
            let range = start..start + shape.rank();
            start = range.end;
            let all: Vec<_> = operands.iter().map(|operand| functions(operand, &range)).collect();
            let mut layouts = vec![Layout::contiguous((*shape).clone())];
            layouts.extend(all.iter().flatten().map(|steps| Layout::new((*shape).clone(), steps.iter().copied(), 0)));
            let merged = Layout::coalesce(&layouts.iter().collect::<Vec<_>>());
            let mut rest = merged[1..].iter().map(|layout| layout.strides().to_vec());
            let steps = all.iter().map(|functions| rest.by_ref().take(functions.len()).collect()).collect();
            Group { sizes: merged[0].shape().to_vec(), steps }
        };
        let groups = groups.iter().map(cut).collect();
        let lanes = vec![Lanes::One; operands.len()];
        Space { groups, operands, lanes, fours: None }
    }

    /// Whether an operand is walked in order along a group: by one element for each step of its linear index.
    pub(super) fn is_in_order(&self, operand: usize, group: usize) -> bool {
        let Group { sizes, steps } = &self.groups[group];
        self.operands[operand].is_strided() && scale(sizes, &steps[operand][0]) == Some(1)
    }

    /// Takes the last dimension of a group four elements at a time, if its size allows that: the group's index then counts fours.
    pub(super) fn by_fours(&mut self, group: usize) -> bool {
        if self.groups[group].sizes.last().is_none_or(|size| !size.is_multiple_of(4)) {
            return false;
        }
        for operand in 0..self.operands.len() {
            let last = |steps: &Vec<isize>| steps.last().copied().unwrap_or(0);
            let along: Vec<isize> = self.groups[group].steps[operand].iter().map(last).collect();
            self.lanes[operand] = match along[..] {
                [1] if self.is_aligned(operand, group, true) => Lanes::Vector,
                _ if along.iter().all(|&step| step == 0) => Lanes::Same,
                _ => Lanes::Apart,
            };
            if self.lanes[operand] == Lanes::Vector {
                self.count_in_vectors(operand);
            }
        }
        self.fours = Some(group);
        true
    }

    /// Reads one operand as vectors along a group in which it is walked in order, if it is aligned everywhere else; the place then counts vectors.
    pub(super) fn by_vectors(&mut self, operand: usize, group: usize) -> bool {
        let fits = self.is_in_order(operand, group)
            && self.groups[group].sizes.iter().product::<usize>().is_multiple_of(4)
            && self.is_aligned(operand, group, false);
        if fits {
            self.count_in_vectors(operand);
            // Its own group's steps are no whole vectors: the kernel counts them by fours itself.
            self.groups[group].steps[operand][0].iter_mut().for_each(|step| *step = 0);
            self.lanes[operand] = Lanes::Vector;
        }
        fits
    }

    /// Whether an operand begins at a multiple of four at every index of the other groups and, if that is asked for, wherever the last dimension of its own begins.
    fn is_aligned(&self, operand: usize, group: usize, in_group: bool) -> bool {
        let aligned = |(at, other): (usize, &Group)| {
            let steps = &other.steps[operand][0];
            let counted = match at == group {
                false => steps.len(),
                true if in_group => steps.len().saturating_sub(1),
                true => 0,
            };
            steps[..counted].iter().all(|step| step % 4 == 0)
        };
        let operand = &self.operands[operand];
        operand.is_strided() && operand.layout.offset().is_multiple_of(4) && self.groups.iter().enumerate().all(aligned)
    }

    fn count_in_vectors(&mut self, operand: usize) {
        for group in &mut self.groups {
            group.steps[operand][0].iter_mut().filter(|step| **step != 1).for_each(|step| *step /= 4);
        }
        let layout = &self.operands[operand].layout;
        self.operands[operand].layout = Layout::new(layout.shape().clone(), layout.strides().to_vec(), layout.offset() / 4);
    }

    /// Puts what is data among the builder's words.
    pub(super) fn bind(self, builder: &mut Builder) -> Walk {
        let Space { mut groups, operands, lanes, fours } = self;
        let mut apart = vec![Vec::new(); operands.len()];
        if let Some(group) = fours.map(|at| &mut groups[at])
            && let Some(size) = group.sizes.last_mut()
        {
            *size /= 4;
            for (operand, functions) in group.steps.iter_mut().enumerate().filter(|(operand, _)| lanes[*operand] == Lanes::Apart) {
                for last in functions.iter_mut().filter_map(|steps| steps.last_mut()) {
                    apart[operand].push(Step::new(*last, builder));
                    *last *= 4;
                }
            }
        }
        let bind = |group: Group, builder: &mut Builder| {
            let mut terms = Vec::new();
            for functions in &group.steps {
                terms.push(functions.iter().map(|steps| Term::new(&group.sizes, steps, builder)).collect::<Vec<Term>>());
            }
            let taken_apart = terms.iter().flatten().any(|term| matches!(term, Term::Coordinates(_)));
            let inner = group.sizes.iter().skip(1);
            let sizes = if taken_apart { inner.map(|&size| builder.count(size)).collect() } else { Vec::new() };
            Dimensions { sizes, terms, taken_apart }
        };
        let groups = groups.into_iter().map(|group| bind(group, builder)).collect();
        let sources = operands.iter().zip(lanes).zip(apart);
        let sources = sources.map(|((operand, lanes), apart)| Source::new(operand, lanes, apart, builder)).collect();
        Walk { groups, sources }
    }
}

/// The one number that steps over a group amount to, if they walk it in order: `steps` are those of a contiguous tensor times it.
fn scale(sizes: &[usize], steps: &[isize]) -> Option<isize> {
    let scale = steps.last().copied().unwrap_or(0);
    let mut expected = scale;
    for (&size, &step) in sizes.iter().zip(steps).rev() {
        if step != expected {
            return None;
        }
        expected *= size as isize;
    }
    Some(scale)
}

/// A factor: 0 and 1 are code.
#[derive(Clone)]
enum Step {
    Zero,
    One,
    Word(String),
}

impl Step {
    fn new(step: isize, builder: &mut Builder) -> Step {
        match step {
            0 => Step::Zero,
            1 => Step::One,
            other => Step::Word(builder.stride(other)),
        }
    }

    fn times(&self, factor: &str) -> Option<String> {
        match self {
            Step::Zero => None,
            Step::One => Some(factor.to_string()),
            Step::Word(word) => Some(format!("{factor} * {word}")),
        }
    }
}

/// What a group adds to a function.
enum Term {
    /// A multiple of its linear index.
    Linear(Step),
    /// A multiple of each of its coordinates.
    Coordinates(Vec<Step>),
}

impl Term {
    fn new(sizes: &[usize], steps: &[isize], builder: &mut Builder) -> Term {
        match scale(sizes, steps) {
            Some(scale) => Term::Linear(Step::new(scale, builder)),
            None => Term::Coordinates(steps.iter().map(|&step| Step::new(step, builder)).collect()),
        }
    }
}

struct Dimensions {
    /// All but the outermost, whose size nothing needs.
    sizes: Vec<String>,
    /// By operand and function.
    terms: Vec<Vec<Term>>,
    /// Whether a term is by coordinates.
    taken_apart: bool,
}

struct Source {
    dtype: DType,
    offset: Option<String>,
    windows: Vec<Bounds>,
    /// The word that is read outside of the windows.
    outside: Option<String>,
    lanes: Lanes,
    /// How far apart the four elements of a step lie, by function.
    apart: Vec<Step>,
}

/// A window, its numbers as words.
struct Bounds {
    start: String,
    divisor: Option<String>,
    size: String,
    stride: Step,
}

impl Bounds {
    fn new(window: &Window, builder: &mut Builder) -> Bounds {
        Bounds {
            start: builder.stride(window.start),
            divisor: (window.divisor != 1).then(|| builder.count(window.divisor)),
            size: builder.count(window.size),
            stride: Step::new(window.stride, builder),
        }
    }
}

impl Source {
    fn new(operand: &Operand, lanes: Lanes, apart: Vec<Step>, builder: &mut Builder) -> Source {
        let offset = operand.layout.offset();
        Source {
            dtype: operand.dtype,
            offset: (offset != 0).then(|| builder.count(offset)),
            windows: operand.windows.iter().map(|window| Bounds::new(window, builder)).collect(),
            // Only a float64 has no word, and it is refused where its buffer is bound.
            outside: (!operand.is_strided()).then(|| builder.word(operand.outside.to_word().unwrap_or(0))),
            lanes,
            apart,
        }
    }
}

/// How far the functions of an operand have been added up: the terms of each.
#[derive(Clone)]
pub(super) struct Cursor(Vec<Vec<String>>);

impl Cursor {
    fn sum(terms: &[String]) -> String {
        if terms.is_empty() { "0u".to_string() } else { terms.join(" + ") }
    }

    /// Statements that compute what has come together so far, under names that start with `name`.
    pub(super) fn bind(&mut self, name: &str) -> String {
        let mut text = String::new();
        for (at, terms) in self.0.iter_mut().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            let name = if at == 0 { name.to_string() } else { format!("{name}_t{}", at - 1) };
            // Writing to a String does not fail.
            let _ = writeln!(text, "let {name} = {};", Cursor::sum(terms));
            *terms = vec![name];
        }
        text
    }

    /// The place of an operand without windows.
    pub(super) fn place(&self) -> String {
        Cursor::sum(&self.0[0])
    }

    /// A cursor with one more term in its place.
    pub(super) fn with(&self, term: &str) -> Cursor {
        let mut cursor = self.clone();
        cursor.0[0].push(term.to_string());
        cursor
    }

    /// Both sums together.
    pub(super) fn plus(&self, other: &Cursor) -> Cursor {
        Cursor(self.0.iter().zip(&other.0).map(|(a, b)| [&a[..], &b[..]].concat()).collect())
    }
}

/// A [`Space`] whose numbers have their places among the words.
pub(super) struct Walk {
    groups: Vec<Dimensions>,
    sources: Vec<Source>,
}

impl Walk {
    /// Whether the coordinates of a group are needed, and not its linear index alone.
    pub(super) fn is_taken_apart(&self, group: usize) -> bool {
        self.groups[group].taken_apart
    }

    pub(super) fn lanes(&self, operand: usize) -> Lanes {
        self.sources[operand].lanes
    }

    /// The type of an operand's elements in its buffer, as this walk reads it.
    pub(super) fn element_type(&self, operand: usize) -> Result<String> {
        self.sources[operand].lanes.element(self.sources[operand].dtype)
    }

    /// Statements that take the linear index of a group apart into `{name}0`, `{name}1`, ... if its coordinates are needed.
    pub(super) fn coordinates(&self, group: usize, linear: &str, name: &str) -> String {
        if !self.is_taken_apart(group) {
            return String::new();
        }
        let mut text = format!("var {name}_rest = {linear};\n");
        for (d, size) in self.groups[group].sizes.iter().enumerate().rev() {
            let d = d + 1;
            let _ = writeln!(text, "let {name}{d} = {name}_rest % {size};\n{name}_rest = {name}_rest / {size};");
        }
        let _ = writeln!(text, "let {name}0 = {name}_rest;");
        text
    }

    /// As [`Walk::coordinates`], as variables that [`Walk::next`] moves on.
    pub(super) fn odometer(&self, group: usize, linear: &str, name: &str) -> String {
        let fixed = self.coordinates(group, linear, &format!("{name}_first"));
        if fixed.is_empty() {
            return fixed;
        }
        let variables = (0..=self.groups[group].sizes.len()).map(|d| format!("var {name}{d} = {name}_first{d};\n"));
        variables.fold(fixed, |text, line| text + &line)
    }

    /// Statements that move an odometer to the next index.
    pub(super) fn next(&self, group: usize, name: &str) -> String {
        if !self.is_taken_apart(group) {
            return String::new();
        }
        let sizes = &self.groups[group].sizes;
        let carry = |text: String, (d, size): (usize, &String)| {
            let d = d + 1;
            format!("{name}{d}++;\nif ({name}{d} == {size}) {{\n{name}{d} = 0u;\n{text}}}\n")
        };
        sizes.iter().enumerate().fold(format!("{name}0++;\n"), carry)
    }

    /// The offset and the windows' starts.
    pub(super) fn start(&self, operand: usize) -> Cursor {
        let source = &self.sources[operand];
        let offset = source.offset.iter().cloned().collect();
        Cursor(std::iter::once(offset).chain(source.windows.iter().map(|window| vec![window.start.clone()])).collect())
    }

    /// What a group adds at its linear index, or at its coordinates `{name}0`, `{name}1`, ...
    pub(super) fn term(&self, operand: usize, group: usize, linear: &str, name: &str) -> Cursor {
        let terms = self.groups[group].terms[operand].iter().map(|term| match term {
            Term::Linear(step) => step.times(linear).into_iter().collect(),
            Term::Coordinates(steps) => {
                steps.iter().enumerate().filter_map(|(d, step)| step.times(&format!("{name}{d}"))).collect()
            }
        });
        Cursor(terms.collect())
    }

    /// A cursor moved along a group.
    pub(super) fn advance(&self, cursor: &Cursor, operand: usize, group: usize, linear: &str, name: &str) -> Cursor {
        cursor.plus(&self.term(operand, group, linear, name))
    }

    /// Reads an operand: statements go to `text`, under names that start with `name`. Gives the value of each lane: one, or four.
    pub(super) fn load(
        &self,
        builder: &mut Builder,
        operand: usize,
        buffer: &str,
        cursor: &Cursor,
        name: &str,
        text: &mut String,
    ) -> Vec<String> {
        let source = &self.sources[operand];
        match source.lanes {
            Lanes::One => vec![self.load_one(builder, operand, buffer, cursor, name, text)],
            Lanes::Same => {
                let value = self.load_one(builder, operand, buffer, cursor, name, text);
                let _ = writeln!(text, "let {name} = {value};");
                vec![name.to_string(); 4]
            }
            Lanes::Vector => {
                let _ = writeln!(text, "let {name} = {buffer}[{}];", cursor.place());
                COMPONENTS.map(|lane| value_of(source.dtype, &format!("{name}.{lane}"))).to_vec()
            }
            Lanes::Apart => {
                let mut lane = |lane: usize| {
                    let shifted = self.shifted(operand, cursor, lane);
                    self.load_one(builder, operand, buffer, &shifted, &format!("{name}_{lane}"), text)
                };
                (0..4).map(&mut lane).collect()
            }
        }
    }

    /// A cursor moved to a lane's element.
    fn shifted(&self, operand: usize, cursor: &Cursor, lane: usize) -> Cursor {
        let shift = |step: &Step| if lane == 0 { None } else { step.times(&format!("{lane}u")) };
        let shifts = self.sources[operand].apart.iter().map(|step| shift(step).into_iter().collect());
        cursor.plus(&Cursor(shifts.collect()))
    }

    /// Statements that store the values of a step where an operand's elements lie.
    pub(super) fn store(&self, operand: usize, buffer: &str, cursor: &Cursor, dtype: DType, values: &[String]) -> Result<String> {
        if self.lanes(operand) != Lanes::Apart {
            return Ok(format!("{buffer}[{}] = {};\n", cursor.place(), self.lanes(operand).gather(dtype, values)?));
        }
        let each =
            |(lane, value): (usize, &String)| format!("{buffer}[{}] = {value};\n", self.shifted(operand, cursor, lane).place());
        Ok(values.iter().enumerate().map(each).collect())
    }

    fn load_one(
        &self,
        builder: &mut Builder,
        operand: usize,
        buffer: &str,
        cursor: &Cursor,
        name: &str,
        text: &mut String,
    ) -> String {
        let source = &self.sources[operand];
        let mut terms = cursor.0[0].clone();
        let mut inside = Vec::new();
        for (at, (window, coordinate)) in source.windows.iter().zip(&cursor.0[1..]).enumerate() {
            // Negative coordinates are large numbers here, and so outside.
            let mut along = format!("{name}_w{at}");
            let _ = writeln!(text, "let {along} = {};", Cursor::sum(coordinate));
            if let Some(divisor) = &window.divisor {
                inside.push(format!("({along} % {divisor} == 0u)"));
                let _ = writeln!(text, "let {along}q = {along} / {divisor};");
                along.push('q');
            }
            inside.push(format!("({along} < {})", window.size));
            terms.extend(window.stride.times(&along));
        }
        let element = format!("{buffer}[{}]", Cursor::sum(&terms));
        match &source.outside {
            None => value_of(source.dtype, &element),
            Some(outside) => {
                let inside = inside.join(" & ");
                value_of(source.dtype, &chosen(source.dtype, &element, outside, &inside, builder))
            }
        }
    }
}

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// An element where `inside` holds, else a word. Floats are chosen as bits: the word may be an infinity.
fn chosen(dtype: DType, element: &str, outside: &str, inside: &str, builder: &mut Builder) -> String {
    match dtype {
        DType::F32 => {
            builder.functions.insert("select_bits");
            format!("select_bits({element}, {outside}, !({inside}))")
        }
        DType::I32 => format!("select(bitcast<i32>({outside}), {element}, {inside})"),
        _ => format!("select({outside}, {element}, {inside})"),
    }
}

/// An element of a buffer as a value of its expression type.
pub(super) fn value_of(dtype: DType, element: &str) -> String {
    if dtype == DType::Bool { format!("({element} != 0u)") } else { element.to_string() }
}
