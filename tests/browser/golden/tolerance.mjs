/**
 * The allowed deviation from PyTorch's result: the rule of tests/golden/README.md, with the table
 * that the native runner reads too.
 */

/** The absolute and relative tolerance of one tensor; `part` is 'value', 'gradient' or 'double'. */
export function tolerance(table, document, sample, part, index, dtype, strict) {
  const exact = { atol: 0, rtol: 0 };
  let [atol, rtol] = { float64: [1e-7, 1e-7], float32: [1e-5, 1.3e-6], float16: [1e-5, 1e-3], bfloat16: [1e-5, 1.6e-2] }[dtype] ?? [0, 0];
  const moves = table.moves.includes(document.category) && !table.compute.includes(document.op);
  if (rtol === 0 || (moves && part === 'value')) return exact;
  const { out = [], grad = [] } = sample.f32_err ?? {};
  // A module's gradients share one entry.
  const errors = { value: [out[index]], gradient: [typeof grad[0] === 'number' ? grad : grad[index]], double: [...out, ...grad] }[part];
  for (const [, rel, excess] of errors.filter(Boolean)) {
    [atol, rtol] = [Math.max(atol, 4 * excess), Math.max(rtol, 4 * rel)];
  }
  if (!strict) {
    const [value, gradient] = table.units[document.category ?? 'module'] ?? table.other;
    rtol = Math.max(rtol, (part === 'value' ? value : gradient) * 2 ** -24);
    const tests = /^(TestCommon\.|TestConsistency\.|TestUnaryUfuncs\.|TestBinaryUfuncs|TestReductions)/;
    for (const allowed of (document.torch_tolerance_overrides ?? []).filter((one) => one.dtype === dtype && tests.test(one.test ?? ''))) {
      [atol, rtol] = [Math.max(atol, allowed.atol), Math.max(rtol, allowed.rtol)];
    }
  }
  return { atol, rtol };
}

/**
 * A description of the worst element, if it is wrong. NaN equals NaN, an infinity equals itself;
 * the sign of zero is not compared.
 */
export function differs(got, want, { atol, rtol }) {
  if (got.length !== want.length) return `${got.length} elements, expected ${want.length}`;
  let [index, worst] = [-1, 0];
  for (let i = 0; i < want.length; i += 1) {
    const [one, other] = [Number(got[i]), Number(want[i])];
    if (one === other || (Number.isNaN(one) && Number.isNaN(other))) continue;
    const distance = Math.abs(one - other);
    const excess = Number.isFinite(distance) ? distance - atol - rtol * Math.abs(other) : Infinity;
    if (excess > worst) [index, worst] = [i, excess];
  }
  return index < 0 ? undefined : `element ${index} of ${want.length} is ${got[index]}, expected ${want[index]}`;
}
