// Combines the partial results of the shares of the keys. A thread computes a vector of one query's
// result. The sums of a share are relative to its largest score.

@compute @workgroup_size({{threads}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
{{words}}
    let thread = (group.y * {{grid}} + group.x) * {{threads}}u + lane;
    if (thread >= {{results}}) {
        return;
    }
    let vector = thread % {{value_vectors}}u;
    let row = thread / {{value_vectors}}u;
    let shares = {{shares}};
    var largest = bitcast<f32>(0xff7fffffu);
    var all = 0.0f;
    var sum = vec4<f32>();
    for (var share = 0u; share < shares; share++) {
        let at = (row * shares + share) * {{record}}u;
        let of_share = bitcast<f32>({{scratch}}[at]);
        let next = max(largest, of_share);
        let before = exp_f32(largest - next);
        let now = exp_f32(of_share - next);
        let begin = at + 4u + vector * 4u;
        let values = vec4<u32>({{scratch}}[begin], {{scratch}}[begin + 1u], {{scratch}}[begin + 2u], {{scratch}}[begin + 3u]);
        all = all * before + bitcast<f32>({{scratch}}[at + 1u]) * now;
        sum = sum * before + bitcast<vec4<f32>>(values) * now;
        largest = next;
    }
{{finish}}
}
