/**
 * The worker that has the model. A single loop answers the page's messages, and trains a few steps
 * between them while the model is fine-tuned.
 */
import { init, LanthornError, scope } from 'lanthorn';
import { save } from 'lanthorn/io';
import { load, type Program } from 'lanthorn/program';
import { type Digits, loadDigits } from '../../parts/digits/data';
import { PaintingTime } from '../../parts/painting';
import { nextChunk, yieldToMessages } from '../../parts/training/pace';
import type { Point } from '../../parts/training/protocol';
import { messageOf, readOnce } from '../../parts/training/worker';
import { describe } from './description';
import type { Description, FromModel, ToModel } from './protocol';
import { run } from './run';
import { DigitsInput, Tuning } from './tuning';

/** Not faster than the eye can follow, because messages cost the page time. */
const PROGRESS_EVERY_MS = 80;
const MEASURE_EVERY_MS = 500;
/** The steps of a script's call, after which it fails: some seconds. */
const MAX_STEPS = 10_000_000;

class LossDiverged extends Error {
  readonly kind = 'diverged';
}

class ModelLoop {
  private readonly inbox: ToModel[] = [];
  private wake: () => void = () => {};
  private program: Program | undefined;
  private description: Description | undefined;
  /** The file, from which the weights are restored. */
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array();
  private beside: readonly File[] = [];
  private digits: Promise<Digits> | undefined;
  private tuning: Tuning | undefined;
  private stepsLeft = 0;
  private chunk = 1;
  private losses: Point[] = [];
  private lastProgress = 0;
  private lastMeasurement = 0;
  private readonly painting = new PaintingTime();

