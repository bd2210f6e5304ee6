/**
 * Scripts for pages of a browser that WebDriver drives: one records the console, another calls a
 * function of a test.
 */
import { createCodec } from './values.mjs';

/**
 * Installs `window.driven`, at most once. WebDriver shows no console, so the page records messages,
 * and the answer of a call contains the messages since the last call.
 */
function install(createCodec) {
  if (window.driven) return;
  const { encode, decode } = createCodec();
  const events = [];

  const show = (value) => {
    if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`;
    try {
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  // A logged object would otherwise stay alive, and tests count live objects.
  const isShort = (value) => value === null || typeof value !== 'object' || ArrayBuffer.isView(value);
  for (const name of ['debug', 'error', 'info', 'log', 'warn']) {
    const own = console[name];
    console[name] = (...given) => {
      const args = given.map((value) => encode(isShort(value) ? value : undefined));
      events.push({ event: 'console', type: name === 'warn' ? 'warning' : name, text: given.map(show).join(' '), args });
      own.apply(console, given);
    };
  }
  const exception = (error, message) => events.push({ event: 'pageerror', message: error?.message ?? String(message), stack: error?.stack });
  addEventListener('error', ({ target, error, message }) => {
    // No exception: the observer is called again in the next frame.
    if (/^ResizeObserver loop/.test(message)) return;
    if (target === window) exception(error, message);
    else events.push({ event: 'console', type: 'error', text: `Failed to load resource: ${target.src ?? target.href}`, args: [] });
  }, true);
  addEventListener('unhandledrejection', ({ reason }) => exception(reason, reason));

  // WebDriver has no downloads: the bytes of a link's blob are an event.
  HTMLAnchorElement.prototype.click = function () {
    if (!this.download || !this.href.startsWith('blob:')) return HTMLElement.prototype.click.call(this);
    const name = this.download;
    void fetch(this.href).then((response) => response.bytes()).then((bytes) => events.push({ event: 'download', name, base64: bytes.toBase64() }));
  };

  /** Answers the driver's call, which waits in `window.answer`, with the result of an action. */
  const run = async (action, argument) => {
    const respond = window.answer;
    let outcome;
    try {
      outcome = { value: encode(await action(decode(argument))) };
    } catch (error) {
      outcome = { error: encode(error instanceof Error ? error : new Error(String(error))) };
    }
    respond(JSON.stringify({ ...outcome, events: events.splice(0), url: location.href }));
  };
  window.driven = { run, encode, decode };
}

/** A script that installs the above. */
export const INSTALL = `(${install})(${createCodec});`;

/** The text of a function as an expression: a method needs a keyword. */
function asExpression(action) {
  const text = String(action);
  try {
    new Function(`(${text})`);
    return text;
  } catch {
    return text.replace(/^(async )?/, '$1function ');
  }
}

/** The text of a function; a text becomes a function that evaluates it. */
export const textOf = (action) => (typeof action === 'function' ? asExpression(action) : `() => (0, eval)(${JSON.stringify(action)})`);

/**
 * The script that calls a function in the page. Its `import()` resolves addresses against the
 * document, because {@link RUN_ELEMENT} makes it an element.
 */
export const scriptOf = (text, argument) => `${INSTALL} window.driven.run(${text}, ${JSON.stringify(argument)});`;

/** The script of WebDriver that runs another one as an element of the document. */
export const RUN_ELEMENT = `
const [text, answer] = arguments;
window.answer = answer;
const script = document.createElement('script');
script.textContent = text;
(document.head ?? document.documentElement).append(script);
script.remove();
`;
