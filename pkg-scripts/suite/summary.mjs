/** The last lines of a run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SLOWEST = 10;

/**
 * Prints the ten slowest tests, the time of each stage, flaky and failed tests, and `N passed, N
 * failed`. Writes the time of every test to `times.json` in the folder of logs. Returns whether all
 * passed.
 */
export function printSummary(outcomes, { logs }) {
  const times = outcomes.flatMap((outcome) => outcome.times ?? []).sort((one, other) => other.seconds - one.seconds);
  writeFileSync(join(logs, 'times.json'), JSON.stringify(times));
  console.log('\nthe slowest tests:');
  for (const { name, seconds } of times.slice(0, SLOWEST)) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${name}`);
  console.log('stages:');
  for (const stage of new Set(outcomes.map((outcome) => outcome.stage))) {
    const steps = outcomes.filter((outcome) => outcome.stage === stage);
    const total = steps.reduce((sum, { seconds }) => sum + seconds, 0);
    console.log(`  ${total.toFixed(0).padStart(6)} s  ${stage} (${steps.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)}`).join(', ')})`);
  }
  const flaky = outcomes.flatMap((outcome) => outcome.flaky ?? []);
  if (flaky.length > 0) console.log('flaky:');
  for (const { name, logs: files } of flaky) console.log(`  ${name}\n    passed in a second run; outputs: ${files.join(' ')}`);
  const failures = outcomes.flatMap(({ name, failed, failures: named }) => (named?.length ? named : failed > 0 ? [`${name}: ${failed} failed`] : []));
  if (failures.length > 0) console.log('failed:');
  for (const name of failures) console.log(`  ${name}`);
  const [passed, failed] = ['passed', 'failed'].map((key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0));
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}
