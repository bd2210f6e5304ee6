/** A session of WebDriver with WebKitGTK's MiniBrowser, in a virtual display. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

const MISSING = 'no WebKit found: install webkit2gtk-driver, xvfb, xauth and dbus-x11, as pkg-scripts/setup does';

/** Longer than any call of a test that passes, in milliseconds: a page answers one at a time. */
const SCRIPT_LIMIT = 60_000;

/** Longer than any command, in milliseconds. */
const COMMAND_LIMIT = 130_000;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The path of a program, by its name. */
function find(name) {
  const path = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!path) throw new Error(`${MISSING} (there is no ${name})`);
  return path;
}

/** The path of MiniBrowser: the environment variable WEBKIT, or Debian's path. */
function findBrowser() {
  const folders = readdirSync('/usr/lib', { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => join('/usr/lib', name));
  const candidates = folders.flatMap((folder) => ['4.1', '4.0'].map((version) => join(folder, `webkit2gtk-${version}`, 'MiniBrowser')));
  const path = process.env.WEBKIT ?? candidates.find((file) => existsSync(file));
  if (!path) throw new Error(`${MISSING} (there is no MiniBrowser)`);
  return path;
}

/** Programs that end with this process. */
const programs = new Set();
process.once('exit', () => programs.forEach(end));
process.once('SIGTERM', () => process.exit(1));

/** Starts a program as the leader of a group of processes. */
function start(name, args, options) {
  const child = spawn(find(name), args, { ...options, detached: true });
  programs.add(child);
  child.unref();
  return child;
}

/** Ends a program and those that it started. */
function end(child) {
  programs.delete(child);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Resolves to the first line that a program writes to a pipe. */
function firstLine(child, pipe) {
  return new Promise((resolve, reject) => {
    let text = '';
    pipe.setEncoding('utf8').on('data', (part) => {
      text += part;
      if (!text.includes('\n')) return;
      // The pipe stays open, because a program ends if it cannot write.
      pipe.unref();
      resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)));
  });
}

let desktop;

/** The variables of a display and a message bus, which all browsers of this process share. */
function openDesktop() {
  return (desktop ??= (async () => {
    const server = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1300x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [display, address] = await Promise.all([firstLine(server, server.stdio[3]), firstLine(bus, bus.stdout)]);
    return { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: address };
  })());
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/**
 * Starts a browser. Resolves to its version, `command(method, path, body)`, which sends a command
 * of the session, and `close()`.
 */
export async function startSession() {
  const port = await freePort();
  const env = {
    ...process.env,
    ...(await openDesktop()),
    LANG: 'en_US.UTF-8',
    // The user of a container may not make namespaces.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GTK_USE_PORTAL: '0',
    NO_AT_BRIDGE: '1',
    // Pages that are cross-origin isolated may share memory, as Safari's.
    JSC_useSharedArrayBuffer: '1',
  };
  const driver = start('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], { env, stdio: 'ignore' });
  const send = async (method, path, body) => {
    const signal = AbortSignal.timeout(COMMAND_LIMIT);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, signal, ...(body && { body: JSON.stringify(body) }) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`WebDriver, ${method} ${path.split('/').at(-1)}: ${value.error}: ${value.message}`);
    return value;
  };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary: findBrowser(), args: ['--automation'] } } };
  const session = await retry(() => send('POST', '/session', { capabilities }));
  const command = (method, path, body) => send(method, `/session/${session.sessionId}${path}`, body);
  await command('POST', '/timeouts', { script: SCRIPT_LIMIT, pageLoad: 120_000, implicit: 0 });
  return {
    version: session.capabilities.browserVersion,
    command,
    async close() {
      await command('DELETE', '').catch(() => { /* The browser has ended. */ });
      end(driver);
    },
  };
}

/** Calls an action until it succeeds: the driver listens some time after its start. */
async function retry(action, times = 20) {
  for (let time = 1; ; time += 1) {
    try {
      return await action();
    } catch (error) {
      if (time === times) throw error;
      await pause(300);
    }
  }
}
