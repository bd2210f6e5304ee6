/** Elements of a page, as Playwright's `Locator`: each call searches for them. */
import { setTimeout as pause } from 'node:timers/promises';

/** The limit of waits, in milliseconds, where a test sets none: Playwright's. */
export const LIMIT = 30_000;
const POLLING = 50;

/** Rejects with the name that Playwright's error has. */
export async function waitUntil(check, { timeout = LIMIT, polling = POLLING, what }) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > deadline) throw Object.assign(new Error(`Timeout ${timeout}ms exceeded: ${what}`), { name: 'TimeoutError' });
    await pause(polling);
  }
}

/** A text or a pattern, as JSON. */
const patternOf = (wanted, isExact = false) =>
  wanted instanceof RegExp ? { source: wanted.source, flags: wanted.flags } : { text: String(wanted), isExact };

/** Runs in the page: the elements that a list of steps leads to. */
function find(steps) {
  const ROLES = {
    button: 'button, [role=button], input[type=button], input[type=submit]',
    link: 'a[href], [role=link]',
    heading: 'h1, h2, h3, h4, h5, h6, [role=heading]',
  };
  const words = (text) => text.replace(/\s+/g, ' ').trim();
  const fits = (text, { source, flags, text: wanted, isExact }) => {
    if (source !== undefined) return new RegExp(source, flags).test(text);
    return isExact ? words(text) === wanted : words(text).toLowerCase().includes(wanted.toLowerCase());
  };
  const textOf = (element) => element.innerText ?? element.textContent;
  const nameOf = (element) => element.ariaLabel ?? ([...(element.labels ?? [])].map(({ textContent }) => textContent).join(' ') || element.textContent);
  const within = (parents, selector) => [...new Set(parents.flatMap((parent) => [...parent.querySelectorAll(selector)]))];
  const take = {
    css: (found, selector) => within(found, selector),
    role: (found, role) => within(found, ROLES[role] ?? `[role=${role}]`),
    hasName: (found, pattern) => found.filter((element) => fits(nameOf(element), pattern)),
    hasText: (found, pattern) => found.filter((element) => fits(textOf(element), pattern)),
    label: (found, pattern) => within(found, 'input, select, textarea, button, [aria-label]').filter((element) => fits(nameOf(element), pattern)),
    text: (found, pattern) => {
      const all = within(found, '*').filter((element) => fits(textOf(element), pattern));
      return all.filter((element) => !all.some((other) => other !== element && element.contains(other)));
    },
    nth: (found, index) => found.slice(index, index + 1 || undefined),
  };
  return steps.reduce((found, [kind, value]) => take[kind](found, value), [document]);
}

/** Runs in the page: whether an element can be clicked. */
function isReady(element) {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden' && !element.disabled;
}

/** Runs in the page: sets the value of a field, and notifies its listeners. */
function setValue(element, value) {
  element.value = value;
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
}

export class Locator {
  #page;
  #steps;

  constructor(page, steps = []) {
    this.#page = page;
    this.#steps = steps;
  }

  #then(...steps) {
    return new Locator(this.#page, [...this.#steps, ...steps]);
  }

  locator(selector, { hasText } = {}) {
    return this.#then(['css', selector], ...(hasText === undefined ? [] : [['hasText', patternOf(hasText)]]));
  }

  getByRole(role, { name, exact } = {}) {
    return this.#then(['role', role], ...(name === undefined ? [] : [['hasName', patternOf(name, exact)]]));
  }

  getByText(text, { exact } = {}) {
    return this.#then(['text', patternOf(text, exact)]);
  }

  getByLabel(label, { exact } = {}) {
    return this.#then(['label', patternOf(label, exact)]);
  }

  filter({ hasText }) {
    return this.#then(['hasText', patternOf(hasText)]);
  }

  nth(index) {
    return this.#then(['nth', index]);
  }

  first() {
    return this.nth(0);
  }

  last() {
    return this.nth(-1);
  }

  async all() {
    return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
  }

  /** Calls a function in the page with all elements. */
  evaluateAll(action, argument) {
    return this.#page.call(`([steps, argument]) => (${action})((${find})(steps), argument)`, [this.#steps, argument]);
  }

