/**
 * The settings of a benchmark: fields, their values in the address, and messages about wrong
 * values.
 */
import { byId, make } from '../../parts/dom';
import { readAddress } from '../../parts/training/automation';
import { CASES, type CaseName, caseNames } from './cases/list';
import type { Device } from './engines/engine';
import { LIBRARIES, type LibraryName, libraryNames } from './engines/list';

const SECONDS = 1;
const MIN_SECONDS = 0.02;
const MAX_SECONDS = 60;

export interface Settings {
  device: Device;
  libraries: LibraryName[];
  cases: CaseName[];
  seconds: number;
}

/** Adds the fields with the values in the address. Returns a sentence about unknown values. */
export function addFields(hasAdapter: boolean): string {
  const parameters = new URLSearchParams(location.search);
  const unknown: string[] = [];
  const readNames = (parameter: string, names: readonly string[]) => {
    const given = parameters.get(parameter)?.split(',').filter(Boolean);
    unknown.push(...(given ?? []).filter((name) => !names.includes(name)));
    return given?.some((name) => names.includes(name)) ? given : undefined;
  };
  const libraries = readNames('libraries', libraryNames);
  const cases = readNames('cases', caseNames);
  byId('libraries', HTMLElement).append(...libraryNames.map((name) =>
    box(name, `${LIBRARIES[name].title} ${LIBRARIES[name].version}`, LIBRARIES[name].way, libraries?.includes(name) ?? true)));
  byId('cases', HTMLElement).append(...caseNames.map((name) =>
    box(name, CASES[name].title, CASES[name].words, cases?.includes(name) ?? true)));
  byId('fields', HTMLElement).append(deviceField(hasAdapter), secondsField(parameters.get('seconds') ?? String(SECONDS)));
  return unknown.length > 0 ? `Unknown names in the address were ignored: ${unknown.join(', ').slice(0, 80)}.` : '';
}

function deviceField(hasAdapter: boolean): HTMLElement {
  const webgpu = new Option(hasAdapter ? 'WebGPU' : 'WebGPU (not in this browser)', 'webgpu');
  webgpu.disabled = !hasAdapter;
  const select = make('select', { id: 'device' }, [webgpu, new Option('CPU, 1 thread', 'cpu')]);
  select.value = hasAdapter && readAddress(location.search).device !== 'cpu' ? 'webgpu' : 'cpu';
  return make('label', { className: 'field' }, ['Device', select]);
}

function secondsField(value: string): HTMLElement {
  const input = make('input', { id: 'seconds', type: 'text', inputMode: 'decimal', autocomplete: 'off', size: 5, value });
  return make('label', { className: 'field' }, ['Seconds for each', input]);
}

function box(name: string, title: string, words: string, checked: boolean): HTMLElement {
  const input = make('input', { type: 'checkbox', value: name, checked });
  const text = [make('strong', { textContent: title }), make('span', { className: 'soft', textContent: words }), make('span', { className: 'soft size' })];
  return make('label', { className: 'choice' }, [input, make('span', {}, text)]);
}

const inputsOf = (id: string) => [...byId(id, HTMLElement).querySelectorAll('input')];
const valuesOf = (id: string) => inputsOf(id).filter(({ checked }) => checked).map(({ value }) => value);

/** The settings in the fields, or a message if one is wrong. */
export function readSettings(): Settings | string {
  const input = byId('seconds', HTMLInputElement);
  const seconds = input.value.trim() === '' ? NaN : Number(input.value.trim().replace(',', '.'));
  const fits = seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
  input.ariaInvalid = String(!fits);
  if (!fits) {
    return `Seconds for each: “${input.value.slice(0, 20)}” is not a number from ${MIN_SECONDS} to ${MAX_SECONDS}. Change it, then run.`;
  }
  const { libraries, cases } = readChoices();
  if (libraries.length === 0 || cases.length === 0) {
    return 'There is nothing to measure. Tick at least one library and one case, then run.';
  }
  return { device: byId('device', HTMLSelectElement).value as Device, libraries, cases, seconds };
}

/** The libraries and cases that are ticked. */
export function readChoices(): Pick<Settings, 'libraries' | 'cases'> {
  return { libraries: valuesOf('libraries') as LibraryName[], cases: valuesOf('cases') as CaseName[] };
}

/** While a benchmark runs its settings stay as they are. */
export function lockFields(isLocked: boolean): void {
  for (const input of [byId('device', HTMLSelectElement), byId('seconds', HTMLInputElement), ...inputsOf('libraries'), ...inputsOf('cases')]) {
    input.disabled = isLocked;
  }
}

/** Shows how much each library is going to load. */
export function showSizes(): void {
  const device = byId('device', HTMLSelectElement).value as Device;
  for (const library of libraryNames) {
    sizeOf(library, `Loads about ${LIBRARIES[library].megabytes[device]} MB.`);
  }
}

/** Shows how much a library has loaded. */
export function showLoaded(library: LibraryName, kilobytes: number): void {
  sizeOf(library, `${Math.round(kilobytes).toLocaleString('en')} kB are loaded.`);
}

function sizeOf(library: LibraryName, words: string): void {
  const label = inputsOf('libraries').find(({ value }) => value === library)?.parentElement?.querySelector('.size');
  if (label) {
    label.textContent = words;
  }
}
