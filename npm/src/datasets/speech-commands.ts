/** Speech Commands, with torchaudio's name: words of a second. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { byCodePoints } from '../data/csv.js';
import type { Dataset } from '../data/dataset.js';
import type { HostArray } from '../data/host-array.js';
import { hasDisk } from '../hub/storage.js';
import { bytesOf } from './bytes.js';
import { filesOf, sourceOf, type FolderFile } from './folder-source.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Root } from './official.js';
import { readTar } from './tar.js';
import { readWav } from './wav.js';

const OP = 'SPEECHCOMMANDS.open';
const DIGESTS = {
  'speech_commands_v0.01': '743935421bb51cccdb6bdd152e04c5c70274e935c82119ad7faeec31780d811d',
  'speech_commands_v0.02': 'af14739ee7dc311471de98f5f9d2c9191b18aedfe957f4a6ff791c709868ff58',
} as const;
const LISTS = ['validation_list.txt', 'testing_list.txt'] as const;
const DIVIDER = '_nohash_';

/** Options of {@link SPEECHCOMMANDS.open}. */
export interface SpeechCommandsOptions extends OfficialOptions {
  /** The version (default: `speech_commands_v0.02`). */
  url?: keyof typeof DIGESTS;
  /** The part (default: all files). */
  subset?: 'training' | 'validation' | 'testing';
  /** The words (default: all). The sounds of other words are not kept in memory. */
  labels?: readonly string[];
}

/** A sample of torchaudio: the waveform is float32 `[channels, time]`, from -1 to 1. */
export type SpeechSample = [waveform: HostArray<Float32Array>, sampleRate: number, label: string, speakerId: string, utteranceNumber: number];

/** Sounds by their paths `label/speaker_nohash_number.wav`, and the two lists. */
type Sounds = Map<string, FolderFile>;

const isSound = (path: string) => /^[^/]+\/[^/]+\.wav$/.test(path) && path.includes(DIVIDER) && !path.startsWith('_background_noise_/');

/** The part of a path from the folder of the word on. */
const shorten = (path: string) => path.split('/').slice(path.endsWith('.wav') ? -2 : -1).join('/');

async function unpack(archive: Awaited<ReturnType<Official['find']>>, wants: (path: string) => boolean): Promise<Sounds> {
  const sounds: Sounds = new Map();
  for await (const entry of readTar(archive)) {
    const path = shorten(entry.name);
    // Blobs, which browsers keep outside of the page's memory.
    if (wants(path)) sounds.set(path, new Blob([await entry.bytes()]));
  }
  return sounds;
}

/** The files in a folder, where it has them unpacked. */
async function findUnpacked(root: Root, version: string, wants: (path: string) => boolean): Promise<Sounds | undefined> {
  const isPath = typeof root === 'string' || root instanceof URL;
  if (isPath && !hasDisk()) return undefined;
  const folder = typeof root === 'string' ? `${root.replace(/\/+$/, '')}/SpeechCommands/${version}` : root instanceof URL ? new URL(`SpeechCommands/${version}/`, `${root.href.replace(/\/*$/, '/')}`) : root;
  const files = await filesOf(OP, folder).catch((error: unknown) => {
    if (isPath) return undefined;
    throw error;
  });
  if (!files) return undefined;
  const sounds: Sounds = new Map();
  for (const [path, file] of files) if (wants(shorten(path))) sounds.set(shorten(path), await file());
  return Array.from(sounds.keys()).some(isSound) ? sounds : undefined;
}

/** Words of a second that many people said (Warden). */
export class SPEECHCOMMANDS implements Dataset<SpeechSample> {
  /** The number of sounds. */
  readonly length: number;
  /** The words, in ascending order. */
  readonly labels: readonly string[];
  readonly #files: Sounds;
  readonly #paths: readonly string[];

  private constructor(files: Sounds, paths: readonly string[]) {
    this.length = paths.length;
    this.labels = Array.from(new Set(paths.map((path) => path.slice(0, path.indexOf('/'))))).sort(byCodePoints);
    this.#files = files;
    this.#paths = paths;
  }

  /**
   * Reads the data set from `root/SpeechCommands/speech_commands_v0.02` in Node, where torchaudio
   * unpacks it, or from its archive of 2.4 GB. Of an archive the chosen sounds are kept in memory.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * const labels = ['yes', 'no'];
   * const words = await SPEECHCOMMANDS.open('data', { labels, download: true });
   */
  static async open(root: Root, options: SpeechCommandsOptions = {}): Promise<SPEECHCOMMANDS> {
    const given = checkOptions<SpeechCommandsOptions>(OP, options, ['url', 'subset', 'labels', ...OFFICIAL_OPTIONS]);
    const { url = 'speech_commands_v0.02', subset, labels } = given;
    if (!Object.hasOwn(DIGESTS, url)) throw new LanthornError('argument', OP, `url is one of ${Object.keys(DIGESTS).join(', ')}, not ${url}`);
    if (subset !== undefined && !['training', 'validation', 'testing'].includes(subset)) throw new LanthornError('argument', OP, `subset is training, validation or testing, not ${subset}`);
    const wants = (path: string) => (LISTS as readonly string[]).includes(path) || (isSound(path) && (labels === undefined || labels.includes(path.slice(0, path.indexOf('/')))));
    const find = async () => {
      const resource = { file: `${url}.tar.gz`, mirrors: ['http://download.tensorflow.org/data/'], sha256: DIGESTS[url] };
      return unpack(await new Official(OP, root, '', given).find(resource), wants);
    };
    const files = (await findUnpacked(root, url, wants)) ?? (await find());
    const lists = await Promise.all(LISTS.map(async (name) => {
      const list = files.get(name);
      if (!list && subset !== undefined) throw new LanthornError('file', OP, `there is no file ${name}, which has the part ${subset}`);
      return list ? new TextDecoder().decode(await bytesOf(await sourceOf(list))).split(/\r?\n/).map((line) => line.trim()).filter((line) => files.has(line)) : [];
    }));
    const [validation, testing] = lists as [string[], string[]];
    const all = Array.from(files.keys()).filter(isSound).sort(byCodePoints);
    const others = new Set([...validation, ...testing]);
    const paths = subset === 'validation' ? validation : subset === 'testing' ? testing : subset === 'training' ? all.filter((path) => !others.has(path)) : all;
    return new SPEECHCOMMANDS(files, paths);
  }

  /** The path of a sound, and the facts that its name has. */
  getMetadata(index: number): [path: string, sampleRate: number, label: string, speakerId: string, utteranceNumber: number] {
    const path = this.#paths[index];
    if (path === undefined) throw new LanthornError('index', 'SPEECHCOMMANDS', `index ${index} is out of range for ${this.length} samples`);
    const [label, name] = path.split('/') as [string, string];
    const [speaker, number] = name.replace(/(\.wav)+$/, '').split(DIVIDER) as [string, string];
    return [path, 16_000, label, speaker, Number(number)];
  }

  /** The sound at an index with its facts. */
  async get(index: number): Promise<SpeechSample> {
    const [path, sampleRate, label, speaker, number] = this.getMetadata(index);
    const sound = readWav(await bytesOf(await sourceOf(this.#files.get(path)!)));
    if (sound.sampleRate !== sampleRate) throw new LanthornError('file', 'SPEECHCOMMANDS', `${path} has ${sound.sampleRate} samples a second, and not ${sampleRate}`);
    return [sound.waveform, sampleRate, label, speaker, number];
  }
}
