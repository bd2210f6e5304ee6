/** The forecasts as lines over the series, and their errors in words. */
import { byId, make } from '../../parts/dom';
import { Chart } from '../../parts/plot/chart';
import { HELD_OUT, SERIES } from './series';
import type { Forecasts } from './session';

/** Values that are shown before a forecast. */
const BEFORE = 60;
/**
 * A forecast is cut if it leaves the series by this many times its range: it would flatten the
 * rest.
 */
const MARGIN = 0.6;

type Values = (number | null)[];

const nothing = (count: number): Values => new Array<null>(count).fill(null);

export class ForecastCharts {
  private readonly ahead: Chart;
  private readonly alone: Chart;
  private readonly containers = { ahead: byId('ahead', HTMLElement), alone: byId('alone', HTMLElement) };

  constructor() {
    this.ahead = new Chart(this.containers.ahead, {
      x: 'At',
      formatX: String,
      series: [
        { label: 'Series', colour: '--ink-soft', width: 1.5 },
        { label: 'One step ahead', colour: '--accent' },
      ],
    });
    this.alone = new Chart(this.containers.alone, {
      x: 'At',
      formatX: String,
      height: 280,
      series: [
        { label: 'Learnt from', colour: '--ink-soft', width: 1.5 },
        { label: 'Held out', colour: '--hue-0', width: 1.5 },
        { label: 'Naive', colour: '--hue-2', width: 1.5, isDashed: true },
        { label: 'Forecast', colour: '--accent', width: 2.5 },
        { label: 'From the end on', colour: '--hue-3', width: 2.5 },
      ],
    });
  }

  show({ series, values, oneStep, alone, onwards, naive, errors }: Forecasts): void {
    const { start, words } = SERIES[series];
    const xs = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => start + from + index);
    const held = values.length - HELD_OUT;
    const drawn = within(values);
    this.ahead.show(xs(held, values.length), values.slice(held), oneStep.map(drawn));

    const known = values.slice(held - BEFORE, held);
    // Lines begin at the last known value, so that they have no gap.
    const last = known.at(-1)!;
    const lead = nothing(BEFORE - 1);
    const tail = nothing(HELD_OUT);
    this.alone.show(
      xs(held - BEFORE, values.length + HELD_OUT),
      [...known, ...nothing(2 * HELD_OUT)],
      [...lead, last, ...values.slice(held), ...tail],
      [...lead, last, ...naive, ...tail],
      [...lead, last, ...alone.map(drawn), ...tail],
      [...nothing(BEFORE + HELD_OUT - 1), values.at(-1)!, ...onwards.map(drawn)],
    );
    this.containers.ahead.ariaLabel = `${words}: ${HELD_OUT} held-out values and the guess of each from those before it, which is off by ${brief(errors.oneStep)}`;
    this.containers.alone.ariaLabel =
      `${words}: a forecast of ${HELD_OUT} held-out values, off by ${brief(errors.alone)}, beside a naive one, off by ${brief(errors.naive)}, ` +
      `and ${HELD_OUT} values beyond the end of the data`;
  }
}

/** Returns a function that drops values outside of the range of a chart of `values`. */
function within(values: readonly number[]): (value: number) => number | null {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = MARGIN * (most - least);
  return (value) => (value >= least - room && value <= most + room ? value : null);
}

/** The rows of the table of errors. */
export function showErrors(body: HTMLElement, { series, errors }: Forecasts): void {
  const { season } = SERIES[series];
  const repeats = season ? `the last ${season} values again and again` : 'the mean, for lack of a season';
  const row = (task: string, network: number, naive: number, how: string) => {
    const cell = (error: number, isBetter: boolean) => make('td', { className: isBetter ? 'better' : '', textContent: brief(error) });
    return make('tr', {}, [
      make('th', { scope: 'row', textContent: task }),
      cell(network, network < naive),
      cell(naive, naive <= network),
      make('td', { className: 'soft', textContent: how }),
    ]);
  };
  body.replaceChildren(
    row('One step ahead', errors.oneStep, errors.lastValue, 'the value before'),
    row(`${HELD_OUT} steps alone`, errors.alone, errors.naive, repeats),
  );
}

export function brief(error: number): string {
  return error < 1e5 ? String(Number(error.toPrecision(3))) : error.toExponential(1);
}
