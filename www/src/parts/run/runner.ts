/**
 * The page's side of a worker that runs code: one source after another, each with its output and
 * result.
 */
import { Connection } from '../connection';
import type { DeviceChoice, DeviceName } from '../training/protocol';
import type { Ended, FromRunner, Level, Shown, ToRunner } from './protocol';
import { startWorker } from './start';

/**
 * How a run ended: `stopped` by the page or by its limit, `failed` where there is no worker or no
 * device.
 */
export type Outcome = Ended | { type: 'stopped'; seconds: number | undefined } | { type: 'failed'; kind: string; message: string };

export interface RunnerOptions {
  device: DeviceChoice;
  onOpen?: (device: DeviceName, adapter: string) => void;
  onFailure?: (failure: { kind: string; message: string }) => void;
  /** The seconds after which a run is stopped; 60 unless said. */
  limit?: number;
}

export type Printer = (level: Level, shown: Shown) => void;

interface Run {
  source: string;
  print: Printer;
  settle: (outcome: Outcome) => void;
}

export class Runner {
  private connection!: Connection<ToRunner, FromRunner>;
  /** The first one is in progress. */
  private waiting: Run[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOpen = false;
  /** Why there is no device, if there is none. */
  private failure: Extract<FromRunner, { type: 'failed' }> | undefined;

  constructor(private readonly options: RunnerOptions) {
    this.start();
  }

  /** Runs `source` after those before it. Variables live on until the worker is replaced. */
  run(source: string, print: Printer = () => {}): Promise<Outcome> {
    if (this.failure) {
      return Promise.resolve(this.failure);
    }
    return new Promise((settle) => {
      this.waiting.push({ source, print, settle });
      if (this.waiting.length === 1) {
        this.begin();
      }
    });
  }

  /** Whether a run is in progress. */
  get isBusy(): boolean {
    return this.waiting.length > 0;
  }

  /** Stops all runs by replacing the worker: its variables are gone. */
  stop(): void {
    this.replace({ type: 'stopped', seconds: undefined });
  }

  /** Ends the worker; a promise of a run that waits is settled. */
  end(): void {
    this.connection.end();
    this.settleAll({ type: 'stopped', seconds: undefined });
  }

  private start(): void {
    this.isOpen = false;
    this.failure = undefined;
    this.connection = new Connection(startWorker(), (message) => this.hear(message), (message): FromRunner => ({ type: 'failed', kind: 'worker', message }));
    this.connection.post({ type: 'open', device: this.options.device });
  }

  private replace(outcome: Outcome): void {
    this.connection.end();
    this.start();
    this.settleAll(outcome);
  }

  private settleAll(outcome: Outcome): void {
    clearTimeout(this.timer);
    for (const { settle } of this.waiting.splice(0)) {
      settle(outcome);
    }
  }

  /** The time of a run counts from here, when the device is open. */
  private begin(): void {
    const [run] = this.waiting;
    if (run && this.isOpen) {
      const seconds = this.options.limit ?? 60;
      this.timer = setTimeout(() => this.replace({ type: 'stopped', seconds }), 1000 * seconds);
      this.connection.post({ type: 'run', source: run.source });
    }
  }

  private hear(message: FromRunner): void {
    switch (message.type) {
      case 'opened':
        this.isOpen = true;
        this.options.onOpen?.(message.device, message.adapter);
        return this.begin();
      case 'printed':
        return this.waiting[0]?.print(message.level, message.shown);
      case 'ended':
        clearTimeout(this.timer);
        this.waiting.shift()?.settle(message.ended);
        return this.begin();
      case 'failed':
        this.failure = message;
        this.settleAll(message);
        return this.options.onFailure?.(message);
    }
  }
}
