/** A page of WebKit, with the part of Playwright's `Page` that tests use. */
import { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Download } from './download.mjs';
import { INSTALL, RUN_ELEMENT, scriptOf, textOf } from './in-page.mjs';
import { LIMIT, Locator, waitUntil } from './locator.mjs';
import { createCodec } from './values.mjs';

const { encode, decode } = createCodec();

/** WebDriver's characters for keys; a key with a character is the character. */
const KEYS = {
  Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', Backspace: '\uE003', Delete: '\uE017', Space: ' ',
  ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015',
  Home: '\uE011', End: '\uE010', PageUp: '\uE00E', PageDown: '\uE00F',
  Shift: '\uE008', Control: '\uE009', ControlOrMeta: '\uE009', Alt: '\uE00A', Meta: '\uE03D',
};

/** Methods of Playwright's page that call the same method of an element: `page.click(selector)`. */
const OF_ELEMENTS = [
  'check', 'click', 'fill', 'focus', 'getAttribute', 'hover', 'innerText', 'inputValue', 'isVisible', 'press', 'selectOption', 'setInputFiles', 'textContent', 'uncheck',
];

export class Page extends EventEmitter {
  #context;
  #window;
  #url = 'about:blank';
  #isClosed = false;

  /** A page in a window of the browser; `command(method, path, body)` sends one to it. */
  constructor(context, window) {
    super();
    this.#context = context;
    this.#window = window;
    window.scripts = [INSTALL, ...context.scripts];
    this.mouse = mouseOf(window);
    this.keyboard = {
      press: (keys) => pressKeys(window, keys),
      insertText: (text) => this.evaluate(insertText, text),
    };
    /** Requests of the test itself. */
    this.request = { get: requestPage };
  }

  context() {
    return this.#context;
  }

  url() {
    return this.#url;
  }

  /** Calls a function in the page, or evaluates a text there. */
  evaluate(action, argument) {
    return this.call(textOf(action), argument);
  }

  /** Calls a function in the page, by its text. */
  async call(text, argument) {
    const answer = await this.#window.command('POST', '/execute/async', { script: RUN_ELEMENT, args: [scriptOf(text, encode(argument))] });
    const { value, error, events, url } = JSON.parse(answer);
    this.#url = url;
    for (const event of events) this.#report(event);
    if (!error) return decode(value);
    const { name, message, stack } = decode(error);
    const thrown = new Error(name === 'Error' ? message : `${name}: ${message}`);
    thrown.stack = `${thrown.message}\n${stack}`;
    throw thrown;
  }

