/** A worker with user-defined batches, whose arrays it uses afterwards. */
import { HostArray, serveDataset } from '/npm/js/data/index.js';

const rows = new HostArray(Float32Array.of(1, 2, 3, 4), [2, 2]);
serveDataset({ length: 6, get: () => rows }, { collate: (samples) => [samples[0], samples.length] });
