//! Random programs, compiled beside called: with state, views, writes, random numbers and
//! gradients.

use lanthorn::{Device, Result, Tensor, compile, no_grad};
use pollster::block_on;
use proptest::prelude::*;

/// One statement of a program over a pool of 3 × 4 tensors. Numbers name tensors of the pool,
/// wrapped.
#[derive(Clone, Debug)]
enum Statement {
    Unary(u8, usize),
    Binary(u8, usize, usize),
    /// With a row of four, which broadcasts.
    Row(usize),
    Product(usize, usize),
    Normalize(usize),
    Views(usize, usize),
    Gather(usize),
    Noise(usize),
    /// Writes to a tensor of the program's own.
    Write(usize, usize),
    /// Writes to a region of the state, or to all of it.
    Store(bool, usize),
    Backward(usize),
    ClearGrad,
    Step,
}

fn statement() -> impl Strategy<Value = Statement> {
    let index = || 0usize..16;
    prop_oneof![
        4 => (0u8..5, index()).prop_map(|(op, x)| Statement::Unary(op, x)),
        4 => (0u8..4, index(), index()).prop_map(|(op, x, y)| Statement::Binary(op, x, y)),
        2 => index().prop_map(Statement::Row),
        1 => (index(), index()).prop_map(|(x, y)| Statement::Product(x, y)),
        1 => index().prop_map(Statement::Normalize),
        2 => (index(), index()).prop_map(|(x, y)| Statement::Views(x, y)),
        1 => index().prop_map(Statement::Gather),
        1 => index().prop_map(Statement::Noise),
        1 => (index(), index()).prop_map(|(x, y)| Statement::Write(x, y)),
        2 => (any::<bool>(), index()).prop_map(|(all, x)| Statement::Store(all, x)),
        2 => index().prop_map(Statement::Backward),
        1 => Just(Statement::ClearGrad),
        1 => Just(Statement::Step),
    ]
}

/// What lives from call to call.
struct State {
    weight: Tensor,
    row: Tensor,
    buffer: Tensor,
    index: Tensor,
}

impl State {
    fn new(device: &Device) -> Result<State> {
        device.manual_seed(1);
        Ok(State {
            weight: Tensor::randn([3, 4])?.requires_grad_(true)?,
            row: Tensor::randn([4])?.requires_grad_(true)?,
            buffer: Tensor::randn([3, 4])?,
            index: Tensor::from_slice(&[2i32, 0, 1, 1, 2, 0, 0, 1, 2, 1, 1, 0], [3, 4], device)?,
        })
    }

    fn run(&self, program: &[Statement], x: &Tensor) -> Result<Vec<Tensor>> {
        let mut pool = vec![x.clone(), self.weight.clone(), self.buffer.mul(0.5)?];
        for statement in program {
            let at = |index: usize| pool[index % pool.len()].clone();
            let made = match *statement {
                Statement::Unary(op, x) => match op {
                    0 => at(x).tanh()?,
                    1 => at(x).sigmoid()?,
                    2 => at(x).relu()?,
                    3 => at(x).neg()?,
                    _ => at(x).mul(0.5)?.add(0.25)?,
                },
                Statement::Binary(op, x, y) => match op {
                    0 => at(x).add(at(y))?,
                    1 => at(x).mul(at(y))?.tanh()?,
                    2 => at(x).sub(at(y))?,
                    _ => at(x).maximum(&at(y))?,
                },
                Statement::Row(x) => at(x).mul(&self.row)?,
                Statement::Product(x, y) => at(x).matmul(&at(y).transpose(0, 1)?)?.softmax(-1)?.matmul(&at(x))?,
                Statement::Normalize(x) => at(x).sub(&at(x).mean(1, true)?)?,
                Statement::Views(x, y) => {
                    let (x, y) = (at(x), at(y));
                    Tensor::cat(&[x.narrow(1, 1, 2)?, y.narrow(1, 0, 2)?], 1)?
                }
                Statement::Gather(x) => at(x).gather(0, &self.index)?,
                Statement::Noise(x) => at(x).dropout(0.5, true)?.add(&Tensor::rand([3, 4])?)?,
                Statement::Write(x, y) => {
                    let own = at(x).mul(1.0)?;
                    no_grad(|| own.detach().narrow(1, 0, 2)?.copy_(&at(y).detach().narrow(1, 2, 2)?))?;
                    own
                }
                Statement::Store(all, x) => {
                    let value = at(x).detach().mul(0.5)?;
                    match all {
                        true => self.buffer.copy_(&value)?,
                        false => self.buffer.narrow(0, 1, 1)?.copy_(&value.narrow(0, 0, 1)?)?,
                    }
                    self.buffer.mul(1.0)?
                }
                Statement::Backward(x) => {
                    let loss = at(x).square()?.mean((), false)?;
                    if loss.requires_grad() {
                        loss.backward_with(None, lanthorn::GradOptions { retain_graph: true, ..Default::default() })?;
                    }
                    continue;
                }
                Statement::ClearGrad => {
                    self.weight.set_grad(None)?;
                    continue;
                }
                Statement::Step => {
                    // Weights that were used are not written before their gradients are computed: a
                    // copy is.
                    if let Some(grad) = self.weight.grad() {
                        self.buffer.copy_(&self.buffer.mul(0.9)?.add(&grad.detach().mul(0.1)?)?)?;
                    }
                    continue;
                }
            };
            pool.push(made);
        }
        Ok(pool.split_off(pool.len() - 2))
    }

