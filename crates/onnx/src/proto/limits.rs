//! Limits the memory of a file's messages before they are decoded. A message of two bytes in a file
//! takes hundreds of bytes in memory, and nested messages take stack.

use super::*;
use crate::proto::wire;
use lanthorn_program::{Error, Result};

/// The largest nesting depth of graphs.
pub const MAX_DEPTH: usize = 24;

/// The largest nesting depth of messages. It is enough for graphs, nodes and attributes at
/// [`MAX_DEPTH`].
const MAX_MESSAGE_DEPTH: usize = 90;

/// The most memory of all messages of a file, without texts and elements.
const MAX_MESSAGE_BYTES: usize = 1 << 29;

/// The messages that contain other messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    SparseTensor,
    Function,
    ValueInfo,
    Type,
    TensorType,
    ElementType,
    Shape,
    Dimension,
    OperatorSetId,
    Entry,
    Segment,
}

impl Kind {
    /// Returns the kind of message in a field.
    fn field(self, number: u64) -> Option<Kind> {
        Some(match (self, number) {
            (Kind::Model, 7) => Kind::Graph,
            (Kind::Model, 8) | (Kind::Function, 9) => Kind::OperatorSetId,
            (Kind::Model, 14) | (Kind::Node, 9) | (Kind::Tensor, 13) => Kind::Entry,
            (Kind::Model, 25) => Kind::Function,
            (Kind::Function, 7) | (Kind::Graph, 1) => Kind::Node,
            (Kind::Function, 11) | (Kind::Node, 5) => Kind::Attribute,
            (Kind::Graph, 5) | (Kind::Attribute, 5 | 10) | (Kind::SparseTensor, 1 | 2) => Kind::Tensor,
            (Kind::Graph, 15) | (Kind::Attribute, 22) => Kind::SparseTensor,
            (Kind::Graph, 11..=13) => Kind::ValueInfo,
            (Kind::Attribute, 6 | 11) => Kind::Graph,
            (Kind::Tensor, 3) => Kind::Segment,
            (Kind::ValueInfo, 2) | (Kind::ElementType, 1) => Kind::Type,
            (Kind::Type, 1) => Kind::TensorType,
            (Kind::Type, 4 | 9) => Kind::ElementType,
            (Kind::TensorType, 2) => Kind::Shape,
            (Kind::Shape, 1) => Kind::Dimension,
            _ => return None,
        })
    }

    /// Returns the size of a message in memory.
    fn size(self) -> usize {
        match self {
            Kind::Model => size_of::<ModelProto>(),
            Kind::Graph => size_of::<GraphProto>(),
            Kind::Node => size_of::<NodeProto>(),
            Kind::Attribute => size_of::<AttributeProto>(),
            Kind::Tensor => size_of::<TensorProto>(),
            Kind::SparseTensor => size_of::<SparseTensorProto>(),
            Kind::Function => size_of::<FunctionProto>(),
            Kind::ValueInfo => size_of::<ValueInfoProto>(),
            Kind::Type => size_of::<TypeProto>(),
            Kind::TensorType => size_of::<TensorTypeProto>(),
            Kind::ElementType => size_of::<ElementTypeProto>(),
            Kind::Shape => size_of::<TensorShapeProto>(),
            Kind::Dimension => size_of::<DimensionProto>(),
            Kind::OperatorSetId => size_of::<OperatorSetIdProto>(),
            Kind::Entry => size_of::<StringStringEntryProto>(),
            Kind::Segment => size_of::<SegmentProto>(),
        }
    }
}

/// Counts the memory of a file's messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    bytes: usize,
}

