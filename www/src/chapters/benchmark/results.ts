/** The measurements: a cell for each case and library. */
import { median } from '../../parts/median';
import { CASES, type CaseName } from './cases/list';
import type { LibraryName } from './engines/list';

export interface Cell {
  state: 'waiting' | 'measuring' | 'measured' | 'failed' | 'stopped';
  /** The milliseconds of the first run, which compiles, and of each later timing. */
  first?: number;
  times: number[];
  /**
   * The largest difference from the answer of `comparedWith`, as a share of the largest number in
   * that answer.
   */
  difference?: number;
  comparedWith?: LibraryName;
  error?: string;
}

/** Answers in float32 with a larger relative difference do not agree. */
export const TOLERANCE = 1e-3;

export class Results {
  private readonly cells = new Map<string, Cell>();

  constructor(readonly cases: readonly CaseName[], readonly libraries: readonly LibraryName[]) {
    for (const name of cases) {
      for (const library of libraries) {
        this.cells.set(`${name} ${library}`, { state: 'waiting', times: [] });
      }
    }
  }

  cell(name: CaseName, library: LibraryName): Cell {
    return this.cells.get(`${name} ${library}`)!;
  }

  get all(): { name: CaseName; library: LibraryName; cell: Cell }[] {
    return this.cases.flatMap((name) => this.libraries.map((library) => ({ name, library, cell: this.cell(name, library) })));
  }

  /** How many times as long as lanthorn. */
  ratio(name: CaseName, library: LibraryName): number | undefined {
    const [own, other] = [medianOf(this.cells.get(`${name} lanthorn`)), medianOf(this.cell(name, library))];
    return own !== undefined && other !== undefined ? other / own : undefined;
  }

  /** Marks unfinished cells as stopped. */
  stop(): void {
    for (const { cell } of this.all) {
      if (cell.state === 'waiting' || cell.state === 'measuring') cell.state = 'stopped';
    }
  }
}

/** The median of the timings, in milliseconds. */
export function medianOf(cell: Cell | undefined): number | undefined {
  return cell === undefined || cell.state === 'failed' ? undefined : median(cell.times);
}

/** Work a second: billions of operations, or of bytes. */
export function rateOf(name: CaseName, milliseconds: number): number {
  return CASES[name].work.amount / milliseconds / 1e6;
}

export const rateUnit = (name: CaseName) => (CASES[name].work.unit === 'flop' ? 'GFLOP/s' : 'GB/s');

/** The largest difference of two answers, as a share of the largest number in the second. */
export function differenceOf(answer: Float32Array, reference: Float32Array): number {
  if (answer.length !== reference.length) {
    return Infinity;
  }
  let [furthest, largest] = [0, 0];
  answer.forEach((value, index) => {
    const difference = Math.abs(value - reference[index]!);
    furthest = Math.max(furthest, Number.isFinite(difference) ? difference : Infinity);
    largest = Math.max(largest, Math.abs(reference[index]!));
  });
  return largest > 0 ? furthest / largest : furthest;
}
