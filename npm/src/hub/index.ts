/**
 * Downloads that are stored for the next visit, and files of hubs: `hf://owner/name/file`.
 *
 * `import { download, setHub } from 'lanthorn/hub'`. Nothing is requested before a program asks for
 * a file, and a stored file is not requested again.
 */
export { download, type DownloadOptions } from './download.js';
export { DownloadError, type DownloadReason } from './errors.js';
export { setHub, type HubOptions, type HubSettings } from './settings.js';
export { downloadSize, listDownloads, removeDownloads } from './storage.js';
export type { Content, StoredFile } from './store.js';
