/**
 * The training worker of every chapter. A single loop answers the messages that have arrived, then
 * trains a few steps, then repeats. Nothing else runs, so no message is handled in the middle of a
 * step.
 *
 * Between two chunks of steps it yields to the messages that have arrived.
 */
import { init, LanthornError, scope, stats, type Tensor } from 'lanthorn';
import { type Checkpoint, forget, keep, read, readStored, release, restore, write } from './checkpoint';
import { PaintingTime } from '../painting';
import { nextChunk, yieldToMessages } from './pace';
import type { FromTrainer, Lesson, Notes, Pause, Point, ToTrainer, Work } from './protocol';
import type { Course, Session } from './session';

/** Messages cost the page time, so it gets no more than the eye can follow. */
const PROGRESS_EVERY_MS = 80;
const MEASURE_EVERY_MS = 250;

class LossDiverged extends Error {
  readonly kind = 'diverged';
}

/** Makes this worker train the sessions of `course` for the page that started it. */
export function serveTrainer<L extends Lesson, Data>(course: Course<L, Data>): void {
  new TrainingLoop(course).work();
}

class TrainingLoop<L extends Lesson, Data> {
  private readonly inbox: ToTrainer<L>[] = [];
  private wake: () => void = () => {};

  private data!: Data;
  private session!: Session<L>;
  private settings!: L['settings'];
  private seed = 0;
  private step = 0;
  private stepsLeft = 0;
  private chunk = 1;

  private losses: Point[] = [];
  private stepsPerSecond = 0;
  private steadyWork: Work | undefined;
  private lastProgress = 0;
  private lastProgressStep = 0;
  private lastMeasurement = 0;
  private measuredEpoch = -1;
  private readonly painting = new PaintingTime();

