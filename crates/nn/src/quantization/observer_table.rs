//! The table of observers, from which other languages print their classes.
//!
//! An observer of another language has the arguments of its constructor and, as buffers, the ends
//! of the numbers so far: [`ObserverRule`] computes with them. A histogram is a row of numbers on
//! the host. Rejected: objects of the core with handles, which a module of another language would
//! have to copy, save and free.

use super::{QRange, QScheme};
use crate::table::documentation;
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Error, Result, Scalar,
    ops::{Arg, Args},
};

/// The declaration of an observer.
pub struct ObserverSpec {
    /// The observer's name.
    pub name: &'static str,
    /// The constructor as a schema; it returns `Observer`.
    pub text: &'static str,
    /// One sentence; present with the feature `reference`.
    pub doc: &'static str,
    /// The documentation of the last argument, if it is not one of all observers; present with the
    /// feature `reference`.
    pub own_doc: &'static str,
    /// The computation, from the bound arguments of the constructor.
    kind: fn(&Args<'_>) -> Kind,
}

/// The documentation of the arguments of all observers.
pub const OPTION_DOCS: [&str; 3] = [
    "Affine, with a zero point, or symmetric.",
    "The smallest integer; null is 0 for affine schemes, and -128 for symmetric ones.",
    "The largest integer; null is 255 for affine schemes, and 127 for symmetric ones.",
];

/// The way in which an observer combines the numbers of several tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The widest range.
    Widest,
    /// The moving average of ranges, with this part of a new one.
    Average(f64),
    /// The widest range of each index of a dimension.
    Channels(i64),
    /// Counts in this number of bins.
    Histogram(usize),
}

/// The constructor's schema: the arguments of all observers, and its own.
macro_rules! constructor {
    ($name:literal, $kind:literal $(, $own:literal)?) => {
        concat!(
            $name, "(*, str{", $kind, "_affine|", $kind, "_symmetric} qscheme=\"", $kind, "_affine\", ",
            "int? quant_min=None, int? quant_max=None", $(", ", $own,)? ") -> Observer"
        )
    };
}

/// The observers, in the order of their numbers.
pub static OBSERVERS: &[ObserverSpec] = &[
    ObserverSpec {
        name: "MinMaxObserver",
        text: constructor!("MinMaxObserver", "per_tensor"),
        doc: documentation(
            "The smallest and the largest number of all tensors, as `torch.ao.quantization.MinMaxObserver`.",
        ),
        own_doc: "",
        kind: |_| Kind::Widest,
    },
    ObserverSpec {
        name: "MovingAverageMinMaxObserver",
        text: constructor!("MovingAverageMinMaxObserver", "per_tensor", "float averaging_constant=0.01"),
        doc: documentation(
            "Moving averages of the smallest and the largest number, as
`torch.ao.quantization.MovingAverageMinMaxObserver`.",
        ),
        own_doc: documentation("The part of a new range in the average, above 0 and at most 1."),
        kind: |args| Kind::Average(args.float(3)),
    },
    ObserverSpec {
        name: "PerChannelMinMaxObserver",
        text: constructor!("PerChannelMinMaxObserver", "per_channel", "int ch_axis=0"),
        doc: documentation(
            "The smallest and the largest number of each channel, as
`torch.ao.quantization.PerChannelMinMaxObserver`.",
        ),
        own_doc: documentation("The dimension of channels."),
        kind: |args| Kind::Channels(args.int(3)),
    },
    ObserverSpec {
        name: "HistogramObserver",
        text: constructor!("HistogramObserver", "per_tensor", "int bins=2048"),
        doc: documentation(
            "A histogram of all numbers, from which the range with the smallest squared error is chosen,
as `torch.ao.quantization.HistogramObserver`. Its parameters are awaited.",
        ),
        own_doc: documentation("The number of bins."),
        kind: |args| Kind::Histogram(usize::try_from(args.int(3)).unwrap_or_default()),
    },
];

impl ObserverSpec {
    /// The constructor's schema.
    pub fn schema(&self) -> Schema {
        // The table's test parses every schema.
        Schema::parse(self.text).expect("an observer's schema parses")
    }
}

/// The computation of an observer, without the range that it has noted.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::quantization::{OBSERVERS, ObserverRule};
/// use lanthorn::Tensor;
/// let number = OBSERVERS.iter().position(|spec| spec.name == "MinMaxObserver").unwrap_or_default();
/// let rule = ObserverRule::new(number, &[])?;
/// let first = rule.observe(None, &Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?)?;
/// let [low, high] = rule.observe(Some(&first), &Tensor::from_slice(&[-1.0f32], [1], &device)?)?;
/// assert_eq!(pollster::block_on(low.item())?, -1.0);
/// assert_eq!(pollster::block_on(high.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ObserverRule {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) scheme: QScheme,
    pub(super) range: QRange,
}

