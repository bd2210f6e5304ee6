/** The settings of a training: choices, and two numbers that the visitor types. */
import { byId, make } from '../../parts/dom';
import { readAddress, valueIn } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { type Field, fieldOf } from '../../parts/training/panel';
import type { Way } from './run';

export const WAYS: Readonly<Record<Way, string>> = { dataParallel: 'Synchronous data parallel', hogwild: 'Hogwild' };
const MAX_BATCH = 1024;
/** Enough to measure a speed. */
const COMPARED_STEPS = 500;

const CHOICES: readonly Field[] = [
  { name: 'way', label: 'Way', values: Object.keys(WAYS), chosen: 'dataParallel', words: (value) => WAYS[value as Way] },
  { name: 'workers', label: 'Workers', values: [1, 2, 3, 4], chosen: 2 },
  { name: 'steps', label: 'Steps of each', values: [500, 2000, 10000, 50000], chosen: 2000 },
];

/** A typed number with its allowed values. */
interface Typed {
  name: 'rate' | 'batch';
  label: string;
  chosen: number;
  may: (value: number) => boolean;
  rule: string;
}

const TYPED: readonly Typed[] = [
  { name: 'rate', label: 'Learning rate', chosen: 0.1, may: (value) => value > 0 && Number.isFinite(value), rule: 'a number above 0, such as 0.1' },
  {
    name: 'batch', label: 'Batch', chosen: 32, may: (value) => Number.isInteger(value) && value >= 1 && value <= MAX_BATCH,
    rule: `a whole number from 1 to ${MAX_BATCH}`,
  },
];

export interface Settings {
  way: Way;
  workers: number;
  steps: number;
  rate: number;
  batch: number;
}

/** Adds the fields to `container`, with the values in the address. */
export function addFields(container: HTMLElement): void {
  const inputs = TYPED.map(({ name, label, chosen }) => make('label', { className: 'field' }, [
    label,
    make('input', { id: name, type: 'text', inputMode: 'decimal', autocomplete: 'off', size: 7, value: String(chosen) }),
  ]));
  container.append(...CHOICES.map(fieldOf), ...inputs);
  for (const field of CHOICES) {
    const value = valueIn(location.search, field);
    if (value !== undefined && field.name !== 'steps') {
      byId(field.name, HTMLSelectElement).value = value;
    }
  }
  for (const { name, chosen } of TYPED) {
    byId(name, HTMLInputElement).value = valueIn(location.search, { name, label: name, values: [], chosen }) ?? String(chosen);
  }
  const { steps } = readAddress(location.search);
  if (steps) {
    choose(byId('steps', HTMLSelectElement), String(steps));
  }
  if (byId('workers', HTMLSelectElement).value === '') {
    byId('workers', HTMLSelectElement).value = '2';
  }
}

/** The settings in the fields, or a message if one of them is wrong. */
export function readSettings(): Settings | string {
  const numbers = { rate: 0, batch: 0 };
  const wrong: string[] = [];
  for (const { name, label, may, rule } of TYPED) {
    const input = byId(name, HTMLInputElement);
    const value = input.value.trim() === '' ? NaN : Number(input.value.trim().replace(',', '.'));
    const fits = may(value);
    input.ariaInvalid = String(!fits);
    numbers[name] = value;
    if (!fits) {
      wrong.push(`${label}: “${input.value.slice(0, 20)}” is not ${rule}. Change it, then start.`);
    }
  }
  const select = (name: string) => byId(name, HTMLSelectElement).value;
  return wrong[0] ?? { way: select('way') as Way, workers: Number(select('workers')), steps: Number(select('steps')), ...numbers };
}

/** Every number of workers in every way, with these settings otherwise, and few steps. */
export function allKinds(settings: Settings): Settings[] {
  const [ways, workers] = CHOICES.map(({ values }) => values) as [Way[], number[]];
  return ways.flatMap((way) => workers.map((count) => ({ ...settings, way, workers: count, steps: COMPARED_STEPS })));
}

/** While workers train their settings stay as they are. */
export function lockFields(isLocked: boolean): void {
  for (const { name } of CHOICES) byId(name, HTMLSelectElement).disabled = isLocked;
  for (const { name } of TYPED) byId(name, HTMLInputElement).disabled = isLocked;
}
