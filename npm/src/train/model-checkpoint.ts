/** A callback that writes checkpoints. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { isBetter, type Callback, type Mode, type Training } from './callback.js';
import { checkMonitor, valueOf } from './callbacks.js';
import { directory, type Store } from './store.js';

/** Options of {@link ModelCheckpoint}, with Lightning's names. */
export interface ModelCheckpointOptions {
  /** Where files are written: a store, or the path of a folder in Node. */
  dirpath: Store | string;
  /** The name of a file, without its ending (default: `epoch={epoch}-step={step}`). */
  filename?: string;
  /** The value that decides which checkpoints are kept; without it, the latest are. */
  monitor?: string;
  /** Whether smaller or larger values are better (default: `'min'`). */
  mode?: Mode;
  /** The number of checkpoints that are kept; all for -1 (default: 1). */
  saveTopK?: number;
  /** Whether the latest state is also kept, as `last.pt`. */
  saveLast?: boolean;
  /** The number of steps from one checkpoint to the next, instead of the ends of epochs. */
  everyNTrainSteps?: number;
  /** The number of epochs from one checkpoint to the next (default: 1). */
  everyNEpochs?: number;
}

const OPTIONS = ['dirpath', 'filename', 'monitor', 'mode', 'saveTopK', 'saveLast', 'everyNTrainSteps', 'everyNEpochs'] as const;

/** A file that was written. */
interface Written {
  name: string;
  score: number;
}

/**
 * Writes checkpoints, and keeps the best or the latest ones.
 *
 * @example
 * const checkpoints = new ModelCheckpoint({ dirpath: 'checkpoints', monitor: 'val_loss' });
 * await new Trainer({ callbacks: [checkpoints] }).fit(task, loader, valLoader);
 * console.log(checkpoints.bestModelPath);
 */
export class ModelCheckpoint implements Callback {
  readonly name = 'ModelCheckpoint';
  readonly #options: Partial<ModelCheckpointOptions>;
  readonly #store: Store;
  #written: Written[] = [];

  constructor(options: ModelCheckpointOptions) {
    const given = checkOptions('ModelCheckpoint', options, OPTIONS);
    const { dirpath, monitor, mode = 'min', saveTopK = 1 } = given;
    if (typeof dirpath !== 'string' && typeof dirpath?.write !== 'function') {
      throw new LanthornError('argument', 'ModelCheckpoint', 'dirpath is the path of a folder, or a store');
    }
    if (monitor !== undefined) checkMonitor('ModelCheckpoint', monitor, mode);
    if (!Number.isInteger(saveTopK) || saveTopK < -1) {
      throw new LanthornError('argument', 'ModelCheckpoint', `saveTopK is a whole number from -1, not ${String(saveTopK)}`);
    }
    this.#options = given;
    this.#store = typeof dirpath === 'string' ? directory(dirpath) : dirpath;
  }

  /** The name of the best checkpoint; without `monitor`, of the latest. */
  get bestModelPath(): string | undefined {
    return this.#sorted()[0]?.name;
  }

  /** The value of the best checkpoint. */
  get bestModelScore(): number | undefined {
    return this.#options.monitor === undefined ? undefined : this.#sorted()[0]?.score;
  }

  /** The file of a checkpoint, by default of the best one. */
  read(name = this.bestModelPath): Promise<Blob> {
    if (name === undefined) throw new LanthornError('file', 'ModelCheckpoint', 'no checkpoint is written yet');
    return this.#store.read(name);
  }

  async onTrainStepEnd(trainer: Training): Promise<void> {
    const { everyNTrainSteps } = this.#options;
    if (everyNTrainSteps !== undefined && trainer.globalStep % everyNTrainSteps === 0) await this.#write(trainer);
  }

  async onTrainEpochEnd(trainer: Training): Promise<void> {
    const { everyNTrainSteps, everyNEpochs = 1 } = this.#options;
    if (everyNTrainSteps === undefined && trainer.currentEpoch % everyNEpochs === 0) await this.#write(trainer);
  }

  async #write(trainer: Training): Promise<void> {
    const { filename = 'epoch={epoch}-step={step}', monitor, mode = 'min', saveTopK = 1, saveLast = false } = this.#options;
    const numbers: Record<string, number> = { ...trainer.values, epoch: trainer.currentEpoch, step: trainer.globalStep };
    const score = monitor === undefined ? trainer.globalStep : valueOf('ModelCheckpoint', trainer, monitor);
    const name = `${filename.replace(/\{([\w/]+)\}/g, (hole, key: string) => String(numbers[key] ?? hole))}.pt`;
    const last = this.#sorted().at(-1);
    const isKept = saveTopK === -1 || (saveTopK > 0 && (this.#written.length < saveTopK || isBetter(score, last?.score, monitor === undefined ? 'max' : mode)));
    const removed: Written[] = [];
    if (isKept) {
      this.#written = [...this.#written.filter((other) => other.name !== name), { name, score }];
      if (saveTopK > 0) removed.push(...this.#sorted().slice(saveTopK));
      this.#written = this.#written.filter((other) => !removed.includes(other));
    }
    if (!isKept && !saveLast) return;
    const file = await trainer.checkpoint();
    if (isKept) await this.#store.write(name, file);
    if (saveLast) await this.#store.write('last.pt', file);
    // A better file is there before a worse one goes.
    for (const other of removed) await this.#store.remove(other.name);
  }

  /** The best first. */
  #sorted(): Written[] {
    const sign = this.#options.monitor === undefined || this.#options.mode === 'max' ? -1 : 1;
    return [...this.#written].sort((a, b) => sign * (a.score - b.score));
  }

  stateDict() {
    return { written: this.#written.map(({ name, score }) => ({ name, score })) };
  }

  loadStateDict(state: unknown): void {
    const { written } = state as { written: Written[] };
    this.#written = written.map(({ name, score }) => ({ name, score: Number(score) }));
  }
}
