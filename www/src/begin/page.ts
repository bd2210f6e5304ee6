/** The page for beginners: a knob to turn by hand, and a machine that turns the knob. */
import '../parts/base.css';
import './style.css';
import { showCode } from '../parts/code';
import { byId } from '../parts/dom';
import { Plane } from '../parts/plot/plane';
import source from './learn.ts?raw';
import { KILOGRAMS, lossOf, PRICES } from './receipts';

const STEPS = 15;
/** The eye should follow each step. */
const STEP_MS = 350;
/** A step that turns the knob less than this ends the search. */
const FOUND = 0.001;
const FIRST = 0.6;

type Turn = Awaited<ReturnType<typeof import('./learn').learner>>;

const knob = byId('knob', HTMLInputElement);
const canvas = byId('receipts', HTMLCanvasElement);
const learn = byId('learn', HTMLButtonElement);
const step = byId('step', HTMLButtonElement);
const plane = new Plane(canvas, { domain: { x: [0, 4.6], y: [0, 10] }, aspect: 0.8, hasGrid: true });
const say = (words: string) => (byId('said', HTMLElement).textContent = words);
/** The machine, which starts from the knob's value. A turn by hand needs a new one. */
let machine: Promise<Turn> | undefined;
let isLearning = false;

function show(): void {
  const value = Number(knob.value);
  byId('knob-number', HTMLElement).textContent = value.toFixed(2);
  byId('loss-number', HTMLElement).textContent = lossOf(value).toFixed(2);
  plane.show({
    points: KILOGRAMS.map((x, index) => ({ x, y: PRICES[index]!, colour: '--hue-0', radius: 6 })),
    lines: [
      ...KILOGRAMS.map((x, index) => ({ points: [[x, PRICES[index]!], [x, value * x]] as const, colour: '--accent', width: 2 })),
      { points: [[0, 0], [5, 5 * value]], colour: '--ink-soft', width: 3 },
    ],
  });
  canvas.ariaLabel = `Four receipts: prices over kilograms. The guesses are ${value.toFixed(2)} for each kilogram, with a loss of ${lossOf(value).toFixed(2)}`;
}

/** Turns the knob once by the gradient; the change is returned. */
async function turn(): Promise<number> {
  const before = Number(knob.value);
  // The library is loaded when it is first needed.
  machine ??= import('./learn').then(({ learner }) => learner(before));
  const { gradient, knob: after } = await (await machine)();
  knob.value = String(after);
  show();
  const way = gradient < 0 ? 'The loss falls when the knob goes up' : 'The loss rises when the knob goes up';
  say(`${way}, so the machine turns it ${gradient < 0 ? 'up' : 'down'}: from ${before.toFixed(2)} to ${after.toFixed(2)}.`);
  return Math.abs(after - before);
}

/** Turns the knob step by step until the loss is smallest, or a hand stops the machine. */
async function run(steps: number): Promise<void> {
  isLearning = true;
  learn.disabled = step.disabled = true;
  try {
    for (let count = 0; count < steps && isLearning; count += 1) {
      const change = await turn();
      if (steps > 1 && (change < FOUND || count === steps - 1)) {
        say(`Found: ${Number(knob.value).toFixed(2)} for a kilogram, in ${count + 1} steps. The machine was not told the price.`);
        break;
      }
      if (steps > 1) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  } catch (error) {
    machine = undefined;
    say(`The code that computes could not be loaded. Check the connection, then try again. (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    isLearning = false;
    learn.disabled = step.disabled = false;
  }
}

function handOn(value: string, words: string): void {
  isLearning = false;
  machine = undefined;
  knob.value = value;
  show();
  say(words);
}

knob.addEventListener('input', () => handOn(knob.value, 'You turn the knob. Smaller is better: watch the loss.'));
byId('back', HTMLButtonElement).addEventListener('click', () => handOn(String(FIRST), 'The knob is where it was.'));
learn.addEventListener('click', () => void run(STEPS));
step.addEventListener('click', () => void run(1));
showCode(byId('source', HTMLElement), source);
show();
