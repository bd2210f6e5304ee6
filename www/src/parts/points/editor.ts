/**
 * The points that a visitor adds and removes: by a click on a plane, or by two numbers and buttons,
 * for those who use a keyboard. The points come from the network's worker; the visitor's are given
 * back to it as a setting.
 */
import './points.css';
import { byId, make } from '../dom';
import type { Domain, Plane } from '../plot/plane';
import type { LabelledPoint } from './points';

export interface EditorOptions {
  canvas: HTMLCanvasElement;
  plane: Plane;
  /** The element that becomes the form. */
  form: HTMLElement;
  /** The allowed coordinates. */
  domain: Domain;
  least: number;
  most: number;
  /** A choice beside the coordinates. */
  choice?: HTMLElement;
  /** The class of a new point. */
  label: () => number;
  /** Generates other points each time. */
  fresh: () => LabelledPoint[];
  onChange: () => void;
}

export class PointEditor {
  private current: readonly LabelledPoint[] = [];
  private isEdited = false;
  private isReady = false;
  private readonly says = make('p', { className: 'soft says', role: 'status', ariaLive: 'polite' });

  constructor(private readonly options: EditorOptions) {
    const { form, canvas } = options;
    form.replaceChildren(...this.fields(), this.says);
    canvas.addEventListener('click', (event) => this.onClick(event));
  }

  get isWaiting(): boolean {
    return !this.isReady;
  }

  get points(): readonly LabelledPoint[] {
    return this.current;
  }

  /** The visitor's points, or `undefined` if they are still the generated ones. */
  get own(): readonly LabelledPoint[] | undefined {
    return this.isEdited ? this.current : undefined;
  }

  /** Shows the points of another network. */
  adopt(points: readonly LabelledPoint[], isEdited: boolean): void {
    this.current = points;
    this.isEdited = isEdited;
    this.isReady = true;
  }

  /** Nothing is edited until the points of another network come. */
  wait(): void {
    this.isReady = false;
  }

  private fields(): HTMLElement[] {
    const { x, y } = this.options.domain;
    const number = (id: string, label: string, [from, to]: readonly [number, number]) =>
      make('label', { className: 'field' }, [label, make('input', { id, type: 'number', step: 'any', min: String(from), max: String(to), value: '0' })]);
    const button = (id: string, textContent: string, act: () => void) => {
      const made = make('button', { id, type: 'button', textContent });
      made.addEventListener('click', act);
      return made;
    };
    return [
      number('point-x', 'x', x),
      number('point-y', 'y', y),
      ...(this.options.choice ? [this.options.choice] : []),
      make('div', { className: 'buttons small' }, [
        button('add-point', 'Add point', () => this.addTyped()),
        button('remove-point', 'Remove last', () => this.remove(this.current.length - 1)),
        button('fresh-points', 'New points', () => this.change(this.options.fresh(), 'New points are made.')),
      ]),
    ];
  }

  private onClick(event: MouseEvent): void {
    const { plane, label } = this.options;
    const index = plane.pointAt(event);
    if (index === undefined || index >= this.current.length) {
      this.add({ ...plane.at(event), label: label() });
    } else {
      this.remove(index);
    }
  }

  private addTyped(): void {
    const { domain, label } = this.options;
    const fields = [byId('point-x', HTMLInputElement), byId('point-y', HTMLInputElement)];
    if (fields.some(({ value, validity }) => value === '' || !validity.valid)) {
      const range = ([from, to]: readonly [number, number]) => `from ${from} to ${to}`;
      this.says.textContent = `A point needs two numbers: x ${range(domain.x)}, y ${range(domain.y)}.`;
      return;
    }
    const [x, y] = fields.map(({ value }) => Number(value));
    this.add({ x: x!, y: y!, label: label() });
  }

  private add(point: LabelledPoint): void {
    if (this.current.length >= this.options.most) {
      this.says.textContent = `There is room for ${this.options.most} points. Remove one first.`;
    } else {
      this.change([...this.current, point], `Added a point at ${point.x.toFixed(2)}, ${point.y.toFixed(2)}.`);
    }
  }

  private remove(index: number): void {
    if (this.isReady && this.current.length <= this.options.least) {
      this.says.textContent = `There have to be ${this.options.least} points at least. Add another first.`;
    } else {
      const { x, y } = this.current[index] ?? { x: 0, y: 0 };
      this.change(this.current.filter((_, each) => each !== index), `Removed the point at ${x.toFixed(2)}, ${y.toFixed(2)}.`);
    }
  }

  private change(points: readonly LabelledPoint[], words: string): void {
    if (!this.isReady) {
      this.says.textContent = 'One moment: the network is not ready yet.';
      return;
    }
    this.current = points;
    this.isEdited = true;
    this.says.textContent = `${words} There are ${points.length}.`;
    this.options.onChange();
  }
}
