/** The chapter's page: it starts and stops a benchmark, and shows the measurements. */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { showDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { byId } from '../../parts/dom';
import { hideNotice, showNotice } from '../../parts/notice';
import { addressWith, publish, readAddress } from '../../parts/training/automation';
import type { State } from '../../parts/training/controls';
import { Benchmark } from './benchmark';
import { caseNames } from './cases/list';
import { libraryNames } from './engines/list';
import { describeMachine, type Machine, machineInWords } from './machine';
import measureSource from './measure.ts?raw';
import { toJson, toMarkdown, type Report } from './report';
import { Results } from './results';
import { addFields, lockFields, readChoices, readSettings, type Settings, showLoaded, showSizes } from './settings';
import { agreement, showBars, showTable } from './table';

const button = (id: string) => byId(id, HTMLButtonElement);
const say = (id: string, words: string) => (byId(id, HTMLElement).textContent = words);

class BenchmarkPage {
  private readonly notice = byId('notice', HTMLElement);
  private abort: AbortController | undefined;
  private report: Report | undefined;

  constructor(private readonly machine: Machine) {
    const unknown = addFields(machine.adapter !== undefined);
    if (unknown) {
      showNotice(this.notice, unknown, '', []);
    }
    say('machine', machineInWords(machine));
    byId('software', HTMLElement).hidden = !machine.isSoftware;
    byId('no-webgpu', HTMLElement).hidden = machine.adapter !== undefined;
    button('run').addEventListener('click', () => void this.run());
    button('stop').addEventListener('click', () => this.abort?.abort());
    button('share').addEventListener('click', () => void this.share());
    button('copy-markdown').addEventListener('click', () => void this.copy('Markdown', toMarkdown));
    button('copy-json').addEventListener('click', () => void this.copy('JSON', toJson));
    byId('device', HTMLSelectElement).addEventListener('change', () => this.showDevice());
    for (const id of ['libraries', 'cases']) {
      byId(id, HTMLElement).addEventListener('change', () => this.outline());
    }
    showCode(byId('source', HTMLElement), measureSource);
    this.showDevice();
    this.outline();
    this.setState('ready', 'Nothing is loaded yet: press Run.');
    if (readAddress(location.search).autostart) {
      void this.run();
    }
  }

  /** Shows an empty table of the chosen cases, so that nothing moves when it is filled. */
  private outline(): void {
    const { libraries, cases } = readChoices();
    this.report = undefined;
    this.show(new Results(cases, libraries));
    say('agreement', '');
  }

  private async run(): Promise<void> {
    const settings = readSettings();
    if (typeof settings === 'string') {
      return showNotice(this.notice, settings, '', []);
    }
    hideNotice(this.notice);
    const results = new Results(settings.cases, settings.libraries);
    this.report = { machine: this.machine, settings, results };
    this.abort = new AbortController();
    this.show(results);
    say('agreement', '');
    this.setState('training', 'Starting…');
    const watch = { progress: (words: string) => say('status', words), onLoad: showLoaded, onChange: () => this.show(results) };
    let ending: [State, string] = ['done', 'Measured.'];
    try {
      await new Benchmark(results, settings.device, settings.seconds, watch, this.abort.signal).run();
      const failed = results.all.filter(({ cell }) => cell.state === 'failed').length;
      ending = ['done', failed > 0 ? `Measured, but for ${failed} of ${results.all.length} cells: the table says why.` : 'Measured.'];
    } catch (error) {
      if (!this.abort.signal.aborted) {
        throw error;
      }
      results.stop();
      ending = ['ready', 'Stopped. The table has the measurements until then.'];
    } finally {
      this.show(results);
      say('agreement', agreement(results));
      this.publish(settings, results);
      this.setState(...ending);
    }
  }

  private show(results: Results): void {
    showTable(results);
    showBars(results);
  }

  private publish({ device }: Settings, results: Results): void {
    const count = (wanted: string) => results.all.filter(({ cell }) => cell.state === wanted).length;
    const differences = results.all.flatMap(({ cell }) => cell.difference ?? []);
    publish({
      device, measured: count('measured'), failed: count('failed'), stopped: count('stopped'), compared: differences.length,
      difference: differences.length > 0 ? Math.max(...differences) : undefined,
    });
  }

  private showDevice(): void {
    const isGpu = byId('device', HTMLSelectElement).value === 'webgpu';
    showDevice(byId('badge', HTMLElement), isGpu ? 'webgpu' : 'cpu', isGpu ? this.machine.adapter! : 'one thread');
    showSizes();
  }

  private async share(): Promise<void> {
    const { libraries, cases } = readChoices();
    const list = (names: readonly string[], all: readonly string[]) => (names.length > 0 ? names : all).join();
    const address = addressWith({
      device: byId('device', HTMLSelectElement).value, libraries: list(libraries, libraryNames), cases: list(cases, caseNames),
      seconds: byId('seconds', HTMLInputElement).value,
    });
    try {
      await navigator.clipboard.writeText(address);
      say('copied', 'A link with these settings is copied.');
    } catch {
      // Without leave to write to the clipboard, the address bar has the link.
      history.replaceState(null, '', address);
      say('copied', 'The address of this page has these settings now.');
    }
  }

  private async copy(format: string, write: (report: Report) => string): Promise<void> {
    const text = write(this.report!);
    const area = byId('results-text', HTMLTextAreaElement);
    area.value = text;
    try {
      await navigator.clipboard.writeText(text);
      say('copied', `The results are copied as ${format}.`);
    } catch {
      byId('results-field', HTMLElement).hidden = false;
      area.select();
      say('copied', 'The browser does not allow copying here. The text is below: copy it from there.');
    }
  }

  private setState(state: State, words: string): void {
    document.documentElement.dataset['state'] = state;
    say('status', words);
    const isRunning = state === 'training';
    // Disabling the button with the focus would throw a keyboard user back to the top of the page.
    const focused = document.activeElement;
    lockFields(isRunning);
    button('run').disabled = isRunning;
    button('stop').disabled = !isRunning;
    for (const id of ['copy-markdown', 'copy-json']) {
      button(id).disabled = isRunning || this.report === undefined;
    }
    if (focused === button('run') && isRunning) button('stop').focus();
    if (focused === button('stop') && !isRunning) button('run').focus();
  }
}

new BenchmarkPage(await describeMachine());
