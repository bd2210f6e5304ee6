//! The JSON of a `.pt2` archive, as far as a program needs it.

use serde::Deserialize;
use std::collections::BTreeMap;

macro_rules! records {
    ($($(#[$attr:meta])* $name:ident { $($(#[$field_attr:meta])* $field:ident: $ty:ty,)* })*) => { $(
        #[derive(Deserialize)]
        $(#[$attr])*
        pub(super) struct $name {
            $($(#[$field_attr])* pub $field: $ty,)*
        }
    )* };
}

macro_rules! unions {
    ($($name:ident { $($variant:ident($ty:ty),)* })*) => { $(
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(clippy::enum_variant_names, reason = "the names of the format")]
        pub(super) enum $name {
            $($variant($ty),)*
        }
    )* };
}

records! {
    Model {
        graph_module: GraphModule,
        schema_version: Version,
        #[serde(default)]
        range_constraints: BTreeMap<String, RangeConstraint>,
    }
    Version { major: i64, minor: i64, }
    RangeConstraint { min_val: Option<f64>, max_val: Option<f64>, }
    GraphModule {
        graph: Graph,
        signature: Signature,
        #[serde(default)]
        module_call_graph: Vec<ModuleCall>,
        #[serde(default)]
        treespec_namedtuple_fields: BTreeMap<String, NamedTuple>,
    }
    NamedTuple { field_names: Vec<String>, }
    ModuleCall { fqn: String, signature: Option<ModuleSignature>, }
    ModuleSignature {
        in_spec: String,
        out_spec: String,
        #[serde(default)]
        forward_arg_names: Option<Vec<String>>,
    }
    Signature { input_specs: Vec<InputSpec>, output_specs: Vec<OutputSpec>, }
    Graph {
        inputs: Vec<Argument>,
        outputs: Vec<Argument>,
        nodes: Vec<Node>,
        #[serde(default)]
        tensor_values: BTreeMap<String, TensorMeta>,
    }
    Node {
        target: String,
        inputs: Vec<NamedArgument>,
        outputs: Vec<Argument>,
    }
    NamedArgument {
        name: String,
        arg: Argument,
        #[serde(default)]
        kind: Option<i64>,
    }
    Name { name: String, }
    GraphArgument { graph: Graph, }
    Device { #[serde(rename = "type")] ty: String, index: Option<i64>, }
    TensorMeta {
        dtype: i64,
        sizes: Vec<SymInt>,
        #[serde(default)]
        requires_grad: bool,
        strides: Vec<SymInt>,
        storage_offset: SymInt,
        layout: i64,
    }
    SymExpr { expr_str: String, }
    StateInput {
        #[serde(alias = "parameter_name", alias = "buffer_name", alias = "tensor_constant_name", alias = "custom_obj_name")]
        state: String,
        #[serde(default)]
        persistent: Option<bool>,
    }
    UserInput { arg: Argument, }
    ConstantInput { value: Argument, }
    Mutation {
        #[serde(alias = "buffer_name", alias = "user_input_name", alias = "parameter_name")]
        target: String,
    }
    PayloadConfig { config: BTreeMap<String, Payload>, }
    Payload {
        path_name: String,
        #[serde(default)]
        use_pickle: bool,
        tensor_meta: Option<TensorMeta>,
    }
}

unions! {
    Argument {
        AsNone(serde::de::IgnoredAny),
        AsTensor(Name),
        AsTensors(Vec<Name>),
        AsInt(i64),
        AsInts(Vec<i64>),
        AsFloat(Float),
        AsFloats(Vec<Float>),
        AsString(String),
        AsStrings(Vec<String>),
        AsSymInt(SymArgument),
        AsSymInts(Vec<SymArgument>),
        AsScalarType(i64),
        AsMemoryFormat(i64),
        AsLayout(i64),
        AsDevice(Device),
        AsBool(bool),
        AsBools(Vec<bool>),
        AsSymBool(SymArgument),
        AsSymBools(Vec<SymArgument>),
        AsGraph(GraphArgument),
        AsOptionalTensors(Vec<OptionalTensor>),
        AsCustomObj(Name),
        AsOperator(String),
        AsSymFloat(SymArgument),
        AsSymFloats(Vec<SymArgument>),
        AsOptionalTensor(OptionalTensor),
        AsComplex(serde::de::IgnoredAny),
        AsNestedTensors(Vec<Vec<Name>>),
        AsIntLists(Vec<Vec<i64>>),
        AsStringToArgument(BTreeMap<String, Argument>),
        AsFloatLists(Vec<Vec<Float>>),
    }
    OptionalTensor { AsTensor(Name), AsNone(serde::de::IgnoredAny), }
    SymArgument { AsName(String), AsInt(i64), AsFloat(Float), AsBool(bool), }
    SymInt { AsInt(i64), AsExpr(SymExpr), }
    InputSpec {
        UserInput(UserInput),
        Parameter(StateInput),
        Buffer(StateInput),
        TensorConstant(StateInput),
        CustomObj(serde::de::IgnoredAny),
        Token(serde::de::IgnoredAny),
        ConstantInput(ConstantInput),
    }
    OutputSpec {
        UserOutput(serde::de::IgnoredAny),
        LossOutput(serde::de::IgnoredAny),
        BufferMutation(Mutation),
        GradientToParameter(serde::de::IgnoredAny),
        GradientToUserInput(serde::de::IgnoredAny),
        UserInputMutation(Mutation),
        Token(serde::de::IgnoredAny),
        ParameterMutation(Mutation),
    }
}

/// A float, which the format writes as text where JSON has no number.
pub(super) struct Float(pub f64);

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Float, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(Float(value)),
            Written::Text(text) => match text.as_str() {
                "Infinity" | "inf" => Ok(Float(f64::INFINITY)),
                "-Infinity" | "-inf" => Ok(Float(f64::NEG_INFINITY)),
                "NaN" | "nan" => Ok(Float(f64::NAN)),
                _ => Err(serde::de::Error::custom("a number is expected")),
            },
        }
    }
}
