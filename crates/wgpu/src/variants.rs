//! Chooses the variant of a kernel: a forced one, the measured one of its class, or by rules for
//! adapter and shape.

use crate::{State, WgpuBackend};
use lanthorn_ir::{Kernel, Result};
use lanthorn_kernels::{Tuning, Variant, sources};

impl State {
    /// The forced variant, otherwise the measured variant of the kernel's class, otherwise none, so
    /// that the rules choose.
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
    /// The variants by which this device can run a kernel, without duplicates; none if it cannot
    /// run the kernel. A kernel whose kind has no variants has one, which forces nothing.
    pub fn variants(&self, kernel: &Kernel) -> Vec<Variant> {
        Variant::of(kernel, &self.0.target)
    }

    /// The shaders of a kernel as a device compiles them, for readers, profiles and snapshot tests.
    ///
    /// # Errors
    /// The errors of compilation that do not depend on the device.
    pub fn shaders(&self, op: &str, kernel: &Kernel) -> Result<Vec<String>> {
        sources(op, kernel, &self.0.target.with_tuning(self.0.tuning(kernel)))
    }
}
