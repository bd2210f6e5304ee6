/** Messages about errors, for the visitor. */
import type { ToModel } from './protocol';

const HINTS: readonly [RegExp, string][] = [
  [/\.safetensors$/i, 'This file has weights alone, without the model. Save the model by torch.export.save or torch.jit.save instead.'],
];

/** The sentence for a file of this name that was refused with this message. */
export function whyRefused(name: string, message: string): string {
  if (/calls operators/.test(message)) {
    return `${name} uses operators that do not exist here.`;
  }
  const [, hint] = HINTS.find(([pattern]) => pattern.test(name)) ?? [];
  if (hint) {
    return hint;
  }
  if (/no program/.test(message)) {
    return `${name} is no model of torch.export.save or torch.jit.save, and none of ONNX. A file of torch.save has weights alone: export the model in Python first.`;
  }
  if (/file .* beside it/.test(message)) {
    return `The weights of ${name} are in another file: drop both files together.`;
  }
  if (/truncated|no end|ends within/.test(message)) {
    return `${name} is incomplete: its end is missing. Copy or download it again.`;
  }
  if (/malformed/.test(message)) {
    return `${name} is damaged, or written in another way than its format says.`;
  }
  return `${name} cannot be opened.`;
}

/** The status and the sentence for something else that failed while the device works. */
export function whyFailed(doing: ToModel['type'], kind: string, message: string): [status: string, words: string] {
  if (kind === 'diverged') {
    return ['Training stopped.', 'The loss is no longer a number: the steps were too large. Start over, with a smaller learning rate.'];
  }
  if (/memory/i.test(kind + message)) {
    return ['It stopped.', 'There is not enough memory. Close other tabs, or take smaller inputs.'];
  }
  switch (doing) {
    case 'run':
      return ['The call failed.', 'The program does not run with these arguments.'];
    case 'save':
      return ['Nothing was saved.', 'The weights could not be saved.'];
    case 'tune':
      return ['Training stopped.', 'The model cannot be trained with these settings.'];
    default:
      return ['It stopped.', 'The model could not read the digits.'];
  }
}
