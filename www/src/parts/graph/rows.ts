/**
 * A layout without search, for graphs on which dagre would take seconds or minutes: every node is
 * in the row after its last producer, and edges are single curves.
 */

export interface Point {
  x: number;
  y: number;
}

/** An edge between nodes by index; the producer has the smaller rank. */
export interface Edge {
  from: number;
  to: number;
}

const ROW = 84;
const GAP = 26;
const MARGIN = 12;
const BEND = 30;
/** More edges hide each other and the nodes. */
const MAX_EDGES = 2000;

/**
 * The rank of every node: one more than the largest of its producers. The nodes are in the order of
 * execution.
 */
export function ranksOf(count: number, edges: readonly Edge[]): number[] {
  const ranks = new Array<number>(count).fill(0);
  for (const { from, to } of [...edges].sort((one, other) => one.to - other.to)) {
    ranks[to] = Math.max(ranks[to]!, ranks[from]! + 1);
  }
  return ranks;
}

/** The sum of the rows that edges span, which predicts dagre's time. */
export function spanOf(count: number, edges: readonly Edge[]): number {
  const ranks = ranksOf(count, edges);
  return edges.reduce((sum, { from, to }) => sum + ranks[to]! - ranks[from]!, 0);
}

/** The centres of nodes of these widths, the lines of the edges, and the size of the whole. */
export function layOutInRows(widths: readonly number[], height: number, edges: readonly Edge[]) {
  const ranks = ranksOf(widths.length, edges);
  const rows: number[][] = [];
  ranks.forEach((rank, index) => (rows[rank] ??= []).push(index));
  const lengths = rows.map((row) => row.reduce((sum, index) => sum + widths[index]! + GAP, -GAP));
  const width = Math.max(0, ...lengths);
  const centres = new Array<Point>(widths.length);
  rows.forEach((row, rank) => {
    let x = MARGIN + (width - lengths[rank]!) / 2;
    for (const index of row) {
      centres[index] = { x: x + widths[index]! / 2, y: MARGIN + rank * ROW + height / 2 };
      x += widths[index]! + GAP;
    }
  });
  const lines = edges.slice(0, MAX_EDGES).map((edge) => {
    const [start, end] = [centres[edge.from]!, centres[edge.to]!];
    const [top, bottom] = [{ x: start.x, y: start.y + height / 2 }, { x: end.x, y: end.y - height / 2 }];
    // A longer edge makes a wider bend around the nodes between.
    const bend = BEND * (ranks[edge.to]! - ranks[edge.from]! - 1);
    return { edge, points: [top, { x: (top.x + bottom.x) / 2 + bend, y: (top.y + bottom.y) / 2 }, bottom] };
  });
  return { centres, lines, width: width + 2 * MARGIN, height: rows.length * ROW + 2 * MARGIN };
}
