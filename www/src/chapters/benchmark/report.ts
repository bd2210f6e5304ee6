/** The results as text, to be copied. */
import { CASES } from './cases/list';
import { LIBRARIES } from './engines/list';
import { type Machine, machineInWords } from './machine';
import { medianOf, rateOf, rateUnit, type Results, TOLERANCE } from './results';
import type { Settings } from './settings';
import { milliseconds, remarkOn } from './table';

export interface Report {
  machine: Machine;
  settings: Settings;
  results: Results;
}

const DEVICES = { webgpu: 'WebGPU', cpu: 'CPU, one thread' } as const;

export function toJson({ machine, settings, results }: Report): string {
  const rows = results.all.map(({ name, library, cell }) => ({
    case: name,
    library,
    version: LIBRARIES[library].version,
    state: cell.state,
    medianMs: medianOf(cell),
    firstMs: cell.first,
    timings: cell.times.length,
    ratio: results.ratio(name, library),
    difference: cell.difference,
    agrees: cell.difference === undefined ? undefined : cell.difference <= TOLERANCE,
    error: cell.error,
  }));
  return JSON.stringify({ machine, device: settings.device, seconds: settings.seconds, results: rows }, null, 2);
}

export function toMarkdown({ machine, settings, results }: Report): string {
  const rows = results.all.map(({ name, library, cell }) => {
    const [median, ratio] = [medianOf(cell), results.ratio(name, library)];
    const texts = [
      CASES[name].title,
      `${LIBRARIES[library].title} ${LIBRARIES[library].version}`,
      median === undefined ? remarkOn(cell).replaceAll('|', '\\|').replaceAll('\n', ' ') : milliseconds(median),
      ratio === undefined ? '' : ratio.toFixed(2),
      median === undefined ? '' : `${rateOf(name, median).toPrecision(3)} ${rateUnit(name)}`,
      cell.first === undefined ? '' : milliseconds(cell.first),
      cell.difference === undefined ? '' : cell.difference.toExponential(1),
    ];
    return `| ${texts.join(' | ')} |`;
  });
  return [
    `${machineInWords(machine)} Measured: ${DEVICES[settings.device]}, ${settings.seconds} s for each case and library.`,
    '',
    '| case | library | median | times lanthorn | rate | first run | difference |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
