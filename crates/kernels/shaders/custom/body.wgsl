// The user's statements, run once for each thread below a count that is an argument of the kernel.

fn lanthorn_word(at: u32) -> u32 {
    return params.words[at >> 2u][at & 3u];
}

{{accessors}}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * {{grid}} + group.x) * 256u + lane;
    if (i < {{threads}}) {
        lanthorn_body(i);
    }
}
{{user}}
