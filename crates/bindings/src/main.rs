//! Writes the generated TypeScript into the folder named by the first argument.

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("usage: print-bindings FOLDER"))?;
    let folder = std::path::Path::new(&folder);
    std::fs::write(folder.join("kinds.generated.ts"), lanthorn_bindings::kinds())?;
    std::fs::write(folder.join("operations.generated.ts"), lanthorn_bindings::operations())?;
    std::fs::write(folder.join("table.generated.ts"), lanthorn_bindings::table())?;
    std::fs::write(folder.join("methods.generated.ts"), lanthorn_bindings::methods())?;
    std::fs::write(folder.join("functional.generated.ts"), lanthorn_bindings::functional())?;
    for (name, prefix) in lanthorn_bindings::NAMESPACES {
        std::fs::write(folder.join(format!("{name}.generated.ts")), lanthorn_bindings::namespace(name, prefix))?;
    }
    std::fs::write(folder.join("init.generated.ts"), lanthorn_bindings::initializers())?;
    std::fs::write(folder.join("optim.generated.ts"), lanthorn_bindings::optim::optimizers())?;
    std::fs::write(folder.join("schedules.generated.ts"), lanthorn_bindings::optim::schedules())?;
    std::fs::write(folder.join("modules.generated.ts"), lanthorn_bindings::modules())?;
    let quantization = lanthorn_bindings::quantization::quantization();
    std::fs::write(folder.join("quantization/classes.generated.ts"), quantization)?;
    std::fs::write(folder.join("block-formats.generated.ts"), lanthorn_bindings::block_formats())?;
    std::fs::write(folder.join("models/families.generated.ts"), lanthorn_bindings::families())?;
    std::fs::write(folder.join("models/generation-options.generated.ts"), lanthorn_bindings::generation_options())
}
