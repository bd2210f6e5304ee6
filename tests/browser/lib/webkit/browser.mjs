/**
 * WebKitGTK, driven by WebDriver, with the part of Playwright's `Browser` that tests use.
 * Playwright itself drives only a patched WebKit.
 *
 * WebDriver lacks parts of Chromium's protocol: requests, workers, and a slower network or CPU.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { useScripts } from './documents.mjs';
import { Page } from './page.mjs';
import { startSession } from './session.mjs';

const VIEWPORT = { width: 1280, height: 720 };

/** Runs in a page: deletes everything that its origin stores. */
async function clearStorage() {
  if (!location.origin.startsWith('http')) return;
  localStorage.clear();
  sessionStorage.clear();
  const databases = await indexedDB.databases();
  await Promise.all(databases.map(({ name }) => new Promise((done) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = done;
  })));
  for (const name of (await globalThis.caches?.keys()) ?? []) await caches.delete(name);
}

export async function launchWebKit() {
  const session = await startSession();
  const windows = new Windows(session);
  await windows.open;
  return {
    version: () => session.version,
    async newContext({ viewport = VIEWPORT, javaScriptEnabled = true } = {}) {
      if (!javaScriptEnabled) throw new Error('WebDriver runs scripts, so javaScriptEnabled cannot be false');
      return new Context(windows, viewport);
    },
    /** A page in a new context. */
    async newPage(options) {
      return (await this.newContext(options)).newPage();
    },
    newBrowserCDPSession() {
      throw new Error('WebKit lacks the protocol of Chromium');
    },
    async close() {
      windows.end();
      await session.close();
    },
  };
}

/** Pages of a test. All contexts of a browser share storage; the last page of one clears it. */
class Context extends EventEmitter {
  /** Scripts that run first in its pages. */
  scripts = [];
  #windows;
  #viewport;
  #pages = new Set();

  constructor(windows, viewport) {
    super();
    this.#windows = windows;
    this.#viewport = viewport;
  }

  async newPage() {
    const page = new Page(this, await this.#windows.take(this.#viewport));
    this.#pages.add(page);
    this.emit('page', page);
    return page;
  }

  async addInitScript(text) {
    this.scripts.push(text);
  }

  /** A page of this context is about to close. */
  async forget(page) {
    this.#pages.delete(page);
    if (this.#pages.size > 0) return;
    await page.evaluate(clearStorage).catch(() => { /* The page does not answer. */ });
  }

  async close() {
    for (const page of [...this.#pages]) await page.close();
  }

  newCDPSession() {
    throw new Error('WebKit lacks the protocol of Chromium');
  }
}

/**
 * The windows of a session. Commands go to the window that was switched to, so they wait for each
 * other.
 */
class Windows {
  #session;
  #current;
  /** The first window, while no page has it: the session ends with its last window. */
  #free;
  #last = Promise.resolve();
  #taken = new Set();
  open;

  constructor(session) {
    this.#session = session;
    this.open = this.#inTurn(async () => { this.#current = this.#free = await session.command('GET', '/window'); });
  }

  /** Calls an action when those before it have ended. */
  #inTurn(action) {
    const result = this.#last.then(action);
    this.#last = result.catch(() => { /* Thrown where the result is awaited. */ });
    return result;
  }

  /** The browser is about to end. */
  end() {
    this.#taken.forEach(end);
  }

  /** A window of this size for a page. */
  async take(viewport) {
    const { command } = this.#session;
    const first = this.#free;
    this.#free = undefined;
    const handle = first ?? (await this.#inTurn(() => command('POST', '/window/new', { type: 'tab' }))).handle;
    const inWindow = (action) => this.#inTurn(async () => {
      if (this.#current !== handle) await command('POST', '/window', { handle });
      this.#current = handle;
      useScripts(window.scripts);
      return action();
    });
    const window = {
      /** The scripts of documents that it opens. */
      scripts: [],
      /** Servers that its page calls. */
      servers: [],
      command: (method, path, body) => inWindow(() => command(method, path, body)),
      resize: (size) => inWindow(() => resize(command, size)),
      close: () => inWindow(async () => {
        this.#taken.delete(window);
        end(window);
        if (first) {
          await command('POST', '/url', { url: 'about:blank' });
          this.#free = handle;
        } else {
          await command('DELETE', '/window');
          this.#current = undefined;
        }
      }),
    };
    this.#taken.add(window);
    await window.resize(viewport);
    return window;
  }
}

/** Ends the servers of a window. */
function end({ servers }) {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

/** Resizes the page of the current window. The window is larger by a frame. */
async function resize(command, { width, height }) {
  for (let time = 0; time < 4; time += 1) {
    const [innerWidth, innerHeight] = await command('POST', '/execute/sync', { script: 'return [innerWidth, innerHeight]', args: [] });
    if (innerWidth === width && innerHeight === height) return;
    const rect = await command('GET', '/window/rect');
    await command('POST', '/window/rect', { width: rect.width + width - innerWidth, height: rect.height + height - innerHeight });
    await pause(150);
  }
}
