/**
 * The worker that has the models. A single loop answers the page's messages; between them it writes
 * a token of the reply in progress, or trains a few steps.
 */
import { init, LanthornError } from 'lanthorn';
import { PaintingTime } from '../../parts/painting';
import { nextChunk, yieldToMessages } from '../../parts/training/pace';
import { Unreachable } from '../../parts/request';
import type { Point } from '../../parts/training/protocol';
import { messageOf, readOnce } from '../../parts/training/worker';
import { compare, release } from './comparison';
import { Learner } from './learner';
import { openModel } from './opening';
import type { Compared, FromChat, Speaker, ToChat } from './protocol';
import { FORMATS } from './quantization';
import { Writing } from './reply';
import { type Answering, ByteSpeaker, type OpenedSpeaker } from './speakers';

/** Messages cost the page time, so it gets no more than the eye can follow. */
const PROGRESS_EVERY_MS = 80;
const TEXT_EVERY_MS = 40;
const MEASURE_EVERY_MS = 2000;

class LossDiverged extends Error {
  readonly kind = 'diverged';
}

class ChatLoop {
  private readonly inbox: ToChat[] = [];
  private wake: () => void = () => {};
  private opened: OpenedSpeaker | undefined;
  private learner: Learner | undefined;
  /** The model that is trained here, and its copies. */
  private readonly speakers = new Map<Speaker, ByteSpeaker>();
  private writing: Writing | undefined;
  /** The text of the reply that is not sent yet, and the time of the last message. */
  private unsent = '';
  private lastSent = 0;
  private loading: AbortController | undefined;
  private stepsLeft = 0;
  private chunk = 1;
  private losses: Point[] = [];
  private lastProgress = 0;
  private lastStep = 0;
  private lastMeasurement = 0;
  private readonly painting = new PaintingTime();

