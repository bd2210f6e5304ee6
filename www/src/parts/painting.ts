/**
 * The time that pictures take: at most one part in `PARTS`, by their measured cost. A slow machine
 * would otherwise paint all the time, and neither train nor answer.
 */

const PARTS = 5;
/** A hidden page paints no frame. */
const MAX_FRAME_MS = 500;

/** Runs `draw`, and resolves to the milliseconds that it and the next frame took. */
export async function costOf(draw: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await draw();
  const drawn = performance.now() - start;
  return drawn + (document.visibilityState === 'hidden' ? 0 : await frameCost());
}

/** The time from the start of the next frame until its layout and paint are done. */
function frameCost(): Promise<number> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(0), MAX_FRAME_MS);
    requestAnimationFrame(() => {
      const start = performance.now();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        clearTimeout(timer);
        channel.port1.close();
        resolve(performance.now() - start);
      };
      channel.port2.postMessage(null);
    });
  });
}

/** When there may be another picture. */
export class PaintingTime {
  private until = 0;

  /** Counts `milliseconds` of painting. */
  spend(milliseconds: number): void {
    this.until = Math.max(this.until, performance.now()) + (PARTS - 1) * milliseconds;
  }

  /** The milliseconds until there is time for another picture. */
  get wait(): number {
    return Math.max(0, this.until - performance.now());
  }
}
