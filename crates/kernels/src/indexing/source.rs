//! How a kernel reads an operand: an element of the buffer in bounds, and a fixed value out of
//! bounds.

use super::{Lanes, cursor::Cursor, term::Step};
use crate::{
    Builder,
    buffer::{Buffer, Element},
};
use lanthorn_ir::{
    DType,
    kernel::{BoundedIndex, Operand},
};
use std::fmt::Write;

/// An operand whose numbers are kernel arguments.
pub(super) struct Source {
    pub(super) element: Element,
    pub(super) offset: Option<String>,
    pub(super) bounded: Vec<Bounds>,
    /// The value of an out-of-bounds read: a 32-bit word in WGSL, a value in CUDA.
    outside: Option<String>,
    pub(super) lanes: Lanes,
    /// The distances between the four elements of a step, for each function.
    pub(super) lane_steps: Vec<Step>,
}

/// A bounded index whose numbers are kernel arguments.
pub(super) struct Bounds {
    pub(super) start: String,
    divisor: Divisor,
    /// The first coordinate past the last element.
    limit: String,
    stride: Step,
}

/// Which coordinates of a bounded index are elements. The strides of most convolutions are powers
/// of two, and a division costs as much as the rest of a load.
enum Divisor {
    One,
    PowerOfTwo { mask: String, shift: String },
    Any(String),
}

impl Divisor {
    fn new(divisor: usize, builder: &mut Builder) -> Divisor {
        match divisor {
            1 => Divisor::One,
            power if power.is_power_of_two() => {
                let (mask, shift) = (builder.count(power - 1), builder.count(power.trailing_zeros() as usize));
                Divisor::PowerOfTwo { mask, shift }
            }
            other => Divisor::Any(builder.count(other)),
        }
    }

    /// The condition that a coordinate is a multiple, and the quotient.
    fn divide(&self, coordinate: &str) -> Option<[String; 2]> {
        match self {
            Divisor::One => None,
            Divisor::PowerOfTwo { mask, shift } => {
                Some([format!("(({coordinate} & {mask}) == 0u)"), format!("{coordinate} >> {shift}")])
            }
            Divisor::Any(divisor) => {
                Some([format!("({coordinate} % {divisor} == 0u)"), format!("{coordinate} / {divisor}")])
            }
        }
    }
}

impl Bounds {
    fn new(bounds: &BoundedIndex, builder: &mut Builder) -> Bounds {
        Bounds {
            start: builder.stride(bounds.start),
            divisor: Divisor::new(bounds.divisor, builder),
            // As unsigned numbers, negative coordinates are larger than every limit.
            limit: builder.count((bounds.size * bounds.divisor).min(i32::MAX as usize)),
            stride: Step::new(bounds.stride, builder),
        }
    }
}

impl Source {
    pub(super) fn new(
        operand: &Operand,
        moved: bool,
        lanes: Lanes,
        lane_steps: Vec<Step>,
        builder: &mut Builder,
    ) -> Source {
        let offset = operand.layout.offset();
        let language = builder.language;
        let outside = |builder: &mut Builder| match language.is_cuda() {
            true => builder.constant(operand.outside),
            // Only float64 does not fit in a word, and binding a buffer of float64 returns an
            // error.
            false => builder.argument(operand.outside.to_word().unwrap_or(0)),
        };
        Source {
            element: Element { language, encoding: operand.encoding, moved },
            offset: (offset != 0).then(|| builder.count(offset)),
            bounded: operand.bounded.iter().map(|bounds| Bounds::new(bounds, builder)).collect(),
            outside: (!operand.is_strided()).then(|| outside(builder)),
            lanes,
            lane_steps,
        }
    }
}

/// The offset of an element, and the conditions under which it is in bounds.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) terms: Vec<String>,
    inside: Vec<String>,
}

impl Address {
    /// The strided part of the offset.
    pub(super) fn at(cursor: &Cursor) -> Address {
        Address { terms: cursor.0[0].clone(), inside: Vec::new() }
    }

    /// The condition that the element is in bounds.
    pub(super) fn condition(&self) -> String {
        self.inside.join(" & ")
    }

    /// The address with its offset and condition computed, with names that start with `name`.
    pub(super) fn bind(self, name: &str, text: &mut String) -> Address {
        // Writing to a String does not fail.
        let _ = writeln!(text, "let {name}_offset = {};", Cursor::sum(&self.terms));
        let mut inside = Vec::new();
        if !self.inside.is_empty() {
            let _ = writeln!(text, "let {name}_inside = {};", self.inside.join(" & "));
            inside.push(format!("{name}_inside"));
        }
        Address { terms: vec![format!("{name}_offset")], inside }
    }
}

impl Source {
    /// The address with the terms and conditions of some bounded indices added. The cursor has
    /// their coordinates.
    pub(super) fn enter(
        &self,
        mut address: Address,
        cursor: &Cursor,
        bounded: &[usize],
        name: &str,
        text: &mut String,
    ) -> Address {
        for &at in bounded {
            let bounds = &self.bounded[at];
            let mut along = format!("{name}_w{at}");
            let _ = writeln!(text, "let {along} = {};", Cursor::sum(&cursor.0[at + 1]));
            address.inside.push(format!("({along} < {})", bounds.limit));
            if let Some([is_multiple, quotient]) = bounds.divisor.divide(&along) {
                address.inside.push(is_multiple);
                let _ = writeln!(text, "let {along}q = {quotient};");
                along.push('q');
            }
            address.terms.extend(bounds.stride.times(&along));
        }
        address
    }

    /// The element at an address as a value, or the value outside of the bounds. `select` compares
    /// the bits of floats, because the value outside may be an infinity.
    pub(super) fn read(&self, buffer: &Buffer, address: &Address, builder: &mut Builder) -> String {
        let element = buffer.at(&Cursor::sum(&address.terms));
        let Some(outside) = &self.outside else { return self.element.value(&element) };
        let inside = address.condition();
        if self.element.language.is_cuda() {
            // Outside of the bounds nothing is read.
            return format!("({inside} ? {} : {outside})", self.element.value(&element));
        }
        let chosen = match self.element.encoding.dtype() {
            DType::F16 | DType::BF16 | DType::F32 => {
                builder.functions.insert("select_bits".to_string());
                return format!("select_bits({}, {outside}, !({inside}))", self.element.value(&element));
            }
            DType::I32 => format!("select(bitcast<i32>({outside}), {element}, {inside})"),
            DType::Bool | DType::U8 | DType::I64 | DType::F64 => format!("select({outside}, {element}, {inside})"),
        };
        self.element.value(&chosen)
    }
}
