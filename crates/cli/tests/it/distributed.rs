//! `lanthorn train digits --distributed` has the losses of one process with the whole batch.

use std::{
    net::TcpListener,
    process::{Command, Output, Stdio},
};

const LANTHORN: &str = env!("CARGO_BIN_EXE_lanthorn");

fn arguments(batch: usize) -> Vec<String> {
    let text = format!("train digits --device cpu --steps 50 --losses --batch {batch}");
    text.split(' ').map(str::to_string).collect()
}

fn losses(output: &Output) -> Vec<f64> {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let losses = text.lines().filter_map(|line| line.strip_prefix("step ")?.split_once(": loss "));
    losses.map(|(_, loss)| loss.parse().expect("a number")).collect()
}

fn single(batch: usize) -> Vec<f64> {
    losses(&Command::new(LANTHORN).args(arguments(batch)).output().expect("the program runs"))
}

/// Checks losses up to rounding of sums in another order, which steps amplify.
fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!((found.len(), expected.len()), (50, 50));
    for (step, (found, expected)) in found.iter().zip(expected).enumerate() {
        let tolerance = 1e-6 * (1.0 + step as f64);
        assert!((found - expected).abs() <= tolerance, "step {step}: {found} and {expected}");
    }
    assert!(expected[49] < 0.5 * expected[0], "the network learns: {expected:?}");
}

fn free_port() -> u16 {
    let first = (std::process::id() % 1000) as u16 * 3 + 12000;
    (first..).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a port is free")
}

#[test]
fn two_processes_over_tcp_and_shared_memory_have_the_losses_of_one() {
    let expected = single(48);
    // With an agent of torchrun that listens on the port itself, and without.
    for (agent, backend) in [(true, "tcp"), (false, "tcp"), (false, "shm")] {
        let port = free_port();
        let _store = agent.then(|| TcpListener::bind(("127.0.0.1", port)).expect("the port is free"));
        assert_close(&two_processes(port, agent, backend), &expected);
    }
}

fn two_processes(port: u16, agent: bool, backend: &str) -> Vec<f64> {
    let (port, agent) = (port.to_string(), if agent { "True" } else { "False" });
    let start = |rank: &str| {
        let mut command = Command::new(LANTHORN);
        command.args(arguments(24)).args(["--distributed", backend]);
        command.envs([("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", "2")]);
        command.envs([("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port)]);
        command.env("TORCHELASTIC_USE_AGENT_STORE", agent);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let [first, second] = ["0", "1"].map(start).map(|child| child.wait_with_output().expect("the program ends"));
    assert!(second.status.success() && second.stdout.is_empty(), "{second:?}");
    losses(&first)
}

#[test]
fn what_is_missing_is_said() {
    let run = |backend: &str| {
        let mut command = Command::new(LANTHORN);
        for name in ["RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"] {
            command.env_remove(name);
        }
        let output = command.args(arguments(8)).args(["--distributed", backend]).output().expect("the program runs");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run("tcp").contains("is not set: start the program with torchrun"));
    let mpi = run("mpi");
    assert!(mpi.contains("feature `mpi`") || mpi.contains("mpirun -n 2"), "{mpi}");
    assert!(run("smoke").contains("choose tcp, shm, mpi or nccl"));
}

#[cfg(feature = "mpi")]
#[test]
fn processes_of_mpirun_have_the_losses_of_one() {
    let expected = single(48);
    for count in [2, 4] {
        let mut command = Command::new("mpirun");
        command.args([
            "--oversubscribe",
            "--allow-run-as-root",
            "--bind-to",
            "none",
            "-n",
            &count.to_string(),
            LANTHORN,
        ]);
        command.args(arguments(48 / count)).args(["--distributed", "mpi"]).env("LANTHORN_NUM_THREADS", "1");
        assert_close(&losses(&command.output().expect("mpirun runs")), &expected);
    }
}
