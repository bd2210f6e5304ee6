/** Host and device time of a step, eager and compiled, as bars. */
import { byId, make } from '../../parts/dom';
import type { Measurement, StepTimes } from './protocol';

const HOST: Readonly<Record<'webgpu' | 'cpu', string>> = {
  webgpu: 'Host: until the promise of the loss is returned. Device: the sum of its kernels. On a GPU both go on side by side.',
  cpu: 'Device: the sum of the kernels. Host: the rest of the step. On the CPU one follows the other.',
};

export function showTimes({ eager, compiled }: Measurement, device: 'webgpu' | 'cpu'): void {
  byId('times-words', HTMLElement).textContent = HOST[device];
  const most = Math.max(...[eager, compiled].flatMap((times) => [times.host, times.device]), Number.MIN_VALUE);
  byId('times', HTMLElement).replaceChildren(groupOf('Eager', 'eager', eager, most), groupOf('Compiled', 'compiled', compiled, most));
}

function groupOf(title: string, id: string, times: StepTimes, most: number): HTMLElement {
  const rows = (['host', 'device'] as const).map((part) => {
    const bar = make('i', { className: part });
    bar.style.setProperty('--share', String(times[part] / most));
    return make('div', { className: 'time-row' }, [
      make('span', { className: 'soft', textContent: part }),
      make('span', { className: 'share' }, [bar]),
      make('output', { id: `${id}-${part}`, textContent: millisecondsInWords(times[part]) }),
    ]);
  });
  const whole = make('span', { className: 'soft', textContent: `${millisecondsInWords(times.total)} until the loss is known` });
  return make('div', { className: 'time-group' }, [make('p', {}, [make('strong', { textContent: title }), ' ', whole]), ...rows]);
}

export function millisecondsInWords(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`;
}
