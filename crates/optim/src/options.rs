//! Options: plain Rust structs for callers and rules, and dynamic data by name for JavaScript,
//! checkpoints and schedules.
//!
//! Data is converted to a struct once, when an optimizer or a schedule is made or an option
//! changes; a step reads the struct. Rejected: storing the data, which every step of every group
//! had to check and convert again.

use lanthorn_schema::{Default as Value, Param, ParamType};
use lanthorn_tensor::{Error, HostNumber, Result, Scalar, SymFloat, ops::Arg};

/// A type of options.
pub(crate) trait Setting: Sized {
    /// Its type in schemas.
    const TYPE: ParamType;
    /// The accepted values, in words.
    const TAKES: &'static str;
    /// The accepted strings, if the values are a closed set.
    const CHOICES: &'static [&'static str] = &[];

    /// The option as data.
    fn to_arg(&self) -> Arg;

    /// The placeholder for an option without a default, which checks refuse.
    fn missing() -> Self;

    /// The option from data of the schema's type; `None` if there are too many or too few numbers.
    fn of_arg(arg: &Arg) -> Option<Self>;

    /// The option as a rule computes with it.
    type Symbolic;

    /// The option with the next of a group's numbers instead of its own number.
    fn symbolic(&self, numbers: &mut std::slice::Iter<'_, HostNumber>) -> Self::Symbolic;
}

/// The next of a group's numbers.
fn number(numbers: &mut std::slice::Iter<'_, HostNumber>) -> SymFloat {
    // A group has a number for each number of its options.
    numbers.next().map_or(f64::NAN.into(), HostNumber::get)
}

/// The members of an option without numbers.
macro_rules! constant {
    () => {
        type Symbolic = Self;
        fn symbolic(&self, _: &mut std::slice::Iter<'_, HostNumber>) -> Self {
            self.clone()
        }
    };
}

impl Setting for f64 {
    type Symbolic = SymFloat;
    fn symbolic(&self, numbers: &mut std::slice::Iter<'_, HostNumber>) -> SymFloat {
        number(numbers)
    }

    const TYPE: ParamType = ParamType::Float;
    const TAKES: &'static str = "a number";

    fn missing() -> Self {
        f64::NAN
    }

    fn to_arg(&self) -> Arg {
        Arg::Scalar(Scalar::Float(*self))
    }

    fn of_arg(arg: &Arg) -> Option<f64> {
        if let Arg::Scalar(scalar) = arg { Some(scalar.to_f64()) } else { None }
    }
}

impl Setting for bool {
    constant!();

    const TYPE: ParamType = ParamType::Bool;
    const TAKES: &'static str = "true or false";

    fn missing() -> Self {
        false
    }

    fn to_arg(&self) -> Arg {
        Arg::Scalar(Scalar::Bool(*self))
    }

    fn of_arg(arg: &Arg) -> Option<bool> {
        if let Arg::Scalar(Scalar::Bool(value)) = arg { Some(*value) } else { None }
    }
}

impl Setting for i64 {
    constant!();

    const TYPE: ParamType = ParamType::Int;
    const TAKES: &'static str = "a whole number";

    fn missing() -> Self {
        0
    }

    fn to_arg(&self) -> Arg {
        Arg::Scalar(Scalar::Int(*self))
    }

    fn of_arg(arg: &Arg) -> Option<i64> {
        // JavaScript has one kind of number.
        f64::of_arg(arg).filter(|value| value.fract() == 0.0).map(|value| value as i64)
    }
}

impl Setting for Option<i64> {
    constant!();

    const TYPE: ParamType = ParamType::OptionalInt;
    const TAKES: &'static str = "a whole number or nothing";

    fn missing() -> Self {
        None
    }

    fn to_arg(&self) -> Arg {
        self.as_ref().map_or(Arg::Missing, i64::to_arg)
    }

    fn of_arg(arg: &Arg) -> Option<Option<i64>> {
        if let Arg::Missing = arg { Some(None) } else { i64::of_arg(arg).map(Some) }
    }
}

fn numbers(arg: &Arg) -> Option<&[f64]> {
    if let Arg::Floats(values) = arg { Some(values) } else { None }
}

impl Setting for (f64, f64) {
    type Symbolic = (SymFloat, SymFloat);
    fn symbolic(&self, numbers: &mut std::slice::Iter<'_, HostNumber>) -> Self::Symbolic {
        (number(numbers), number(numbers))
    }

    const TYPE: ParamType = ParamType::Floats;
    const TAKES: &'static str = "two numbers";

    fn missing() -> Self {
        (f64::NAN, f64::NAN)
    }

