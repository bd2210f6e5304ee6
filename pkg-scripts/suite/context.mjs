/** The folders of a run and the environment of its commands. */
import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rotationOf } from './rotation.mjs';

/** The disk space for builds in a fresh clone and in a built one, in GiB. */
const DISK = { fresh: 12, built: 2 };

/** Creates the context of a run of stages: of everything, or of one part of long tables. */
export function createContext({ all, stages = [] }) {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');
  const logs = join(target, 'suite');
  mkdirSync(logs, { recursive: true });
  checkDisk(target);
  const rotation = all ? undefined : (process.env.LANTHORN_ROTATION ?? rotationOf(root));
  const env = {
    WGPU_BACKEND: process.env.WGPU_BACKEND ?? 'vulkan',
    // Property tests run the same cases in every landing, and with `all` others at every commit.
    PROPTEST_RNG_SEED: process.env.PROPTEST_RNG_SEED ?? (all ? rotationOf(root) : '20261120'),
    // Files for a next build take 5 GB of 14, which a machine of CI does not keep.
    ...(process.env.CI && !process.env.CARGO_INCREMENTAL ? { CARGO_INCREMENTAL: '0' } : {}),
    ...(rotation === undefined ? {} : { LANTHORN_ROTATION: rotation }),
  };
  return { root, target, logs, all, stages, env, rotation };
}

/** A full disk would fail as a compiler that ends without a reason. */
function checkDisk(target) {
  const { bavail, bsize } = statfsSync(target);
  const free = (bavail * bsize) / 2 ** 30;
  const needed = existsSync(join(target, 'debug')) ? DISK.built : DISK.fresh;
  if (free < needed) throw new Error(`${target} has ${free.toFixed(1)} GiB of disk left, and the builds of the tests need ${needed}`);
}
