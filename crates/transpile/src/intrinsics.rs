//! The table of methods of lists, options, numbers and strings.
//!
//! A row is a method of Rust with the type of its result and its text in each printed language. In
//! a text `$0` is the receiver or an argument by its number, and `@0` is the same before a dot or a
//! bracket.

use crate::types::Type;

/// A row of the table.
#[derive(Debug, PartialEq)]
pub struct Intrinsic {
    /// The kind of the receiver, and the method: `list.len`.
    pub name: &'static str,
    /// The number of arguments.
    pub arguments: usize,
    /// The type of the result.
    pub result: Rule,
    /// The text in TypeScript.
    pub typescript: &'static str,
    /// How tightly the text binds, for brackets around it; see [`crate::typescript::Level`].
    pub level: u8,
}

/// How the type of the result follows from the types of the receiver and the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A truth value.
    Bool,
    /// A string.
    Str,
    /// Nothing.
    Unit,
    /// The receiver's.
    Own,
    /// The receiver's elements'.
    Item,
    /// An element's, or none.
    OptionalItem,
    /// A list of the closure's results.
    Mapped,
    /// The elements of the closure's results, which are lists.
    Flattened,
    /// An option of the closure's result.
    MappedOption,
    /// A list of pairs of a number and an element.
    Enumerated,
    /// A list of pairs of elements of two lists.
    Zipped,
    /// The value of an option.
    Value,
    /// The type of the closure's result.
    Returned,
    /// A list of strings.
    Texts,
    /// A list of pairs of a string and an element.
    Entries,
    /// The receiver's type, or none.
    OptionalOwn,
    /// An integer, or none.
    OptionalInt,
    /// A float, or none.
    OptionalFloat,
    /// A truth value, or none.
    OptionalBool,
    /// A string, or none.
    OptionalStr,
    /// A list of values of a JSON file, or none.
    OptionalJsonList,
    /// Values of a JSON file by name, or none.
    OptionalJsonMap,
}

const POSTFIX: u8 = 11;
const ATOM: u8 = 12;

macro_rules! intrinsics {
    ($($name:literal $arguments:literal $result:ident $level:ident $typescript:literal;)*) => {
        /// All rows.
        pub static INTRINSICS: &[Intrinsic] = &[$(Intrinsic {
            name: $name,
            arguments: $arguments,
            result: Rule::$result,
            typescript: $typescript,
            level: $level,
        },)*];
    };
}

const ARGUMENT: u8 = 0;
const ADD: u8 = 8;
const MULTIPLY: u8 = 9;
const COALESCE: u8 = 3;
const CONDITIONAL: u8 = 2;
const EQUAL: u8 = 6;
const UNARY: u8 = 10;

