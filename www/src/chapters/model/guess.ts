/**
 * Inputs for script modules, which declare no shapes: shapes that fit the first parameters, tried
 * one after another until a call succeeds.
 */
import { scope, zeros } from 'lanthorn';
import type { Program } from 'lanthorn/program';
import { withoutGradients } from './gradients';
import type { InputInfo } from './protocol';

/** No other shape is tried after this time. */
const MAX_MS = 1500;
const MAX_INPUTS = 4;
const MAX_ELEMENTS = 2 ** 22;

interface Guess {
  shape: readonly number[];
  dtype: 'float32' | 'int32';
}

/**
 * The inputs with the first shape and type, the same for all of them, with which the program runs.
 */
export async function guessInputs(program: Program, inputs: readonly InputInfo[]): Promise<InputInfo[]> {
  const tensors = inputs.filter(({ other }) => other === undefined);
  // Other values have defaults only at the end.
  const isSimple = inputs.every(({ other, value }) => other === undefined || value !== undefined);
  const started = performance.now();
  if (isSimple && tensors.length > 0 && tensors.length <= MAX_INPUTS) {
    const shapes = program.parameters().map(({ shape }) => shape);
    const below = shapes.find((shape) => shape.length === 2)?.[0];
    for (const guess of guesses(shapes, [...program.namedParameters()][0]?.[0] ?? '')) {
      if (performance.now() - started > MAX_MS) {
        break;
      }
      if (await runs(program, tensors.length, guess)) {
        return inputs.map((input) => (input.other === undefined ? { ...input, guess, ...(guess.dtype === 'int32' ? { below } : {}) } : input));
      }
    }
  }
  return [...inputs];
}

async function runs(program: Program, count: number, { shape, dtype }: Guess): Promise<boolean> {
  return scope(() => withoutGradients(async () => {
    try {
      await program.call(...Array.from({ length: count }, () => zeros(...shape).to(dtype)));
      return true;
    } catch {
      return false;
    }
  }));
}

/** Shapes by the sizes of the first convolution and the first matrix, the most likely first. */
function guesses(shapes: readonly (readonly number[])[], first: string): Guess[] {
  const sizeOf = (rank: number) => shapes.find((shape) => shape.length === rank)?.[1];
  const [image, signal, row] = [sizeOf(4), sizeOf(3), sizeOf(2)];
  const floats = (...all: number[][]): Guess[] => all.map((shape) => ({ shape, dtype: 'float32' }));
  const families: Guess[][] = [
    image ? floats([1, image, 32, 32], [1, image, 64, 64], [1, image, 224, 224]) : [],
    signal ? floats([1, signal, 64], [1, 64], [1, 1024], [1, signal, 1024]) : [],
    row ? floats([1, row], [row], [1, 8, row]) : [],
    [[1, 8], [8]].map((shape) => ({ shape, dtype: 'int32' })),
    floats([8]),
  ];
  const isLookUp = /emb|wte|tok/i.test(first);
  const all = isLookUp ? [...families[3]!, ...families.flat()] : families.flat();
  return all.filter(({ shape }) => shape.reduce((product, size) => product * size, 1) <= MAX_ELEMENTS);
}
