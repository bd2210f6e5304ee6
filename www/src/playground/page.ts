/** The playground: a program, its output, and a link that holds it. */
import '../parts/base.css';
import '../parts/training/training.css';
import './style.css';
import { byId, make } from '../parts/dom';
import { DRAFT } from '../parts/fresh-start';
import { RunnerPage } from '../parts/run/page';
import { storedText, storeText } from '../parts/stored';
import { publish } from '../parts/training/automation';
import { fieldOf } from '../parts/training/panel';
import { Editor } from './editor';
import { EXAMPLES } from './examples';
import { ending, execute as executeIn } from './execution';
import { linkOf, programIn } from './link';
import { Output } from './output';

/** A program that trains may take its time; the button stops it before. */
const SECONDS = 600;

const run = byId('run', HTMLButtonElement);
const stop = byId('stop', HTMLButtonElement);
const output = new Output(byId('output', HTMLElement));
const host = new RunnerPage({ limit: SECONDS });
let runs = 0;

const names = Object.keys(EXAMPLES);
byId('fields', HTMLElement).append(fieldOf({ name: 'example', label: 'Example', values: names, chosen: names[0]! }));
const example = byId('example', HTMLSelectElement);
const draft = storedText(DRAFT);
const editor = new Editor(byId('editor', HTMLElement), {
  source: draft ?? EXAMPLES[names[0]!]!, run: () => void execute(), onChange: () => keepDraft(), describedBy: 'keys',
});
if (draft !== undefined) {
  byId('took', HTMLElement).textContent = 'Your draft is back. Nothing has run yet.';
}
/** The program of a link replaces the text, and not the draft. */
let isLinked = false;
example.addEventListener('change', () => (editor.source = EXAMPLES[example.value]!));
run.addEventListener('click', () => void execute());
stop.addEventListener('click', () => host.runner.stop());
byId('share', HTMLButtonElement).addEventListener('click', () => void share());

publish({ runs });
host.open();
void readLink();
addEventListener('hashchange', () => void readLink());

/** Runs the program. Its names live on in the worker, and a later run declares them again. */
async function execute(): Promise<void> {
  if (host.runner.isBusy) {
    return;
  }
  host.say('training', 'Running…');
  const outcome = await executeIn({ run, stop, output }, host.runner, editor.source);
  byId('took', HTMLElement).textContent = ending(outcome);
  runs += 1;
  publish({ ...window.lanthornDemo, runs });
  if (outcome.type !== 'failed') {
    host.say('ready', 'Ready.');
  }
}

/** Keeps the text over a reload. A changed program leaves the link. */
function keepDraft(): void {
  if (isLinked) {
    return;
  }
  storeText(DRAFT, editor.source);
  if (location.hash !== '') {
    history.replaceState(null, '', location.pathname + location.search);
  }
}

async function readLink(): Promise<void> {
  try {
    const source = await programIn(location.hash);
    if (source !== undefined) {
      isLinked = true;
      editor.source = source;
      isLinked = false;
    }
  } catch {
    output.add(make('p', { className: 'threw', textContent: 'The link has no program that can be read: it may have been cut.' }));
  }
}

async function share(): Promise<void> {
  const status = byId('status', HTMLElement);
  let link: string;
  try {
    link = await linkOf(editor.source);
  } catch (error) {
    status.textContent = `No link: ${(error as Error).message}.`;
    return;
  }
  history.replaceState(null, '', link);
  try {
    await navigator.clipboard.writeText(link);
    status.textContent = 'A link with this program is copied.';
  } catch {
    status.textContent = 'The address of this page has the program now.';
  }
}
