/** The buttons of every training page, and the states in which each is enabled. */
import { byId } from '../dom';

/** `ready` also while paused; `done` when the chosen number of steps is reached. */
export type State = 'loading' | 'ready' | 'training' | 'done' | 'error';

const NAMES = ['start', 'pause', 'step', 'reset', 'keep', 'download', 'open', 'share'] as const;
export type Actions = Record<(typeof NAMES)[number], () => void>;

export class Controls {
  private readonly buttons: Record<keyof Actions, HTMLButtonElement>;
  private current: State = 'loading';

  constructor(actions: Actions) {
    const buttons = NAMES.map((name) => [name, byId(name, HTMLButtonElement)] as const);
    for (const [name, button] of buttons) {
      button.addEventListener('click', actions[name]);
    }
    this.buttons = Object.fromEntries(buttons) as Record<keyof Actions, HTMLButtonElement>;
  }

  get state(): State {
    return this.current;
  }

  /**
   * Shows `state` on the buttons and as `data-state` of the page; `begun` if some steps have been
   * trained.
   */
  show(state: State, begun: boolean): void {
    this.current = state;
    document.documentElement.dataset['state'] = state;
    const { start, pause, step, reset, keep, download, open, share } = this.buttons;
    const idle = state === 'ready' || state === 'done';
    // Read first: disabling the focused button would throw a keyboard user back to the top of the
    // page.
    const focused = document.activeElement;
    start.disabled = !idle;
    pause.disabled = state !== 'training';
    step.disabled = !idle;
    reset.disabled = state === 'loading';
    for (const button of [keep, download]) {
      button.disabled = !(idle || state === 'training');
    }
    open.disabled = !idle;
    share.disabled = false;
    start.textContent = state === 'done' ? 'Train on' : begun ? 'Continue' : 'Start';
    if (focused === start && start.disabled) {
      pause.focus();
    } else if (focused === pause && pause.disabled) {
      start.focus();
    }
  }
}

/** Chooses `value`, adding it to the list if it is missing. */
export function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.add(new Option(value, value));
  }
  select.value = value;
}
