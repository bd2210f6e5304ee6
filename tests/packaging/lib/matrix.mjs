/** Runs rows of the matrix, see matrix/rows.mjs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { findChromium } from '../../browser/lib/browser.mjs';
import { serveFolder } from '../../browser/lib/static-server.mjs';
import { assertPageTrains, assertTrained, usePacked, withProfiles } from './drive.mjs';
import { run } from './packed.mjs';
import { installTools } from './tools.mjs';

const BUILD_LIMIT = 300_000;
const START_LIMIT = 60_000;

/** Declares a test for each row. */
export function testRows(rows) {
  const used = usePacked();
  for (const row of rows) {
    test(row.name, () => runRow(row, used.packed, used.browsers));
  }
}

async function runRow(row, packed, browsers) {
  const home = await mkdtemp(join(await installTools(row.tools ?? {}), 'project-'));
  try {
    const project = await packed.createProject('app', row.files, home);
    const options = { cwd: project, env: environment(dirname(home)) };
    if (row.build) await build(row.build, options);
    if (row.run) await assertPrints(row, options);
    if (row.serves && row.hasProfile) await withProfiles((launched) => assertFolderTrains(row, project, launched));
    else if (row.serves) await assertFolderTrains(row, project, browsers);
    if (row.server) await withServer(row.server, options, (address) => assertServedTrains(row, address, browsers));
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Programs of the tools come first; telemetry and colours are off. */
function environment(tools) {
  return {
    ...process.env,
    PATH: [join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    DENO_NO_UPDATE_CHECK: '1',
    VK_ICD_FILENAMES: softwareVulkan(),
  };
}

/** The Vulkan driver of Chromium: Dawn accepts it, and not every version of lavapipe. */
function softwareVulkan() {
  const found = [dirname(findChromium()), '/usr/lib/chromium'].map((folder) => join(folder, 'vk_swiftshader_icd.json')).find(existsSync);
  assert.ok(found, 'Chromium has no vk_swiftshader_icd.json beside it');
  return found;
}

async function build([program, ...args], options) {
  const { stdout, stderr } = await run(program, args, { ...options, timeout: BUILD_LIMIT });
  assert.doesNotMatch(stdout + stderr, /\bwarn/i);
}

async function assertPrints({ run: [program, ...args], prints }, options) {
  const { stdout } = await run(program, args, options);
  const results = stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(results.length, prints.length);
  results.forEach((result, index) => assertTrained(result, prints[index]));
}

async function assertFolderTrains({ serves, elsewhere, headers, targets }, project, browsers) {
  const other = elsewhere && (await serveFolder(join(project, elsewhere), {}, { 'access-control-allow-origin': '*' }));
  const index = join(project, serves, 'index.html');
  if (other) await writeFile(index, (await readFile(index, 'utf8')).replaceAll('ELSEWHERE', other.origin));
  const { origin, close } = await serveFolder(join(project, serves), {}, headers);
  try {
    await assertPageTrains(browsers, `${origin}/`, targets);
  } finally {
    await close();
    await other?.close();
  }
}

async function assertServedTrains({ renders, targets }, address, browsers) {
  if (renders) assert.ok((await (await fetch(address)).text()).includes(renders), `the page has ${renders}`);
  await assertPageTrains(browsers, address, targets);
}

/** Runs the command of a server, and ends it with all of its processes. */
async function withServer(commandOn, options, action) {
  const port = await freePort();
  const [program, ...args] = commandOn(String(port));
  const server = spawn(program, args, { ...options, detached: true });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => { output += text; });
  const ended = new Promise((resolve) => server.on('close', resolve));
  try {
    const address = `http://127.0.0.1:${port}/`;
    await answers(address, server).catch((cause) => { throw new Error(`${program} ${args.join(' ')} does not serve:\n${output}`, { cause }); });
    await action(address);
  } finally {
    if (server.exitCode === null) process.kill(-server.pid);
    await ended;
  }
}

async function answers(address, server) {
  for (const start = Date.now(); Date.now() - start < START_LIMIT; await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (server.exitCode !== null) break;
    if (await fetch(address).then(({ ok }) => ok, () => false)) return;
  }
  throw new Error('no answer');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