intrinsics! {
    "list.len" 0 Int POSTFIX "@0.length";
    "list.is_empty" 0 Bool EQUAL "@0.length === 0";
    "list.first" 0 OptionalItem POSTFIX "@0[0]";
    "list.last" 0 OptionalItem POSTFIX "@0.at(-1)";
    "list.get" 1 OptionalItem POSTFIX "@0[$1]";
    "list.contains" 1 Bool POSTFIX "@0.includes($1)";
    "list.push" 1 Unit POSTFIX "@0.push($1)";
    "list.insert" 2 Unit POSTFIX "@0.splice($1, 0, $2)";
    "list.pop" 0 OptionalItem POSTFIX "@0.pop()";
    "list.reverse" 0 Unit POSTFIX "@0.reverse()";
    "list.extend" 1 Unit POSTFIX "@0.push(...$1)";
    "list.extend_from_slice" 1 Unit POSTFIX "@0.push(...$1)";
    "list.truncate" 1 Unit POSTFIX "@0.splice($1)";
    "list.concat" 0 Item POSTFIX "@0.flat()";
    "list.join" 1 Str POSTFIX "@0.join($1)";
    "list.map" 1 Mapped POSTFIX "@0.map($1)";
    "list.flat_map" 1 Flattened POSTFIX "@0.flatMap($1)";
    "list.filter" 1 Own POSTFIX "@0.filter($1)";
    "list.any" 1 Bool POSTFIX "@0.some($1)";
    "list.all" 1 Bool POSTFIX "@0.every($1)";
    "list.rev" 0 Own POSTFIX "[...$0].reverse()";
    "list.chain" 1 Own POSTFIX "@0.concat($1)";
    "list.enumerate" 0 Enumerated POSTFIX "@0.map((item, index) => [index, item] as const)";
    "list.zip" 1 Zipped ATOM "zip($0, $1)";
    "list.sum" 0 Item POSTFIX "@0.reduce((sum, item) => sum + item, 0)";
    "list.product" 0 Item POSTFIX "@0.reduce((product, item) => product * item, 1)";
    "list.skip" 1 Own POSTFIX "@0.slice($1)";
    "list.take" 1 Own POSTFIX "@0.slice(0, $1)";
    "list.slice" 2 Own POSTFIX "@0.slice($1, $2)";
    "list.from" 1 Own POSTFIX "@0.slice($1)";
    "list.find" 1 OptionalItem POSTFIX "@0.find($1)";
    "list.position" 1 Int POSTFIX "@0.findIndex($1)";
    "list.fold" 2 Returned POSTFIX "@0.reduce($2, $1)";
    "list.repeat" 1 Own ATOM "Array.from({ length: $1 }, () => $0)";
    "list.to_object" 0 Own ATOM "Object.fromEntries($0)";
    "module.named_parameters" 0 Own ATOM "[...@0.namedParameters()]";
    "option.or" 1 Own COALESCE "@0 ?? $1";
    "option.unwrap_or" 1 Value COALESCE "@0 ?? $1";
    "option.map" 1 MappedOption ATOM "mapValue($0, $1)";
    "option.and_then" 1 Returned ATOM "mapValue($0, $1)";
    "option.unwrap_or_default" 0 Value COALESCE "@0 ?? []";
    "float.ln" 0 Float ATOM "Math.log($0)";
    "float.ln_1p" 0 Float ATOM "Math.log1p($0)";
    "float.log2" 0 Float ATOM "Math.log2($0)";
    "float.log10" 0 Float ATOM "Math.log10($0)";
    "float.exp" 0 Float ATOM "Math.exp($0)";
    "float.exp_m1" 0 Float ATOM "Math.expm1($0)";
    "float.sqrt" 0 Float ATOM "Math.sqrt($0)";
    "float.floor" 0 Float ATOM "Math.floor($0)";
    "float.ceil" 0 Float ATOM "Math.ceil($0)";
    "float.trunc" 0 Float ATOM "Math.trunc($0)";
    "float.fract" 0 Float MULTIPLY "@0 % 1";
    "float.sin" 0 Float ATOM "Math.sin($0)";
    "float.cos" 0 Float ATOM "Math.cos($0)";
    "float.tan" 0 Float ATOM "Math.tan($0)";
    "float.tanh" 0 Float ATOM "Math.tanh($0)";
    "float.atan" 0 Float ATOM "Math.atan($0)";
    "float.powf" 1 Float ATOM "Math.pow($0, $1)";
    "float.powi" 1 Float ATOM "Math.pow($0, $1)";
    "float.recip" 0 Float MULTIPLY "1 / @0";
    "float.rem_euclid" 1 Float ADD "((@0 % @1) + @1) % @1";
    "float.is_nan" 0 Bool ATOM "Number.isNaN($0)";
    "float.is_finite" 0 Bool ATOM "Number.isFinite($0)";
    "number.abs" 0 Own ATOM "Math.abs($0)";
    "number.clamp" 2 Own ATOM "Math.min(Math.max($0, $1), $2)";
    "number.max" 1 Own ATOM "Math.max($0, $1)";
    "number.min" 1 Own ATOM "Math.min($0, $1)";
    "int.divide" 1 Int ATOM "Math.trunc(@0 / @1)";
    "int.range" 0 Texts ATOM "Array.from({ length: $0 }, (_, index) => index)";
    "int.div_ceil" 1 Int ATOM "Math.ceil(@0 / @1)";
    "int.rem_euclid" 1 Int ADD "((@0 % @1) + @1) % @1";
    "int.pow" 1 Int ATOM "Math.pow($0, $1)";
    "int.saturating_sub" 1 Int ATOM "Math.max($0 - @1, 0)";
    "float.to_int" 0 Int ATOM "Math.trunc($0)";
    "bool.to_int" 0 Int ATOM "Number($0)";
    "number.to_text" 0 Str ATOM "String($0)";
    "str.len" 0 Int POSTFIX "@0.length";
    "str.is_empty" 0 Bool EQUAL "@0 === ''";
    "str.starts_with" 1 Bool POSTFIX "@0.startsWith($1)";
    "str.ends_with" 1 Bool POSTFIX "@0.endsWith($1)";
    "str.contains" 1 Bool POSTFIX "@0.includes($1)";
    "str.strip_prefix" 1 OptionalOwn CONDITIONAL "@0.startsWith($1) ? @0.slice(@1.length) : undefined";
    "str.strip_suffix" 1 OptionalOwn CONDITIONAL "@0.endsWith($1) ? @0.slice(0, -@1.length) : undefined";
    "str.split" 1 Texts POSTFIX "@0.split($1)";
    "str.chars" 0 Texts ATOM "[...$0]";
    "str.is_ascii_digit" 0 Bool POSTFIX "'0123456789'.includes($0)";
    "map.new" 0 Unit ATOM "{}";
    "map.get" 1 OptionalItem ATOM "getOwn($0, $1)";
    "map.contains_key" 1 Bool ATOM "Object.hasOwn($0, $1)";
    "map.insert" 2 Unit ARGUMENT "@0[$1] = $2";
    "map.keys" 0 Texts POSTFIX "Object.keys($0).sort()";
    "map.iter" 0 Entries ATOM "sortedEntries($0)";
    "json.is_null" 0 Bool EQUAL "@0 === null";
    "json.is_number" 0 Bool EQUAL "typeof @0 === 'number'";
    "json.as_f64" 0 OptionalFloat ATOM "asNumber($0)";
    "json.as_i64" 0 OptionalInt ATOM "asInteger($0)";
    "json.as_str" 0 OptionalStr ATOM "asText($0)";
    "json.as_bool" 0 OptionalBool ATOM "asFlag($0)";
    "json.as_array" 0 OptionalJsonList ATOM "asList($0)";
    "json.as_object" 0 OptionalJsonMap ATOM "asObject($0)";
    "json.to_string" 0 Str ATOM "JSON.stringify($0)";
    "option.or_null" 0 Own COALESCE "@0 ?? null";
    "bool.then" 1 MappedOption CONDITIONAL "@0 ? ($1)() : undefined";
    "bool.not" 0 Bool UNARY "!@0";
}

/// The row of a method for a receiver of a type.
pub fn find(receiver: &Type, method: &str, arguments: usize) -> Option<&'static Intrinsic> {
    let kinds: &[&str] = match receiver {
        Type::List(_) | Type::Tuple(_) => &["list"],
        Type::Optional(_) => &["option"],
        Type::Float => &["float", "number"],
        Type::Int => &["int", "number"],
        Type::Bool => &["bool"],
        Type::Str => &["str"],
        Type::Map(_) => &["map"],
        Type::Json => &["json"],
        _ => &[],
    };
    let is_it = |row: &&Intrinsic| {
        let (kind, name) = row.name.split_once('.').unwrap_or_default();
        kinds.contains(&kind) && name == method && row.arguments == arguments
    };
    INTRINSICS.iter().find(is_it)
}

/// The row of a full name, which is in the table.
pub fn by_name(name: &str) -> &'static Intrinsic {
    let found = INTRINSICS.iter().find(|row| row.name == name);
    found.expect("the name is a literal of this crate")
}

/// Whether the result is a list that nothing else refers to.
pub fn is_fresh(row: &Intrinsic) -> bool {
    !["list.first", "list.last", "list.get", "list.pop", "map.get", "option.unwrap_or"].contains(&row.name)
}
