// A scatter after a stable sort of its indices, with their positions before the sort. One thread a
// sorted index. Of equal indices, the first thread adds all of their values in the original order;
// of an assignment, the last thread stores its value. For many values and many target elements.

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
    let target_index = {{sorted}}[row + at];
    if (target_index >= {{extent}}) {
        atomicStore(&{{status}}, {{extent}} + 1u);
        return;
    }
    let target_offset = {{output_offset}} + target_index * {{output_stride}};
{{combine}}
}
