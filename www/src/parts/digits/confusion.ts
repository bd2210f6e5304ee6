/**
 * The confusion matrix: a row per true digit, a column per predicted digit, created once and
 * updated at every measurement.
 */
import { CLASSES } from './data';

export class Confusion {
  private readonly cells: HTMLTableCellElement[] = [];

  constructor(table: HTMLTableElement) {
    const head = table.createTHead().insertRow();
    head.insertCell();
    for (let digit = 0; digit < CLASSES; digit += 1) {
      head.append(heading(String(digit), 'col'));
    }
    const body = table.createTBody();
    for (let label = 0; label < CLASSES; label += 1) {
      const row = body.insertRow();
      row.append(heading(String(label), 'row'));
      for (let predicted = 0; predicted < CLASSES; predicted += 1) {
        const cell = row.insertCell();
        cell.className = label === predicted ? 'right' : 'wrong';
        this.cells.push(cell);
      }
    }
  }

  show(counts: readonly number[]): void {
    for (let label = 0; label < CLASSES; label += 1) {
      const row = counts.slice(CLASSES * label, CLASSES * (label + 1));
      const total = row.reduce((sum, count) => sum + count, 0);
      row.forEach((count, predicted) => {
        const cell = this.cells[CLASSES * label + predicted]!;
        cell.textContent = count === 0 ? '' : String(count);
        cell.classList.toggle('most', 2 * count > total);
        cell.title = `${count} of ${total} images of ${label} read as ${predicted}`;
        // The square root makes a single mistake among thirty-five visible.
        cell.style.setProperty('--share', String(total === 0 ? 0 : Math.sqrt(count / total)));
      });
    }
  }
}

function heading(text: string, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = document.createElement('th');
  cell.scope = scope;
  cell.textContent = text;
  return cell;
}