  #report({ event, type, text, args, message, stack, ...download }) {
    if (event === 'download') this.emit(event, new Download(download));
    else if (event === 'pageerror') this.emit(event, Object.assign(new Error(message), { stack }));
    // The values of arguments are here, and not in the page.
    else this.emit(event, { type: () => type, text: () => text, args: () => args.map((value) => ({ evaluate: async (action) => action(decode(value)) })) });
  }

  async #navigate(path, body = {}) {
    await this.#window.command('POST', path, body);
    this.#url = await this.evaluate(() => location.href);
  }

  goto(url) {
    return this.#navigate('/url', { url });
  }

  reload() {
    return this.#navigate('/refresh');
  }

  goBack() {
    return this.#navigate('/back');
  }

  title() {
    return this.evaluate(() => document.title);
  }

  /** Adds a script to the documents that the tests' servers send to this page. */
  async addInitScript(action, argument) {
    const text = typeof action === 'function' ? `(${textOf(action)})(${JSON.stringify(argument)})` : (action.content ?? action);
    this.#window.scripts.push(text);
  }

  /** Defines a function in the page that calls this one. */
  async exposeFunction(name, action) {
    const headers = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
    const server = createServer(async (request, response) => {
      const given = JSON.parse(Buffer.concat(await request.toArray()));
      response.writeHead(200, headers).end(JSON.stringify(encode(await action(...decode(given)))));
    });
    this.#window.servers.push(server);
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    const define = ([name, address]) => {
      const { encode, decode } = window.driven;
      window[name] = async (...given) => decode(await (await fetch(address, { method: 'POST', body: JSON.stringify(encode(given)) })).json());
    };
    const given = [name, `http://127.0.0.1:${server.address().port}/`];
    await this.addInitScript(define, given);
    await this.evaluate(define, given);
  }

  /** Waits until a function in the page returns a true value, also over a navigation. */
  async waitForFunction(action, argument, { timeout, polling } = {}) {
    const check = () => this.evaluate(action, argument).catch((error) => {
      if (/^WebDriver/.test(error.message)) return false;
      throw error;
    });
    const value = await waitUntil(check, { timeout, polling, what: `${action}(${JSON.stringify(argument)})` });
    return { jsonValue: async () => value };
  }

  waitForURL(pattern, { timeout } = {}) {
    const check = () => this.evaluate(() => location.href).then((url) => pattern.test(url), () => false);
    return waitUntil(check, { timeout, what: `the address is not ${pattern}, but ${this.#url}` });
  }

  waitForTimeout(milliseconds) {
    return pause(milliseconds);
  }

  /** Waits for another document than the present one. */
  async #waitForLoad(timeout) {
    const begun = await this.evaluate(() => performance.timeOrigin);
    const isLoaded = (begun) => performance.timeOrigin !== begun && document.readyState === 'complete';
    return waitUntil(() => this.evaluate(isLoaded, begun).catch(() => false), { timeout, what: 'no event load' });
  }

  /**
   * Waits for a document to load, a message of the console, an exception or a download. Answers of
   * the page contain the latter three.
   */
  async waitForEvent(name, { predicate = () => true, timeout = LIMIT } = {}) {
    if (name === 'load') return this.#waitForLoad(timeout);
    if (!['console', 'download', 'pageerror'].includes(name)) throw new Error(`WebDriver has no event ${name}`);
    let found;
    const listener = (event) => { if (predicate(event)) found ??= event; };
    this.on(name, listener);
    try {
      return await waitUntil(async () => {
        await this.evaluate(() => undefined).catch(() => { /* It navigates. */ });
        return found;
      }, { timeout, what: `no event ${name}` });
    } finally {
      this.off(name, listener);
    }
  }

  async waitForSelector(selector, options) {
    await this.locator(selector).first().waitFor(options);
  }

  locator(selector, options) {
    return new Locator(this).locator(selector, options);
  }

  getByRole(role, options) {
    return new Locator(this).getByRole(role, options);
  }

  getByText(text, options) {
    return new Locator(this).getByText(text, options);
  }

  getByLabel(label, options) {
    return new Locator(this).getByLabel(label, options);
  }

  setViewportSize(size) {
    return this.#window.resize(size);
  }

  async screenshot({ path } = {}) {
    const image = Buffer.from(await this.#window.command('GET', '/screenshot'), 'base64');
    if (path) await writeFile(path, image);
    return image;
  }

  /** Does nothing: WebKit takes media features from the desktop. */
  async emulateMedia() {}

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#context.forget(this);
    await this.#window.close();
  }
}

for (const name of OF_ELEMENTS) {
  Page.prototype[name] = function (selector, ...given) {
    return this.locator(selector).first()[name](...given);
  };
}

/** Runs in the page: pastes a text. An editor handles the event itself. */
function insertText(text) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  if (document.activeElement.dispatchEvent(event)) document.execCommand('insertText', false, text);
}

function mouseOf(window) {
  let at = [0, 0];
  const perform = (actions) => window.command('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] });
  const [down, up] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }));
  /** To a point, in equal steps. */
  const moves = (x, y, steps = 1) => {
    const [fromX, fromY] = at;
    at = [x, y];
    const part = (from, to, step) => Math.round(from + ((to - from) * step) / steps);
    return Array.from({ length: steps }, (_, index) => ({ type: 'pointerMove', duration: 0, x: part(fromX, x, index + 1), y: part(fromY, y, index + 1) }));
  };
  return {
    move: (x, y, { steps } = {}) => perform(moves(x, y, steps)),
    down: () => perform([down]),
    up: () => perform([up]),
    click: (x, y) => perform([...moves(x, y), down, up]),
  };
}

/** Presses a key, or several that `+` joins. */
function pressKeys(window, keys) {
  const values = keys.split(/(?<=.)\+/).map((key) => KEYS[key] ?? key);
  const actions = [...values.map((value) => ({ type: 'keyDown', value })), ...values.toReversed().map((value) => ({ type: 'keyUp', value }))];
  return window.command('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
}

/** A request by Node, as Playwright's `APIResponse`. */
async function requestPage(url) {
  const response = await fetch(url);
  return { ok: () => response.ok, status: () => response.status, text: () => response.text() };
}