  constructor() {
    self.addEventListener('message', ({ data }: MessageEvent<ToModel>) => {
      if (data.type === 'painted') {
        return this.painting.spend(data.milliseconds);
      }
      this.inbox.push(data);
      this.wake();
    });
    // An unhandled rejection must reach the page too.
    self.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.fail('run', event.reason);
    });
  }

  async work(): Promise<never> {
    for (;;) {
      const message = this.inbox.shift();
      const doing = message?.type ?? 'tune';
      try {
        if (message) {
          await this.answer(message);
        } else if (this.stepsLeft > 0) {
          await this.trainChunk();
          await yieldToMessages();
        } else {
          await new Promise<void>((resolve) => (this.wake = resolve));
        }
      } catch (error) {
        this.fail(doing, error);
      }
    }
  }

  private fail(doing: ToModel['type'], error: unknown): void {
    this.stepsLeft = 0;
    const kind = error instanceof LanthornError || error instanceof LossDiverged ? String(error.kind) : 'unexpected';
    this.post({ type: 'failed', doing, kind, message: messageOf(error) });
  }

  private async answer(message: ToModel): Promise<void> {
    switch (message.type) {
      case 'open': {
        const { device, adapter } = await init({ device: message.device });
        return this.post({ type: 'opened', device, adapter });
      }
      case 'load':
        return this.load(message.file, new Uint8Array(message.bytes), message.beside);
      case 'run':
        return this.post({ type: 'ran', result: await run(this.requireProgram(), this.requireProgram().inputs, message.arguments) });
      case 'ask': {
        const input = await this.digitsInput();
        return this.post({ type: 'answer', probabilities: await input.read(this.requireProgram(), { count: 1, pixels: message.pixels }) });
      }
      case 'tune':
        return this.tune(message);
      case 'stop':
        return this.stepsLeft > 0 ? this.stop() : undefined;
      case 'restore':
        this.replace(await programOf(this.bytes, this.beside));
        this.post({ type: 'restored' });
        return this.measure();
      case 'save': {
        const { format } = message;
        const file = await scope(() => save(this.requireProgram().stateDict(), { format }));
        return this.post({ type: 'file', file, format });
      }
      case 'painted':
        return;
    }
  }

  /** Loads a file; the model before it stays if that fails. */
  private async load(file: string, bytes: Uint8Array<ArrayBuffer>, beside: readonly File[]): Promise<void> {
    let program = await programOf(bytes, beside);
    let description: Description;
    try {
      description = await describe(program, file, bytes);
      if (description.state.some(({ kind }) => kind === 'buffer')) {
        // A call may have changed a buffer.
        program.dispose();
        program = await programOf(bytes, beside);
      }
    } catch (error) {
      program.dispose();
      throw error;
    }
    this.replace(program);
    [this.description, this.bytes, this.beside] = [description, bytes, beside];
    this.post({ type: 'loaded', description });
    if ('layers' in description.tuning) {
      await this.measure();
    }
  }

  private replace(program: Program): void {
    this.tuning?.dispose();
    this.program?.dispose();
    [this.program, this.tuning, this.stepsLeft] = [program, undefined, 0];
  }

  private requireProgram(): Program {
    if (!this.program) {
      throw new Error('no model is open');
    }
    return this.program;
  }

  private async digitsInput(): Promise<DigitsInput> {
    const tuning = this.description?.tuning;
    if (!tuning || 'why' in tuning) {
      throw new Error('the digits do not fit the model');
    }
    this.digits ??= loadDigits();
    return new DigitsInput(await this.digits, tuning.images);
  }

  private async tune({ settings, steps }: Extract<ToModel, { type: 'tune' }>): Promise<void> {
    const input = await this.digitsInput();
    const tuning = this.description!.tuning;
    const layer = 'layers' in tuning ? tuning.layers.find(({ name }) => name === settings.layer) : undefined;
    if (!layer) {
      throw new Error(`the model has no layer ${settings.layer}`);
    }
    const step = this.tuning?.step ?? 0;
    this.tuning?.dispose();
    this.tuning = new Tuning(this.requireProgram(), layer, settings, input);
    this.tuning.step = step;
    [this.stepsLeft, this.chunk] = [steps, 1];
  }

  private async trainChunk(): Promise<void> {
    const started = performance.now();
    const tuning = this.tuning!;
    const steps = Math.min(this.chunk, this.stepsLeft);
    for (let done = 1; done < steps; done += 1) {
      (await scope(() => tuning.trainStep())).dispose();
    }
    const loss = await readOnce(await scope(() => tuning.trainStep()), async (last) => Number(await last.item()));
    if (!Number.isFinite(loss)) {
      throw new LossDiverged(`the loss became ${loss} at step ${tuning.step}`);
    }
    this.stepsLeft -= steps;
    this.losses.push({ step: tuning.step, value: loss });
    const now = performance.now();
    this.chunk = nextChunk(this.chunk, now - started);
    if (this.stepsLeft === 0) {
      return this.stop();
    }
    if (this.painting.wait > 0) {
      return;
    }
    if (now - this.lastProgress >= PROGRESS_EVERY_MS) {
      this.reportProgress();
    }
    if (now - this.lastMeasurement >= MEASURE_EVERY_MS && (await this.digitsInput()).isQuick) {
      await this.measure();
    }
  }

  private reportProgress(): void {
    const { step, replays } = this.tuning!;
    this.post({ type: 'progress', step, losses: this.losses, replays });
    this.losses = [];
    this.lastProgress = performance.now();
  }

  private async measure(): Promise<void> {
    const evaluation = await (await this.digitsInput()).measure(this.requireProgram());
    this.post({ type: 'measured', step: this.tuning?.step ?? 0, evaluation });
    this.lastMeasurement = performance.now();
  }

  private async stop(): Promise<void> {
    this.stepsLeft = 0;
    this.reportProgress();
    await this.measure();
    this.post({ type: 'stopped', step: this.tuning!.step });
  }

  private post(message: FromModel): void {
    self.postMessage(message);
  }
}

/** The program of a file, with the files that have weights outside of it. */
function programOf(bytes: Uint8Array, beside: readonly File[]): Promise<Program> {
  return load(bytes, { maxSteps: MAX_STEPS, externalData: Object.fromEntries(beside.map((file) => [file.name, file])) });
}

void new ModelLoop().work();