  /** Waits for an element, and calls a function in the page with it and an argument. */
  async evaluate(action, argument, { timeout, ready = '() => true' } = {}) {
    const text = `(async ([element], argument) => {
      if (element && (${ready})(element)) return { value: await (${action})(element, argument) };
    })`;
    const found = await waitUntil(() => this.evaluateAll(text, argument), { timeout, what: `no ${JSON.stringify(this.#steps)}` });
    return found.value;
  }

  count() {
    return this.evaluateAll((elements) => elements.length);
  }

  allInnerTexts() {
    return this.evaluateAll((elements) => elements.map(({ innerText }) => innerText));
  }

  allTextContents() {
    return this.evaluateAll((elements) => elements.map(({ textContent }) => textContent));
  }

  innerText(options) {
    return this.evaluate((element) => element.innerText, null, options);
  }

  textContent(options) {
    return this.evaluate((element) => element.textContent, null, options);
  }

  inputValue(options) {
    return this.evaluate((element) => element.value, null, options);
  }

  getAttribute(name, options) {
    return this.evaluate((element, name) => element.getAttribute(name), name, options);
  }

  isChecked(options) {
    return this.evaluate((element) => element.checked, null, options);
  }

  isDisabled(options) {
    return this.evaluate((element) => Boolean(element.disabled), null, options);
  }

  isVisible() {
    return this.evaluateAll(`([element]) => element !== undefined && element.checkVisibility({ visibilityProperty: true })`);
  }

  boundingBox(options) {
    return this.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    }, null, options);
  }

  scrollIntoViewIfNeeded(options) {
    return this.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }), null, options);
  }

  focus(options) {
    return this.evaluate((element) => element.focus(), null, options);
  }

  /** Scrolls to the element, and resolves to the point in its middle, or at a position of it. */
  #point({ position, timeout } = {}) {
    return this.evaluate((element, position) => {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x + (position?.x ?? width / 2), y + (position?.y ?? height / 2)];
    }, position, { timeout, ready: isReady });
  }

  async click(options) {
    await this.#page.mouse.click(...(await this.#point(options)));
  }

  async hover(options) {
    await this.#page.mouse.move(...(await this.#point(options)));
  }

  async setChecked(isChecked, options) {
    if ((await this.isChecked(options)) !== isChecked) await this.click(options);
  }

  check(options) {
    return this.setChecked(true, options);
  }

  uncheck(options) {
    return this.setChecked(false, options);
  }

  fill(value, options) {
    return this.evaluate(`(element, value) => { element.focus(); (${setValue})(element, value); }`, value, { ...options, ready: isReady });
  }

  /** Selects an option by its value or its text. */
  selectOption(wanted, options) {
    return this.evaluate(`(element, wanted) => {
      const option = [...element.options].find(({ value, label }) => value === wanted || label === wanted);
      if (!option) throw new Error('there is no option ' + wanted);
      (${setValue})(element, option.value);
    }`, String(wanted), { ...options, ready: isReady });
  }

  async press(key, options) {
    await this.focus(options);
    await this.#page.keyboard.press(key);
  }

  waitFor({ state = 'visible', timeout } = {}) {
    const check = {
      visible: () => this.isVisible(),
      hidden: async () => !(await this.isVisible()),
      attached: async () => (await this.count()) > 0,
      detached: async () => (await this.count()) === 0,
    }[state];
    return waitUntil(check, { timeout, what: `${JSON.stringify(this.#steps)} is not ${state}` });
  }

  /** Sets the files of a field: paths, or `{ name, mimeType, buffer }`. */
  async setInputFiles(files) {
    const { readFile } = await import('node:fs/promises');
    const { basename } = await import('node:path');
    const given = await Promise.all([files].flat().map(async (file) => {
      const { name, mimeType = '', buffer } = typeof file === 'string' ? { name: basename(file), buffer: await readFile(file) } : file;
      return { name, mimeType, base64: Buffer.from(buffer).toString('base64') };
    }));
    await this.evaluate((element, given) => {
      const transfer = new DataTransfer();
      for (const { name, mimeType, base64 } of given) {
        transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name, { type: mimeType }));
      }
      element.files = transfer.files;
      for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
    }, given);
  }
}
