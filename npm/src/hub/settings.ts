/** Settings of hubs: the server, and how files are found on it. */
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';

/** Options of files of a hub, with the names of transformers where it has them. */
export interface HubOptions {
  /** A branch, a tag or a commit (default: `main`). */
  revision?: string;
  /** The token of an account, for private and gated repositories. */
  token?: string;
  /** The address of the server, or of a mirror (default: `https://huggingface.co`). */
  endpoint?: string | URL;
  /**
   * The path of a file below the address (default: `{repo}/resolve/{revision}/{file}`). A page's
   * own server with a folder for each model has `{repo}/{file}`.
   */
  pathTemplate?: string;
  /** Whether only stored files are used, and nothing is requested (default: false). */
  localFilesOnly?: boolean;
  /** Whether files are requested although they are stored (default: false). */
  forceDownload?: boolean;
  /** Whether the server is asked if a stored file changed, by its ETag (default: false). */
  refresh?: boolean;
  /** Whether files are stored (default: true). Otherwise they are read while they arrive. */
  cache?: boolean;
}

/** Settings of {@link setHub}. */
export interface HubSettings extends HubOptions {
  /** The folder of downloads in Node; `.cache/lanthorn/downloads` of the user by default. */
  cacheDir?: string | URL;
}

/** The names of the options of {@link HubOptions}. */
export const HUB_OPTIONS = ['revision', 'token', 'endpoint', 'pathTemplate', 'localFilesOnly', 'forceDownload', 'refresh', 'cache'] as const;

/** The server of the default. */
export const HUGGING_FACE = 'https://huggingface.co';

let settings: HubSettings = {};

/** The settings that {@link setHub} made. */
export function hubSettings(): HubSettings {
  return settings;
}

/** Options that are checked, and complete. */
export interface CheckedHub {
  revision: string;
  token: string | undefined;
  endpoint: string;
  pathTemplate: string;
  localFilesOnly: boolean;
  forceDownload: boolean;
  refresh: boolean;
  cache: boolean;
}

function checkText(op: string, name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '') throw wrongArgument(op, name, 'a text', describe(value));
  return value;
}

/** Options with the settings, and then the defaults, for those that are not given. */
export function checkHub(op: string, options: HubOptions): CheckedHub {
  const choose = (name: keyof HubOptions) => options[name] ?? settings[name];
  const { endpoint = HUGGING_FACE } = { ...settings, ...(options.endpoint !== undefined && { endpoint: options.endpoint }) };
  if (typeof endpoint !== 'string' && !(endpoint instanceof URL)) throw wrongArgument(op, 'endpoint', 'an address', describe(endpoint));
  const pathTemplate = checkText(op, 'pathTemplate', choose('pathTemplate')) ?? '{repo}/resolve/{revision}/{file}';
  if (!pathTemplate.includes('{file}')) throw new LanthornError('argument', op, 'pathTemplate has no {file}');
  return {
    revision: checkText(op, 'revision', choose('revision')) ?? 'main',
    token: checkText(op, 'token', choose('token')),
    endpoint: String(endpoint).replace(/\/+$/, ''),
    pathTemplate,
    localFilesOnly: checkFlag(op, 'localFilesOnly', choose('localFilesOnly')),
    forceDownload: checkFlag(op, 'forceDownload', choose('forceDownload')),
    refresh: checkFlag(op, 'refresh', choose('refresh')),
    cache: checkFlag(op, 'cache', choose('cache') ?? true),
  };
}

/** The options of hubs among others. */
export function hubOptionsOf(options: HubOptions): HubOptions {
  return Object.fromEntries(HUB_OPTIONS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

/**
 * Sets the defaults of all files of hubs in this thread, for example a mirror, or the page's own
 * server.
 *
 * @example
 * setHub({ endpoint: '/models', pathTemplate: '{repo}/{file}' });
 */
export function setHub(options: HubSettings): void {
  const given = checkOptions<HubSettings>('setHub', options, [...HUB_OPTIONS, 'cacheDir']);
  checkHub('setHub', given);
  settings = { ...settings, ...given };
}
