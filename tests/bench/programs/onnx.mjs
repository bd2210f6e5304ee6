/** Writes models of ONNX: the messages of `onnx.proto` that the benchmarks need. */

const FLOAT = 1;
const INT64 = 7;
const TYPES = { float: 1, int: 2, string: 3, graph: 5, ints: 7 };

/** The bytes of a whole number of up to 32 bits. */
function varint(value) {
  const bytes = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Uint8Array.of(...bytes, rest);
}

const concat = (parts) => new Uint8Array(Buffer.concat(parts));

/** A field: a number, a text, bytes, or a list of fields. */
function field(number, value) {
  if (typeof value === 'number') return concat([varint(number << 3), varint(value)]);
  let payload = value;
  if (typeof value === 'string') payload = new TextEncoder().encode(value);
  if (Array.isArray(value)) payload = concat(value);
  return concat([varint((number << 3) | 2), varint(payload.length), payload]);
}

/** A field of 32 bits. */
const float = (number, value) => concat([varint((number << 3) | 5), new Uint8Array(Float32Array.of(value).buffer)]);

function attribute(name, value) {
  if (value instanceof Uint8Array) return field(5, [field(1, name), field(6, value), field(20, TYPES.graph)]);
  if (Array.isArray(value)) return field(5, [field(1, name), ...value.map((each) => field(8, each)), field(20, TYPES.ints)]);
  if (typeof value === 'string') return field(5, [field(1, name), field(4, value), field(20, TYPES.string)]);
  if (Number.isInteger(value)) return field(5, [field(1, name), field(3, value), field(20, TYPES.int)]);
  return field(5, [field(1, name), float(2, value), field(20, TYPES.float)]);
}

/** A node. Attributes are whole numbers, floats, texts, lists of whole numbers, and graphs. */
export function node(operator, inputs, outputs, attributes = {}) {
  const names = [...inputs.map((name) => field(1, name)), ...outputs.map((name) => field(2, name))];
  return field(1, [...names, field(4, operator), ...Object.entries(attributes).map(([name, value]) => attribute(name, value))]);
}

/** The fields of a tensor: floats, or whole numbers if the array has 64 bits. */
export function weight(name, shape, elements) {
  const type = elements instanceof BigInt64Array ? INT64 : FLOAT;
  const bytes = new Uint8Array(elements.buffer);
  return field(5, [...shape.map((size) => field(1, size)), field(2, type), field(8, name), field(9, bytes)]);
}

function value(number, name, [type, ...shape]) {
  const sizes = field(2, shape.map((size) => field(1, [field(1, size)])));
  return field(number, [field(1, name), field(2, [field(1, [field(1, type === 'int64' ? INT64 : FLOAT), sizes])])]);
}

/** The bytes of a graph. Inputs and outputs have a type and sizes by their names. */
export function graph(nodes, weights, inputs, outputs) {
  const values = (number, all) => Object.entries(all).map(([name, type]) => value(number, name, type));
  return concat([...nodes, field(2, 'graph'), ...weights, ...values(11, inputs), ...values(12, outputs)]);
}

/** The bytes of a model of a graph. */
export const model = (bytes) => concat([field(1, 8), field(8, [field(1, ''), field(2, 17)]), field(7, bytes)]);
