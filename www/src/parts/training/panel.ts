/**
 * The common elements of every chapter: fields, buttons, the status text, and tiles of numbers.
 * Created here, found by their ids.
 */

import { make } from '../dom';

/** A choice. Every chapter has the device and the number of steps; it declares the rest. */
export interface Field {
  /** Its id, and its name among the settings. */
  name: string;
  label: string;
  values: readonly (number | string)[];
  chosen: number | string;
  /** The labels of the values, where they are not their own labels. */
  words?: (value: number | string) => string;
  /** A change needs a new network. Otherwise it takes effect at the next step. */
  restarts?: boolean;
}

/** A number in a tile. */
export interface Tile {
  id: string;
  label: string;
}

const DEVICES: Record<string, string> = { auto: 'Best available', webgpu: 'WebGPU', cpu: 'CPU' };

/** The choice of the device. */
export const DEVICE: Field = { name: 'device', label: 'Device', values: Object.keys(DEVICES), chosen: 'auto', words: (value) => DEVICES[value]! };

/** Replaces `container` with toolbar, notice and tiles. The start button comes first. */
export function buildPanel(container: HTMLElement, fields: readonly Field[], tiles: readonly Tile[]): void {
  const toolbar = make('section', { className: 'card toolbar', ariaLabel: 'Training' }, [
    make('div', { className: 'buttons' }, [
      button('start', 'Start', 'primary'),
      button('pause', 'Pause'),
      button('step', 'Step'),
      button('reset', 'Reset'),
    ]),
    make('div', { className: 'standing' }, [
      make('p', { className: 'status' }, [live(make('span', { id: 'status', textContent: 'Loading…' }))]),
      make('p', { className: 'soft work', id: 'work' }),
      live(make('p', { className: 'fallback', id: 'fallback', hidden: true })),
    ]),
    make('div', { className: 'fields' }, [
      fieldOf(DEVICE),
      ...fields.map(fieldOf),
    ]),
    make('div', { className: 'checkpoint', role: 'group', ariaLabel: 'Checkpoint' }, [
      make('div', { className: 'buttons small' }, [
        button('keep', 'Save', '', 'In this browser. It is also done whenever training stops'),
        button('download', 'Download', '', 'Save as a file'),
        button('open', 'Open file…', '', 'Go on from a file'),
        button('share', 'Copy link', '', 'To this page with these settings'),
      ]),
      make('input', { type: 'file', id: 'file', accept: '.pt', hidden: true, ariaLabel: 'Checkpoint file' }),
      live(make('p', { className: 'soft', id: 'kept', textContent: 'Nothing saved yet.' })),
    ]),
  ]);
  const notice = make('div', { className: 'notice', id: 'notice', role: 'alert', hidden: true });
  const numbers = make('dl', { className: 'tiles' }, tiles.map(({ id, label }) =>
    make('div', {}, [make('dt', { textContent: label }), make('dd', { id, textContent: '–' })])));
  container.replaceWith(toolbar, notice, numbers);
}

/** A labelled choice. */
export function fieldOf({ name, label, values, chosen, words = String }: Field): HTMLElement {
  const options = values.map((value) => new Option(words(value), String(value), value === chosen, value === chosen));
  return make('label', { className: 'field' }, [label, make('select', { id: name }, options)]);
}

function button(id: string, textContent: string, className = '', title = ''): HTMLButtonElement {
  return make('button', { type: 'button', id, textContent, className, title, disabled: true });
}

/** The text that screen readers announce when it changes. */
function live<T extends HTMLElement>(element: T): T {
  element.role = 'status';
  element.ariaLive = 'polite';
  return element;
}
