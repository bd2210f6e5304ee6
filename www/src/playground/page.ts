/** The playground: a program, its output, and a link that holds it. */
import '../parts/theme.css';
import '../parts/controls.css';
import '../parts/code.css';
import '../parts/layout.css';
import '../parts/training/training.css';
import './style.css';
import { byId, make } from '../parts/dom';
import { hideNotice } from '../parts/notice';
import { wordsOf } from '../parts/run/outcome';
import { Runner } from '../parts/run/runner';
import { publish, readAddress } from '../parts/training/automation';
import { choose } from '../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../parts/training/device';
import { DEVICE, fieldOf } from '../parts/training/panel';
import { Editor } from './editor';
import { EXAMPLES } from './examples';
import { linkOf, programIn } from './link';
import { Output } from './output';

/** A program that trains may take its time; the button stops it before. */
const SECONDS = 600;

const status = byId('status', HTMLElement);
const run = byId('run', HTMLButtonElement);
const stop = byId('stop', HTMLButtonElement);
const output = new Output(byId('output', HTMLElement));
let runner: Runner;
let runs = 0;

const names = Object.keys(EXAMPLES);
byId('fields', HTMLElement).append(fieldOf(DEVICE), fieldOf({ name: 'example', label: 'Example', values: names, chosen: names[0]! }));
const device = byId('device', HTMLSelectElement);
const example = byId('example', HTMLSelectElement);
choose(device, readAddress(location.search).device);
device.addEventListener('change', open);

const editor = new Editor(byId('editor', HTMLElement), { source: EXAMPLES[names[0]!]!, run: () => void execute(), describedBy: 'keys' });
example.addEventListener('change', () => (editor.source = EXAMPLES[example.value]!));
run.addEventListener('click', () => void execute());
stop.addEventListener('click', () => runner.stop());
byId('share', HTMLButtonElement).addEventListener('click', () => void share());

open();
void readLink();
addEventListener('hashchange', () => void readLink());

/** Starts a worker on the chosen device. */
function open(): void {
  runner?.end();
  setState('loading', 'Getting the device ready…');
  hideNotice(byId('notice', HTMLElement));
  runner = new Runner({
    device: deviceChoice(),
    limit: SECONDS,
    opened(name, adapter) {
      showOpened(name, adapter);
      publish({ device: name, runs });
      setState('ready', 'Ready.');
    },
    failed(failure) {
      setState('error', 'There is no device.');
      showFailure(failure, undefined, open);
    },
  });
}

/** Runs the program. Its names live on in the worker, and a later run declares them again. */
async function execute(): Promise<void> {
  if (runner.isBusy) {
    return;
  }
  output.clear();
  run.disabled = true;
  stop.disabled = false;
  setState('training', 'Running…');
  const outcome = await runner.run(editor.source, (level, shown) => output.print(level, shown));
  run.disabled = false;
  stop.disabled = true;
  output.add(...wordsOf(outcome));
  byId('took', HTMLElement).textContent = outcome.type === 'value' ? `Done in ${(outcome.milliseconds / 1000).toFixed(2)} seconds.` : 'It did not come to its end.';
  runs += 1;
  publish({ ...window.lanthornDemo, runs });
  if (outcome.type !== 'failed') {
    setState('ready', 'Ready.');
  }
}

async function readLink(): Promise<void> {
  try {
    const source = await programIn(location.hash);
    if (source !== undefined) {
      editor.source = source;
    }
  } catch {
    output.add(make('p', { className: 'threw', textContent: 'The link has no program that can be read: it may have been cut.' }));
  }
}

async function share(): Promise<void> {
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

function setState(state: string, words: string): void {
  document.documentElement.dataset['state'] = state;
  status.textContent = words;
}
