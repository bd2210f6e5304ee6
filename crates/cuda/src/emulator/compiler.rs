//! The system's C++ compiler in the role of NVRTC: it compiles the emulator's header and a kernel's
//! text to a shared object.

use crate::cache::{Cache, unused_name};
use lanthorn_ir::{Error, Result};
use libloading::Library;
use std::{
    ffi::{OsString, c_int, c_void},
    fs,
    path::Path,
    process::Command,
};

const HEADER: &str = include_str!("emulator.h");

/// Low optimization, because each kernel runs for a millisecond, once. Without contraction and
/// reordering, so that results follow the text.
const FLAGS: &[&str] = &[
    "-std=c++20",
    "-O1",
    "-w",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-asynchronous-unwind-tables",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-xc++",
];

/// The header checks every access.
const CHECKED: &[&str] = &[
    "-DLANTHORN_CHECKED",
    "-fsanitize=kernel-address",
    "--param=asan-instrumentation-with-call-threshold=0",
    "--param=asan-stack=0",
    "--param=asan-globals=0",
];

/// The start and the end of memory that a kernel may use.
#[repr(C)]
pub(super) struct Range {
    pub(super) begin: *const u8,
    pub(super) end: *const u8,
}

/// A launch in the header's form: its `struct Call`.
#[repr(C)]
pub(super) struct Call {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) arguments: *mut *mut c_void,
    pub(super) stacks: *mut u8,
    pub(super) stack_bytes: usize,
    pub(super) buffers: *const Range,
    pub(super) buffer_count: usize,
    pub(super) message: *mut u8,
    pub(super) message_bytes: usize,
}

type Run = unsafe extern "C" fn(*const Call) -> c_int;

/// A kernel, as a function for the host's processor.
pub(super) struct Module {
    run: Run,
    /// The library that contains the function.
    _library: Library,
}

impl Module {
    /// # Safety
    /// As for [`crate::Driver::launch`].
    pub(super) unsafe fn run(&self, call: &Call) -> bool {
        // SAFETY: the library stays loaded while `_library` exists. The caller guarantees the
        // arguments.
        unsafe { (self.run)(call) == 0 }
    }
}

pub(super) struct Compiler {
    command: OsString,
    checked: bool,
    cache: Cache,
    /// The version that the compiler reports. Results depend on it.
    version: String,
}

impl Compiler {
    pub(super) fn find(checked: bool) -> Result<Compiler> {
        let command = std::env::var_os("CXX").unwrap_or_else(|| "g++".into());
        let output = Command::new(&command).arg("--version").output();
        let output = output.map_err(|error| {
            let name = command.display();
            Error::device(
                "cuda-host",
                format!("kernels are compiled by g++, or what CXX names, and {name} does not run: {error}"),
            )
        })?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_string();
        Ok(Compiler { command, checked, cache: Cache::open("LANTHORN_CUDA_HOST_CACHE", "cuda-host"), version })
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    fn flags(&self) -> impl Iterator<Item = &'static str> {
        FLAGS.iter().chain(if self.checked { CHECKED } else { &[] }).copied()
    }

    pub(super) fn compile(&self, op: &str, source: &str) -> Result<Module> {
        let flags = self.flags().collect::<Vec<_>>().join(" ");
        let unit = format!(
            "// {} {flags}\n{HEADER}\n#line 1 \"{op}.cu\"\n{source}\nLANTHORN_ENTRY(kernel)\n",
            self.version.replace('\n', " ")
        );
        let failed = |what: &str, error: &dyn std::fmt::Display| Error::kernel(op, format!("{what}: {error}"));
        let folder = std::env::temp_dir();
        let path = self.cache.path(&unit, "so");
        let kept =
            path.as_ref().filter(|path| fs::read(path.with_extension("cu")).is_ok_and(|text| text == unit.as_bytes()));
        if let Some(module) = kept.and_then(|path| load(path).ok()) {
            return Ok(module);
        }
        let path = path.unwrap_or_else(|| folder.join("lanthorn-kernel.so"));
        let (text, object) = (unused_name(&path), unused_name(&path));
        fs::write(&text, &unit).map_err(|error| failed("cannot write the kernel's text", &error))?;
        let output = Command::new(&self.command).args(self.flags()).arg("-o").arg(&object).arg(&text).output();
        let output = output.map_err(|error| failed("the compiler does not run", &error))?;
        if !output.status.success() {
            let _ = fs::remove_file(&text);
            return Err(failed("the kernel does not compile", &String::from_utf8_lossy(&output.stderr)));
        }
        let module = load(&object).map_err(|error| failed("the kernel does not load", &error));
        // The text marks the object as complete, so it is renamed second.
        let _ = fs::rename(&object, &path).and_then(|()| fs::rename(&text, path.with_extension("cu")));
        module
    }
}

fn load(path: &Path) -> Result<Module, libloading::Error> {
    // SAFETY: the object consists of the header and a kernel, which run no code when loaded.
    let library = unsafe { Library::new(path)? };
    // SAFETY: the header's entry point has this type.
    let run = unsafe { *library.get::<Run>(b"lanthorn_run\0")? };
    Ok(Module { run, _library: library })
}
