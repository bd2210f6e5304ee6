//! The messages of ONNX files, with the field numbers of `onnx.proto`. Fields that lanthorn does
//! not use are omitted; readers of protocol buffers skip unknown fields.

pub(crate) mod limits;
pub(crate) mod wire;

pub use prost::bytes::Bytes;

use prost::{Enumeration, Message, Oneof};

/// A model: a graph, the operator sets that it is written in, and functions.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The version of the format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The program that wrote the file.
    #[prost(string, optional, tag = "2")]
    pub producer_name: Option<String>,
    /// Its version.
    #[prost(string, optional, tag = "3")]
    pub producer_version: Option<String>,
    /// The computation.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// The versions of the operator sets.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Metadata from the writer.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// Operators that the model defines.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// The version of an operator set.
#[derive(Clone, PartialEq, Message)]
pub struct OperatorSetIdProto {
    /// The domain; empty for `ai.onnx`.
    #[prost(string, optional, tag = "1")]
    pub domain: Option<String>,
    /// The version.
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// A key with a value.
#[derive(Clone, PartialEq, Message)]
pub struct StringStringEntryProto {
    /// The key.
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    /// The value.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// An operator that a model defines by nodes.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionProto {
    /// The operator's name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// The names of its inputs.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// The names of its results.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// The names of the attributes without defaults.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// The computation.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// The versions of the operator sets of its nodes.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The operator's domain.
    #[prost(string, optional, tag = "10")]
    pub domain: Option<String>,
    /// The attributes with defaults.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// Distinguishes functions of the same name.
    #[prost(string, optional, tag = "13")]
    pub overload: Option<String>,
}

/// Nodes in an order in which they can run.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// The nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// The graph's name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// The constants and weights.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Sparse constants.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
    /// The inputs. In old files initializers are among them.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// The results.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Types and sizes of other values.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
}

/// A call of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// The names of the values that it takes; an empty name omits an input.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// The names of the values that it defines; an empty name omits a result.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// The node's name.
    #[prost(string, optional, tag = "3")]
    pub name: Option<String>,
    /// The operator's name.
    #[prost(string, optional, tag = "4")]
    pub op_type: Option<String>,
    /// The attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// The operator's domain; empty for `ai.onnx`.
    #[prost(string, optional, tag = "7")]
    pub domain: Option<String>,
    /// Distinguishes functions of the same name.
    #[prost(string, optional, tag = "8")]
    pub overload: Option<String>,
    /// Metadata from the writer.
    #[prost(message, repeated, tag = "9")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// A named constant of a node.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// The attribute's name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// A float.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A string.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub s: Option<Bytes>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// A graph.
    #[prost(message, optional, tag = "6")]
    pub g: Option<GraphProto>,
    /// Floats.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    /// Strings.
    #[prost(bytes = "bytes", repeated, tag = "9")]
    pub strings: Vec<Bytes>,
    /// Tensors.
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<TensorProto>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// The type of the attribute, which determines the field of its value.
    #[prost(enumeration = "AttributeType", optional, tag = "20")]
    pub r#type: Option<i32>,
    /// A sparse tensor.
    #[prost(message, optional, boxed, tag = "22")]
    pub sparse_tensor: Option<Box<SparseTensorProto>>,
    /// In a function: the attribute of the call that supplies the value.
    #[prost(string, optional, tag = "21")]
    pub ref_attr_name: Option<String>,
}

/// The type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum AttributeType {
    /// No type, as in old files.
    Undefined = 0,
    /// A float.
    Float = 1,
    /// An integer.
    Int = 2,
    /// A string.
    String = 3,
    /// A tensor.
    Tensor = 4,
    /// A graph.
    Graph = 5,
    /// Floats.
    Floats = 6,
    /// Integers.
    Ints = 7,
    /// Strings.
    Strings = 8,
    /// Tensors.
    Tensors = 9,
    /// Graphs.
    Graphs = 10,
    /// A sparse tensor.
    SparseTensor = 11,
    /// Sparse tensors.
    SparseTensors = 12,
    /// A type.
    TypeProto = 13,
    /// Types.
    TypeProtos = 14,
}