impl Limits {
    /// Checks the nested messages in the bytes of a message.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if a field extends beyond its message, and [`Error::Limit`].
    pub fn check(&mut self, kind: Kind, bytes: &[u8]) -> Result<()> {
        self.add(kind)?;
        let mut open = vec![(kind, bytes.len())];
        let mut graphs = usize::from(kind == Kind::Graph);
        let mut at = 0;
        while let Some(&(kind, end)) = open.last() {
            if at == end {
                open.pop();
                graphs -= usize::from(kind == Kind::Graph);
                continue;
            }
            let cut = || Error::malformed(format!("protocol buffer: a field at byte {at} is not within its message"));
            let field = wire::field(&bytes[at..end])?.ok_or_else(cut)?;
            let start = at + field.header;
            let payload = usize::try_from(field.payload).ok().filter(|&payload| payload <= end - start);
            let payload = payload.ok_or_else(cut)?;
            match kind.field(field.number).filter(|_| field.delimited) {
                Some(inner) => {
                    self.add(inner)?;
                    graphs += usize::from(inner == Kind::Graph);
                    if graphs > MAX_DEPTH || open.len() == MAX_MESSAGE_DEPTH {
                        return Err(Error::Limit(format!("more than {MAX_DEPTH} graphs or types within one another")));
                    }
                    open.push((inner, start + payload));
                    at = start;
                }
                None => at = start + payload,
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: Kind) -> Result<()> {
        self.bytes = self.bytes.saturating_add(kind.size());
        if self.bytes > MAX_MESSAGE_BYTES {
            return Err(Error::Limit(format!("messages of more than {MAX_MESSAGE_BYTES} bytes in memory")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(model: &ModelProto) -> (Result<()>, usize) {
        let mut limits = Limits::default();
        (limits.check(Kind::Model, &model.encode_to_vec()), limits.bytes)
    }

    /// Checks that the limits count every field that holds a message.
    #[test]
    fn all_messages_are_counted() {
        let entry = StringStringEntryProto { key: Some("k".into()), ..Default::default() };
        let tensor = TensorProto {
            segment: Some(SegmentProto::default()),
            external_data: vec![entry.clone()],
            ..Default::default()
        };
        let sparse =
            SparseTensorProto { values: Some(tensor.clone()), indices: Some(tensor.clone()), ..Default::default() };
        let dim = vec![DimensionProto::default()];
        let shape = Some(TensorShapeProto { dim });
        let inner = TypeProto { value: Some(TypeValue::Tensor(TensorTypeProto { elem_type: None, shape })) };
        let element = || Box::new(ElementTypeProto { elem_type: Some(Box::new(inner.clone())) });
        let types = [
            inner.clone(),
            TypeProto { value: Some(TypeValue::Sequence(element())) },
            TypeProto { value: Some(TypeValue::Optional(element())) },
        ];
        let values: Vec<ValueInfoProto> =
            types.map(|r#type| ValueInfoProto { name: None, r#type: Some(r#type) }).into_iter().collect();
        let graph = GraphProto {
            initializer: vec![tensor.clone()],
            sparse_initializer: vec![sparse.clone()],
            input: values.clone(),
            output: values.clone(),
            value_info: values,
            ..Default::default()
        };
        let attribute = AttributeProto {
            t: Some(tensor.clone()),
            tensors: vec![tensor],
            g: Some(graph.clone()),
            graphs: vec![graph.clone()],
            sparse_tensor: Some(Box::new(sparse)),
            ..Default::default()
        };
        let node =
            NodeProto { attribute: vec![attribute.clone()], metadata_props: vec![entry.clone()], ..Default::default() };
        let opset = OperatorSetIdProto { version: Some(1), ..Default::default() };
        let function = FunctionProto {
            node: vec![node.clone()],
            opset_import: vec![opset.clone()],
            attribute_proto: vec![attribute],
            ..Default::default()
        };
        let model = ModelProto {
            graph: Some(GraphProto { node: vec![node], ..graph }),
            opset_import: vec![opset],
            metadata_props: vec![entry],
            functions: vec![function],
            ..Default::default()
        };
        let size = |kinds: &[(Kind, usize)]| -> usize { kinds.iter().map(|&(kind, count)| kind.size() * count).sum() };
        let tensor = size(&[(Kind::Tensor, 1), (Kind::Segment, 1), (Kind::Entry, 1)]);
        let sparse = Kind::SparseTensor.size() + 2 * tensor;
        let inner = [Kind::Type, Kind::TensorType, Kind::Shape, Kind::Dimension].map(Kind::size).iter().sum::<usize>();
        let outer = inner + Kind::Type.size() + Kind::ElementType.size();
        let values = 3 * Kind::ValueInfo.size() + inner + 2 * outer;
        let graph = Kind::Graph.size() + tensor + sparse + 3 * values;
        let attribute = Kind::Attribute.size() + 2 * tensor + 2 * graph + sparse;
        let node = Kind::Node.size() + attribute + Kind::Entry.size();
        let function = Kind::Function.size() + node + attribute + Kind::OperatorSetId.size();
        let model_size = Kind::Model.size() + graph + node + function + Kind::OperatorSetId.size() + Kind::Entry.size();
        let (checked, bytes) = check(&model);
        checked.unwrap();
        assert_eq!(bytes, model_size);
    }

    #[test]
    fn many_small_messages_are_refused_before_they_are_decoded() {
        // A node with a million attributes of two bytes.
        let attributes = [0x2a, 0x00].repeat(1 << 20);
        let mut limits = Limits::default();
        assert!(matches!(limits.check(Kind::Node, &attributes), Err(Error::Limit(_))));
    }

    #[test]
    fn graphs_within_one_another_are_limited() {
        let nested = |depth: usize| {
            let graph = (1..depth).fold(GraphProto::default(), |graph, _| {
                let attribute = vec![AttributeProto { g: Some(graph), ..Default::default() }];
                GraphProto { node: vec![NodeProto { attribute, ..Default::default() }], ..Default::default() }
            });
            ModelProto { graph: Some(graph), ..Default::default() }
        };
        let deepest = nested(MAX_DEPTH);
        check(&deepest).0.unwrap();
        assert_eq!(ModelProto::decode(&deepest.encode_to_vec()[..]).unwrap(), deepest);
        assert!(matches!(check(&nested(MAX_DEPTH + 1)).0, Err(Error::Limit(_))));
    }

    #[test]
    fn fields_end_within_their_messages() {
        // A graph of five bytes in a file of four, and a field longer than its graph.
        for bytes in [&[0x3a, 5, 0x12, 0][..], &[0x3a, 2, 0x12, 3, 0, 0, 0], &[0x3a], &[0x3a, 1, 0x12]] {
            assert!(matches!(Limits::default().check(Kind::Model, bytes), Err(Error::Malformed(_))), "{bytes:?}");
        }
    }
}
