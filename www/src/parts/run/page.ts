/** The part of a page that runs a visitor's code: the choice of a device, and a worker on it. */
import { showNoDevice } from '../badge';
import { byId } from '../dom';
import { hideNotice } from '../notice';
import { publish, readAddress } from '../training/automation';
import { choose } from '../training/controls';
import { deviceChoice, showFailure, showOpened } from '../training/device';
import { DEVICE, fieldOf } from '../training/panel';
import { Runner } from './runner';

export interface RunnerPageOptions {
  /** The seconds after which a run is stopped. */
  limit?: number;
  /** Called for each new worker, which has no variables yet. */
  onStart?: () => void;
}

/** Needs elements with the ids `fields`, `status`, `notice`, `fallback` and `badge`. */
export class RunnerPage {
  private current!: Runner;

  constructor(private readonly options: RunnerPageOptions = {}) {
    byId('fields', HTMLElement).append(fieldOf(DEVICE));
    const device = byId('device', HTMLSelectElement);
    choose(device, readAddress(location.search).device);
    device.addEventListener('change', () => this.open());
  }

  get runner(): Runner {
    return this.current;
  }

  /** Starts a worker on the chosen device, in place of an earlier one. */
  open(): void {
    this.current?.end();
    this.say('loading', 'Getting the device ready…');
    hideNotice(byId('notice', HTMLElement));
    showNoDevice(byId('badge', HTMLElement), 'Looking for a device…');
    this.current = new Runner({
      device: deviceChoice(),
      ...this.options,
      onOpen: (device, adapter) => {
        showOpened(device, adapter);
        publish({ ...window.lanthornDemo, device });
        this.say('ready', 'Ready.');
      },
      onFailure: (failure) => {
        this.say('error', 'There is no device.');
        showFailure(failure, undefined, () => this.open());
      },
    });
    this.options.onStart?.();
  }

  /** The state of the page, and words on it. */
  say(state: string, words: string): void {
    document.documentElement.dataset['state'] = state;
    byId('status', HTMLElement).textContent = words;
  }
}
