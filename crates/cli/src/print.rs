//! Standard output whose reader may stop: `lanthorn inspect FILE | head`.
//!
//! `print!` and `println!` of this crate replace Rust's, which panic when a pipe is closed.
//! Rejected: the default action of SIGPIPE, which needs unsafe code and a library, and which
//! Windows lacks.

use std::{
    fmt::Arguments,
    io::{ErrorKind, Write, stderr, stdout},
    process,
};

/// Writes to standard output. Ends the program without a message if the reader has stopped, and
/// with a message if writing fails.
pub fn out(text: Arguments) {
    let Err(error) = stdout().lock().write_fmt(text) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        process::exit(0);
    }
    err(format_args!("error: standard output: {error}\n"));
    process::exit(1);
}

/// Writes to standard error, and ignores failures.
pub fn err(text: Arguments) {
    let _ = stderr().lock().write_fmt(text);
}

macro_rules! print {
    ($($text:tt)*) => { $crate::print::out(format_args!($($text)*)) };
}

macro_rules! println {
    () => { $crate::print::out(format_args!("\n")) };
    ($format:literal $($text:tt)*) => { $crate::print::out(format_args!("{}\n", format_args!($format $($text)*))) };
}

macro_rules! eprintln {
    ($format:literal $($text:tt)*) => { $crate::print::err(format_args!("{}\n", format_args!($format $($text)*))) };
}
