/** The second part of the page: a curve with its derivatives, by repeated autograd. */
import { showCode } from '../../parts/code';
import { byId } from '../../parts/dom';
import { Chart } from '../../parts/plot/chart';
import type { Outcome } from '../../parts/run/runner';
import { parse } from './expression';
import { lineOf } from './program';

const NAMES = ['f', 'first', 'second', 'third'] as const;
const HUES = ['--hue-0', '--hue-1', '--hue-2', '--hue-3'] as const;

export class Derivatives {
  private readonly chart = new Chart(byId('curve', HTMLElement), {
    x: 'x',
    series: NAMES.map((label, index) => ({ label, colour: HUES[index]!, isDashed: index > 1, width: index === 0 ? 3 : 2 })),
  });
  private asked = 0;

  constructor(private readonly run: (source: string) => Promise<Outcome>) {
    byId('function', HTMLInputElement).addEventListener('input', () => void this.compute());
  }

  async compute(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    let code: string;
    try {
      code = codeOf(byId('function', HTMLInputElement).value);
    } catch (error) {
      return this.say((error as Error).message);
    }
    showCode(byId('curve-source', HTMLElement), code);
    const outcome = await this.run(`(() => {\n${code}\nreturn noGrad(() => stack([x, ${NAMES.join(', ')}]));\n})()`);
    if (asked !== this.asked) {
      return;
    }
    const values = outcome.type === 'value' ? outcome.shown?.tensors[0]?.values : undefined;
    if (!values) {
      return this.say(outcome.type === 'threw' ? outcome.thrown.message : 'It was not computed: change f to try again.');
    }
    const count = values.length / (NAMES.length + 1);
    const [xs, ...lines] = Array.from({ length: NAMES.length + 1 }, (_, row) => [...values.subarray(row * count, (row + 1) * count)]);
    this.chart.show(xs!, ...lines.map((line) => line.map((value) => (Number.isFinite(value) ? value : null))));
    const ends = NAMES.map((name, index) => `${name} from ${lines[index]![0]!.toFixed(2)} to ${lines[index]!.at(-1)!.toFixed(2)}`);
    byId('curve', HTMLElement).ariaLabel = `Curves over x from -4 to 4: ${ends.join('; ')}`;
    this.say('Where f is steep, its first derivative is large; where f bends, its second one is.');
  }

  private say(words: string): void {
    byId('curve-verdict', HTMLElement).textContent = words;
  }
}

function codeOf(text: string): string {
  const expression = parse(text, ['x']);
  if (expression.kind === 'number') {
    throw new SyntaxError('There is no x in it: type an expression such as x * sin(x).');
  }
  return `const x = linspace(-4, 4, 321).requiresGrad_();
const f = ${lineOf(expression)};

// A constant has no graph, and its derivative is 0.
function derivative(y) {
  const [slope] = y.requiresGrad ? grad([y.sum()], [x], { createGraph: true }) : [];
  return slope ?? zerosLike(x);
}

const first = derivative(f);
const second = derivative(first);
const third = derivative(second);`;
}
