//! `lanthorn`: train a network, inspect a model file, generate text, list the operations, compare
//! them with PyTorch, run benchmarks.

// First, because the modules after it use its macros.
#[macro_use]
mod print;

mod bench;
mod conformance;
mod convert;
mod generate;
mod inspect;
mod models;
mod modules;
mod ops;
mod optimizers;
mod program;
mod reference;
mod run;
mod train;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// PyTorch for the web, natively.
#[derive(Parser)]
#[command(name = "lanthorn", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Train a network on a data set included in lanthorn.
    Train(train::Arguments),
    /// List the tensors of a file (safetensors, PyTorch, npy, npz, GGUF): name, dtype, shape,
    /// bytes; or explain why the file is rejected.
    Inspect(inspect::Arguments),
    /// List the operations (name, kind, kernels, derivative, schema), or print their reference.
    Ops(ops::Arguments),
    /// List the modules (the arguments of their constructors and of `forward`), or print their
    /// reference.
    Modules(modules::Arguments),
    /// List the optimizers and schedules (the arguments of their constructors), or print their
    /// reference.
    Optimizers(optimizers::Arguments),
    /// Compare the operations, modules and optimizers with PyTorch's recorded answers. The last
    /// line is `N passed, N failed, N skipped`.
    Conformance(conformance::Arguments),
    /// Convert a program to a .pt2 that PyTorch loads or to an ONNX model, or its state or the
    /// tensors of a file to safetensors, npz or a checkpoint.
    Convert(convert::Arguments),
    /// Continue texts with a language model (a folder of Hugging Face or a GGUF file), or answer
    /// messages: the text on standard output as it comes, the speed on standard error.
    Generate(Box<generate::Arguments>),
    /// Run a program that PyTorch exported (.pt2), or an ONNX model, on inputs from a file.
    Run(run::Arguments),
    /// Run the exported programs of a folder of models and compare results and gradients with
    /// PyTorch's. The last line is `N passed, N failed`.
    Models(models::Arguments),
    /// Measure the benchmark's workloads: products, row operations, convolutions, training steps.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Train(arguments) => pollster::block_on(train::run(&arguments)).map(|()| true),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Modules(arguments) => modules::run(&arguments),
        Command::Optimizers(arguments) => optimizers::run(&arguments),
        Command::Ops(arguments) => ops::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments).map(|()| true),
        Command::Generate(arguments) => pollster::block_on(generate::run(&arguments)).map(|()| true),
        Command::Run(arguments) => pollster::block_on(run::run(&arguments)).map(|()| true),
        Command::Models(arguments) => pollster::block_on(models::run(&arguments)),
        Command::Bench(arguments) => pollster::block_on(bench::run(&arguments)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        // The failed checks have been printed.
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
