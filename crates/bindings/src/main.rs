//! Writes the generated TypeScript into the folder named by the first argument.

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("usage: print-bindings FOLDER"))?;
    let folder = std::path::Path::new(&folder);
    std::fs::write(folder.join("kinds.ts"), lanthorn_bindings::kinds())?;
    std::fs::write(folder.join("operations.ts"), lanthorn_bindings::operations())?;
    std::fs::write(folder.join("table.ts"), lanthorn_bindings::table())?;
    std::fs::write(folder.join("methods.ts"), lanthorn_bindings::methods())?;
    std::fs::write(folder.join("functional.ts"), lanthorn_bindings::functional())?;
    for (name, prefix) in lanthorn_bindings::NAMESPACES {
        std::fs::write(folder.join(format!("{name}.ts")), lanthorn_bindings::namespace(name, prefix))?;
    }
    std::fs::write(folder.join("init.ts"), lanthorn_bindings::initializers())?;
    std::fs::write(folder.join("optim.ts"), lanthorn_bindings::optim::optimizers())?;
    std::fs::write(folder.join("schedules.ts"), lanthorn_bindings::optim::schedules())?;
    std::fs::write(folder.join("modules.ts"), lanthorn_bindings::modules())?;
    let quantization = lanthorn_bindings::quantization::quantization();
    std::fs::write(folder.join("quantization.ts"), quantization)?;
    std::fs::write(folder.join("block-formats.ts"), lanthorn_bindings::block_formats())?;
    std::fs::write(folder.join("families.ts"), lanthorn_bindings::families())?;
    std::fs::write(folder.join("generation-options.ts"), lanthorn_bindings::generation_options())
}