    /// Everything that can be seen.
    fn seen(&self) -> Vec<Vec<f32>> {
        let grads = [self.weight.grad(), self.row.grad()];
        let tensors = [&self.weight, &self.row, &self.buffer].into_iter().map(Tensor::detach);
        tensors.chain(grads.into_iter().flatten()).map(|x| values(&x)).collect()
    }
}

fn values(x: &Tensor) -> Vec<f32> {
    block_on(x.to_vec::<f32>()).expect("the elements are there")
}

/// The results of five calls, the values after them, and how many were replayed.
fn observe(program: &[Statement], device: &Device, goes_through: bool, compiled: bool) -> Result<(Vec<Vec<f32>>, u64)> {
    let state = State::new(device)?;
    let function = compile(|xs: &[Tensor]| state.run(program, &xs[0]));
    let mut seen = vec![];
    for _ in 0..5 {
        let x = Tensor::randn([3, 4])?;
        let results = if compiled { function.call(&[x])? } else { state.run(program, &x)? };
        seen.extend(results.iter().map(|result| values(&result.detach())));
        // Gradients pass through a result, and accumulate with the gradients of the program's own
        // passes.
        let open = results.iter().find(|result| result.requires_grad() && !result.is(&state.weight));
        if let Some(open) = open.filter(|_| goes_through) {
            open.square()?.mean((), false)?.backward()?;
        }
        drop(results);
        seen.extend(state.seen());
    }
    Ok((seen, function.explain().replays))
}

fn is_close(a: &[Vec<f32>], b: &[Vec<f32>]) -> bool {
    let near = |(a, b): (&f32, &f32)| a == b || (a - b).abs() <= 1e-5 * (1.0 + b.abs()) || (a.is_nan() && b.is_nan());
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(near))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_compiled_program_is_the_program(
        program in prop::collection::vec(statement(), 1..14),
        goes_through in any::<bool>(),
    ) {
        let device = lanthorn::cpu();
        device.set_default();
        let (called, _) = observe(&program, &device, goes_through, false).expect("it runs");
        let (compiled, replays) = observe(&program, &device, goes_through, true).expect("it runs compiled");
        let odd = compiled.iter().zip(&called).position(|(a, b)| !is_close(std::slice::from_ref(a), std::slice::from_ref(b)));
        prop_assert!(odd.is_none() && compiled.len() == called.len(), "tensor {odd:?} of {}, {}", compiled.len(), called.len());
        // A gradient may be there from the second call on, and accumulates then.
        prop_assert!(replays >= 3, "{replays} replays");
    }
}
