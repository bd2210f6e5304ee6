let exponent = score - logarithm;
let weight = select(vec4<f32>(), vec4<f32>(exp_f32(exponent.x), exp_f32(exponent.y), exp_f32(exponent.z), exp_f32(exponent.w)), keep);
let difference = select(vec4<f32>(), weight * (slope - product) * derivative, keep);
