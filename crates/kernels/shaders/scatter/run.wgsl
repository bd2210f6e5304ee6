// A scatter after its indices were sorted, with the places that they came from. One thread a sorted index: the first of those that are equal leads an addition and goes
// through all of them, in the order that they came in; the last does an assignment. For many values on many places.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * 64u + lane;
    let others = {{others}};
    let first = {{first}};
    let end = {{end}};
    let o = thread % others;
    let at = first + thread / others;
    if (at >= end) {
        return;
    }
{{coordinates}}
    let row = {{row}};
    let source_base = {{source_offset}};
    let place = {{sorted}}[row + at];
    if (place >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        return;
    }
    let target_place = {{output_offset}} + place * {{output_stride}};
{{combine}}
}
