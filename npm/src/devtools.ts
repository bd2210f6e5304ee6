/**
 * Tensors and modules in the console of DevTools, whose setting "custom formatters" shows them as
 * text.
 */
import { moduleHandle } from './arguments.js';
import { Tensor } from './tensor.js';

/** The part of a formatter that is used: JsonML, or null for what it does not format. */
interface Formatter {
  header(value: unknown): unknown;
  hasBody(): boolean;
}

const FORMATTER: Formatter = {
  header(value) {
    const isOurs = value instanceof Tensor || (typeof value === 'object' && value !== null && moduleHandle in value);
    return isOurs ? ['div', { style: 'white-space: pre; font-family: monospace' }, String(value)] : null;
  },
  hasBody: () => false,
};

/** Adds the formatter to the page's, once; only where there is a console of DevTools. */
export function addFormatter(): void {
  const page = globalThis as { document?: unknown; devtoolsFormatters?: Formatter[] };
  if (page.document === undefined || page.devtoolsFormatters?.includes(FORMATTER)) return;
  page.devtoolsFormatters = [...(page.devtoolsFormatters ?? []), FORMATTER];
}
