use super::*;
use crate::proto::{AttributeType, StringStringEntryProto, ValueInfoProto};
use proptest::prelude::*;

fn strings(names: &str) -> Vec<String> {
    names.split(' ').filter(|name| !name.is_empty()).map(|name| name.replace('_', "")).collect()
}

/// A node from its operator and names; `_` omits a name.
fn node(op: &str, input: &str, output: &str) -> NodeProto {
    NodeProto {
        op_type: Some(op.to_string()),
        name: Some(format!("{op}_{output}")),
        input: strings(input),
        output: strings(output),
        ..NodeProto::default()
    }
}

fn value(name: &str) -> ValueInfoProto {
    ValueInfoProto { name: Some(name.to_string()), ..ValueInfoProto::default() }
}

fn weight(name: &str) -> TensorProto {
    TensorProto {
        name: Some(name.to_string()),
        dims: vec![2],
        data_type: Some(2),
        raw_data: Some(vec![1, 2].into()),
        ..TensorProto::default()
    }
}

fn graph(nodes: Vec<NodeProto>) -> GraphProto {
    GraphProto {
        node: nodes,
        name: Some("g".to_string()),
        initializer: vec![weight("w")],
        input: vec![value("x")],
        output: vec![value("y")],
        ..GraphProto::default()
    }
}

fn opset(domain: &str, version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto { domain: Some(domain.to_string()), version: Some(version) }
}

