/**
 * A reporter of node's test runner that writes a line of JSON for every test: its titles from the
 * outermost describe to its own, the outcome, the seconds, and the text of its error.
 */
import { inspect } from 'node:util';

export default async function* report(source) {
  const titles = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') titles.splice(data.nesting, Infinity, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, details, skip, todo } = data;
    const error = details.error;
    yield `${JSON.stringify({
      titles: [...titles.slice(0, nesting), name],
      isSuite: details.type === 'suite',
      outcome: type === 'test:fail' ? 'failed' : skip !== undefined || todo !== undefined ? 'skipped' : 'passed',
      seconds: details.duration_ms / 1000,
      // Of a suite whose tests failed, whose hook failed, or of a test that did not run because of
      // one.
      reason: error?.failureType,
      error: error && inspect(error.cause ?? error, { depth: 4 }),
    })}\n`;
  }
}
