/**
 * The measurement: it is the same for every library. `run` computes a case once and ends when a
 * value has been read back.
 */
import { median } from '../../parts/median';

type Run = () => Promise<void>;

/** Runs that are not counted: code is compiled, caches and pools are filled. */
const WARM_UP_SHARE = 0.2;
/**
 * A clock in a page may have steps of 0.1 ms, so short runs are timed in groups that take at least
 * this long.
 */
const GROUP_MS = 2;
const MAX_GROUPS = 400;

/** The milliseconds of `count` runs, one after another. */
async function time(run: Run, count: number): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    await run();
  }
  return performance.now() - started;
}

/** The milliseconds of a run, measured again and again for about `seconds`. */
export async function measure(run: Run, seconds: number): Promise<number[]> {
  const warmUps: number[] = [];
  const warm = performance.now() + 1000 * seconds * WARM_UP_SHARE;
  while (warmUps.length === 0 || performance.now() < warm) {
    warmUps.push(await time(run, 1));
  }
  const group = Math.ceil(GROUP_MS / Math.max(median(warmUps)!, 0.05));
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds * (1 - WARM_UP_SHARE);
  while (times.length === 0 || (times.length < MAX_GROUPS && performance.now() < end)) {
    times.push((await time(run, group)) / group);
  }
  return times;
}
