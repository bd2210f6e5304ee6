/**
 * The training worker. One loop does everything in turn: it answers the messages that have come, then trains a few steps, then looks again.
 * Nothing runs beside it, so a prediction never falls into the middle of a step.
 *
 * Between two chunks of steps it yields through a MessageChannel. Timers and animation frames would be the usual way, and the wrong
 * one: browsers slow or stop them in a hidden tab, and training with them.
 */
import { init, LanthornError } from 'lanthorn';
import { type Digits, loadDigits } from './data';
import type { FromTrainer, Progress, Settings, ToTrainer } from './protocol';
import { Session } from './session';

/** How long a chunk of steps should take: short enough to answer the page at once, long enough to keep the device busy. */
const CHUNK_MS = 30;
const LARGEST_CHUNK = 64;
/** No faster than an eye follows: messages cost the page time. */
const PROGRESS_EVERY_MS = 80;
const EVALUATE_EVERY_MS = 250;

const inbox: ToTrainer[] = [];
let wake: () => void = () => {};

let digits: Digits;
let session: Session;
let seed = 0;
let settings: Settings;
let stepsLeft = 0;
let chunk = 1;

let losses: Progress['losses'] = [];
let lastProgress = 0;
let lastProgressStep = 0;
let lastEvaluation = 0;
let evaluatedEpoch = -1;
let stepsPerSecond = 0;

const post = (message: FromTrainer) => self.postMessage(message);

self.addEventListener('message', (event: MessageEvent<ToTrainer>) => {
  inbox.push(event.data);
  wake();
});

// A failure that nobody awaits must reach the page too.
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  reportError(event.reason);
});

const channel = new MessageChannel();

/** Lets the messages that wait come in, and returns at once after them. */
function yieldToMessages(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

async function work(): Promise<never> {
  for (;;) {
    const message = inbox.shift();
    if (message) {
      await answer(message);
    } else if (stepsLeft > 0) {
      await trainChunk();
      await yieldToMessages();
    } else {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}

async function answer(message: ToTrainer): Promise<void> {
  switch (message.type) {
    case 'open': {
      ({ seed, settings } = message);
      const [opened, loaded] = await Promise.all([init({ device: message.device }), loadDigits()]);
      digits = loaded;
      session = new Session(digits, seed, settings);
      post({ type: 'opened', device: opened.device, adapter: opened.adapter });
      return evaluate();
    }
    case 'train':
      stepsLeft = message.steps;
      lastProgress = performance.now();
      lastProgressStep = session.step;
      return;
    case 'pause':
      if (stepsLeft > 0) {
        stepsLeft = 0;
        await stop('paused');
      }
      return;
    case 'reset':
      stepsLeft = 0;
      session.dispose();
      session = new Session(digits, seed, settings);
      losses = [];
      stepsPerSecond = 0;
      evaluatedEpoch = -1;
      return stop('reset');
    case 'settings':
      settings = message.settings;
      session.settings = settings;
      return;
    case 'predict':
      post({ type: 'prediction', probabilities: await session.predict(message.pixels) });
  }
}

async function trainChunk(): Promise<void> {
  const started = performance.now();
  const steps = Math.min(chunk, stepsLeft);
  const loss = await session.train(steps);
  const now = performance.now();
  stepsLeft -= steps;
  if (!Number.isFinite(loss)) {
    throw new LossDiverged(`the loss became ${loss} at step ${session.step}`);
  }
  losses.push({ step: session.step, loss });
  if (steps === chunk) {
    const took = now - started;
    chunk = took < CHUNK_MS / 2 ? Math.min(chunk * 2, LARGEST_CHUNK) : took > CHUNK_MS * 2 ? Math.max(chunk >> 1, 1) : chunk;
  }
  if (stepsLeft === 0) {
    return stop('done');
  }
  if (now - lastProgress >= PROGRESS_EVERY_MS) {
    reportProgress(now);
  }
  if (session.epoch > evaluatedEpoch && now - lastEvaluation >= EVALUATE_EVERY_MS) {
    await evaluate();
  }
}

function reportProgress(now: number): void {
  const steps = session.step - lastProgressStep;
  if (steps > 0 && now > lastProgress) {
    const recent = (1000 * steps) / (now - lastProgress);
    stepsPerSecond = stepsPerSecond === 0 ? recent : 0.7 * stepsPerSecond + 0.3 * recent;
  }
  lastProgress = now;
  lastProgressStep = session.step;
  post({ type: 'progress', progress: { step: session.step, losses, stepsPerSecond } });
  losses = [];
}

async function evaluate(): Promise<void> {
  evaluatedEpoch = session.epoch;
  post({ type: 'evaluation', evaluation: await session.evaluate() });
  lastEvaluation = performance.now();
}

async function stop(why: 'done' | 'paused' | 'reset'): Promise<void> {
  if (why !== 'reset') {
    reportProgress(performance.now());
  }
  await evaluate();
  post({ type: 'stopped', step: session.step, why });
}

class LossDiverged extends Error {
  readonly kind = 'diverged';
}

/** Training cannot go on from here: the page shows the reason and starts a new worker when asked. */
function reportError(error: unknown): void {
  stepsLeft = 0;
  const kind = error instanceof LanthornError || error instanceof LossDiverged ? String(error.kind) : 'unexpected';
  post({ type: 'error', kind, message: error instanceof Error ? error.message : String(error) });
}

work().catch(reportError);
