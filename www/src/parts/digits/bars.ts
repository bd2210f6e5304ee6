/** Ten probabilities as bars, with the largest marked. */
import { CLASSES } from './data';

export class Bars {
  private readonly rows: HTMLElement[];

  constructor(container: HTMLElement) {
    this.rows = Array.from({ length: CLASSES }, (_, digit) => {
      const row = document.createElement('li');
      row.innerHTML = `<b>${digit}</b><i></i><span></span>`;
      return row;
    });
    container.replaceChildren(...this.rows);
    this.show(undefined);
  }

  show(probabilities: ArrayLike<number> | undefined): void {
    const values = Array.from({ length: CLASSES }, (_, digit) => probabilities?.[digit] ?? 0);
    const predicted = probabilities ? values.indexOf(Math.max(...values)) : -1;
    this.rows.forEach((row, digit) => {
      const value = values[digit]!;
      row.style.setProperty('--share', String(value));
      row.classList.toggle('predicted', digit === predicted);
      row.lastElementChild!.textContent = probabilities ? `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %` : '';
    });
  }
}
