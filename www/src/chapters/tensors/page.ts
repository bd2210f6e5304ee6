/** The chapter's page: a console, the picture of its last result, and broadcasting. */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { byId, make } from '../../parts/dom';
import { RunnerPage } from '../../parts/run/page';
import type { Shown } from '../../parts/run/protocol';
import { publish } from '../../parts/training/automation';
import { Broadcasting } from './broadcasting';
import { Console } from './console';
import { EXAMPLES } from './examples';
import { gridOf } from './number-grid';

/** Long enough for anything on this page. */
const SECONDS = 30;

let runs = 0;

const host = new RunnerPage({ limit: SECONDS, onStart: () => void broadcasting.ask() });
byId('restart', HTMLButtonElement).addEventListener('click', () => {
  board.clear();
  host.open();
});

const board = new Console({
  runner: () => host.runner,
  shown: showPicture,
  onEnd() {
    runs += 1;
    publish({ ...window.lanthornDemo, runs });
  },
});
const broadcasting = new Broadcasting((source) => host.runner.run(source));
byId('examples', HTMLElement).append(...Object.entries(EXAMPLES).map(([name, source]) => {
  const button = make('button', { type: 'button', textContent: name });
  button.addEventListener('click', () => void board.run(source));
  return button;
}));

publish({ runs });
host.open();
void board.run(byId('code', HTMLTextAreaElement).value);
byId('stop', HTMLButtonElement).title = 'Ends the worker, and its variables with it';

function showPicture({ tensors }: Shown): void {
  byId('picture', HTMLElement).replaceChildren(...tensors.map((view) => {
    const { label, shape, dtype, device } = view;
    return gridOf(view, { title: `${label ? `${label}: ` : ''}[${shape.join(', ')}] ${dtype} on ${device}` });
  }));
}
