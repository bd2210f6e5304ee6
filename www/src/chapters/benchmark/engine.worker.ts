/**
 * The worker of one library. It contains no other library, and ending it frees the library's
 * memory.
 */
import type { Engine, Subject } from './engines/engine';
import { LOADERS } from './engines/load';
import { measure } from './measure';
import type { FromEngine, ToEngine } from './protocol';

let engine: Engine;
let subject: Subject;
let last: Promise<void> = Promise.resolve();

self.addEventListener('message', ({ data }: MessageEvent<ToEngine>) => {
  last = last.then(() => answer(data)).catch(fail);
});
// An unhandled rejection must reach the page too.
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  fail(event.reason);
});

async function answer(message: ToEngine): Promise<void> {
  switch (message.type) {
    case 'open':
      ({ engine } = await LOADERS[message.library]());
      await engine.open(message.device);
      return post({ type: 'opened', kilobytes: countKilobytes() });
    case 'prepare': {
      subject = engine.subjects[message.name]();
      const started = performance.now();
      await subject.run();
      return post({ type: 'prepared', first: performance.now() - started, answer: await subject.answer() });
    }
    case 'measure':
      return post({ type: 'measured', times: await measure(subject.run, message.seconds) });
  }
}

/** The size of everything that this worker has fetched. */
function countKilobytes(): number {
  const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  return files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000;
}

function fail(error: unknown): void {
  const { kind, message } = (typeof error === 'object' && error !== null ? error : {}) as { kind?: unknown; message?: unknown };
  post({ type: 'failed', kind: String(kind ?? 'unexpected'), message: String(message ?? error) });
}

function post(message: FromEngine): void {
  self.postMessage(message);
}