  constructor(private readonly course: Course<L, Data>) {
    self.addEventListener('message', (event: MessageEvent<ToTrainer<L>>) => {
      if (event.data.type === 'painted') {
        // An idle worker stays idle.
        return this.painting.spend(event.data.milliseconds);
      }
      this.inbox.push(event.data);
      this.wake();
    });
    // An unhandled rejection must reach the page too.
    self.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.fail(event.reason);
    });
  }

  work(): void {
    this.loop().catch((error: unknown) => this.fail(error));
  }

  private async loop(): Promise<never> {
    for (;;) {
      const message = this.inbox.shift();
      if (message) {
        await this.answer(message);
      } else if (this.stepsLeft > 0) {
        await this.trainChunk();
        await yieldToMessages();
      } else {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    }
  }

  private async answer(message: ToTrainer<L>): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.open(message);
      case 'train':
        this.stepsLeft = message.steps;
        this.lastProgress = performance.now();
        this.lastProgressStep = this.step;
        return;
      case 'pause':
        if (this.stepsLeft > 0) {
          await this.stop('paused');
        }
        return;
      case 'reset':
        // If nothing can be stored, there is nothing to delete.
        await forget(this.course.name).catch(() => {});
        this.begin();
        return this.stop('reset');
      case 'settings':
        this.settings = message.settings;
        this.session.settings = this.settings;
        // Steps may take longer from here on.
        this.chunk = 1;
        return;
      case 'ask':
        return this.post({ type: 'answer', answer: await this.session.answer(message.question) });
      case 'save':
        return this.save(message.to, message.notes);
      case 'load':
        return this.load(message.file);
      case 'painted':
        return;
    }
  }

  private async open({ device, seed, settings, resume }: Extract<ToTrainer<L>, { type: 'open' }>): Promise<void> {
    this.seed = seed;
    this.settings = settings;
    const [opened, data] = await Promise.all([init({ device }), this.course.load()]);
    this.data = data;
    if (!(resume && (await this.restoreKept()))) {
      this.begin();
    }
    this.post({ type: 'opened', device: opened.device, adapter: opened.adapter });
    return this.measure();
  }

  /** Continues with an untrained network, or with a checkpoint's. */
  private begin(session = this.course.begin(this.data, this.seed, this.settings), step = 0, notes: Notes = {}): void {
    this.session?.dispose();
    this.session = session;
    this.step = step;
    this.stepsLeft = 0;
    this.losses = [];
    this.stepsPerSecond = 0;
    this.steadyWork = undefined;
    this.measuredEpoch = -1;
    this.post({ type: 'begun', begun: { step, settings: this.settings, notes } });
  }

  private async trainChunk(): Promise<void> {
    const started = performance.now();
    const steps = Math.min(this.chunk, this.stepsLeft);
    const loss = await this.trainSteps(steps);
    const now = performance.now();
    this.stepsLeft -= steps;
    if (!Number.isFinite(loss)) {
      throw new LossDiverged(`the loss became ${loss} at step ${this.step}`);
    }
    this.losses.push({ step: this.step, value: loss });
    if (steps === this.chunk) {
      this.chunk = nextChunk(this.chunk, now - started);
    }
    if (this.stepsLeft === 0) {
      return this.stop('done');
    }
    if (this.painting.wait > 0) {
      return;
    }
    if (now - this.lastProgress >= PROGRESS_EVERY_MS) {
      this.reportProgress(now);
    }
    if (this.session.epoch > this.measuredEpoch && now - this.lastMeasurement >= (this.course.measureEvery ?? MEASURE_EVERY_MS)) {
      await this.measure();
    }
  }

  /** Trains `count` steps and waits for the device once; resolves to the loss of the last one. */
  private async trainSteps(count: number): Promise<number> {
    let loss: Tensor | undefined;
    const before = stats();
    for (let done = 0; done < count; done += 1) {
      loss?.dispose();
      loss = await scope(() => this.session.trainStep());
      this.step += 1;
    }
    const after = stats();
    const each = (of: (counts: typeof after) => number) => (of(after) - of(before)) / count;
    this.steadyWork = {
      launches: each((counts) => counts.launches),
      dispatches: each((counts) => counts.dispatches),
      submits: each((counts) => counts.submits),
      made: each(({ apiBuffers, bindGroups, pipelines, planMisses }) => apiBuffers + bindGroups + pipelines + planMisses),
    };
    return readOnce(loss!, async (last) => Number(await last.item()));
  }

  private reportProgress(now: number): void {
    const steps = this.step - this.lastProgressStep;
    if (steps > 0 && now > this.lastProgress) {
      const recent = (1000 * steps) / (now - this.lastProgress);
      this.stepsPerSecond = this.stepsPerSecond === 0 ? recent : 0.7 * this.stepsPerSecond + 0.3 * recent;
    }
    this.lastProgress = now;
    this.lastProgressStep = this.step;
    const { step, losses, stepsPerSecond, steadyWork: work } = this;
    this.post({ type: 'progress', progress: { step, losses, stepsPerSecond, work } });
    this.losses = [];
  }

  private async measure(): Promise<void> {
    this.measuredEpoch = this.session.epoch;
    this.post({ type: 'measured', step: this.step, measurement: await this.session.measure() });
    this.lastMeasurement = performance.now();
  }

  private async stop(why: Pause): Promise<void> {
    this.stepsLeft = 0;
    if (why === 'done' || why === 'paused') {
      this.reportProgress(performance.now());
    }
    await this.measure();
    this.post({ type: 'stopped', step: this.step, why });
  }

  private async save(to: 'browser' | 'file', notes: Notes): Promise<void> {
    const { step, settings, session } = this;
    const about = { chapter: this.course.name, step, settings, notes };
    try {
      if (to === 'browser') {
        await keep(about, session.parts);
        this.post({ type: 'kept', step });
      } else {
        this.post({ type: 'file', step, file: await write(about, session.parts) });
      }
    } catch (error) {
      this.post({ type: 'refused', what: 'save', message: messageOf(error) });
    }
  }

  private async load(file: Blob): Promise<void> {
    try {
      await this.goOnFrom(await read(file));
    } catch (error) {
      return this.post({ type: 'refused', what: 'load', message: messageOf(error) });
    }
    await this.stop('loaded');
  }

  /**
   * Resumes from the checkpoint that the browser stores. If it cannot be read (for example because
   * an earlier release wrote it), training starts from the beginning.
   */
  private async restoreKept(): Promise<boolean> {
    try {
      const checkpoint = await readStored(this.course.name);
      if (checkpoint) {
        await this.goOnFrom(checkpoint);
      }
      return checkpoint !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * Replaces the current session with a checkpoint's. If that fails, the current session stays.
   */
  private async goOnFrom(checkpoint: Checkpoint): Promise<void> {
    const { chapter, step, settings, notes } = checkpoint;
    let session: Session<L> | undefined;
    try {
      if (chapter !== this.course.name) {
        throw new TypeError(`it is a checkpoint of another chapter, ${chapter}`);
      }
      session = this.course.begin(this.data, this.seed, settings);
      await restore(session.parts, checkpoint);
    } catch (error) {
      session?.dispose();
      throw error;
    } finally {
      release(checkpoint.states);
    }
    this.settings = settings;
    this.begin(session, step, notes);
  }

  /** Training cannot continue: the page shows the reason and starts a new worker when asked. */
  private fail(error: unknown): void {
    this.stepsLeft = 0;
    const kind = error instanceof LanthornError || error instanceof LossDiverged ? String(error.kind) : 'unexpected';
    this.post({ type: 'error', kind, message: messageOf(error) });
  }

  private post(message: FromTrainer<L>): void {
    self.postMessage(message);
  }
}

/**
 * Awaits `reader`'s result from `source`, and disposes of the source whether or not that worked.
 */
export async function readOnce<T>(source: Tensor, reader: (source: Tensor) => Promise<T>): Promise<T> {
  try {
    return await reader(source);
  } finally {
    source.dispose();
  }
}

/** The elements of `source` as float32, of which it disposes. */
export async function readValues(source: Tensor): Promise<Float32Array> {
  return Float32Array.from(await readOnce(source, (all) => all.data()), Number);
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
