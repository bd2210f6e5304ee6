/** The chapter's page: a console, the picture of its last result, and broadcasting. */
import '../../parts/theme.css';
import '../../parts/controls.css';
import '../../parts/code.css';
import '../../parts/layout.css';
import '../../parts/training/training.css';
import './style.css';
import { showNoDevice } from '../../parts/badge';
import { byId, make } from '../../parts/dom';
import { hideNotice } from '../../parts/notice';
import type { Shown } from '../../parts/run/protocol';
import { Runner } from '../../parts/run/runner';
import { publish, readAddress } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../../parts/training/device';
import { DEVICE, fieldOf } from '../../parts/training/panel';
import { Broadcasting } from './broadcasting';
import { Console } from './console';
import { EXAMPLES } from './examples';
import { gridOf } from './number-grid';

/** Long enough for anything on this page. */
const SECONDS = 30;

let runner: Runner;
let runs = 0;

byId('fields', HTMLElement).append(fieldOf(DEVICE));
const device = byId('device', HTMLSelectElement);
choose(device, readAddress(location.search).device);
device.addEventListener('change', open);
byId('restart', HTMLButtonElement).addEventListener('click', () => {
  board.clear();
  open();
});

const board = new Console({
  runner: () => runner,
  shown: showPicture,
  ended() {
    runs += 1;
    publish({ ...window.lanthornDemo, runs });
  },
});
const broadcasting = new Broadcasting((source) => runner.run(source));
byId('examples', HTMLElement).append(...Object.entries(EXAMPLES).map(([name, source]) => {
  const button = make('button', { type: 'button', textContent: name });
  button.addEventListener('click', () => void board.run(source));
  return button;
}));

open();
void board.run(byId('code', HTMLTextAreaElement).value);
byId('stop', HTMLButtonElement).title = 'Ends the worker, and its variables with it';

/** Starts a worker on the chosen device, with no variables. */
function open(): void {
  runner?.end();
  setState('loading', 'Getting the device ready…');
  hideNotice(byId('notice', HTMLElement));
  showNoDevice(byId('badge', HTMLElement), 'Looking for a device…');
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
  void broadcasting.ask();
}

function showPicture({ tensors }: Shown): void {
  byId('picture', HTMLElement).replaceChildren(...tensors.map((view) => {
    const { label, shape, dtype, device: place } = view;
    return gridOf(view, { title: `${label ? `${label}: ` : ''}[${shape.join(', ')}] ${dtype} on ${place}` });
  }));
}

function setState(state: string, words: string): void {
  document.documentElement.dataset['state'] = state;
  byId('status', HTMLElement).textContent = words;
}
