//! Random programs compute the same results with and without the passes.

use lanthorn_program::{
    Dispatch, ExportedProgram, Limits, Native, Value,
    graph::{Graph, ModuleStack, Node, Operand, Results, Target, Tree},
    passes::{fold_constants, merge_common, optimize, remove_dead},
};
use lanthorn_program::{Input, InputKind, Output, OutputKind};
use lanthorn_tensor::{Device, Tensor};

/// A random number generator (Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A program of two inputs with random calls: some equal, some unused, some in place.
fn random_program(seed: u64, in_place: bool) -> ExportedProgram {
    let mut random = Random(seed);
    let mut graph = Graph { names: vec!["a".into(), "b".into()], inputs: vec![0, 1], ..Graph::default() };
    let (mut tensors, mut numbers) = (vec![0, 1], vec![]);
    let constant = |random: &mut Random| Operand::Constant(Value::Int(random.below(3) as i64 + 1));
    for _ in 0..30 {
        let id = graph.names.len();
        graph.names.push(format!("v{id}"));
        let tensor = Operand::Value(tensors[random.below(tensors.len())]);
        let number = match numbers.len() {
            0 => constant(&mut random),
            n => Operand::Value(numbers[random.below(n)]),
        };
        let (name, args) = match random.below(if in_place { 6 } else { 5 }) {
            0 => ("_operator.add", vec![number, constant(&mut random)]),
            1 => ("torch.ops.aten.mul.Tensor", vec![tensor, Operand::Value(tensors[random.below(tensors.len())])]),
            2 => ("torch.ops.aten.tanh.default", vec![tensor]),
            3 => ("torch.ops.aten.add.Scalar", vec![tensor, number]),
            4 => ("torch.ops.aten.neg.default", vec![tensor]),
            _ => ("torch.ops.aten.tanh_.default", vec![tensor]),
        };
        let target = Target::find(name).unwrap();
        (if matches!(target, Target::Scalar(_)) { &mut numbers } else { &mut tensors }).push(id);
        graph.nodes.push(Node {
            target,
            args,
            named: vec![],
            results: Results::One(id),
            modules: ModuleStack::default(),
        });
    }
    graph.outputs = (0..3).map(|_| Operand::Value(tensors[random.below(tensors.len())])).collect();
    ExportedProgram {
        graph,
        inputs: vec![Input { kind: InputKind::User }; 2],
        outputs: vec![Output { kind: OutputKind::User }; 3],
        state: vec![],
        tensors: vec![],
        arguments: Tree::Tuple(vec![Tree::Leaf; 2]),
        results: Tree::Tuple(vec![Tree::Leaf; 3]),
        argument_names: vec![],
        result_names: vec![],
        ranges: Default::default(),
        hints: Default::default(),
        read_inputs: vec![],
        shapes: Default::default(),
        metadata: vec![],
    }
}

fn results(program: &ExportedProgram, device: &Device) -> Vec<Vec<f32>> {
    let dispatch = Native::new(device);
    let input = |values: [f32; 2]| Value::Tensor(Tensor::from_slice(&values, [2], device).unwrap());
    let leaves = vec![input([0.5, -1.0]), input([2.0, 0.25])];
    pollster::block_on(async {
        let outputs = program.call_flat(&dispatch, &[], leaves, Limits::default(), None).await.unwrap();
        let mut all = Vec::new();
        for output in outputs {
            let data = dispatch.read(output.as_tensor().unwrap()).await.unwrap();
            all.push(data.bytes().as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect());
        }
        all
    })
}

#[test]
fn random_programs_compute_the_same_after_the_passes() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let passes: [fn(&mut Graph) -> usize; 4] = [fold_constants, merge_common, remove_dead, optimize];
    let mut removed = [0; 4];
    for seed in 0..60 {
        let in_place = seed % 2 == 1;
        let expected = results(&random_program(seed, in_place), &device);
        for (pass, removed) in passes.iter().zip(&mut removed) {
            let mut program = random_program(seed, in_place);
            *removed += pass(&mut program.graph);
            program.check_graph().unwrap();
            assert_eq!(results(&program, &device), expected, "seed {seed}: {}", program.graph);
        }
    }
    assert!(removed.iter().all(|&removed| removed > 20), "{removed:?}");
}
