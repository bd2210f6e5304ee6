/** The progress of a training: a line of the terminal, and an element of a page. */
import { LanthornError } from '../core/errors.js';
import { format } from './loggers.js';
import type { TrainProgress } from './task.js';
import type { Trainer } from './trainer.js';

/** The number of characters of a bar. */
const WIDTH = 24;
/** The least time between two lines, in milliseconds. */
const INTERVAL = 100;

function textOf({ stage, epoch, step, batch, batches, values }: TrainProgress): string {
  const parts = Object.entries(values).map(([name, value]) => `${name} ${format(value)}`);
  return [stage, `epoch ${epoch}`, `${batch}/${batches ?? '?'}`, `step ${step}`, ...parts].join('  ');
}

function barOf({ batch, batches }: TrainProgress): string {
  if (batches === undefined) return '';
  const done = Math.min(WIDTH, Math.round((batch / Math.max(batches, 1)) * WIDTH));
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] `;
}

/**
 * Writes the progress of a trainer to the terminal's line, in Node, Deno and Bun; to a function
 * elsewhere. Returns a function that ends it.
 *
 * @example
 * const trainer = new Trainer({ maxEpochs: 3 });
 * const end = progressBar(trainer);
 * await trainer.fit(task, loader);
 * end();
 */
export function progressBar(trainer: Trainer, write?: (text: string) => void): () => void {
  const { process } = globalThis as { process?: { stderr?: { write(text: string): void } } };
  const output = write ?? ((text: string) => void process?.stderr?.write(text));
  if (!write && !process?.stderr) throw new LanthornError('argument', 'progressBar', 'there is no terminal here: give a function, or use progressElement');
  let [last, length] = [-Infinity, 0];
  const show = ({ detail }: CustomEvent<TrainProgress>): void => {
    const now = performance.now();
    if (now - last < INTERVAL && detail.batch !== detail.batches) return;
    last = now;
    const text = barOf(detail) + textOf(detail);
    output(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  trainer.addEventListener('progress', show as EventListener);
  return () => {
    trainer.removeEventListener('progress', show as EventListener);
    if (length > 0) output('\n');
  };
}

/**
 * An element of a page that shows the progress of a trainer: a bar and the latest values.
 *
 * @example
 * document.body.append(progressElement(trainer));
 */
export function progressElement(trainer: Trainer): HTMLElement {
  const element = document.createElement('div');
  element.className = 'lanthorn-progress';
  const [bar, text] = [document.createElement('progress'), document.createElement('output')];
  element.append(bar, text);
  trainer.addEventListener('progress', (({ detail }: CustomEvent<TrainProgress>) => {
    if (detail.batches === undefined) bar.removeAttribute('value');
    else [bar.max, bar.value] = [Math.max(detail.batches, 1), detail.batch];
    text.textContent = textOf(detail);
  }) as EventListener);
  return element;
}