    fn to_arg(&self) -> Arg {
        Arg::Floats(vec![self.0, self.1])
    }

    fn of_arg(arg: &Arg) -> Option<(f64, f64)> {
        if let [a, b] = *numbers(arg)? { Some((a, b)) } else { None }
    }
}

impl Setting for (f64, f64, f64) {
    type Symbolic = (SymFloat, SymFloat, SymFloat);
    fn symbolic(&self, numbers: &mut std::slice::Iter<'_, HostNumber>) -> Self::Symbolic {
        (number(numbers), number(numbers), number(numbers))
    }

    const TYPE: ParamType = ParamType::Floats;
    const TAKES: &'static str = "three numbers";

    fn missing() -> Self {
        (f64::NAN, f64::NAN, f64::NAN)
    }

    fn to_arg(&self) -> Arg {
        Arg::Floats(vec![self.0, self.1, self.2])
    }

    fn of_arg(arg: &Arg) -> Option<(f64, f64, f64)> {
        if let [a, b, c] = *numbers(arg)? { Some((a, b, c)) } else { None }
    }
}

impl Setting for (Option<f64>, f64) {
    type Symbolic = (Option<SymFloat>, SymFloat);
    fn symbolic(&self, numbers: &mut std::slice::Iter<'_, HostNumber>) -> Self::Symbolic {
        let first = number(numbers);
        (self.0.map(|_| first), number(numbers))
    }

    const TYPE: ParamType = ParamType::PartialFloats;
    const TAKES: &'static str = "a number or nothing, and a number";

    fn missing() -> Self {
        (None, f64::NAN)
    }

    fn to_arg(&self) -> Arg {
        Arg::Floats(vec![self.0.unwrap_or(f64::NAN), self.1])
    }

    fn of_arg(arg: &Arg) -> Option<(Option<f64>, f64)> {
        if let [a, b] = *numbers(arg)? { Some(((!a.is_nan()).then_some(a), b)) } else { None }
    }
}

impl Setting for Vec<f64> {
    constant!();

    const TYPE: ParamType = ParamType::Floats;
    const TAKES: &'static str = "a list of numbers";

    fn missing() -> Self {
        vec![]
    }

    fn to_arg(&self) -> Arg {
        Arg::Floats(self.clone())
    }

    fn of_arg(arg: &Arg) -> Option<Vec<f64>> {
        numbers(arg).map(<[f64]>::to_vec)
    }
}

impl Setting for Vec<i64> {
    constant!();

    const TYPE: ParamType = ParamType::Ints;
    const TAKES: &'static str = "a list of whole numbers";

    fn missing() -> Self {
        vec![]
    }

    fn to_arg(&self) -> Arg {
        Arg::Ints(self.clone())
    }

    fn of_arg(arg: &Arg) -> Option<Vec<i64>> {
        if let Arg::Ints(values) = arg { Some(values.clone()) } else { None }
    }
}

/// An option with a closed set of values, which data writes as strings.
pub(crate) trait Choice: Copy + 'static {
    /// The values, each with its string.
    const VALUES: &'static [(&'static str, Self)];
    /// The strings.
    const NAMES: &'static [&'static str];
    /// The strings, in words.
    const WORDS: &'static str;

    fn name(self) -> &'static str;
}

impl<T: Choice> Setting for T {
    constant!();

    const TYPE: ParamType = ParamType::Str;
    const TAKES: &'static str = T::WORDS;
    const CHOICES: &'static [&'static str] = T::NAMES;

    fn missing() -> Self {
        T::VALUES[0].1
    }

    fn to_arg(&self) -> Arg {
        Arg::Str(self.name().into())
    }

    fn of_arg(arg: &Arg) -> Option<T> {
        let Arg::Str(text) = arg else { return None };
        T::VALUES.iter().find(|(name, _)| name == text).map(|&(_, value)| value)
    }
}

impl<T: Choice> Setting for Option<T> {
    constant!();

    const TYPE: ParamType = ParamType::OptionalStr;
    const TAKES: &'static str = T::WORDS;
    const CHOICES: &'static [&'static str] = T::NAMES;

    fn missing() -> Self {
        None
    }

    fn to_arg(&self) -> Arg {
        self.as_ref().map_or(Arg::Missing, T::to_arg)
    }

    fn of_arg(arg: &Arg) -> Option<Option<T>> {
        if let Arg::Missing = arg { Some(None) } else { T::of_arg(arg).map(Some) }
    }
}