/// A tensor's elements, in one of several fields.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// The shape.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// The element type, a number of [`DataType`].
    #[prost(int32, optional, tag = "2")]
    pub data_type: Option<i32>,
    /// The part of a tensor that it holds, if it is a segment.
    #[prost(message, optional, tag = "3")]
    pub segment: Option<SegmentProto>,
    /// float32, and complex64 as pairs.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// int32 and all narrower types, including the bits of float16 and float8.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Strings.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub string_data: Vec<Bytes>,
    /// int64.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// The tensor's name.
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    /// The elements as little-endian bytes.
    #[prost(bytes = "bytes", optional, tag = "9")]
    pub raw_data: Option<Bytes>,
    /// float64, and complex128 as pairs.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// uint64 and uint32.
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// The location of elements outside of the file: `location`, `offset`, `length`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1 if the elements are outside of the file.
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
}

/// A part of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct SegmentProto {
    /// The index of its first element.
    #[prost(int64, optional, tag = "1")]
    pub begin: Option<i64>,
    /// The index after its last element.
    #[prost(int64, optional, tag = "2")]
    pub end: Option<i64>,
}

/// A tensor of mostly zeros.
#[derive(Clone, PartialEq, Message)]
pub struct SparseTensorProto {
    /// The elements that are not zero.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Their indices, flat or one row each.
    #[prost(message, optional, tag = "2")]
    pub indices: Option<TensorProto>,
    /// The shape.
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
}

/// The element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum DataType {
    /// None.
    Undefined = 0,
    /// float32.
    Float = 1,
    /// uint8.
    Uint8 = 2,
    /// int8.
    Int8 = 3,
    /// uint16.
    Uint16 = 4,
    /// int16.
    Int16 = 5,
    /// int32.
    Int32 = 6,
    /// int64.
    Int64 = 7,
    /// Text.
    String = 8,
    /// bool.
    Bool = 9,
    /// float16.
    Float16 = 10,
    /// float64.
    Double = 11,
    /// uint32.
    Uint32 = 12,
    /// uint64.
    Uint64 = 13,
    /// A pair of float32.
    Complex64 = 14,
    /// A pair of float64.
    Complex128 = 15,
    /// bfloat16.
    Bfloat16 = 16,
    /// float8 with 4 bits of exponent, no infinities.
    Float8e4m3fn = 17,
    /// The same without a negative zero.
    Float8e4m3fnuz = 18,
    /// float8 with 5 bits of exponent.
    Float8e5m2 = 19,
    /// The same without infinities and negative zero.
    Float8e5m2fnuz = 20,
    /// uint4, two in a byte.
    Uint4 = 21,
    /// int4, two in a byte.
    Int4 = 22,
    /// float4 with 2 bits of exponent, two in a byte.
    Float4e2m1 = 23,
    /// A power of two.
    Float8e8m0 = 24,
    /// uint2, four in a byte.
    Uint2 = 25,
    /// int2, four in a byte.
    Int2 = 26,
    /// float6 with 2 bits of exponent, four in three bytes.
    Float6e2m3 = 27,
    /// float6 with 3 bits of exponent, four in three bytes.
    Float6e3m2 = 28,
}

/// A value's name and type.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// The name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// The type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// A type.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// The type.
    #[prost(oneof = "TypeValue", tags = "1, 4, 9")]
    pub value: Option<TypeValue>,
}

/// The type of a value.
#[derive(Clone, PartialEq, Oneof)]
pub enum TypeValue {
    /// A tensor.
    #[prost(message, tag = "1")]
    Tensor(TensorTypeProto),
    /// A sequence of values.
    #[prost(message, tag = "4")]
    Sequence(Box<ElementTypeProto>),
    /// A value or nothing.
    #[prost(message, tag = "9")]
    Optional(Box<ElementTypeProto>),
}

/// The type of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeProto {
    /// The element type, a number of [`DataType`].
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    /// The sizes. Absent if the rank is unknown.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The type of the elements of a sequence or of an optional.
#[derive(Clone, PartialEq, Message)]
pub struct ElementTypeProto {
    /// The type.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// The sizes of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// The dimensions.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// The size of a dimension.
#[derive(Clone, PartialEq, Message)]
pub struct DimensionProto {
    /// A number, a symbol, or nothing.
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
}

/// The size of a dimension, or its symbol.
#[derive(Clone, PartialEq, Oneof)]
pub enum DimensionValue {
    /// The size.
    #[prost(int64, tag = "1")]
    Size(i64),
    /// A symbolic size.
    #[prost(string, tag = "2")]
    Symbol(String),
}
