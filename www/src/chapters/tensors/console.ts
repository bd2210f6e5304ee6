/** The console: the code, its results, and the history. */
import { showCode } from '../../parts/code';
import { byId, make } from '../../parts/dom';
import type { Shown } from '../../parts/run/protocol';
import { wordsOf } from '../../parts/run/outcome';
import type { Outcome, Runner } from '../../parts/run/runner';

/** Older runs are removed, so that a long visit does not fill the page. */
const MAX_RUNS = 60;
/** Longer code is shown in part. */
const MAX_CHARACTERS = 4000;

export interface ConsoleOptions {
  runner: () => Runner;
  /** A result with tensors. */
  shown: (shown: Shown) => void;
  onEnd: (outcome: Outcome) => void;
}

export class Console {
  private readonly field = byId('code', HTMLTextAreaElement);
  private readonly transcript = byId('transcript', HTMLElement);
  private readonly stop = byId('stop', HTMLButtonElement);
  private readonly history: string[] = [];
  /** The position in the history; its end is new code. */
  private at = 0;

  constructor(private readonly options: ConsoleOptions) {
    byId('entry', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.run(this.field.value);
    });
    this.field.addEventListener('keydown', (event) => this.key(event));
    this.stop.addEventListener('click', () => options.runner().stop());
  }

  async run(source: string): Promise<void> {
    if (source.trim() === '') {
      this.add(make('p', { className: 'soft', textContent: 'There is no code yet: type a line, such as zeros([2, 3]), or choose an example.' }));
      return;
    }
    this.history.push(source);
    this.at = this.history.length;
    this.field.value = '';
    const code = make('pre', { className: 'typed' });
    showCode(code, source.length > MAX_CHARACTERS ? `${source.slice(0, MAX_CHARACTERS)}…` : source);
    const entry = make('div', { className: 'run' }, [code]);
    this.add(entry);
    this.stop.disabled = false;
    const outcome = await this.options.runner().run(source, (level, shown) => {
      entry.append(make('pre', { className: `printed ${level}`, textContent: shown.text }));
      this.scroll();
    });
    this.stop.disabled = !this.options.runner().isBusy;
    entry.append(...wordsOf(outcome));
    this.scroll();
    if (outcome.type === 'value' && outcome.shown && outcome.shown.tensors.length > 0) {
      this.options.shown(outcome.shown);
    }
    this.options.onEnd(outcome);
  }

  clear(): void {
    this.transcript.replaceChildren();
  }

  private add(entry: HTMLElement): void {
    this.transcript.append(entry);
    while (this.transcript.childElementCount > MAX_RUNS) {
      this.transcript.firstElementChild!.remove();
    }
    this.scroll();
  }

  private scroll(): void {
    this.transcript.scrollTop = this.transcript.scrollHeight;
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) {
      return;
    }
    const { value, selectionStart } = this.field;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void this.run(value);
    } else if (event.key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n') && this.at > 0) {
      event.preventDefault();
      this.recall(this.at - 1);
    } else if (event.key === 'ArrowDown' && !value.slice(selectionStart).includes('\n') && this.at < this.history.length) {
      event.preventDefault();
      this.recall(this.at + 1);
    }
  }

  private recall(at: number): void {
    this.at = at;
    this.field.value = this.history[at] ?? '';
    // At its beginning, so that the next arrow upwards goes further back.
    this.field.setSelectionRange(0, 0);
  }
}
