//! The JSON of a `.pt2` archive, without entries that a program does not need.

use crate::{
    Error, Result,
    graph::{ModuleStack, parse_stack},
    json::Json,
};
use rustc_hash::FxHashMap;

/// A type that is read from JSON.
pub(super) trait Read: Sized {
    fn read(json: &Json) -> Result<Self>;
}

fn type_error<T>(what: &str) -> Result<T> {
    Err(Error::malformed(format!("{what} is expected")))
}

/// Adds the position in the JSON to an error.
#[cold]
fn within(key: &str, error: Error) -> Error {
    match error {
        Error::Malformed(message) => Error::malformed(format!("{key}: {message}")),
        error => error,
    }
}

/// Reads the entry of a record under the first of the keys that it has.
fn field<T: Read>(json: &Json, keys: &[&str]) -> Result<T> {
    let found = keys.iter().find_map(|key| json.get(key));
    T::read(found.unwrap_or(&Json::Null)).map_err(|error| within(keys[0], error))
}

macro_rules! records {
    ($($name:ident { $($(#[$($mark:tt)*])? $field:ident: $ty:ty,)* })*) => { $(
        pub(super) struct $name {
            $(pub $field: $ty,)*
        }

        impl Read for $name {
            fn read(json: &Json) -> Result<Self> {
                Ok($name { $($field: record_field!(json, $field, $($($mark)*)?),)* })
            }
        }
    )* };
}

/// Reads a field of a record: required, with a default, or under one of several keys.
macro_rules! record_field {
    ($json:ident, $field:ident,) => {
        field($json, &[stringify!($field)])?
    };
    ($json:ident, $field:ident, default) => {
        field::<Option<_>>($json, &[stringify!($field)])?.unwrap_or_default()
    };
    ($json:ident, $field:ident, key $($key:literal)*) => {
        field($json, &[$($key),*])?
    };
}

/// The metadata of a node.
#[derive(Default)]
pub(super) struct Metadata {
    /// The modules that it was called in.
    pub nn_module_stack: ModuleStack,
}

/// Invalid metadata are no error, since a program runs without them.
impl Read for Metadata {
    fn read(json: &Json) -> Result<Metadata> {
        let stack = json.get("nn_module_stack").and_then(Json::as_str);
        Ok(Metadata { nn_module_stack: stack.map(parse_stack).unwrap_or_default() })
    }
}

macro_rules! unions {
    ($($name:ident { $($key:literal => $variant:ident($ty:ty),)* })*) => { $(
        #[allow(clippy::enum_variant_names, reason = "the names of the format")]
        pub(super) enum $name {
            $($variant($ty),)*
        }

        impl Read for $name {
            fn read(json: &Json) -> Result<Self> {
                let Some([(key, value)]) = json.as_object() else { return type_error("an object of one entry") };
                let read = match key.as_str() {
                    $($key => Read::read(value).map($name::$variant),)*
                    _ => type_error("another key"),
                };
                read.map_err(|error| within(key, error))
            }
        }
    )* };
}

records! {
    Model {
        graph_module: GraphModule,
        schema_version: Version,
        #[default]
        range_constraints: Entries<RangeConstraint>,
    }
    Version { major: i64, minor: i64, }
    RangeConstraint { min_val: Option<f64>, max_val: Option<f64>, }
    GraphModule {
        graph: Graph,
        signature: Signature,
        #[default]
        module_call_graph: Vec<ModuleCall>,
        #[default]
        treespec_namedtuple_fields: Entries<NamedTuple>,
    }
    NamedTuple { field_names: Vec<String>, }
    ModuleCall { fqn: String, signature: Option<ModuleSignature>, }
    ModuleSignature {
        in_spec: String,
        out_spec: String,
        forward_arg_names: Option<Vec<String>>,
    }
    Signature { input_specs: Vec<InputSpec>, output_specs: Vec<OutputSpec>, }
    Graph {
        inputs: Vec<Argument>,
        outputs: Vec<Argument>,
        nodes: Vec<Node>,
        #[default]
        tensor_values: Entries<TensorMeta>,
        #[default]
        sym_int_values: Entries<SymInt>,
        #[default]
        sym_float_values: Entries<SymFloat>,
        #[default]
        sym_bool_values: Entries<SymBool>,
    }
    Node {
        target: String,
        inputs: Vec<NamedArgument>,
        outputs: Vec<Argument>,
        #[default]
        metadata: Metadata,
    }
    NamedArgument {
        name: String,
        arg: Argument,
        kind: Option<i64>,
    }
    Name { name: String, }
    GraphArgument { graph: Graph, }
    Device { #[key "type"] ty: String, index: Option<i64>, }
    TensorMeta {
        dtype: i64,
        sizes: Vec<SymInt>,
        #[default]
        requires_grad: bool,
        strides: Vec<SymInt>,
        storage_offset: SymInt,
        layout: i64,
    }
    SymExpr { expr_str: String, hint: Option<Hint>, }
    StateInput {
        #[key "parameter_name" "buffer_name" "tensor_constant_name" "custom_obj_name"]
        state: String,
        persistent: Option<bool>,
    }
    UserInput { arg: Argument, }
    ConstantInput { value: Argument, }
    Mutation {
        #[key "buffer_name" "user_input_name" "parameter_name"]
        target: String,
    }
    PayloadConfig { config: Entries<Payload>, }
    Payload {
        path_name: String,
        #[default]
        use_pickle: bool,
        tensor_meta: Option<TensorMeta>,
    }
}

unions! {
    Argument {
        "as_none" => AsNone(()),
        "as_tensor" => AsTensor(Name),
        "as_tensors" => AsTensors(Vec<Name>),
        "as_int" => AsInt(i64),
        "as_ints" => AsInts(Vec<i64>),
        "as_float" => AsFloat(Float),
        "as_floats" => AsFloats(Vec<Float>),
        "as_string" => AsString(String),
        "as_strings" => AsStrings(Vec<String>),
        "as_sym_int" => AsSymInt(SymArgument),
        "as_sym_ints" => AsSymInts(Vec<SymArgument>),
        "as_scalar_type" => AsScalarType(i64),
        "as_memory_format" => AsMemoryFormat(i64),
        "as_layout" => AsLayout(i64),
        "as_device" => AsDevice(Device),
        "as_bool" => AsBool(bool),
        "as_bools" => AsBools(Vec<bool>),
        "as_sym_bool" => AsSymBool(SymArgument),
        "as_sym_bools" => AsSymBools(Vec<SymArgument>),
        "as_graph" => AsGraph(Box<GraphArgument>),
        "as_optional_tensors" => AsOptionalTensors(Vec<OptionalTensor>),
        "as_custom_obj" => AsCustomObj(Name),
        "as_operator" => AsOperator(String),
        "as_sym_float" => AsSymFloat(SymArgument),
        "as_sym_floats" => AsSymFloats(Vec<SymArgument>),
        "as_optional_tensor" => AsOptionalTensor(OptionalTensor),
        "as_complex" => AsComplex(()),
        "as_nested_tensors" => AsNestedTensors(Vec<Vec<Name>>),
        "as_int_lists" => AsIntLists(Vec<Vec<i64>>),
        "as_string_to_argument" => AsStringToArgument(Entries<Argument>),
        "as_float_lists" => AsFloatLists(Vec<Vec<Float>>),
    }
    OptionalTensor { "as_tensor" => AsTensor(Name), "as_none" => AsNone(()), }
    SymArgument { "as_name" => AsName(String), "as_int" => AsInt(i64), "as_float" => AsFloat(Float), "as_bool" => AsBool(bool), }
    SymInt { "as_int" => AsInt(i64), "as_expr" => AsExpr(SymExpr), }
    SymFloat { "as_float" => AsFloat(Float), "as_expr" => AsExpr(SymExpr), }
    SymBool { "as_bool" => AsBool(bool), "as_expr" => AsExpr(SymExpr), }
    Hint { "as_int" => AsInt(i64), "as_float" => AsFloat(Float), "as_bool" => AsBool(()), }
    InputSpec {
        "user_input" => UserInput(UserInput),
        "parameter" => Parameter(StateInput),
        "buffer" => Buffer(StateInput),
        "tensor_constant" => TensorConstant(StateInput),
        "custom_obj" => CustomObj(()),
        "token" => Token(()),
        "constant_input" => ConstantInput(ConstantInput),
    }
    OutputSpec {
        "user_output" => UserOutput(()),
        "loss_output" => LossOutput(()),
        "buffer_mutation" => BufferMutation(Mutation),
        "gradient_to_parameter" => GradientToParameter(()),
        "gradient_to_user_input" => GradientToUserInput(()),
        "user_input_mutation" => UserInputMutation(Mutation),
        "token" => Token(()),
        "parameter_mutation" => ParameterMutation(Mutation),
    }
}

/// A float, which the format writes as text if JSON lacks the number.
pub(super) struct Float(pub f64);

impl Read for Float {
    fn read(json: &Json) -> Result<Float> {
        Ok(Float(match json.as_str() {
            None => f64::read(json)?,
            Some("Infinity" | "inf") => f64::INFINITY,
            Some("-Infinity" | "-inf") => f64::NEG_INFINITY,
            Some("NaN" | "nan") => f64::NAN,
            Some(_) => return type_error("a number"),
        }))
    }
}

/// Any value, which is ignored.
impl Read for () {
    fn read(_: &Json) -> Result<()> {
        Ok(())
    }
}

impl Read for bool {
    fn read(json: &Json) -> Result<bool> {
        if let Json::Bool(value) = json { Ok(*value) } else { type_error("true or false") }
    }
}

impl Read for i64 {
    fn read(json: &Json) -> Result<i64> {
        if let Json::Int(value) = json { Ok(*value) } else { type_error("an integer") }
    }
}

impl Read for f64 {
    fn read(json: &Json) -> Result<f64> {
        match json {
            Json::Int(value) => Ok(*value as f64),
            Json::Float(value) => Ok(*value),
            _ => type_error("a number"),
        }
    }
}

impl Read for String {
    fn read(json: &Json) -> Result<String> {
        if let Json::Str(text) = json { Ok(text.clone()) } else { type_error("a string") }
    }
}

impl<T: Read> Read for Option<T> {
    fn read(json: &Json) -> Result<Option<T>> {
        if *json == Json::Null { Ok(None) } else { T::read(json).map(Some) }
    }
}

impl<T: Read> Read for Box<T> {
    fn read(json: &Json) -> Result<Box<T>> {
        T::read(json).map(Box::new)
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(json: &Json) -> Result<Vec<T>> {
        let Json::Array(items) = json else { return type_error("an array") };
        let mut read = Vec::new();
        for item in items {
            read.push(T::read(item)?);
        }
        Ok(read)
    }
}

/// The entries of an object. A map for each type of value would be a third of this module's code.
pub(super) struct Entries<T> {
    entries: Vec<(String, T)>,
    indices: FxHashMap<String, usize>,
}

impl<T> Default for Entries<T> {
    fn default() -> Entries<T> {
        Entries { entries: Vec::new(), indices: FxHashMap::default() }
    }
}

impl<T> Entries<T> {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.entries.get(*self.indices.get(key)?).map(|(_, value)| value)
    }

    /// Iterates over keys and values in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, T)> {
        self.entries.iter()
    }
}

impl<T: Read> Read for Entries<T> {
    fn read(json: &Json) -> Result<Entries<T>> {
        let Json::Object(entries) = json else { return type_error("an object") };
        let mut read = Entries::default();
        for (key, value) in entries {
            read.indices.insert(key.clone(), read.entries.len());
            read.entries.push((key.clone(), T::read(value).map_err(|error| within(key, error))?));
        }
        Ok(read)
    }
}