impl ObserverRule {
    /// The rule of the observer with this number, for arguments of its constructor.
    ///
    /// # Errors
    ///
    /// `argument` if the table has no such number, or the arguments do not fit.
    pub fn new(number: usize, args: &[Arg]) -> Result<ObserverRule> {
        ObserverRule::bind(number, args).map(|(rule, _)| rule)
    }

    /// The arguments of a constructor, in the order of its schema and with all defaults filled in.
    ///
    /// # Errors
    ///
    /// The errors of [`ObserverRule::new`].
    pub fn options(number: usize, args: &[Arg]) -> Result<Vec<Arg>> {
        let (rule, mut bound) = ObserverRule::bind(number, args)?;
        for (index, value) in [(1, rule.range.min), (2, rule.range.max)] {
            bound[index] = Arg::Scalar(Scalar::Int(value));
        }
        Ok(bound)
    }

    fn bind(number: usize, args: &[Arg]) -> Result<(ObserverRule, Vec<Arg>)> {
        let missing = || Error::argument("observer", format!("there is no observer number {number}"));
        let spec = OBSERVERS.get(number).ok_or_else(missing)?;
        let (name, schema) = (spec.name, spec.schema());
        let bound = Args::bind(&schema, args)?;
        let (scheme, offset) =
            if bound.str(0).ends_with("symmetric") { (QScheme::Symmetric, 128) } else { (QScheme::Affine, 0) };
        let [min, max] = [(1, -offset), (2, 255 - offset)].map(|(at, own)| bound.optional_int(at).unwrap_or(own));
        let range = QRange { min, max };
        range.check(name)?;
        let kind = (spec.kind)(&bound);
        kind.check(name)?;
        Ok((ObserverRule { name, kind, scheme, range }, bound.to_vec()))
    }
}

impl Kind {
    pub(super) fn check(self, name: &'static str) -> Result<()> {
        match self {
            Kind::Average(part) if !(part > 0.0 && part <= 1.0) => {
                let message = format!("averaging_constant is {part}, and has to be above 0 and at most 1");
                Err(Error::argument(name, message))
            }
            Kind::Histogram(0) => Err(Error::argument(name, "bins has to be at least 1")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_follow_from_the_scheme() {
        for (number, spec) in OBSERVERS.iter().enumerate() {
            let schema = spec.schema();
            assert_eq!((schema.to_string().as_str(), schema.name.as_str()), (spec.text, spec.name));
            assert!(!spec.doc.is_empty() && spec.own_doc.is_empty() == (number == 0), "{}", spec.name);
            let kind = if number == 2 { "per_channel" } else { "per_tensor" };
            for (scheme, range) in [("affine", QRange::UINT8), ("symmetric", QRange::INT8)] {
                let args = [Arg::Str(format!("{kind}_{scheme}"))];
                let rule = ObserverRule::new(number, &args).unwrap();
                assert_eq!((rule.name, rule.range), (spec.name, range));
                let options = ObserverRule::options(number, &args).unwrap();
                assert!(matches!(options[1], Arg::Scalar(Scalar::Int(min)) if min == range.min));
                assert!(matches!(options[2], Arg::Scalar(Scalar::Int(max)) if max == range.max));
            }
        }
    }

    #[test]
    fn arguments_without_a_meaning_are_refused() {
        let int = |value: i64| Arg::Scalar(Scalar::Int(value));
        let refused = |number: usize, args: &[Arg], text: &str| {
            let error = ObserverRule::new(number, args).unwrap_err();
            assert!(error.is_argument() && error.to_string().contains(text), "{error}");
        };
        refused(0, &[Arg::Str("per_channel_affine".into())], "qscheme");
        refused(0, &[Arg::Missing, int(3), int(3)], "quant_min and quant_max");
        refused(
            1,
            &[Arg::Missing, Arg::Missing, Arg::Missing, Arg::Scalar(Scalar::Float(1.5))],
            "averaging_constant is 1.5",
        );
        refused(3, &[Arg::Missing, Arg::Missing, Arg::Missing, int(0)], "bins");
        refused(3, &[Arg::Missing, Arg::Missing, Arg::Missing, int(-4)], "bins");
        refused(4, &[], "no observer number 4");
    }
}
