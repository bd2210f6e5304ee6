/**
 * Tensors and modules in the console of DevTools, whose setting "custom formatters" shows them as
 * text.
 */
import { Printed } from './printed.js';

/** The part of a formatter that is used: JsonML, or null for a value that it does not format. */
interface Formatter {
  header(value: unknown): unknown;
  hasBody(): boolean;
}

const FORMATTER: Formatter = {
  header(value) {
    return value instanceof Printed ? ['div', { style: 'white-space: pre; font-family: monospace' }, String(value)] : null;
  },
  hasBody: () => false,
};

/** Adds the formatter to the page's, once; only where there is a console of DevTools. */
export function addFormatter(): void {
  const page = globalThis as { document?: unknown; devtoolsFormatters?: Formatter[] };
  if (page.document === undefined || page.devtoolsFormatters?.includes(FORMATTER)) return;
  page.devtoolsFormatters = [...(page.devtoolsFormatters ?? []), FORMATTER];
}
