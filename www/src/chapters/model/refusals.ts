/** Why a file is no model that can be opened, in words for the person who chose it. */

const HINTS: readonly [RegExp, string][] = [
  [/\.onnx$/i, 'This is an ONNX model. Save the model by torch.export.save or torch.jit.save instead.'],
  [/\.safetensors$/i, 'This file has weights alone, without the model. Save the model by torch.export.save or torch.jit.save instead.'],
];

/** The sentence for a file of this name that was refused with this message. */
export function whyRefused(name: string, message: string): string {
  if (/operator/i.test(message)) {
    return `${name} uses operators that do not exist here.`;
  }
  const [, hint] = HINTS.find(([pattern]) => pattern.test(name)) ?? [];
  if (hint) {
    return hint;
  }
  if (/no program/.test(message)) {
    return `${name} is no model of torch.export.save or torch.jit.save. A file of torch.save has weights alone: export the model in Python first.`;
  }
  if (/truncated|no end/.test(message)) {
    return `${name} is incomplete: its end is missing. Copy or download it again.`;
  }
  return `${name} cannot be opened.`;
}