  constructor() {
    self.addEventListener('message', ({ data }: MessageEvent<ToChat>) => {
      if (data.type === 'painted') {
        return this.painting.spend(data.milliseconds);
      }
      // Handled at once, because they end the loading or writing in progress.
      if (data.type === 'stop') {
        this.loading?.abort();
        this.writing?.stop();
      } else {
        this.inbox.push(data);
      }
      this.wake();
    });
    // An unhandled rejection must reach the page too.
    self.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.fail('ask', event.reason);
    });
  }

  async work(): Promise<never> {
    for (;;) {
      const message = this.inbox.shift();
      const doing = message?.type ?? (this.writing ? 'ask' : 'train');
      try {
        if (message) {
          await this.answer(message);
        } else if (this.writing) {
          await this.write(this.writing);
          await yieldToMessages();
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

  private fail(doing: ToChat['type'], error: unknown): void {
    if (doing === 'ask') {
      [this.writing, this.unsent] = [undefined, ''];
    }
    if (doing === 'train' || doing === 'begin') {
      this.stepsLeft = 0;
    }
    const kind = error instanceof LanthornError || error instanceof LossDiverged || error instanceof Unreachable ? String(error.kind) : 'unexpected';
    this.post({ type: 'failed', doing, kind, message: messageOf(error) });
  }

  private async answer(message: ToChat): Promise<void> {
    switch (message.type) {
      case 'open': {
        const { device, adapter } = await init({ device: message.device });
        return this.post({ type: 'opened', device, adapter });
      }
      case 'load':
        return this.load(message.source);
      case 'begin':
        return this.begin(message);
      case 'train':
        this.learning.now = message.settings;
        [this.stepsLeft, this.chunk, this.lastProgress, this.lastStep] = [message.steps, 1, performance.now(), this.learning.step];
        return;
      case 'pause':
        return this.stepsLeft > 0 ? this.stop('paused') : undefined;
      case 'compare':
        return this.compare();
      case 'ask': {
        const speaker = this.speakerOf(message.speaker);
        this.writing = new Writing(speaker, speaker.prompt(message.turns), message.sampling);
        return;
      }
      case 'stop':
      case 'painted':
        return;
    }
  }

  /** Opens a model; the one before it stays if that fails. */
  private async load(source: readonly File[] | string): Promise<void> {
    this.loading = new AbortController();
    let last = 0;
    try {
      const { speaker, description } = await openModel(source, this.loading.signal, ({ loaded, total }) => {
        const now = performance.now();
        if (now - last >= PROGRESS_EVERY_MS) {
          last = now;
          this.post({ type: 'loading', loaded, total });
        }
      });
      await this.endWriting();
      this.opened?.dispose();
      this.opened = speaker;
      this.post({ type: 'loaded', description });
    } finally {
      this.loading = undefined;
    }
  }

  private get learning(): Learner {
    if (!this.learner) {
      throw new Error('no model is being trained');
    }
    return this.learner;
  }

  private speakerOf(name: Speaker): Answering {
    const speaker = name === 'opened' ? this.opened : this.speakers.get(name);
    if (!speaker) {
      throw new Error('this model is not there any more');
    }
    return speaker;
  }

  private async begin({ text, settings, seed }: Extract<ToChat, { type: 'begin' }>): Promise<void> {
    const learner = new Learner(text, settings, seed);
    await this.endWriting();
    this.dropCopies();
    this.speakers.get('learned')?.dispose();
    this.learner?.dispose();
    this.learner = learner;
    this.speakers.set('learned', new ByteSpeaker(learner.model, learner.isDialogue));
    [this.stepsLeft, this.losses] = [0, []];
    const { isDialogue, lesson: { train, isHeldBack } } = learner;
    this.post({ type: 'begun', begun: { parameters: learner.parameters, trainBytes: train.length, isHeldBack, isDialogue } });
    return this.measure();
  }

  private async trainChunk(): Promise<void> {
    const started = performance.now();
    const learner = this.learning;
    const steps = Math.min(this.chunk, this.stepsLeft);
    for (let done = 1; done < steps; done += 1) {
      learner.trainStep().dispose();
    }
    const loss = await readOnce(learner.trainStep(), async (last) => Number(await last.item()));
    if (!Number.isFinite(loss)) {
      throw new LossDiverged(`the loss became ${loss} at step ${learner.step}`);
    }
    this.stepsLeft -= steps;
    this.losses.push({ step: learner.step, value: loss });
    const now = performance.now();
    this.chunk = nextChunk(this.chunk, now - started);
    if (this.stepsLeft === 0) {
      return this.stop('done');
    }
    if (this.painting.wait > 0) {
      return;
    }
    if (now - this.lastProgress >= PROGRESS_EVERY_MS) {
      this.reportProgress();
    }
    if (now - this.lastMeasurement >= MEASURE_EVERY_MS) {
      await this.measure();
    }
  }

  private reportProgress(): void {
    const { step, replays } = this.learning;
    const now = performance.now();
    const stepsPerSecond = (1000 * (step - this.lastStep)) / Math.max(1, now - this.lastProgress);
    this.post({ type: 'progress', step, losses: this.losses, stepsPerSecond, replays });
    [this.losses, this.lastProgress, this.lastStep] = [[], now, step];
  }

  private async measure(): Promise<void> {
    const { step } = this.learning;
    this.post({ type: 'measured', step, loss: await this.learning.measure() });
    this.lastMeasurement = performance.now();
  }

  private async stop(why: 'done' | 'paused'): Promise<void> {
    this.stepsLeft = 0;
    this.reportProgress();
    await this.measure();
    this.post({ type: 'stopped', step: this.learning.step, why });
  }

  /** Writes one token of the reply. */
  private async write(writing: Writing): Promise<void> {
    const text = await writing.next();
    const now = performance.now();
    this.unsent += text ?? '';
    if (text === undefined || (now - this.lastSent >= TEXT_EVERY_MS && this.painting.wait === 0)) {
      const { tokens, tokensPerSecond } = writing;
      this.post({ type: 'text', text: this.unsent, tokens, tokensPerSecond });
      [this.unsent, this.lastSent] = ['', now];
    }
    if (text === undefined) {
      this.writing = undefined;
      this.post({ type: 'replied', reply: writing.reply });
    }
  }

  /** Ends a reply before its model goes. */
  private async endWriting(): Promise<void> {
    this.writing?.stop();
    while (this.writing) {
      await this.write(this.writing);
    }
  }

  /** Makes the copies in blocks, and measures them and the model itself. */
  private async compare(): Promise<void> {
    await this.endWriting();
    this.dropCopies();
    const rows: Compared[] = [];
    for (const format of FORMATS) {
      const { speaker, row } = await compare(this.learning, format);
      rows.push(row);
      if (format === null) {
        release(speaker);
      } else {
        this.speakers.set(format, speaker);
      }
    }
    this.post({ type: 'compared', step: this.learning.step, rows });
  }

  private dropCopies(): void {
    for (const format of FORMATS.filter((each) => each !== null)) {
      const copy = this.speakers.get(format);
      if (copy) {
        this.speakers.delete(format);
        release(copy);
      }
    }
  }

  private post(message: FromChat): void {
    self.postMessage(message);
  }
}

void new ChatLoop().work();
