/** The control in the footer that forgets everything that the site stored in this browser. */
import { endWorkers } from './connection';
import { byId, make } from './dom';
import { forgetAll, storedFiles, storedText } from './stored';

/** The address of a page that has just forgotten everything. */
const FORGOTTEN = '#forgotten';
/** The playground's program. */
export const DRAFT = 'draft';

/** Other pages of the site, in other tabs: they would store again. */
const others = new BroadcastChannel('lanthorn:fresh-start');

export function offerFreshStart(): void {
  byId('fresh-start', HTMLButtonElement).addEventListener('click', () => void ask());
  others.addEventListener('message', () => beginAnew());
  if (location.hash === FORGOTTEN) {
    history.replaceState(null, '', location.pathname);
    byId('forgotten', HTMLElement).textContent = 'Everything that was stored is forgotten.';
  }
}

/** Asks before anything is deleted. */
async function ask(): Promise<void> {
  const stored = await wordsOnStored();
  const forget = make('button', { type: 'button', className: 'primary', id: 'forget', textContent: 'Forget everything' });
  const cancel = make('button', { type: 'button', id: 'keep-stored', textContent: 'Cancel' });
  const problem = make('p', { className: 'threw', role: 'alert' });
  const dialog = make('dialog', { className: 'card fresh-start', ariaLabel: 'Forget everything?' }, [
    make('h2', { textContent: 'Forget everything?' }),
    make('p', { textContent: stored }),
    make('p', { className: 'soft', textContent: 'Training in this and in other tabs ends. Forgotten work cannot be brought back; a downloaded file stays.' }),
    problem,
    make('div', { className: 'buttons' }, [cancel, forget]),
  ]);
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  forget.addEventListener('click', () => {
    forget.disabled = true;
    // A worker would store a checkpoint again.
    endWorkers();
    forgetAll().then(
      () => {
        others.postMessage('forgotten');
        beginAnew();
      },
      (error: unknown) => {
        forget.disabled = false;
        problem.textContent = `Something could not be deleted: ${String(error)}`;
      },
    );
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function wordsOnStored(): Promise<string> {
  const files = await storedFiles();
  const parts = [
    files.length > 0 ? `${files.length === 1 ? 'a file' : `${files.length} files`} (${files.join(', ')})` : '',
    storedText(DRAFT) === undefined ? '' : 'the draft of the playground',
  ].filter((part) => part !== '');
  return parts.length > 0 ? `This browser has ${parts.join(', and ')}.` : 'This browser has no checkpoint and no draft; measured settings of the device may be there.';
}

/** Loads the page without its parameters. */
function beginAnew(): void {
  endWorkers();
  history.replaceState(null, '', location.pathname + FORGOTTEN);
  location.reload();
}
