/**
 * The address of a chapter, `?device=cpu|webgpu|auto&autostart=1&steps=N&seed=N` and the settings
 * by the names of their fields, and the state of training for a driver: `window.lanthornDemo`, and
 * the same as data attributes of the page beside `data-state`.
 */
import type { Field } from './panel';
import type { DeviceChoice } from './protocol';

/** `device`, `step`, `loss`, the device counters of a step, and the chapter's metrics. */
export type Metrics = Readonly<Record<string, number | string | undefined>>;

declare global {
  interface Window {
    lanthornDemo: Metrics;
  }
}

export interface Start {
  device: DeviceChoice;
  /** Trains at once, from the beginning: a saved checkpoint of an earlier visit is not resumed. */
  autostart: boolean;
  steps: number | undefined;
  seed: number;
}

export function readAddress(search: string): Start {
  const parameters = new URLSearchParams(search);
  const device = parameters.get('device');
  const steps = Number(parameters.get('steps'));
  const seed = Number(parameters.get('seed') ?? 1);
  return {
    device: device === 'cpu' || device === 'webgpu' ? device : 'auto',
    autostart: parameters.get('autostart') === '1',
    steps: Number.isInteger(steps) && steps > 0 ? steps : undefined,
    seed: Number.isInteger(seed) && seed >= 0 ? seed : 1,
  };
}

/** The value of a field in the address, if the field allows it. */
export function valueIn(search: string, { name, values, chosen }: Field): string | undefined {
  const value = new URLSearchParams(search).get(name);
  if (value === null) {
    return undefined;
  }
  const fits = typeof chosen === 'number' ? Number(value) > 0 && Number.isFinite(Number(value)) : values.includes(value);
  return fits ? value : undefined;
}

/** The address of this page with these parameters. */
export function addressWith(parameters: Record<string, string>): string {
  const address = new URL(location.href);
  address.search = new URLSearchParams(parameters).toString();
  return address.href;
}

export function publish(metrics: Metrics): void {
  const { dataset } = document.documentElement;
  for (const name of Object.keys(window.lanthornDemo ?? {})) {
    delete dataset[name];
  }
  window.lanthornDemo = { ...metrics };
  for (const [name, value] of Object.entries(metrics)) {
    if (value !== undefined) {
      dataset[name] = String(value);
    }
  }
}
