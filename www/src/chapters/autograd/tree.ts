/** The first part of the page: an expression, its graph, and the backward pass step by step. */
import { showCode } from '../../parts/code';
import { byId, make } from '../../parts/dom';
import type { Outcome } from '../../parts/run/runner';
import { parse } from './expression';
import { formatValue, GraphPicture } from './graph-picture';
import { type Program, programOf } from './program';

const START: Readonly<Record<string, number>> = { x: 1.5, y: 0.5, w: -1 };
const PACE_MS = 650;

export class Tree {
  private readonly picture = new GraphPicture(byId('graph', HTMLElement));
  private readonly values: Record<string, number> = { ...START };
  private program: Program | undefined;
  private numbers: readonly number[] = [];
  /** The nodes that backward has reached, from the last one. */
  private reached = 0;
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly run: (source: string) => Promise<Outcome>) {
    byId('sliders', HTMLElement).append(...Object.keys(START).map((name) => this.slider(name)));
    byId('expression', HTMLInputElement).addEventListener('input', () => void this.compute());
    byId('step', HTMLButtonElement).addEventListener('click', () => {
      clearTimeout(this.timer);
      this.step();
    });
    byId('backward', HTMLButtonElement).addEventListener('click', () => this.backward());
    byId('build', HTMLButtonElement).addEventListener('click', () => this.build());
  }

  async compute(): Promise<void> {
    clearTimeout(this.timer);
    this.asked += 1;
    const asked = this.asked;
    this.enable(false);
    let program: Program;
    try {
      program = programOf(parse(byId('expression', HTMLInputElement).value, Object.keys(START)), this.values);
    } catch (error) {
      return this.say((error as Error).message);
    }
    showCode(byId('source', HTMLElement), program.code);
    const names = program.nodes.map(({ name }) => name);
    const all = [...names, ...names.map((name) => `${name}.grad`)].join(', ');
    const outcome = await this.run(`(() => {\n${program.code}\nreturn noGrad(() => stack([${all}]));\n})()`);
    if (asked !== this.asked) {
      return;
    }
    const numbers = outcome.type === 'value' ? outcome.shown?.tensors[0]?.values : undefined;
    if (!numbers) {
      return this.say(outcome.type === 'threw' ? outcome.thrown.message : 'It was not computed: change the expression to try again.');
    }
    this.program = program;
    this.numbers = [...numbers];
    this.reached = 0;
    this.picture.show(program.nodes, this.numbers);
    this.picture.flow([], undefined);
    this.say(`The result is ${formatValue(this.numbers[names.length - 1]!)}. Press Backward, or Step.`);
    this.enable(true);
    this.describe();
  }

  private slider(name: string): HTMLElement {
    const output = make('output', { textContent: String(START[name]) });
    const input = make('input', { type: 'range', id: `value-${name}`, min: '-3', max: '3', step: '0.1' });
    input.value = String(START[name]);
    input.addEventListener('input', () => {
      this.values[name] = Number(input.value);
      output.textContent = input.value;
      void this.compute();
    });
    return make('label', { className: 'field' }, [`${name} = `, output, input]);
  }

  /** Shows node after node, as the lines of code make them. */
  private build(): void {
    clearTimeout(this.timer);
    this.reached = 0;
    this.picture.flow([], undefined);
    this.describe();
    this.animate((done) => {
      this.picture.build(done);
      return done < this.program!.nodes.length;
    });
  }

  private backward(): void {
    clearTimeout(this.timer);
    this.picture.build(Infinity);
    if (this.reached === this.program!.nodes.length) {
      this.reached = 0;
    }
    this.animate(() => this.step());
  }

  /** Calls `act` with 1, 2, … until it returns false; at once if the visitor wants no motion. */
  private animate(act: (done: number) => boolean, done = 1): void {
    const pace = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : PACE_MS;
    if (act(done)) {
      this.timer = setTimeout(() => this.animate(act, done + 1), pace);
    }
  }

  /** A node gets its gradient after all that use it. Returns whether there are more. */
  private step(): boolean {
    const { nodes } = this.program!;
    this.picture.build(Infinity);
    this.reached = Math.min(nodes.length, this.reached + 1);
    const at = nodes.length - this.reached;
    const gradients = nodes.map((_, index) => (index >= at ? this.numbers[nodes.length + index]! : undefined));
    this.picture.flow(gradients, at);
    const { name } = nodes[at]!;
    const users = nodes.filter(({ inputs }) => inputs.includes(at)).map((node) => node.name);
    const from = users.length === 0 ? 'it is the result' : `from ${users.join(' and ')}${users.length > 1 ? ', added up' : ''}`;
    this.say(`The gradient of ${name} is ${formatValue(gradients[at]!)}: ${from}.`);
    this.describe();
    return this.reached < nodes.length;
  }

  private describe(): void {
    const { nodes } = this.program!;
    const parts = nodes.map(({ name, words, op }, index) => {
      const gradient = index >= nodes.length - this.reached ? `, gradient ${formatValue(this.numbers[nodes.length + index]!)}` : '';
      return `${op === '' ? name : `${name}, ${words}`}: value ${formatValue(this.numbers[index]!)}${gradient}`;
    });
    byId('graph', HTMLElement).ariaLabel = `The computational graph. ${parts.join('; ')}.`;
  }

  private say(words: string): void {
    byId('verdict', HTMLElement).textContent = words;
  }

  private enable(isReady: boolean): void {
    for (const id of ['backward', 'step', 'build']) {
      byId(id, HTMLButtonElement).disabled = !isReady;
    }
  }
}
