
// An index that must lie in 0..extent. If it does not, the launch's place in the status buffer learns the extent, and some element is read.
fn check_index(index: i32, extent: i32) -> i32 {
    if ((index < 0i) | (index >= extent)) {
        atomicStore(&{{status}}, bitcast<u32>(extent) + 1u);
    }
    return clamp(index, 0i, max(extent, 1i) - 1i);
}