/// Declares an option with a closed set of values.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $name:ident {
            $(#[doc = $first_doc:literal])* $first:ident = $first_text:literal,
            $($(#[doc = $variant_doc:literal])* $variant:ident = $text:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $first_doc])*
            $first,
            $($(#[doc = $variant_doc])* $variant,)*
        }

        impl $crate::options::Choice for $name {
            const VALUES: &'static [(&'static str, $name)] =
                &[($first_text, $name::$first), $(($text, $name::$variant),)*];
            const NAMES: &'static [&'static str] = &[$first_text, $($text,)*];
            const WORDS: &'static str = concat!("\"", $first_text, "\"", $(" or \"", $text, "\"",)*);

            fn name(self) -> &'static str {
                match self {
                    $name::$first => $first_text,
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}
pub(crate) use choice;

/// The declaration of one option.
pub(crate) struct Field {
    pub name: &'static str,
    ty: ParamType,
    /// The accepted values, in words.
    takes: &'static str,
    choices: &'static [&'static str],
    fits: fn(&Arg) -> bool,
    /// Whether it is required.
    required: bool,
}

impl Field {
    pub const fn new<T: Setting>(name: &'static str, required: bool) -> Field {
        Field {
            name,
            ty: T::TYPE,
            takes: T::TAKES,
            choices: T::CHOICES,
            fits: |arg| T::of_arg(arg).is_some(),
            required,
        }
    }

    /// Refuses data of another type.
    pub fn check(&self, op: &str, arg: &Arg) -> Result<()> {
        if (self.fits)(arg) { Ok(()) } else { Err(refuse(op, self.name, self.takes)) }
    }
}

/// The options of an optimizer, or of a schedule. Code common to all options works on
/// [`Options::FIELDS`] and exists once.
pub(crate) trait Options: Default + 'static {
    /// The options in the order of the constructor.
    const FIELDS: &'static [Field];

    /// The options as data, in that order.
    fn to_args(&self) -> Vec<Arg>;

    /// The options from valid data.
    fn of_fitting(args: &[Arg]) -> Self;

    /// The parameters of the constructor after the tensors, with the defaults of the Rust struct.
    fn params() -> Vec<Param> {
        parameters(Self::FIELDS, Self::default().to_args())
    }

    /// The options from data of the schema's types.
    fn of_args(op: &str, args: &[Arg]) -> Result<Self> {
        check(op, Self::FIELDS, args)?;
        Ok(Self::of_fitting(args))
    }
}

/// In PyTorch `maximize` and the options after it are keyword-only; here too.
fn parameters(fields: &[Field], defaults: Vec<Arg>) -> Vec<Param> {
    let first = fields.iter().position(|field| field.name == "maximize").unwrap_or(fields.len());
    let params = fields.iter().zip(defaults).enumerate().map(|(index, (field, default))| Param {
        default: if field.required { None } else { Some(as_default(default)) },
        keyword_only: index >= first,
        name: field.name.to_string(),
        ty: field.ty,
        choices: field.choices.iter().map(ToString::to_string).collect(),
    });
    params.collect()
}

fn check(op: &str, fields: &[Field], args: &[Arg]) -> Result<()> {
    fields.iter().enumerate().try_for_each(|(index, field)| field.check(op, args.get(index).unwrap_or(&Arg::Missing)))
}

fn refuse(op: &str, name: &str, takes: &str) -> Error {
    Error::argument(op, format!("the argument {name} takes {takes}"))
}

/// A default in the form of a schema.
fn as_default(arg: Arg) -> Value {
    match arg {
        Arg::Scalar(Scalar::Bool(value)) => Value::Bool(value),
        Arg::Scalar(Scalar::Int(value)) => Value::Int(value),
        Arg::Scalar(Scalar::Float(value)) if value.fract() == 0.0 && value.abs() < 1e6 => Value::Int(value as i64),
        Arg::Scalar(Scalar::Float(value)) => Value::Float(value),
        Arg::Floats(values) => Value::Floats(values),
        Arg::Str(text) => Value::Str(text),
        _ => Value::None,
    }
}

/// A parameter of a constructor.
pub(crate) fn param<T: Setting>(name: &str, default: &T) -> Param {
    Param {
        name: name.to_string(),
        ty: T::TYPE,
        choices: vec![],
        default: Some(as_default(default.to_arg())),
        keyword_only: false,
    }
}

/// An option from data.
pub(crate) fn read<T: Setting>(op: &str, name: &str, arg: &Arg) -> Result<T> {
    T::of_arg(arg).ok_or_else(|| refuse(op, name, T::TAKES))
}

/// The next option of valid data.
pub(crate) fn next<T: Setting>(args: &mut std::slice::Iter<'_, Arg>) -> T {
    T::of_arg(args.next().unwrap_or(&Arg::Missing)).unwrap_or_else(T::missing)
}

