/** One training after another of the shared network: from its start to the end of its workers. */
import { Event as Flag } from 'lanthorn/workers';
import { messageOf } from '../../parts/training/worker';
import { run } from './run';
import type { Settings } from './settings';
import type { Shared } from './shared';
import { Clock } from './speeds';
import type { Report } from './train';

/**
 * Reports of a worker in one training: enough for a smooth curve, few enough not to slow it down.
 */
const REPORTS = 200;
/** Seeds between two trainings, more than the workers of one use. */
const SEEDS = 100;

export type End = 'done' | 'stopped' | 'diverged' | 'failed';

/** How a training ended; all of its workers have ended too. */
export interface Outcome {
  end: End;
  /** The words of an error. */
  message: string;
}

/** Why it is ended from here. */
class Ending extends Error {
  constructor(readonly end: End) {
    super(end);
  }
}

export class Trainer {
  /** Of the training in progress, or the last one. */
  clock: Clock | undefined;
  /** Trainings of this network, and the steps of those that have ended. */
  runs = 0;
  private stepsBefore = 0;
  private abort = new AbortController();
  private fault = new Flag();
  private current: Promise<Outcome> | undefined;

  constructor(
    private readonly shared: Shared,
    private readonly seed: number,
    private readonly reported: (report: Report, rank: number) => void,
  ) {}

  get isTraining(): boolean {
    return this.current !== undefined;
  }

  /** Steps of each worker since the network began. */
  get step(): number {
    return this.stepsBefore + (this.isTraining ? (this.clock?.step ?? 0) : 0);
  }

  train(settings: Settings): Promise<Outcome> {
    this.abort = new AbortController();
    this.fault = new Flag();
    this.clock = new Clock(settings);
    this.current = this.run(settings, this.clock).finally(() => {
      this.runs += 1;
      this.stepsBefore += this.clock!.step;
      this.current = undefined;
    });
    return this.current;
  }

  /** Ends the training, if there is one, and resolves when its workers have ended. */
  async stop(end: End = 'stopped'): Promise<void> {
    this.abort.abort(new Ending(end));
    await this.current;
  }

  /** Makes one of the workers throw an error. */
  fail(): void {
    this.fault.set();
  }

  /** Begins with a new network. */
  reset(): void {
    this.shared.begin(this.seed);
    this.runs = this.stepsBefore = 0;
    this.clock = undefined;
  }

  private async run(settings: Settings, clock: Clock): Promise<Outcome> {
    const { model, images, labels } = this.shared;
    try {
      await run(model, images, labels, {
        ...settings,
        every: Math.max(1, Math.round(settings.steps / REPORTS)),
        // A continued training draws other batches.
        seed: this.seed + SEEDS * this.runs,
        signal: this.abort.signal,
        fault: this.fault.buffer,
        report: (report, rank) => {
          clock.add(report, rank);
          this.reported({ ...report, step: this.stepsBefore + report.step }, rank);
          if (!Number.isFinite(report.loss)) void this.stop('diverged');
        },
      });
      return { end: 'done', message: '' };
    } catch (error) {
      return error instanceof Ending ? { end: error.end, message: '' } : { end: 'failed', message: messageOf(error) };
    }
  }
}
