//! Which variant a kernel is compiled by: what is forced, what was measured for its class, or what the rules by adapter and shape choose.

use crate::{State, WgpuBackend};
use lanthorn_ir::{Kernel, Result};
use lanthorn_kernels::{Tuning, Variant, sources};

impl State {
    /// What a kernel is compiled by: what is forced for all, else what was measured for its class, else nothing, which leaves the choice to the rules.
    pub(crate) fn tuning(&self, kernel: &Kernel) -> Tuning {
        let forced = self.target.tuning;
        let mut preferred = self.preferred.borrow_mut();
        if forced != Tuning::default() || preferred.is_empty() {
            return forced;
        }
        Variant::class(kernel).and_then(|class| preferred.get(&class).map(|variant| variant.tuning)).unwrap_or(forced)
    }
}

impl WgpuBackend {
    /// The variants that this device can run a kernel by, each of which gives other shaders; none if it cannot run the kernel. A kernel whose kind has
    /// no variants has the one that forces nothing.
    pub fn variants(&self, kernel: &Kernel) -> Vec<Variant> {
        Variant::of(kernel, &self.0.target)
    }

    /// The shaders of a kernel, as they would be compiled: for people, profiles and snapshot tests.
    ///
    /// # Errors
    /// Those of compiling that do not need the device.
    pub fn shaders(&self, op: &str, kernel: &Kernel) -> Result<Vec<String>> {
        sources(op, kernel, &self.0.target.tuned(self.0.tuning(kernel)))
    }
}
