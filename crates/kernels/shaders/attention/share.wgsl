let at = (row * shares + share) * {{record}}u;
if (vector == 0u) {
    {{scratch}}[at] = bitcast<u32>(largest);
    {{scratch}}[at + 1u] = bitcast<u32>(all);
}
let values = bitcast<vec4<u32>>(sum);
let to = at + 4u + vector * 4u;
{{scratch}}[to] = values.x;
{{scratch}}[to + 1u] = values.y;
{{scratch}}[to + 2u] = values.z;
{{scratch}}[to + 3u] = values.w;