
// Checks that an index is in 0..extent. If it is not, writes the extent to the launch's word of the
// status buffer, and returns the index of some element.
fn check_index(index: i32, extent: i32) -> i32 {
    if ((index < 0i) | (index >= extent)) {
        atomicStore(&{{status}}, bitcast<u32>(extent) + 1u);
    }
    return clamp(index, 0i, max(extent, 1i) - 1i);
}
