/**
 * Runs files of node's test runner, several at once, each in its own process.
 *
 * A test that fails in a file that launched a browser runs once more, in a fresh browser. If it
 * passes then, it counts as passed and is named as flaky, with the outputs of both runs in the log.
 * A test without a browser never runs again: it has nothing to wait for. Rejected: retries by
 * node's runner or inside of a test, which would keep the browser that failed.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process.mjs';

const REPORTER = fileURLToPath(new URL('events.mjs', import.meta.url));
/** A file that reports no test for so long hangs, in milliseconds. */
const SILENCE = 6 * 60_000;

/**
 * Runs the files, at most `atOnce` together, in their order. Resolves to counts of tests (`passed`,
 * `failed`), the names of failed tests (`failures`) with their outputs (`reports`), flaky tests
 * with the logs of both runs (`flaky`), and the seconds of each test (`times`).
 */
export async function runNodeTests(files, { root, logs, atOnce = 2, env = {}, silence = SILENCE }) {
  mkdirSync(logs, { recursive: true });
  const results = [];
  const queue = [...files];
  const takeFiles = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const result = await runFile(file, { root, logs, env, silence });
      results.push(result);
      printFile(file, result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeFiles));
  const collect = (key) => results.flatMap((result) => result[key]);
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: collect('failures').length,
    failures: collect('failures').map(({ name }) => name),
    reports: collect('failures').map(({ name, error }) => `${name}\n${error}`),
    flaky: collect('flaky'),
    times: collect('tests').map(({ name, seconds }) => ({ name, seconds })),
  };
}

async function runFile(file, options) {
  const began = performance.now();
  const log = join(options.logs, file.replace(/[^\w.]+/g, '-'));
  let { tests, failures, usedBrowser } = await attempt(file, { ...options, log: `${log}.log` });
  let flaky = [];
  if (failures.length > 0 && usedBrowser) {
    // After a failed hook or an early end of the process the whole file runs again.
    const isSelective = failures.every(({ isTest }) => isTest);
    const names = isSelective ? failures.map(({ titles }) => titles.at(-1)) : [];
    const second = await attempt(file, { ...options, log: `${log}.again.log`, names });
    const passedNow = new Set(second.tests.filter(({ outcome }) => outcome === 'passed').map(({ name }) => name));
    const hasPassed = ({ name, isTest }) => (isTest ? passedNow.has(name) : second.failures.length === 0);
    flaky = failures.filter(hasPassed).map(({ name }) => ({ name, logs: [`${log}.log`, `${log}.again.log`] }));
    failures = isSelective ? failures.filter((failure) => !hasPassed(failure)) : second.failures;
    if (!isSelective) tests = second.tests;
  }
  const names = new Set(failures.map(({ name }) => name));
  const passed = tests.filter(({ name, outcome }) => outcome !== 'skipped' && !names.has(name)).length;
  return { tests, failures, flaky, passed, log: `${log}.log`, seconds: (performance.now() - began) / 1000 };
}

function printFile(file, { failures, flaky, passed, log, seconds }) {
  const counts = [`${passed} passed`, `${failures.length} failed`, ...(flaky.length > 0 ? [`${flaky.length} flaky`] : [])];
  console.log(`   ${file}: ${counts.join(', ')}, ${seconds.toFixed(0)} s`);
  for (const { name, error = '' } of failures) {
    const lines = error.split('\n').slice(0, 40).map((line) => `       ${line}`);
    console.log([`     FAILED ${name}`, ...lines, `     the whole log: ${log}`].join('\n'));
  }
}

/** Runs the tests of a file, all or the named ones, and reads their events. */
async function attempt(file, { root, log, env, silence, names = [] }) {
  const events = `${log}.events`;
  const consoleLog = `${log}.console`;
  for (const old of [events, consoleLog]) rmSync(old, { force: true });
  mkdirSync(dirname(log), { recursive: true });
  const patterns = names.map((name) => `--test-name-pattern=/^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`);
  const args = [
    '--test-reporter=spec', '--test-reporter-destination=stdout', `--test-reporter=${REPORTER}`, `--test-reporter-destination=${events}`, ...patterns, file,
  ];
  const { code, text, hung } = await runCommand(process.execPath, args, { log, cwd: root, env: { ...env, LANTHORN_CONSOLE_LOG: consoleLog }, show: false, silence });
  const usedBrowser = existsSync(consoleLog);
  const seen = existsSync(events) ? readFileSync(events, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [];
  const named = seen.map((event) => ({ ...event, name: `${basename(file).replace(/\.test\.mjs$/, '')} > ${event.titles.join(' > ')}` }));
  const isTest = ({ isSuite }) => !isSuite;
  const failures = named
    .filter(({ outcome, isSuite, reason }) => outcome === 'failed' && reason !== 'subtestsFailed' && (isTest({ isSuite }) || reason === 'hookFailed'))
    .map((event) => ({ ...event, isTest: isTest(event) && event.reason !== 'cancelledByParent' && event.reason !== 'hookFailed' }));
  if (code !== 0 && failures.length === 0) {
    const page = usedBrowser ? `\nthe last lines of the pages' consoles:\n${readFileSync(consoleLog, 'utf8').split('\n').slice(-30).join('\n')}` : '';
    const error = `${hung ? `no test ended within ${silence / 1000} s` : `the process ended with ${code}`}\n${text.split('\n').slice(-40).join('\n')}${page}`;
    failures.push({ name: `${basename(file)} as a whole`, titles: [], isTest: false, error });
  }
  return { tests: named.filter(isTest), failures, usedBrowser };
}
