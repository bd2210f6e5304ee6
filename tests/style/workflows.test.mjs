/** The check of workflows: each rule of the policy, and the language service. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createLinter } from './workflows.mjs';

const PATH = '.github/workflows/example.yml';
const WORKFLOW = `
on: push
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    strategy:
      matrix:
        stage: [one, two]
    steps:
      - uses: actions/checkout@v6
      - uses: ./.github/actions/prepare
      - run: ./pkg-scripts/test \${{ matrix.stage }}
`;

let lint;
before(async () => {
  lint = await createLinter(['one', 'two']);
});

/** Replaces one text in the workflow and checks the only problem. */
async function check(from, to, problem) {
  assert.ok(WORKFLOW.includes(from));
  const problems = await lint(PATH, WORKFLOW.replace(from, to));
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems[0], problem);
}

test('a correct workflow has no problem', async () => assert.deepEqual(await lint(PATH, WORKFLOW), []));

test('the language service names the line of an unknown key', () =>
  check('timeout-minutes: 10', 'timeout-minutes: 10\n    retries: 2', /^\.github\/workflows\/example\.yml:9: Unexpected value 'retries'/));

test('the language service parses expressions', () => check('matrix.stage }}', 'stage }}', /:15: Unrecognized named-value: 'stage'/));

test('a workflow writes nothing', () => check('contents: read', 'contents: write', /`permissions` has to be `contents: read`/));

test('a job has a time limit', () => check('    timeout-minutes: 10\n', '', /job test has no `timeout-minutes`/));

test('a job keeps the permissions of its workflow', () =>
  check('timeout-minutes: 10', 'timeout-minutes: 10\n    permissions: {}', /job test changes the workflow's `permissions`/));

test('every stage has a job', () => check('[one, two]', '[one]', /job test tests the stages one, and the suite has one,two/));

test("actions are GitHub's or of this repository", () => check('actions/checkout@v6', 'somebody/checkout@v6', /somebody\/checkout@v6 is neither/));

test('an action has a major version', () => check('actions/checkout@v6', 'actions/checkout@main', /actions\/checkout@main is neither/));

test('no step reads a secret', () =>
  check('      - run:', '      - env: { TOKEN: "${{ secrets.TOKEN }}" }\n        run:', /a fork has no secrets/));
