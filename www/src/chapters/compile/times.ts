/**
 * The times of steps and of their kernels. A page's clock may have steps of 0.1 ms, so steps are
 * timed in groups, and a kernel's time is a mean over many.
 */
import { profile, scope, synchronize, type Tensor } from 'lanthorn';
import { median } from '../../parts/median';

const WARM_UP = 6;
const GROUP = 8;
/** Groups are repeated for this long, but at least and at most this often. */
const REPEAT_MS = 400;
const MIN_GROUPS = 2;
const MAX_GROUPS = 12;
const MAX_PROFILED = 32;

type Step = () => Tensor;

/**
 * The milliseconds of a step until the promise of its loss is returned, and until the loss is
 * known.
 */
export interface Elapsed {
  returned: number;
  known: number;
}

/** A kernel that ran, and the mean of its microseconds on the device. */
export interface Launch {
  kind: string;
  microseconds: number;
}

/**
 * Times steps until they return, in groups that the device may still work on, and until each loss
 * is known.
 */
export async function timeSteps(step: Step): Promise<Elapsed> {
  for (let index = 0; index < WARM_UP; index += 1) {
    await scope(() => step().item());
  }
  const [returned, known]: [number[], number[]] = [[], []];
  const end = performance.now() + REPEAT_MS;
  while (returned.length < MIN_GROUPS || (returned.length < MAX_GROUPS && performance.now() < end)) {
    returned.push(await timeReturns(step));
    known.push(await timeLosses(step));
  }
  return { returned: median(returned)!, known: median(known)! };
}

function timeReturns(step: Step): Promise<number> {
  return scope(async () => {
    const started = performance.now();
    const losses = Array.from({ length: GROUP }, () => step().item());
    const elapsed = performance.now() - started;
    await Promise.all(losses);
    return elapsed / GROUP;
  });
}

async function timeLosses(step: Step): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < GROUP; index += 1) {
    await scope(() => step().item());
  }
  return (performance.now() - started) / GROUP;
}

interface TraceEvent {
  cat: string;
  dur?: number;
}

/** The launches of a step, in order, and a note on the reliability of their times. */
export async function profileSteps(step: Step, milliseconds: number): Promise<{ launches: Launch[]; note: string }> {
  const steps = Math.max(GROUP, Math.min(MAX_PROFILED, Math.round(REPEAT_MS / Math.max(milliseconds, 1))));
  const measured = await profile(async () => {
    for (let index = 0; index < steps; index += 1) {
      scope(() => void step());
      await synchronize();
    }
  });
  const { traceEvents } = JSON.parse(measured.toTrace()) as { traceEvents: TraceEvent[] };
  const events = traceEvents.filter(({ dur }) => dur !== undefined);
  const count = Math.floor(events.length / steps);
  const launches = events.slice(0, count).map(({ cat }, index) => {
    const sum = Array.from({ length: steps }, (_, run) => events[run * count + index]!.dur!).reduce((one, other) => one + other, 0);
    return { kind: cat, microseconds: sum / steps };
  });
  return { launches, note: measured.note ?? '' };
}
