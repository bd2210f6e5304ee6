/** The operands of a graph's nodes. */
import type { GraphOperand } from 'lanthorn/program';

/** The names of the values that an operand refers to, also inside lists and blocks. */
export function* valuesOf(operand: GraphOperand): Generator<string> {
  if ('value' in operand) {
    yield operand.value;
  } else if ('list' in operand) {
    for (const item of operand.list) {
      yield* valuesOf(item);
    }
  } else if ('block' in operand) {
    for (const { inputs } of operand.block.nodes) {
      for (const input of inputs) {
        yield* valuesOf(input);
      }
    }
    for (const output of operand.block.outputs) {
      yield* valuesOf(output);
    }
  }
}
