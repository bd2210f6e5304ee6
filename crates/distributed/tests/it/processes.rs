//! Tensors in shared memory, and groups that exchange data through it. Each test starts this
//! program for the other processes, and a variable selects their role.

use lanthorn_cpu::CpuBackend;
use lanthorn_distributed::{Backend, InitOptions, ProcessGroup, ReduceOp, destroy_process_group, init_process_group};
use lanthorn_tensor::{Device, Result, Tensor, TensorHandle, no_grad};
use pollster::block_on;
use std::{
    env,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const ROLE: &str = "LANTHORN_TEST_ROLE";

/// Another process of this test, which reads and answers lines.
struct Other {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Other {
    /// Starts this test in a role.
    fn start(test: &str, role: &str) -> Other {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ROLE, role);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Other { child, answers }
    }

    fn tell(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// Returns the next answer. It skips output of the test harness.
    fn answer(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the process ended");
            if let Some((_, answer)) = line.split_once("answer: ") {
                return answer.trim().to_string();
            }
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn role() -> Option<String> {
    env::var(ROLE).ok()
}

/// Answers every line of the other process.
fn serve(mut answer: impl FnMut(&str) -> String) {
    for line in std::io::stdin().lines() {
        println!("answer: {}", answer(&line.unwrap()));
    }
}

fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

fn json(x: &Tensor) -> String {
    serde_json::to_string(&x.handle().unwrap()).unwrap()
}

fn read(x: &Tensor) -> Vec<f32> {
    block_on(x.to_vec::<f32>()).unwrap()
}

#[test]
fn a_process_has_the_same_elements_and_one_that_is_killed_lets_go() -> Result<()> {
    const TEST: &str = "processes::a_process_has_the_same_elements_and_one_that_is_killed_lets_go";
    let device = device();
    if role().is_some() {
        let mut kept = None;
        serve(|line| {
            let handle: TensorHandle = serde_json::from_str(line).unwrap();
            match Tensor::from_handle(&handle, &device) {
                Ok(x) => {
                    let before = read(&x);
                    no_grad(|| x.mul_(10.0)).unwrap();
                    device.flush();
                    // Passes the tensor to another process.
                    let answer = format!("{before:?} {}", json(&x));
                    kept = Some(x);
                    answer
                }
                Err(error) => format!("{}: {error}", error.kind_name()),
            }
        });
        return Ok(());
    }
    let mut other = Other::start(TEST, "other");
    let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?.share_memory_()?;
    let handle = x.handle()?;
    let file = handle.memory.file.clone().unwrap();
    other.tell(&serde_json::to_string(&handle).unwrap());
    let answer = other.answer();
    let (before, theirs) = answer.split_once(" {").unwrap();
    assert_eq!((before, read(&x)), ("[1.0, 2.0, 3.0]", vec![10.0, 20.0, 30.0]));
    let again: TensorHandle = serde_json::from_str(&format!("{{{theirs}")).unwrap();
    assert!(Tensor::from_handle(&again, &device)?.shares_storage_with(&x));
    // A third process, and one that is killed.
    let mut third = Other::start(TEST, "third");
    third.tell(&json(&x));
    assert!(third.answer().starts_with("[10.0, 20.0, 30.0]"));
    drop(third);
    assert_eq!(read(&x), [100.0, 200.0, 300.0]);
    // Dropping the tensor deletes the file, and the other process keeps its mapping.
    drop(x);
    let deadline = Instant::now() + Duration::from_secs(5);
    let y = Tensor::from_slice(&[7.0f32], [1], &device)?.share_memory_()?;
    while std::path::Path::new(&file).exists() {
        assert!(Instant::now() < deadline, "the file is still there");
        thread::sleep(Duration::from_millis(10));
        y.handle()?.release(&device);
    }
    let lost = TensorHandle { memory: handle.memory, ..y.handle()? };
    let error = Tensor::from_handle(&TensorHandle { elements: 3, ..lost.clone() }, &device).unwrap_err();
    assert_eq!(error.kind_name(), "disposed", "{error}");
    let mut late = Other::start(TEST, "late");
    late.tell(&serde_json::to_string(&TensorHandle { elements: 3, ..lost }).unwrap());
    assert!(late.answer().starts_with("disposed: "), "a process that comes late");
    Ok(())
}

#[test]
fn hogwild_of_two_processes_trains_one_model() -> Result<()> {
    const TEST: &str = "processes::hogwild_of_two_processes_trains_one_model";
    let device = device();
    let train = |w: &Tensor| -> Result<()> {
        let target = Tensor::from_slice(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8], &device)?;
        for _ in 0..200 {
            w.set_grad(None)?;
            w.sub(&target)?.square()?.sum((), false)?.backward()?;
            no_grad(|| w.sub_(w.grad().unwrap().mul(0.05)?))?;
            device.flush();
        }
        Ok(())
    };
    if role().is_some() {
        serve(|line| {
            let w = Tensor::from_handle(&serde_json::from_str(line).unwrap(), &device).unwrap();
            train(&w).unwrap();
            "trained".into()
        });
        return Ok(());
    }
    let w = Tensor::zeros([8])?.share_memory_()?.requires_grad_(true)?;
    let mut other = Other::start(TEST, "other");
    other.tell(&json(&w));
    train(&w)?;
    assert_eq!(other.answer(), "trained");
    for (value, wanted) in read(&w).iter().zip(0..) {
        assert!((value - wanted as f32).abs() < 1e-3, "{value} for {wanted}");
    }
    Ok(())
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn group(backend: Backend, rank: usize, ranks: usize, port: u16) -> Result<ProcessGroup> {
    let options = InitOptions {
        rank: Some(rank),
        world_size: Some(ranks),
        master_addr: Some("127.0.0.1".into()),
        master_port: Some(port),
        timeout: Duration::from_secs(20),
        ..Default::default()
    };
    init_process_group(backend, options)
}

/// Returns the results of some collectives on a rank, as bits.
fn collectives(backend: Backend, rank: usize, ranks: usize, port: u16) -> Result<Vec<u32>> {
    let device = device();
    let group = group(backend, rank, ranks, port)?;
    let mut found = vec![];
    // Sizes that are not multiples of the number of ranks: first larger than a row, then smaller
    // again.
    for count in [1, 7, 1000, 100_003, 40] {
        device.manual_seed(rank as u64 + count as u64);
        let mine = Tensor::randn([count])?;
        for op in [ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max] {
            let total = mine.clone_tensor()?;
            group.all_reduce(&total, op)?;
            found.extend(read(&total).iter().map(|x| x.to_bits()));
        }
        let sent = mine.clone_tensor()?;
        group.broadcast(&sent, ranks - 1)?;
        found.extend(read(&sent).iter().map(|x| x.to_bits()));
        let all = group.all_gather(&mine)?;
        all.iter().for_each(|x| found.extend(read(x).iter().map(|x| x.to_bits())));
        group.barrier()?;
    }
    destroy_process_group()?;
    Ok(found)
}

#[test]
fn shared_memory_gives_the_bits_of_tcp() {
    let run = |backend| -> Vec<Vec<u32>> {
        let port = free_port();
        let ranks: Vec<_> =
            (0..3).map(|rank| thread::spawn(move || collectives(backend, rank, 3, port).unwrap())).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    };
    let (tcp, shm) = (run(Backend::Tcp), run(Backend::Shm));
    assert_eq!(tcp, shm);
    assert_eq!(shm[0].len(), shm[1].len());
}

#[test]
fn a_rank_of_shared_memory_that_is_killed_is_an_error_of_the_others() -> Result<()> {
    const TEST: &str = "processes::a_rank_of_shared_memory_that_is_killed_is_an_error_of_the_others";
    let device = device();
    if let Some(port) = role() {
        let group = group(Backend::Shm, 1, 2, port.parse().unwrap())?;
        let x = Tensor::ones([1000])?;
        group.all_reduce(&x, ReduceOp::Sum)?;
        println!("answer: {}", read(&x)[0]);
        thread::sleep(Duration::from_secs(60));
        return Ok(());
    }
    let port = free_port();
    let mut other = Other::start(TEST, &port.to_string());
    let group = group(Backend::Shm, 0, 2, port)?;
    let x = Tensor::ones([1000])?;
    group.all_reduce(&x, ReduceOp::Sum)?;
    assert_eq!((other.answer().as_str(), read(&x)[0]), ("2", 2.0));
    let start = Instant::now();
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(other);
    });
    let error = group.all_reduce(&x, ReduceOp::Sum).unwrap_err();
    killer.join().unwrap();
    assert!(error.is_distributed() && error.message().contains("rank 1"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(15), "it was known at once");
    assert_eq!(read(&Tensor::ones([2])?), [1.0, 1.0]);
    drop(device);
    Ok(())
}
