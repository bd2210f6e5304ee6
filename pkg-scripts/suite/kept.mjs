/** Outcomes of steps that passed, for a run that continues an earlier one. */
import { readFileSync, writeFileSync } from 'node:fs';

export class Kept {
  /** Reads the outcomes of a file, if they are of this state of the checkout. */
  constructor(file, state) {
    this.file = file;
    this.state = state;
    this.steps = new Map();
    try {
      const read = JSON.parse(readFileSync(file, 'utf8'));
      if (read.state === state) this.steps = new Map(Object.entries(read.steps));
    } catch {
      // There is no earlier run, or it ended while it wrote.
    }
  }

  get(name) {
    return this.steps.get(name);
  }

  add(name, outcome) {
    this.steps.set(name, outcome);
    writeFileSync(this.file, JSON.stringify({ state: this.state, steps: Object.fromEntries(this.steps) }));
  }

  clear() {
    this.steps.clear();
  }
}
