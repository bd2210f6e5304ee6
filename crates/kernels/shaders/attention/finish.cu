// The logarithm of 0 is negative infinity.
if (vector == 0) {{logarithms}}[row] = all == 0 ? {{log}}(Real(0)) : largest + {{log}}(all);
const Real inverse = all == 0 ? Real(0) : Real(1) / all;
{{store}}