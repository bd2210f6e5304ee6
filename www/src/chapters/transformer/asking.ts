/** The part of the page where a visitor asks for a sum. */
import { byId } from '../../parts/dom';
import { wordsFor } from './samples';
import type { Thought } from './session';
import { MAX_NUMBER, promptOf, type Sum } from './sums';

export class Asking {
  private readonly fields = [byId('first', HTMLInputElement), byId('second', HTMLInputElement)] as const;
  private readonly answer = byId('answer', HTMLOutputElement);
  private readonly verdict = byId('verdict', HTMLElement);
  private readonly writing = byId('writing', HTMLElement);
  /** A question is in progress; if more are asked meanwhile, one more follows its answer. */
  private waiting = false;
  private again = false;

  constructor(private readonly send: (sum: Sum) => void) {
    for (const field of this.fields) {
      field.addEventListener('input', () => this.ask());
    }
    byId('another', HTMLButtonElement).addEventListener('click', () => {
      for (const field of this.fields) {
        field.value = String(Math.floor(Math.random() * (MAX_NUMBER + 1)));
      }
      this.ask();
    });
  }

  ask(): void {
    const sum = this.sum();
    if (!sum) {
      this.say('', '', `Two whole numbers from 0 to ${MAX_NUMBER}, please.`);
    } else if (this.waiting) {
      this.again = true;
    } else {
      this.waiting = true;
      this.send(sum);
    }
  }

  show(thought: Thought): void {
    this.waiting = false;
    const asked = this.sum();
    if (asked?.first === thought.first && asked.second === thought.second) {
      const sum = thought.first + thought.second;
      const right = thought.said === sum;
      this.say(wordsFor(thought), right ? 'right' : 'wrong', right ? 'That is right.' : `That is wrong: it is ${sum}.`);
      this.spell(promptOf(thought), thought.written);
    }
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  /** The network was replaced: the answer of an earlier one no longer counts. */
  forget(): void {
    this.waiting = false;
    this.again = false;
    this.say('', '', '');
    this.spell('', '');
  }

  private sum(): Sum | undefined {
    const [first, second] = this.fields.map(({ value, validity }) => (validity.valid && value !== '' ? Number(value) : NaN));
    return Number.isInteger(first) && Number.isInteger(second) ? { first: first!, second: second! } : undefined;
  }

  /**
   * Shows a text character by character, with the network's characters in another colour; a blank
   * is drawn as a box.
   */
  private spell(prompt: string, written: string): void {
    const boxes = [...prompt + written].map((character, index) => {
      const box = document.createElement('span');
      box.textContent = character === ' ' ? '␣' : character;
      box.classList.toggle('written', index >= prompt.length);
      return box;
    });
    this.writing.replaceChildren(...boxes);
    this.writing.ariaLabel = prompt === '' ? 'Nothing was asked yet' : `It read ${prompt} and wrote ${[...written.trimEnd()].join(' ') || 'nothing'}`;
  }

  private say(answer: string, mark: string, words: string): void {
    this.answer.dataset['mark'] = mark;
    this.answer.textContent = answer || '?';
    // Only a change is announced: the same words would otherwise be read out at every measurement.
    if (this.verdict.textContent !== words) {
      this.verdict.textContent = words;
    }
  }
}