/// Implements [`Options`] for the fields of a struct; a field without a default is required.
macro_rules! options {
    ($name:ident { $($field:ident: $ty:ty $(= $default:expr)?,)* }) => {
        impl $crate::options::Options for $name {
            const FIELDS: &'static [$crate::options::Field] = &[
                $($crate::options::Field::new::<$ty>(stringify!($field), $crate::options::options!(@required $($default)?)),)*
            ];

            fn to_args(&self) -> Vec<lanthorn_tensor::ops::Arg> {
                vec![$($crate::options::Setting::to_arg(&self.$field),)*]
            }

            fn of_fitting(args: &[lanthorn_tensor::ops::Arg]) -> $name {
                let args = &mut args.iter();
                $name { $($field: $crate::options::next(args),)* }
            }
        }
    };
    (@required $default:expr) => { false };
    (@required) => { true };
}
pub(crate) use options;

/// Declares an optimizer: its options, its type, and its row in the table.
macro_rules! optimizer {
    (
        $(#[doc = $doc:literal])*
        $text:literal as $name:ident, row $row:ident, check $check:expr, $kind:ident $run:expr;
        $options:ident as $values:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $ty:ty = $default:expr,)*
        }
    ) => {
        #[doc = concat!("The options of [`", stringify!($name), "`], by PyTorch's names.")]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $options {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl Default for $options {
            fn default() -> $options {
                $options { $($field: $default,)* }
            }
        }

        $crate::options::options!($options { $($field: $ty = $default,)* });

        /// The options as a step computes with them. Not every rule uses all of them.
        #[allow(dead_code)]
        struct $values {
            $($field: <$ty as $crate::options::Setting>::Symbolic,)*
        }

        $(#[doc = $doc])*
        pub struct $name(());

        impl $name {
            /// An optimizer of these parameters: at least one, all of them different leaves.
            ///
            /// # Errors
            ///
            /// `argument` for no parameters, one that is there twice or is no leaf, or an option
            /// out of range.
            // PyTorch's name for the constructor; all constructors make the same type.
            #[allow(clippy::new_ret_no_self)]
            pub fn new(
                parameters: Vec<lanthorn_tensor::Tensor>,
                options: $options,
            ) -> lanthorn_tensor::Result<$crate::Optimizer> {
                let group = $crate::ParameterGroup { parameters, options: vec![] };
                $name::of_groups(vec![group], options)
            }

            /// An optimizer of groups of parameters, each with specific options.
            ///
            /// # Errors
            ///
            /// As `new`.
            pub fn of_groups(
                groups: Vec<$crate::ParameterGroup>,
                options: $options,
            ) -> lanthorn_tensor::Result<$crate::Optimizer> {
                $crate::Optimizer::new(&$row, &$crate::options::Options::to_args(&options), groups)
            }
        }

        pub(crate) static $row: $crate::table::OptimizerSpec = $crate::table::OptimizerSpec {
            name: $text,
            #[cfg(any(test, feature = "reference"))]
            doc: &[$($doc),*],
            #[cfg(any(test, feature = "reference"))]
            option_docs: &[$(concat!($($field_doc,)*)),*],
            params: <$options as $crate::options::Options>::params,
            fields: <$options as $crate::options::Options>::FIELDS,
            check: |args, parameters| {
                let options = <$options as $crate::options::Options>::of_args($text, args)?;
                let check: fn(&$options, &[lanthorn_tensor::Tensor]) -> lanthorn_tensor::Result<()> = $check;
                check(&options, parameters)?;
                Ok(Box::new(options))
            },
            of_fitting: |args| Box::new(<$options as $crate::options::Options>::of_fitting(args)),
            needs_closure: optimizer!(@needs_closure $kind),
        };

        impl $crate::group::GroupOptions for $options {
            fn to_args(&self) -> Vec<lanthorn_tensor::ops::Arg> {
                $crate::options::Options::to_args(self)
            }

            optimizer!(@update $kind $run, $values { $($field),* });
        }
    };
    (@needs_closure update) => { false };
    (@needs_closure closure) => { true };
    (@update update $run:expr, $values:ident { $($field:ident),* }) => {
        fn update(
            &self,
            slots: &mut [$crate::group::Slot],
            numbers: &[lanthorn_tensor::HostNumber],
        ) -> lanthorn_tensor::Result<()> {
            let numbers = &mut numbers.iter();
            let values = $values { $($field: $crate::options::Setting::symbolic(&self.$field, numbers),)* };
            $crate::group::each(slots, |update| $run(&values, update))
        }
    };
    (@update closure $run:expr, $values:ident { $($field:ident),* }) => {};
}
pub(crate) use optimizer;
