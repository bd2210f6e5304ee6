/**
 * Names the functions of a WebAssembly module by the position where each compresses best:
 *
 *     node pkg-scripts/lib/order-functions.mjs FILE
 *
 * gzip finds repetitions in the last 32 KB only, so functions that share code should be neighbours.
 * Starting from the existing order, the next function is always the one that shares most code with
 * the ones just before it. The code in the file is unchanged; its functions are named `0000`,
 * `0001` and so on, for an optimizer that orders functions by name.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** The length in bytes of a run of code that counts as shared. */
const RUN = 6;
/** Runs that occur in more functions than this are ignored. */
const COMMON = 200;
/** The distance in bytes at which gzip surely finds a run: its window less a long function. */
const WINDOW = 24_000;
/**
 * Added to the number of a function's runs before its share is computed, so that tiny functions do
 * not come first.
 */
const TINY = 8;

const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
const FUNCTION_NAMES = 1;

/** Reads a module's parts in order. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  text() {
    return Buffer.from(this.take(this.number())).toString();
  }
  limits() {
    const flags = this.number();
    this.number();
    if (flags & 1) this.number();
  }
}

/** The sections of a module: `{ id, bytes, whole }`, where `whole` includes the section's head. */
function sections(module) {
  const reader = new Reader(module, 8);
  const found = [];
  while (reader.at < module.length) {
    const start = reader.at;
    const id = reader.byte();
    const bytes = reader.take(reader.number());
    found.push({ id, bytes, whole: module.subarray(start, reader.at) });
  }
  return found;
}

/** The number of imported functions, which come first in the index space. */
function importedFunctions(bytes) {
  const reader = new Reader(bytes);
  let functions = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.text();
    reader.text();
    const kind = reader.byte();
    if (kind === 0) {
      reader.number();
      functions++;
    } else if (kind === 1) {
      reader.byte();
      reader.limits();
    } else if (kind === 2) {
      reader.limits();
    } else if (kind === 3) {
      reader.take(2);
    } else {
      throw new Error(`imports: expected a function, table, memory or global, but got one of kind ${kind}`);
    }
  }
  return functions;
}

function functionBodies(bytes) {
  const reader = new Reader(bytes);
  return Array.from({ length: reader.number() }, () => reader.take(reader.number()));
}

/**
 * For each function the distinct runs of its code, as numbers from 0, and for each run the
 * functions that contain it.
 */
function sharedRuns(bodies) {
  const numbers = new Map();
  const owners = [];
  const runs = bodies.map((body, owner) => {
    const own = new Set();
    for (let at = 0; at + RUN <= body.length; at++) {
      let key = 0;
      for (let k = 0; k < RUN; k++) key = key * 256 + body[at + k];
      let run = numbers.get(key);
      if (run === undefined) {
        run = owners.length;
        numbers.set(key, run);
        owners.push([]);
      }
      if (!own.has(run)) {
        own.add(run);
        owners[run].push(owner);
      }
    }
    return own;
  });
  return { runs, owners: owners.map((all) => (all.length <= COMMON ? all : [])) };
}

/** The order of functions in which each follows similar ones. */
function order(bodies) {
  const { runs, owners } = sharedRuns(bodies);
  // number of runs that each function shares with the window
  const shared = new Int32Array(bodies.length);
  const seen = new Int32Array(owners.length); // number of functions in the window with each run
  const placed = new Uint8Array(bodies.length);
  const ordered = [];
  let first = 0; // index in the order of the window's first function
  let length = 0;

  const take = (index) => {
    placed[index] = 1;
    ordered.push(index);
    length += bodies[index].length;
    for (const run of runs[index]) {
      if (seen[run]++ === 0) for (const owner of owners[run]) shared[owner]++;
    }
    while (length > WINDOW && first < ordered.length - 1) {
      const gone = ordered[first++];
      length -= bodies[gone].length;
      for (const run of runs[gone]) {
        if (--seen[run] === 0) for (const owner of owners[run]) shared[owner]--;
      }
    }
  };

  let next = 0; // if nothing is shared, the first one left
  while (ordered.length < bodies.length) {
    let best = -1;
    let most = 0;
    for (let index = 0; index < bodies.length; index++) {
      const share = shared[index] / (runs[index].size + TINY);
      if (share > most && !placed[index]) {
        most = share;
        best = index;
      }
    }
    if (best < 0) {
      while (placed[next]) next++;
      best = next;
    }
    take(best);
  }
  return ordered;
}

function unsigned(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

const text = (value) => [...unsigned(value.length), ...Buffer.from(value)];

/** A section `name` that names functions by their position in the order. */
function nameSection(ordered, imported) {
  const digits = String(ordered.length).length;
  const indices = new Array(ordered.length);
  ordered.forEach((index, position) => (indices[index] = position));
  const names = indices.flatMap((position, index) => [...unsigned(imported + index), ...text(String(position).padStart(digits, '0'))]);
  const map = [...unsigned(ordered.length), ...names];
  const content = [...text('name'), FUNCTION_NAMES, ...unsigned(map.length), ...map];
  return Buffer.from([CUSTOM, ...unsigned(content.length), ...content]);
}

const [file] = process.argv.slice(2);
if (!file) throw new Error('order-functions.mjs FILE: expected a WebAssembly module');
const module = readFileSync(file);
const parts = sections(module);
const section = (id) => parts.find((part) => part.id === id)?.bytes ?? [0];
const ordered = order(functionBodies(section(CODE)));
const kept = parts.filter(({ id, bytes }) => id !== CUSTOM || new Reader(bytes).text() !== 'name');
writeFileSync(file, Buffer.concat([module.subarray(0, 8), ...kept.map(({ whole }) => whole), nameSection(ordered, importedFunctions(section(IMPORT)))]));
