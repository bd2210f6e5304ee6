/** Numbers and errors in words. */
import type { ToChat } from './protocol';

export function inBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export function rateInWords(rate: number | undefined): string {
  return rate === undefined ? '–' : rate.toFixed(rate < 100 ? 1 : 0);
}

/** The status and the sentence for a failure that leaves the device usable. */
export function whyFailed(doing: ToChat['type'], kind: string, message: string): [status: string, words: string] {
  if (kind === 'diverged') {
    return ['Training stopped.', 'The loss is no longer a number: the steps were too large. Choose a smaller learning rate, and train again from the beginning.'];
  }
  if (kind === 'unreachable') {
    return ['The model was not opened.', 'Nothing could be loaded from this address. Check it, and whether its server lets other sites read its files.'];
  }
  if (/memory/i.test(kind + message)) {
    return ['It stopped.', 'There is not enough memory. Close other tabs, or take a smaller model.'];
  }
  switch (doing) {
    case 'load':
      return ['The model was not opened.', whyRefused(message)];
    case 'ask':
      return ['There is no reply.', 'The model could not answer this.'];
    case 'compare':
      return ['Nothing was compared.', 'The copies could not be made or measured.'];
    default:
      return ['Training stopped.', 'The model cannot be trained with this text and these settings.'];
  }
}

function whyRefused(message: string): string {
  if (/abort/i.test(message)) {
    return 'Loading was stopped.';
  }
  if (/no file config\.json|there is no such file/.test(message)) {
    return 'There is no model: choose a .gguf file, or a folder with config.json and the safetensors beside it.';
  }
  if (/is not known|are not known/.test(message)) {
    return 'This is a model of a kind that does not exist here, or its configuration has fields that are not known.';
  }
  return 'This is no model that can be opened here.';
}
