/**
 * The rules of broadcasting on two shapes of the visitor; lanthorn computes the sum, or refuses it.
 */
import { showCode } from '../../parts/code';
import { byId, make } from '../../parts/dom';
import type { TensorView } from '../../parts/run/protocol';
import type { Outcome } from '../../parts/run/runner';
import { gridOf } from './number-grid';

const PAIRS: readonly (readonly [string, string])[] = [['3, 1', '4'], ['2, 3', '3'], ['2, 1, 4', '3, 1'], ['2, 3', '2']];
const MAX_SIZE = 8;
const MAX_DIMENSIONS = 3;

export class Broadcasting {
  private readonly fields = [byId('shape-a', HTMLInputElement), byId('shape-b', HTMLInputElement)] as const;
  private readonly verdict = byId('verdict', HTMLElement);
  /** Answers of earlier shapes are dropped. */
  private asked = 0;

  constructor(private readonly run: (source: string) => Promise<Outcome>) {
    for (const field of this.fields) {
      field.addEventListener('input', () => void this.ask());
    }
    byId('pairs', HTMLElement).append(...PAIRS.map((pair) => {
      const button = make('button', { type: 'button', textContent: `[${pair[0]}] + [${pair[1]}]` });
      button.addEventListener('click', () => {
        this.fields.forEach((field, index) => (field.value = pair[index]!));
        void this.ask();
      });
      return button;
    }));
  }

  async ask(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    const [a, b] = this.fields.map(({ value }) => shapeOf(value));
    if (!a || !b) {
      this.show(`A shape is up to ${MAX_DIMENSIONS} numbers from 1 to ${MAX_SIZE} with commas between, such as 3, 1. An empty one is a single number.`, false);
      byId('rule', HTMLTableElement).tBodies[0]?.remove();
      return;
    }
    showRule(a, b);
    const source = sourceOf(a, b);
    showCode(byId('sum-code', HTMLElement), source);
    // In a function, so that the names of the console stay as they are.
    const outcome = await this.run(`(() => {\n${source}\nreturn [a, b, sum];\n})()`);
    if (asked === this.asked) {
      this.answer(outcome);
    }
  }

  private answer(outcome: Outcome): void {
    if (outcome.type !== 'value' || !outcome.shown) {
      const message = outcome.type === 'threw' ? `lanthorn says: ${outcome.thrown.message}` : 'The sum was not computed: change a shape to try again.';
      return this.show(message, false);
    }
    const [a, b, sum] = outcome.shown.tensors as [TensorView, TensorView, TensorView];
    this.show(`The sum has the shape [${sum.shape.join(', ')}]. Faint cells are repeated, not stored.`, true);
    const sign = (text: string) => make('span', { className: 'sign', textContent: text, ariaHidden: 'true' });
    const [first, second] = [drawExpanded('a', a, sum.shape), drawExpanded('b', b, sum.shape)];
    byId('operands', HTMLElement).replaceChildren(first, sign('+'), second, sign('='), gridOf(sum, { title: `sum [${sum.shape.join(', ')}]` }));
  }

  private show(words: string, isRight: boolean): void {
    this.verdict.textContent = words;
    this.verdict.dataset['fits'] = String(isRight);
    if (!isRight) {
      byId('operands', HTMLElement).replaceChildren();
    }
  }
}

/** The sizes in a text such as `[3, 1]`. */
function shapeOf(text: string): number[] | undefined {
  const words = text.replace(/^\s*\[|\]\s*$/g, '').trim();
  const sizes = words === '' ? [] : words.split(/\s*,\s*|\s+/).map(Number);
  const isShape = sizes.length <= MAX_DIMENSIONS && sizes.every((size) => Number.isInteger(size) && size >= 1 && size <= MAX_SIZE);
  return isShape ? sizes : undefined;
}

function sourceOf(a: readonly number[], b: readonly number[]): string {
  const count = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
  return [
    `const a = arange(${count(a)}).reshape([${a.join(', ')}]);`,
    `const b = arange(${count(b)}).mul(10).reshape([${b.join(', ')}]);`,
    'const sum = a.add(b);',
  ].join('\n');
}

/** A row for each shape, aligned at the right, and the size of each dimension of the result. */
function showRule(a: readonly number[], b: readonly number[]): void {
  const count = Math.max(a.length, b.length);
  const align = (shape: readonly number[]) => [...Array<undefined>(count - shape.length).fill(undefined), ...shape];
  const [first, second] = [align(a), align(b)];
  const results = first.map((size, index) => {
    const [one, other] = [size ?? 1, second[index] ?? 1];
    return one === other || other === 1 ? String(one) : one === 1 ? String(other) : `${one} ≠ ${other}`;
  });
  const cell = (textContent: string) => make('td', { textContent, className: textContent.includes('≠') ? 'unfit' : '' });
  const row = (name: string, cells: readonly string[]) => make('tr', {}, [make('th', { scope: 'row', textContent: name }), ...cells.map(cell)]);
  const format = (sizes: readonly (number | undefined)[]) => sizes.map((size) => (size === undefined ? '–' : String(size)));
  const table = byId('rule', HTMLTableElement);
  table.tBodies[0]?.remove();
  table.append(make('tbody', {}, [row('a', format(first)), row('b', format(second)), row('sum', results)]));
}

/**
 * An operand as broadcasting reads it: each position of the result has a number, and repeated ones
 * are faint.
 */
function drawExpanded(name: string, operand: TensorView, shape: readonly number[]): HTMLElement {
  const sizes = [...Array<number>(shape.length - operand.shape.length).fill(1), ...operand.shape];
  const values = new Float64Array(shape.reduce((product, size) => product * size, 1));
  values.forEach((_, position) => {
    let [rest, from, stride] = [position, 0, 1];
    for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
      const index = rest % shape[dim]!;
      rest = Math.floor(rest / shape[dim]!);
      from += sizes[dim] === 1 ? 0 : index * stride;
      stride *= sizes[dim]!;
    }
    values[position] = operand.values![from]!;
  });
  const [layers, rows, columns] = [...Array<number>(3 - sizes.length).fill(1), ...sizes] as [number, number, number];
  const isCopy = (layer: number, row: number, column: number) => layer >= layers || row >= rows || column >= columns;
  return gridOf({ shape, values }, { title: `${name} [${operand.shape.join(', ')}]`, isCopy });
}
