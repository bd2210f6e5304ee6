/** One curve of the loss for each worker. */
import { byId } from '../../parts/dom';
import { Chart } from '../../parts/plot/chart';

const MAX_WORKERS = 4;
/** Beyond this length every second point is dropped. */
const MAX_POINTS = 2000;

export class Losses {
  private readonly chart: Chart;
  /** By their steps: a loss for each worker that has reported one. */
  private points = new Map<number, (number | null)[]>();

  constructor() {
    this.chart = new Chart(byId('loss-curve', HTMLElement), {
      x: 'Step',
      isLogarithmic: true,
      series: Array.from({ length: MAX_WORKERS }, (_, rank) => ({ label: `Worker ${rank}`, colour: `--hue-${rank}`, width: 1.75 })),
    });
  }

  add(rank: number, step: number, loss: number): void {
    const row = this.points.get(step) ?? Array.from({ length: MAX_WORKERS }, () => null);
    // A logarithmic axis cannot show other values.
    row[rank] = loss > 0 && Number.isFinite(loss) ? loss : null;
    this.points.set(step, row);
  }

  /** Draws the new losses: reports come more often than the eye needs. */
  draw(): void {
    let rows = [...this.points].sort(([one], [other]) => one - other);
    if (rows.length > MAX_POINTS) {
      rows = rows.filter((_, index) => index % 2 === 0);
      this.points = new Map(rows);
    }
    const lines = Array.from({ length: MAX_WORKERS }, (_, rank) => rows.map(([, row]) => row[rank]!));
    this.chart.show(rows.map(([step]) => step), ...lines);
  }

  clear(): void {
    this.points.clear();
    this.draw();
  }
}
