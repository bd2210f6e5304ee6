/** Golden files in the page: the format is described in tests/golden/README.md. */

const ARRAYS = {
  F32: Float32Array, F64: Float64Array, I64: BigInt64Array, I32: Int32Array, I16: Int16Array, I8: Int8Array, U8: Uint8Array, BOOL: Uint8Array,
};
const FLOATS = { nan: NaN, inf: Infinity, '-inf': -Infinity };

/** A value that the page cannot express, so no caller can pass it. */
export class Refused extends Error {}
/** A reason why the file cannot be used here. */
export class Skipped extends Error {}

/** IEEE 754's binary16. */
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/** The tensors of a safetensors file: their type, sizes and elements. */
export function readTensors(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const tensors = {};
  delete header.__metadata__;
  for (const [name, { dtype, shape, data_offsets: [from, to] }] of Object.entries(header)) {
    const array = ARRAYS[dtype];
    if (dtype === 'F16') tensors[name] = { dtype, shape, values: Float32Array.from(new Uint16Array(buffer.slice(8 + length + from, 8 + length + to)), half) };
    if (array) tensors[name] = { dtype, shape, values: new array(buffer.slice(8 + length + from, 8 + length + to)) };
  }
  return tensors;
}

/** Reads `NAME.json` and `NAME.safetensors` below an address. */
export async function readFile(base, name) {
  const fetchFile = async (ending) => {
    const response = await fetch(`${base}/${encodeURIComponent(name)}.${ending}`);
    if (!response.ok) throw new Error(`${name}.${ending}: ${response.status}`);
    return response;
  };
  const [document, buffer] = [await (await fetchFile('json')).json(), await (await fetchFile('safetensors')).arrayBuffer()];
  return { name, document, tensors: readTensors(buffer) };
}

/** A name in JavaScript's case. */
export const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** A module of the package, its state dict loaded if there is one. */
export function build(lanthorn, name, args, kwargs, state, loader) {
  const Class = lanthorn.nn[name];
  if (!Class) throw new Error(`there is no module ${name}`);
  const options = {};
  for (const [key, json] of kwargs) {
    // All are float32, on the page's device.
    if (json !== null && !['device', 'dtype'].includes(key)) options[camel(key)] = loader.value(json);
  }
  const module = new Class(...args.map((value) => loader.value(value)), ...(Object.keys(options).length > 0 ? [options] : []));
  const held = Object.entries(state ?? {}).map(([key, { ref }]) => [key, loader.tensor(ref)]);
  if (held.length > 0) module.loadStateDict(Object.fromEntries(held));
  return module;
}

/** int64 is int32 here. */
function narrow(values) {
  const limit = 2n ** 31n;
  if (values.some((value) => value >= limit || value < -limit)) throw new Skipped('an int64 argument does not fit into int32');
  return Int32Array.from(values, Number);
}

/** Makes the values of a file in the page. */
export class Loader {
  /** The inputs that require a gradient, in the file's order. */
  inputs = [];

  constructor(lanthorn, file, float) {
    Object.assign(this, { lanthorn, file, float });
  }

  /** A tensor of the file. */
  tensor(name, { requiresGrad = false, dtype } = {}) {
    const stored = this.file.tensors[name];
    if (!stored) throw new Refused('there is no element type for it');
    const { shape } = stored;
    if (stored.dtype === 'I64') return this.lanthorn.tensor(narrow(stored.values), { shape, dtype: 'int32' });
    const own = { F32: 'float32', F64: this.float ?? 'float64', F16: 'float16', I32: 'int32', U8: 'uint8', BOOL: 'bool' }[stored.dtype];
    if (!own) throw new Refused(`there is no element type ${stored.dtype}`);
    return this.lanthorn.tensor(stored.values, { shape, dtype: dtype ?? own, requiresGrad });
  }

  /** A Python value in JavaScript. */
  value(json) {
    if (Array.isArray(json)) return json.map((item) => this.value(item));
    if (json === null || typeof json !== 'object') return json;
    switch (json.$) {
      case 'float': return typeof json.v === 'number' ? json.v : FLOATS[json.v];
      case 'int': return Number(json.v);
      case 'tuple': return json.v.map((item) => this.value(item));
      case 'dtype': return json.v === 'int64' ? 'int32' : json.v;
      case 'device': return undefined;
      case 'fn': return json.v;
      case 'module': return build(this.lanthorn, json.cls, [], Object.entries(json.config.v), json.state, this);
      case 'tensor': {
        const made = this.tensor(json.ref, { requiresGrad: json.grad === true });
        if (json.grad) this.inputs[json.in] = made;
        return made;
      }
      default: throw new Refused(`there is no value like ${JSON.stringify(json)}`);
    }
  }
}

/** The tensors and numbers of a result, in order. */
export function leaves(value) {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return value?.$ === 'tuple' ? value.v.flatMap(leaves) : [value];
}
