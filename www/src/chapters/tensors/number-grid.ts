/** A tensor of up to three dimensions as coloured cells with numbers. */
import { make } from '../../parts/dom';
import type { TensorView } from '../../parts/run/protocol';

/** Rows and columns beyond these are not drawn. */
const MAX_CELLS = 12;
const MAX_LAYERS = 6;

export interface GridOptions {
  title: string;
  /** Whether a cell repeats another one, by its position. */
  isCopy?: (layer: number, row: number, column: number) => boolean;
}

export function gridOf(view: Pick<TensorView, 'shape' | 'values'>, { title, isCopy }: GridOptions): HTMLElement {
  const { shape, values } = view;
  const figure = make('figure', { className: 'numbers' }, [make('figcaption', { textContent: title })]);
  const words = reasonAgainst(shape, values);
  if (words || !values) {
    figure.append(make('p', { className: 'soft', textContent: words }));
    return figure;
  }
  const [layers, rows, columns] = [...Array<number>(3 - shape.length).fill(1), ...shape] as [number, number, number];
  const most = values.reduce((largest, value) => (Number.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest), 0) || 1;
  const sheets = Array.from({ length: Math.min(layers, MAX_LAYERS) }, (_, layer) => {
    const sheet = make('div', { className: 'cells', role: 'img', ariaLabel: labelOf(title, shape, layer) });
    sheet.style.setProperty('--columns', String(Math.min(columns, MAX_CELLS)));
    for (let row = 0; row < Math.min(rows, MAX_CELLS); row += 1) {
      for (let column = 0; column < Math.min(columns, MAX_CELLS); column += 1) {
        sheet.append(cellOf(values[(layer * rows + row) * columns + column]!, most, isCopy?.(layer, row, column) ?? false));
      }
    }
    return sheet;
  });
  figure.append(make('div', { className: 'sheets' }, sheets));
  if (layers > MAX_LAYERS || rows > MAX_CELLS || columns > MAX_CELLS) {
    figure.append(make('p', { className: 'soft caption', textContent: `Only its beginning is drawn, up to ${MAX_CELLS} × ${MAX_CELLS} numbers.` }));
  }
  return figure;
}

function reasonAgainst(shape: readonly number[], values: Float64Array | undefined): string {
  if (shape.length > 3) {
    return `A tensor of ${shape.length} dimensions is not drawn: choose some of it with at().`;
  }
  return !values ? 'It has too many numbers to be drawn.' : values.length === 0 ? 'It has no numbers.' : '';
}

function labelOf(title: string, shape: readonly number[], layer: number): string {
  return `${title}: numbers of shape [${shape.join(', ')}]${shape.length === 3 ? `, layer ${layer}` : ''}; the console has them as text`;
}

function cellOf(value: number, most: number, isCopy: boolean): HTMLElement {
  const cell = make('span', { textContent: formatValue(value), className: `${value < 0 ? 'below' : 'above'}${isCopy ? ' copied' : ''}` });
  cell.style.setProperty('--weight', Number.isFinite(value) ? (Math.abs(value) / most).toFixed(3) : '0');
  return cell;
}

/** At most six characters. */
function formatValue(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e5) {
    return String(value);
  }
  if (!Number.isFinite(value)) {
    return String(value);
  }
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4 ? String(Number(value.toPrecision(3))) : value.toExponential(0);
}
