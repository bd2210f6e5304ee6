/** The times of steps and of their kernels. */
import { profile, scope, synchronize, type Tensor } from 'lanthorn';
import type { StepTimes } from './protocol';

const WARM_UP = 6;
/** Steps are repeated for this long, but at least and at most this often. */
const REPEAT_MS = 500;
const FEWEST_STEPS = 6;
const MOST_STEPS = 60;
const PROFILED_STEPS = 8;

type Step = () => Tensor;

/** The times of a step, and of each of its launches in microseconds. */
export interface Timed {
  times: StepTimes;
  launches: readonly Launch[];
  note: string;
}

export interface Launch {
  op: string;
  kind: string;
  microseconds: number;
}

const median = (values: readonly number[]) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

/**
 * Times a step. On a GPU the host's time ends when the promise of the loss is returned. On the CPU the
 * kernels run before that, so their time is subtracted.
 */
export async function timed(step: Step, isGpu: boolean): Promise<Timed> {
  for (let index = 0; index < WARM_UP; index += 1) {
    await once(step);
  }
  const [hosts, totals]: [number[], number[]] = [[], []];
  const end = performance.now() + REPEAT_MS;
  while (totals.length < FEWEST_STEPS || (totals.length < MOST_STEPS && performance.now() < end)) {
    const { host, total } = await once(step);
    hosts.push(host);
    totals.push(total);
  }
  const { launches, note } = await profiled(step);
  const device = launches.reduce((sum, { microseconds }) => sum + microseconds, 0) / 1000;
  const total = median(totals);
  return { times: { host: isGpu ? median(hosts) : Math.max(0, total - device), device, total }, launches, note };
}

function once(step: Step): Promise<{ host: number; total: number }> {
  return scope(async () => {
    const started = performance.now();
    const loss = step().item();
    const host = performance.now() - started;
    await loss;
    return { host, total: performance.now() - started };
  });
}

interface TraceEvent {
  name: string;
  cat: string;
  ts: number;
  dur: number;
}

/** The launches of a step, with the median of their times over some steps. */
async function profiled(step: Step): Promise<{ launches: Launch[]; note: string }> {
  const measured = await profile(async () => {
    for (let index = 0; index < PROFILED_STEPS; index += 1) {
      scope(() => void step());
      await synchronize();
    }
  });
  const { traceEvents } = JSON.parse(measured.toTrace()) as { traceEvents: TraceEvent[] };
  const events = traceEvents.filter(({ dur }) => dur !== undefined);
  const count = Math.floor(events.length / PROFILED_STEPS);
  const launches = events.slice(0, count).map(({ name, cat }, index) => {
    const same = Array.from({ length: PROFILED_STEPS }, (_, run) => events[run * count + index]!.dur);
    return { op: name, kind: cat, microseconds: median(same) };
  });
  return { launches, note: measured.note ?? '' };
}
