/** The line of a syntax error, which the `error` event of a worker has in every browser. */

/** The most time that the parser may take. */
const MAX_WAIT_MS = 1000;

/** The line of `source`, from 1, in which the parser stops; `undefined` if it does not stop. */
export function lineOfSyntaxError(source: string): Promise<number | undefined> {
  // The function is parsed, and not called.
  const script = URL.createObjectURL(new Blob([`async () => {${source}\n}; postMessage('parsed');`], { type: 'text/javascript' }));
  const worker = new Worker(script);
  return new Promise<number | undefined>((resolve) => {
    setTimeout(resolve, MAX_WAIT_MS);
    worker.addEventListener('message', () => resolve(undefined));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // A bracket without its end is missed in the line after the last.
      resolve(Math.min(event.lineno, source.trimEnd().split('\n').length) || undefined);
    });
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(script);
  });
}
