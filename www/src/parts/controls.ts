/** The controls that every training page has, and which of them can be used when. */
import { byId } from './dom';

/** `ready` also while paused; `done` when the chosen number of steps is reached. */
export type State = 'loading' | 'ready' | 'training' | 'done' | 'error';

export interface Actions {
  start: () => void;
  pause: () => void;
  step: () => void;
  reset: () => void;
}

export class Controls {
  private readonly buttons = {
    start: byId('start', HTMLButtonElement),
    pause: byId('pause', HTMLButtonElement),
    step: byId('step', HTMLButtonElement),
    reset: byId('reset', HTMLButtonElement),
  };
  private current: State = 'loading';

  constructor(actions: Actions) {
    for (const [name, button] of Object.entries(this.buttons)) {
      button.addEventListener('click', actions[name as keyof Actions]);
    }
  }

  get state(): State {
    return this.current;
  }

  /** Shows `state` on the buttons and as `data-state` of the page; `begun` when some steps have been trained. */
  show(state: State, begun: boolean): void {
    this.current = state;
    document.documentElement.dataset['state'] = state;
    const { start, pause, step, reset } = this.buttons;
    const idle = state === 'ready' || state === 'done';
    // Read first: disabling the focused button would throw a keyboard user back to the top of the page.
    const focused = document.activeElement;
    start.disabled = !idle;
    pause.disabled = state !== 'training';
    step.disabled = !idle;
    reset.disabled = state === 'loading';
    start.textContent = state === 'done' ? 'Train on' : begun ? 'Continue' : 'Start';
    if (focused === start && start.disabled) {
      pause.focus();
    } else if (focused === pause && pause.disabled) {
      start.focus();
    }
  }
}

/** The value of a list as a number. */
export function numberOf(select: HTMLSelectElement): number {
  return Number(select.value);
}

/** Chooses `value`, adding it to the list where it is not in it. */
export function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.add(new Option(value, value));
  }
  select.value = value;
}
