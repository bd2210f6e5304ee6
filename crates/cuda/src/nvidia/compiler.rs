//! NVRTC: compiles a text to code for the device's architecture, with a cache on disk.
//!
//! If NVRTC knows the architecture, the result is machine code, which loads quickly. For a GPU
//! newer than the compiler it is PTX of the newest architecture that both support.

use crate::{cache::Cache, driver::Properties};
use cudarc::nvrtc::{
    result::{self, NvrtcError},
    sys,
};
use lanthorn_ir::{Error, Result};
use std::ffi::{CString, c_char, c_int};

fn to_result<T>(op: &str, answer: Result<T, NvrtcError>) -> Result<T> {
    answer.map_err(|error| Error::kernel(op, format!("NVRTC: {error:?}")))
}

/// Checks that NVRTC is installed.
pub(super) fn probe() -> Result<()> {
    // SAFETY: this locates a library, which runs no code when it is loaded.
    if unsafe { sys::is_culib_present() } {
        return Ok(());
    }
    let what = "NVRTC, which compiles kernels, is not installed: there is no libnvrtc.so.13 or .12 (nvrtc64_130_0.dll). It comes with the CUDA toolkit 12 or 13, or with the Python package \
                nvidia-cuda-nvrtc, whose folder LD_LIBRARY_PATH must name";
    Err(Error::device("cuda", what))
}

/// The version of NVRTC, which [`probe`] has located.
pub(super) fn version() -> Result<(u32, u32)> {
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: both pointers are to a number.
    to_result("cuda", unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result())?;
    Ok((major as u32, minor as u32))
}

/// The architectures that NVRTC supports, as 10 times the compute capability.
fn architectures() -> Result<Vec<u32>> {
    let mut count: c_int = 0;
    // SAFETY: the pointer is to a number.
    to_result("cuda", unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) }.result())?;
    let mut known: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the vector has room for `count` numbers.
    to_result("cuda", unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) }.result())?;
    Ok(known.into_iter().map(|known| known as u32).collect())
}

/// The target of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// Machine code of an architecture.
    Machine(u32),
    /// PTX, which the driver compiles.
    Virtual(u32),
}

impl Code {
    /// The best code for a device by a compiler that supports these architectures.
    fn choose(device: u32, known: &[u32]) -> Option<Code> {
        if known.contains(&device) {
            return Some(Code::Machine(device));
        }
        known.iter().copied().filter(|&architecture| architecture < device).max().map(Code::Virtual)
    }

    fn option(self) -> String {
        match self {
            Code::Machine(architecture) => format!("--gpu-architecture=sm_{architecture}"),
            Code::Virtual(architecture) => format!("--gpu-architecture=compute_{architecture}"),
        }
    }
}

pub(super) struct Compiler {
    code: Code,
    version: (u32, u32),
    cache: Cache,
}

impl Compiler {
    pub(super) fn new(properties: &Properties) -> Result<Compiler> {
        let (major, minor) = properties.compute_capability;
        let (known, version) = (architectures()?, properties.compiler_version);
        let code = Code::choose(major * 10 + minor, &known).ok_or_else(|| {
            let (oldest, name) = (known.iter().min().copied().unwrap_or(0), &properties.name);
            let message = format!(
                "NVRTC {}.{} compiles for compute capability {}.{} and later, and {name} has {major}.{minor}",
                version.0,
                version.1,
                oldest / 10,
                oldest % 10
            );
            Error::device("cuda", message)
        })?;
        Ok(Compiler { code, version, cache: Cache::open("LANTHORN_CUDA_CACHE", "cuda") })
    }

    /// Compiles a source to a cubin, or to PTX with a trailing 0.
    pub(super) fn compile(&self, op: &str, source: &str) -> Result<Vec<u8>> {
        let (option, (major, minor)) = (self.code.option(), self.version);
        let text = format!("// NVRTC {major}.{minor} {option}\n{source}");
        if let Some(kept) = self.cache.get(&text, "bin") {
            return Ok(kept);
        }
        let source = CString::new(source).map_err(|_| Error::kernel(op, "a source with a 0 in it"))?;
        let name = CString::new(format!("{op}.cu")).unwrap_or_default();
        let program = to_result(op, result::create_program(&source, Some(&name)))?;
        // SAFETY: the program, its source and its name exist until the program is destroyed.
        let image = unsafe {
            let image = self.build(op, program, &option);
            let _ = result::destroy_program(program);
            image?
        };
        self.cache.put(&text, "bin", &image);
        Ok(image)
    }

    /// # Safety
    /// The program was created.
    unsafe fn build(&self, op: &str, program: sys::nvrtcProgram, option: &str) -> Result<Vec<u8>> {
        // SAFETY: the caller guarantees the program, and each buffer has the size that was queried.
        unsafe {
            if let Err(error) = result::compile_program(program, &[option, "--std=c++17"]) {
                let log = result::get_program_log(program).map(|log| text(&log)).unwrap_or_default();
                return Err(Error::kernel(op, format!("the kernel does not compile: {error:?}\n{log}")));
            }
            match self.code {
                Code::Virtual(_) => to_result(op, result::get_ptx(program)).map(bytes),
                Code::Machine(_) => {
                    let mut size = 0;
                    to_result(op, sys::nvrtcGetCUBINSize(program, &mut size).result())?;
                    let mut image: Vec<c_char> = vec![0; size];
                    to_result(op, sys::nvrtcGetCUBIN(program, image.as_mut_ptr()).result())?;
                    Ok(bytes(image))
                }
            }
        }
    }
}

fn bytes(characters: Vec<c_char>) -> Vec<u8> {
    characters.into_iter().map(|character| character as u8).collect()
}

fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().map(|&character| character as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_for_the_device_or_for_what_is_known_before_it() {
        let known = [50, 70, 80, 90];
        assert_eq!(Code::choose(80, &known), Some(Code::Machine(80)));
        assert_eq!(Code::choose(89, &known).unwrap().option(), "--gpu-architecture=compute_80");
        assert_eq!(Code::choose(120, &known), Some(Code::Virtual(90)));
        assert_eq!(Code::choose(37, &known), None);
    }
}