fn model(graph: GraphProto) -> ModelProto {
    ModelProto {
        ir_version: Some(10),
        opset_import: vec![opset("", 21), opset("local", 1)],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

fn small() -> ModelProto {
    let branch = |op: &str| GraphProto {
        node: vec![node(op, "a x", "b")],
        output: vec![value("b")],
        name: Some(op.to_string()),
        ..GraphProto::default()
    };
    let attribute = |name: &str, op: &str| AttributeProto {
        name: Some(name.to_string()),
        r#type: Some(AttributeType::Graph as i32),
        g: Some(branch(op)),
        ..AttributeProto::default()
    };
    let conditional = NodeProto {
        attribute: vec![attribute("then_branch", "Add"), attribute("else_branch", "Sub")],
        ..node("If", "c", "y")
    };
    let call = NodeProto { domain: Some("local".to_string()), ..node("Twice", "a", "d") };
    model(graph(vec![node("Mul", "x w", "a"), node("Less", "a _", "c"), call, conditional]))
        .with_function(&["Add", "Mul"])
}

impl ModelProto {
    fn with_function(mut self, ops: &[&str]) -> ModelProto {
        self.functions.push(function("Twice", ops));
        self
    }
}

/// A function whose nodes form a chain.
fn function(name: &str, ops: &[&str]) -> FunctionProto {
    let calls = ops.iter().enumerate().map(|(index, op)| NodeProto {
        domain: Some(if op.len() > 3 { "local" } else { "ai.onnx" }.to_string()),
        ..node(op, &format!("v{index}"), &format!("v{}", index + 1))
    });
    FunctionProto {
        name: Some(name.to_string()),
        domain: Some("local".to_string()),
        input: vec!["v0".to_string()],
        output: vec![format!("v{}", ops.len())],
        node: calls.collect(),
        opset_import: vec![opset("", 21), opset("local", 1)],
        ..FunctionProto::default()
    }
}

fn error_of(model: &ModelProto) -> String {
    let error = read(model.encode_to_vec()).unwrap_err();
    assert_eq!(check(model).map_err(|error| error.to_string()), Err(error.to_string()));
    error.to_string()
}

fn refused_nodes(nodes: Vec<NodeProto>) -> String {
    error_of(&model(graph(nodes)))
}

#[test]
fn a_model_is_read_as_it_was_written() {
    let model = small();
    let bytes = Bytes::from(model.encode_to_vec());
    let read = read(bytes.clone()).unwrap();
    assert_eq!(read, model);
    let raw = read.graph.unwrap().initializer.remove(0).raw_data.unwrap();
    assert!(bytes.as_ptr_range().contains(&raw.as_ptr()), "raw data are not copied");
    let mut seen = 0;
    tensors(&model, &mut |_| {
        seen += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn versions_are_known() {
    let with = |change: &dyn Fn(&mut ModelProto)| {
        let mut model = small();
        change(&mut model);
        error_of(&model)
    };
    assert!(with(&|model| model.ir_version = Some(15)).contains("the latest that lanthorn reads is 14"));
    assert!(with(&|model| model.ir_version = Some(0)).contains("`ir_version` is 0"));
    assert!(with(&|model| model.ir_version = None).contains("no `ir_version`"));
    assert!(with(&|model| model.graph = None).contains("no graph"));
    assert!(with(&|model| model.opset_import.clear()).contains("the model imports no operator set"));
    assert!(with(&|model| model.opset_import.push(opset("ai.onnx", 20))).contains("two versions"));
    assert!(with(&|model| model.opset_import[0].version = None).contains("version 0 of the operator set"));
    assert!(with(&|model| drop(model.opset_import.remove(1))).contains("(Twice): the operator set `local` is not"));
    assert!(with(&|model| model.functions[0].opset_import.clear()).contains("`local::Twice` imports no operator set"));
    assert!(read(vec![]).is_err() && read(b"PK\x03\x04".to_vec()).is_err());
}

#[test]
fn names_are_defined_once_and_before_they_are_used() {
    let add = |input, output| node("Add", input, output);
    assert!(refused_nodes(vec![add("x z", "y")]).contains("node `Add_y` (Add): nothing defines `z`"));
    assert!(refused_nodes(vec![add("x w", "z")]).contains("nothing defines the result `y`"));
    assert!(refused_nodes(vec![add("x w", "y"), add("x w", "y")]).contains("`y` is defined before"));
    assert!(refused_nodes(vec![add("x w", "y x")]).contains("`x` is defined before"));
    assert!(refused_nodes(vec![add("x w", "y w")]).contains("`w` is defined before"));
    let cycle =
        refused_nodes(vec![add("x w", "v"), add("v z", "y"), add("v w", "u"), add("q u", "z"), add("y x", "q")]);
    assert!(cycle.contains("`z` is in a cycle of nodes: `Add_y`, `Add_z`, `Add_q`"), "{cycle}");
    assert!(refused_nodes(vec![add("x y", "y")]).contains("`y` is in a cycle of nodes: `Add_y`"));
    let with = |change: &dyn Fn(&mut GraphProto)| {
        let mut graph = graph(vec![add("x w", "y")]);
        change(&mut graph);
        error_of(&model(graph))
    };
    assert!(with(&|graph| graph.input.push(value("x"))).contains("two inputs"));
    assert!(with(&|graph| graph.input.push(value(""))).contains("without a name"));
    assert!(with(&|graph| graph.output.push(value("y"))).contains("two results `y`"));
    assert!(with(&|graph| graph.initializer.push(weight("w"))).contains("two initializers"));
    assert!(with(&|graph| graph.initializer.push(weight(""))).contains("without a name"));
    assert!(with(&|graph| graph.node[0].op_type = None).contains("it has no operator"));
    // An initializer may be an input's default.
    let mut default = graph(vec![add("x w", "y")]);
    default.input.push(value("w"));
    check(&model(default)).unwrap();
}

#[test]
fn nodes_out_of_order_are_sorted_in_all_graphs_and_functions() {
    let sorted = small();
    let mut model = small();
    let graph = model.graph.as_mut().unwrap();
    graph.node.reverse();
    let branch = graph.node[0].attribute[0].g.as_mut().unwrap();
    branch.node.insert(0, node("Neg", "b", "n"));
    branch.output[0] = value("n");
    model.functions[0].node.reverse();
    let before = check(&model).unwrap_err().to_string();
    assert!(before.contains("is defined only later"), "{before}");
    let read = read(model.encode_to_vec()).unwrap();
    let names = |nodes: &[NodeProto]| nodes.iter().map(|node| node.name().to_string()).collect::<Vec<_>>();
    let nodes = read.graph.unwrap().node;
    // Only the branches of `If` take `a`, and no node takes the result of `Twice`.
    assert_eq!(names(&nodes), ["Mul_a", "Twice_d", "Less_c", "If_y"]);
    assert_eq!(names(&nodes[3].attribute[0].g.as_ref().unwrap().node), ["Add_b", "Neg_n"]);
    assert_eq!(names(&read.functions[0].node), names(&sorted.functions[0].node));
}

#[test]
fn graphs_in_nodes_take_what_is_defined_before_the_node() {
    let with = |change: &dyn Fn(&mut GraphProto)| {
        let mut model = small();
        let conditional = model.graph.as_mut().unwrap().node.last_mut().unwrap();
        change(conditional.attribute[0].g.as_mut().unwrap());
        error_of(&model)
    };
    let own = with(&|graph| graph.node[0].input[0] = "y".to_string());
    assert!(own.contains("in If: graph `Add`: node `Add_b` (Add): `y` is in a cycle of nodes: `If_y`"), "{own}");
    assert!(with(&|graph| graph.node[0].input[0] = "nobody".to_string()).contains("nothing defines `nobody`"));
    assert!(with(&|graph| graph.output[0] = value("nobody")).contains("nothing defines the result `nobody`"));
    // Names of an inner graph are not visible outside of it.
    let mut model = small();
    model.graph.as_mut().unwrap().node.push(node("Neg", "b", "z"));
    assert!(error_of(&model).contains("nothing defines `b`"));
}

#[test]
fn attributes_have_the_value_of_their_type() {
    let with = |attribute: AttributeProto| {
        let attribute = vec![AttributeProto { name: Some("a".to_string()), ..attribute }];
        let node = NodeProto { attribute, ..node("Add", "x w", "y") };
        let checked = check(&model(graph(vec![node])));
        checked.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let of = |kind: AttributeType| AttributeProto { r#type: Some(kind as i32), ..AttributeProto::default() };
    assert_eq!(with(AttributeProto { i: Some(1), ..of(AttributeType::Int) }), "");
    assert_eq!(with(AttributeProto { i: Some(1), ..AttributeProto::default() }), "");
    assert_eq!(with(of(AttributeType::Ints)), "");
    assert!(with(of(AttributeType::Tensor)).contains("has no value"));
    assert!(with(of(AttributeType::Graph)).contains("the attribute `a` is of the type Graph and has no value"));
    assert!(with(AttributeProto { f: Some(1.0), ..of(AttributeType::Int) }).contains("has a value of Float"));
    assert!(
        with(AttributeProto { f: Some(1.0), i: Some(1), ..of(AttributeType::Int) }).contains("values of the types")
    );
    assert!(with(AttributeProto { r#type: Some(99), ..AttributeProto::default() }).contains("unknown type 99"));
    let reference = AttributeProto { ref_attr_name: Some("r".to_string()), ..of(AttributeType::Int) };
    assert!(with(reference.clone()).contains("is in no function"));
    let mut in_function = small();
    in_function.functions[0].node[0].attribute.push(reference.clone());
    check(&in_function).unwrap();
    in_function.functions[0].node[0].attribute.push(reference);
    assert!(error_of(&in_function).contains("is there twice"));
}

#[test]
fn functions_end() {
    let with = |functions: Vec<FunctionProto>| error_of(&ModelProto { functions, ..small() });
    let itself = with(vec![function("Twice", &["Add", "Again"]), function("Again", &["Twice"])]);
    assert!(itself.contains("function `local::Twice` calls itself"), "{itself}");
    // A cycle that the graph does not call.
    let unused = [function("Twice", &["Add"]), function("Ping", &["Pong"]), function("Pong", &["Ping"])];
    assert!(with(unused.to_vec()).contains("calls itself"));
    assert!(with(vec![function("Twice", &["Add"]), function("Twice", &["Mul"])]).contains("is there twice"));
    let mut undefined = function("Twice", &["Add"]);
    undefined.node[0].input.push("x".to_string());
    assert!(with(vec![undefined]).contains("function `local::Twice`: node `Add_v1` (Add): nothing defines `x`"));
    // Each function calls the next one twice.
    let chain = |length: usize| -> Vec<FunctionProto> {
        let name = |index: usize| if index == 0 { "Twice".to_string() } else { format!("Function{index}") };
        (0..length).map(|index| function(&name(index), &[name(index + 1).as_str(); 2])).collect()
    };
    assert!(with(chain(MAX_DEPTH - 2)).contains("nodes with those of functions"));
    let line: Vec<FunctionProto> = chain(1000)
        .into_iter()
        .map(|mut function| {
            function.node.truncate(1);
            function.output = vec!["v1".to_string()];
            function
        })
        .collect();
    assert!(with(line).contains("graphs and calls of functions within one another"));
}

#[test]
fn hostile_sizes_are_limited() {
    let sparse = SparseTensorProto { values: Some(weight("s")), dims: vec![1 << 20, 1 << 10], ..Default::default() };
    let mut large = small();
    large.graph.as_mut().unwrap().sparse_initializer.push(sparse);
    assert!(error_of(&large).contains("when they are dense"));
    let many = vec![node("Add", "x w", "_"); lanthorn_program::graph::MAX_NODES + 1];
    assert!(matches!(check(&model(graph(many))), Err(Error::Limit(_))));
    let entry = StringStringEntryProto { key: Some(UPLOAD_KEY.to_string()), value: Some("0".to_string()) };
    let mut reserved = small();
    reserved.graph.as_mut().unwrap().initializer[0].external_data.push(entry);
    assert!(read(reserved.encode_to_vec()).is_err_and(|error| error.to_string().contains("is reserved")));
}

#[test]
fn a_model_that_is_cut_anywhere_is_refused_or_another_model() {
    let (model, bytes) = (small(), small().encode_to_vec());
    for end in 0..bytes.len() {
        assert!(read(bytes[..end].to_vec()).map_or(true, |read| read != model && check(&read).is_ok()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_damaged_model_is_refused_or_another_model(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = small().encode_to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok(model) = read(bytes) {
            prop_assert!(check(&model).is_ok());
            tensors(&model, &mut |tensor| { let _ = tensor.data(); Ok(()) }).unwrap();
        }
    }
}
