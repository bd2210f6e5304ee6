// The online softmax: weights and sums are relative to the largest score so far.
let seen = select(vec4<f32>(lowest), score, keep);
let next = max(largest, max(max(seen.x, seen.y), max(seen.z, seen.w)));
let shrink = exp_f32(largest - next);
let weight = select(vec4<f32>(), vec4<f32>(exp_f32(score.x - next), exp_f32(score.y - next), exp_f32(score.z - next), exp_f32(score.w - next)), keep);
largest = next;
total = total * shrink + ((weight.x + weight.y) + (weight.z + weight.w));
