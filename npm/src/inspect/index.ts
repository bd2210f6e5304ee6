/** Inspection: memory, counters, recorded graphs, and times by kernel. */
export { recordMemoryHistory, type AliveTensors } from './alive.js';
export {
  emptyCache, explain, memory, profile, setMemoryLimit, stats, tune,
  type Explanation, type MemoryInfo, type Profile, type ProfileRow, type Stats, type Tuned, type TunedKernel,
} from './inspect.js';
