/** The kernels that a step runs, each with its operations and its time. */
import { byId, make } from '../../parts/dom';
import type { KernelInfo } from './protocol';

/** Longer chains of operations are cut. */
const MAX_OPERATIONS = 8;

export function showKernels(kernels: readonly KernelInfo[], recorded: number, note: string): void {
  const times = kernels.map(({ microseconds = 0 }) => microseconds);
  const most = Math.max(...times, Number.MIN_VALUE);
  const untold = kernels.some(({ microseconds }) => microseconds === undefined) ? ' This device does not tell their times apart.' : '';
  byId('kernels-words', HTMLElement).textContent =
    `${recorded} recorded kernels became ${kernels.length}. Times are means of the profiler's.${untold}${note ? ` ${note}` : ''}`;
  byId('kernels', HTMLElement).replaceChildren(...kernels.map((kernel, index) => rowOf(kernel, index, most)));
}

function rowOf({ kind, operations, phases, results, text, sources, microseconds }: KernelInfo, index: number, most: number): HTMLElement {
  const bar = make('i');
  bar.style.setProperty('--share', String((microseconds ?? 0) / most));
  const summary = make('summary', {}, [
    make('span', { className: 'number', textContent: String(index + 1) }),
    make('span', { className: 'computes' }, [
      make('code', { textContent: inWords(operations) }),
      make('span', { className: 'soft', textContent: `${kind.replaceAll('_', ' ')} · ${phases.join(' and ')}` }),
    ]),
    make('span', { className: 'share' }, [bar]),
    make('span', { className: 'time', textContent: microseconds === undefined ? '–' : microsecondsInWords(microseconds) }),
  ]);
  const shader = sources.map((source, pass) => make('details', {}, [
    make('summary', { textContent: sources.length > 1 ? `WGSL, pass ${pass + 1}` : 'WGSL' }),
    make('pre', { className: 'code', textContent: source, tabIndex: 0 }),
  ]));
  return make('li', {}, [make('details', {}, [
    summary,
    make('p', { className: 'soft', textContent: `Results: ${results.join(', ')}` }),
    make('p', { className: 'soft', textContent: `Operations: ${operations.join(', ')}` }),
    make('pre', { className: 'code', textContent: text, tabIndex: 0 }),
    ...shader,
  ])]);
}

/** A chain of operations. */
function inWords(operations: readonly string[]): string {
  const shown = operations.slice(0, MAX_OPERATIONS).join(' → ');
  return operations.length > MAX_OPERATIONS ? `${shown} → ${operations.length - MAX_OPERATIONS} more` : shown;
}

function microsecondsInWords(microseconds: number): string {
  if (microseconds < 0.05) {
    // Below the steps of the clock.
    return '≈ 0 µs';
  }
  return microseconds < 1000 ? `${microseconds.toFixed(microseconds < 10 ? 1 : 0)} µs` : `${(microseconds / 1000).toFixed(2)} ms`;
}
