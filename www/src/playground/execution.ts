/** A run of a program on a page: its buttons, its output, and how it ended. */
import { wordsOf } from '../parts/run/outcome';
import type { Outcome, Runner } from '../parts/run/runner';
import type { Output } from './output';

export interface Execution {
  run: HTMLButtonElement;
  stop: HTMLButtonElement;
  output: Output;
}

/** Runs `source`, and shows its output and how it ended. */
export async function execute({ run, stop, output }: Execution, runner: Runner, source: string): Promise<Outcome> {
  output.clear();
  run.disabled = true;
  stop.disabled = false;
  const outcome = await runner.run(source, (level, shown) => output.print(level, shown));
  run.disabled = false;
  stop.disabled = true;
  output.add(...wordsOf(outcome));
  return outcome;
}

/** How a run ended, in a sentence; `where` is the device. */
export function ending(outcome: Outcome, where = ''): string {
  return outcome.type === 'value' ? `Done in ${(outcome.milliseconds / 1000).toFixed(3)} seconds${where && ` on ${where}`}.` : 'It did not come to its end.';
}
