//! `lanthorn`: train a network, list the operations.

mod ops;
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
    /// Train a network on a data set that comes with lanthorn.
    Train(train::Arguments),
    /// List the operations: name, kind and schema.
    Ops,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Train(arguments) => pollster::block_on(train::run(&arguments)),
        Command::Ops => {
            ops::list();
            Ok(())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
