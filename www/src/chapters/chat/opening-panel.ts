/** The page's part of opening a model: choosing, dropping, an address, the progress. */
import { byId, make } from '../../parts/dom';
import type { Description, FromChat } from './protocol';
import { inBytes } from './words';

export type Source = readonly File[] | string;

const BUTTONS = ['pick-file', 'pick-folder', 'load-address'];

export class OpeningPanel {
  constructor(load: (source: Source) => void, stop: () => void) {
    for (const [button, id] of [['pick-file', 'file'], ['pick-folder', 'folder']] as const) {
      const input = byId(id, HTMLInputElement);
      byId(button, HTMLButtonElement).addEventListener('click', () => input.click());
      input.addEventListener('change', () => {
        const files = [...(input.files ?? [])];
        // The same files may be chosen again.
        input.value = '';
        if (files.length > 0) {
          load(files);
        }
      });
    }
    byId('address-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      load(byId('address', HTMLInputElement).value);
    });
    byId('stop-loading', HTMLButtonElement).addEventListener('click', stop);
    this.listenForDrops(load);
  }

  /** Shows how much of a file has arrived; nothing without a message. */
  progress(message?: Extract<FromChat, { type: 'loading' }>): void {
    byId('progress', HTMLElement).hidden = !message;
    if (message) {
      const { loaded, total } = message;
      const bar = byId('bar', HTMLProgressElement);
      if (total === undefined) {
        bar.removeAttribute('value');
      } else {
        bar.value = total > 0 ? loaded / total : 0;
      }
      byId('progress-words', HTMLElement).textContent = total === undefined ? `${inBytes(loaded)}` : `${inBytes(loaded)} of ${inBytes(total)}`;
    }
  }

  /** Shows a model, and returns a sentence on how it treats a message. */
  show({ name, family, layers, width, bytes, context, withoutTokenizer, hasTemplate }: Description): string {
    const facts = byId('facts', HTMLElement);
    facts.hidden = false;
    const tiles = [['Family', family], ['Layers × width', `${layers} × ${width}`], ['Weights', inBytes(bytes)], ['Context', context.toLocaleString('en')]];
    facts.replaceChildren(...tiles.map(([label, textContent]) => make('div', {}, [make('dt', { textContent: label! }), make('dd', { textContent: textContent! })])));
    byId('opened-words', HTMLElement).textContent = `${name} is open.`;
    if (withoutTokenizer !== undefined) {
      return `There is no tokenizer, so a message is ids of tokens, such as 5, 17, 42, and so is the reply. (${withoutTokenizer})`;
    }
    return hasTemplate ? 'The conversation is written by the chat template of the model.' : 'The model has no chat template: it continues your message.';
  }

  enable(isIdle: boolean): void {
    for (const id of BUTTONS) {
      byId(id, HTMLButtonElement).disabled = !isIdle;
    }
  }

  /** Files or a folder may be dropped anywhere. */
  private listenForDrops(load: (source: Source) => void): void {
    const mark = (isOver: boolean) => byId('drop', HTMLElement).classList.toggle('over', isOver);
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      mark(true);
    });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false));
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      mark(false);
      // Taken at once: the list is empty after the event.
      const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
      const files = [...(event.dataTransfer?.files ?? [])];
      void filesOf(entries, files).then((all) => {
        if (all.length > 0 && !byId('pick-file', HTMLButtonElement).disabled) {
          load(all);
        }
      });
    });
  }
}

/** The files that were dropped, with those in a folder. */
async function filesOf(entries: readonly (FileSystemEntry | null)[], files: readonly File[]): Promise<File[]> {
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory ?? false);
  if (folders.length === 0) {
    return [...files];
  }
  const inside = await Promise.all(folders.map(filesIn));
  return inside.flat();
}

async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const found: FileSystemFileEntry[] = [];
  // A reader returns a hundred entries at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) {
      break;
    }
    found.push(...some.filter((entry): entry is FileSystemFileEntry => entry.isFile));
  }
  return Promise.all(found.map((entry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))));
}
