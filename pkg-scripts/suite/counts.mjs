/** Reads counts and times from the outputs of test runners. */

const COLORS = /\x1b\[[0-9;]*m/g;

/** The closing lines of cargo test, nextest, wasm-bindgen's runner, and of scripts here. */
const CLOSINGS = [/^test result:/, /^ *Summary \[/, /^\d+ passed, \d+ failed/];

/** Sums the closing lines of an output: `{ passed, failed }`. A test that timed out failed. */
export function sumClosings(text) {
  const sum = { passed: 0, failed: 0 };
  for (const line of text.replace(COLORS, '').split('\n')) {
    if (!CLOSINGS.some((pattern) => pattern.test(line))) continue;
    for (const [, count, outcome] of line.matchAll(/(\d+) (passed|failed|timed out)/g)) {
      sum[outcome === 'passed' ? 'passed' : 'failed'] += Number(count);
    }
  }
  return sum;
}

/** The tests of a JUnit file of nextest, `{ name, seconds }`. */
export function readJunit(xml) {
  return [...xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]* time="([\d.]+)"/g)].map(([, name, crate, seconds]) => ({
    name: `${crate} ${name}`, seconds: Number(seconds),
  }));
}
