/** Fields for numbers, and their values. */
import { byId, make } from '../../parts/dom';

export interface NumberField {
  /** Its id. */
  name: string;
  label: string;
  value: number;
  min: number;
  max?: number;
  /** `any`, or whole numbers. */
  step?: 'any';
  title?: string;
}

export function numberField({ name, label, value, min, max, step, title = '' }: NumberField): HTMLElement {
  const input = make('input', { type: 'number', id: name, value: String(value), min: String(min), step: step ?? '1', required: true, title });
  if (max !== undefined) {
    input.max = String(max);
  }
  return make('label', { className: 'field' }, [label, input]);
}

/**
 * The number in a field. If there is none or it is out of bounds, the browser reports it and the
 * result is `undefined`.
 */
export function numberIn(name: string): number | undefined {
  const input = byId(name, HTMLInputElement);
  return input.reportValidity() ? input.valueAsNumber : undefined;
}
