if (vector == 0u) {
    {{logarithms}}[row] = select_bits(largest + log_f32(all), 0xff800000u, all == 0.0f);
}
let inverse = select(1.0f / all, 0.0f, all == 0.0f);
{{store}}