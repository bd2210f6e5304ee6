/** Calls without gradients, also of programs that return promises, which `noGrad` refuses. */
import { setGradEnabled } from 'lanthorn';

/**
 * Runs `call` without gradients until its promise is settled. The worker runs nothing else
 * meanwhile.
 */
export async function withoutGradients<T>(call: () => T): Promise<Awaited<T>> {
  const mode = setGradEnabled(false);
  try {
    return await call();
  } finally {
    mode.restore();
  }
}
