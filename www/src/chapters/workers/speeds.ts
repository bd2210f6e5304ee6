/** How fast the workers train, from their reports, and the table of the measurements. */
import { byId, make } from '../../parts/dom';
import { percent } from '../../parts/words';
import type { Way } from './run';
import type { Settings } from './settings';
import type { Report } from './train';

/** Per second: updates of the parameters, and examples that gradients were computed of. */
export interface Speed {
  updates: number;
  samples: number;
}

/** Steps after which time begins: the browser still compiles the code in the first ones. */
const WARM_UP = 100;
const SHORT: Readonly<Record<Way, string>> = { dataParallel: 'Data parallel', hogwild: 'Hogwild' };

export const whole = (value: number) => Math.round(value).toLocaleString('en');

export class Clock {
  private readonly first = new Map<number, Report>();
  private readonly last = new Map<number, Report>();

  constructor(private readonly settings: Settings) {}

  add(report: Report, rank: number): void {
    if (!this.first.has(rank) && report.step >= Math.min(WARM_UP, this.settings.steps / 5)) {
      this.first.set(rank, report);
    }
    this.last.set(rank, report);
  }

  /** The largest number of steps that a worker has reported. */
  get step(): number {
    return Math.max(0, ...[...this.last.values()].map(({ step }) => step));
  }

  /** The mean of the losses that the workers reported last. */
  get loss(): number {
    const losses = [...this.last.values()].map(({ loss }) => loss);
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  }

  /** Since the warm-up; undefined before every worker has reported twice. */
  get speed(): Speed | undefined {
    const { way, workers, batch } = this.settings;
    const rates = [...this.first].map(([rank, first]) => {
      const { step, time } = this.last.get(rank)!;
      return (1000 * (step - first.step)) / (time - first.time);
    });
    if (rates.length < workers || !rates.every((rate) => rate > 0 && Number.isFinite(rate))) {
      return undefined;
    }
    const steps = rates.reduce((sum, rate) => sum + rate, 0);
    // In step, the steps of all workers together are one update.
    return { updates: way === 'hogwild' ? steps : steps / workers, samples: batch * steps };
  }
}

/** A training that ended, in the table. */
export interface Measured extends Pick<Settings, 'way' | 'workers' | 'batch'>, Speed {
  accuracy: number;
}

export class SpeedTable {
  private readonly rows = new Map<string, Measured>();

  constructor() {
    this.show();
  }

  /** The latest training of a kind replaces an earlier one. */
  add(row: Measured): void {
    this.rows.set([row.way, row.workers, row.batch].join(), row);
    this.show();
  }

  private show(): void {
    const rows = [...this.rows.values()].sort((one, other) => one.way.localeCompare(other.way) || one.workers - other.workers || one.batch - other.batch);
    const nothing = make('tr', {}, [make('td', { colSpan: 6, textContent: 'No training has ended yet.' })]);
    byId('speeds', HTMLTableSectionElement).replaceChildren(...(rows.length > 0 ? rows.map(rowOf) : [nothing]));
  }
}

function rowOf({ way, workers, batch, updates, samples, accuracy }: Measured): HTMLElement {
  const texts = [SHORT[way], String(batch), whole(updates), whole(samples), percent(accuracy)];
  const row = make('tr', {}, [make('th', { scope: 'row', textContent: String(workers) }), ...texts.map((textContent) => make('td', { textContent }))]);
  row.dataset['workers'] = String(workers);
  row.dataset['way'] = way;
  return row;
}
