/** Host and device time of a step, eager and compiled, as bars. */
import { byId, make } from '../../parts/dom';
import type { Measurement, StepTimes } from './protocol';

const WORDS: Readonly<Record<'webgpu' | 'cpu', string>> = {
  webgpu: 'Host: until the promise of the loss is returned. Device: the sum of the kernels, the same in both. On a GPU they run side by side.',
  cpu: 'Device: the sum of the kernels, the same in both. Host: the rest of the step. On the CPU one follows the other.',
};

export function showTimes({ eager, compiled, device }: Measurement, kind: 'webgpu' | 'cpu'): void {
  byId('times-words', HTMLElement).textContent = WORDS[kind];
  const most = Math.max(eager.host, compiled.host, device, Number.MIN_VALUE);
  byId('times', HTMLElement).replaceChildren(groupOf('Eager', 'eager', eager, device, most), groupOf('Compiled', 'compiled', compiled, device, most));
}

function groupOf(title: string, id: string, { host, total }: StepTimes, device: number, most: number): HTMLElement {
  const rows = Object.entries({ host, device }).map(([part, time]) => {
    const bar = make('i', { className: part });
    bar.style.setProperty('--share', String(time / most));
    return make('div', { className: 'time-row' }, [
      make('span', { className: 'soft', textContent: part }),
      make('span', { className: 'share' }, [bar]),
      make('output', { id: `${id}-${part}`, textContent: millisecondsInWords(time) }),
    ]);
  });
  const whole = make('span', { className: 'soft', textContent: `${millisecondsInWords(total)} until the loss is known` });
  return make('div', { className: 'time-group' }, [make('p', {}, [make('strong', { textContent: title }), ' ', whole]), ...rows]);
}

export function millisecondsInWords(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`;
}
