/** Values between Node and a page, as JSON. */

/**
 * Encodes and decodes values. JSON has most of them; the others are objects with a `kind`. The page
 * gets the text of this function, so the function uses nothing of this module.
 */
export function createCodec() {
  const MAX_DEPTH = 60;
  const isPlainNumber = (value) => Number.isFinite(value) && !Object.is(value, -0);

  function encode(value, depth = 0) {
    if (depth > MAX_DEPTH || typeof value === 'function' || typeof value === 'symbol' || value === undefined) return { kind: 'undefined' };
    if (typeof value === 'number') return isPlainNumber(value) ? value : { kind: 'number', value: Object.is(value, -0) ? '-0' : String(value) };
    if (typeof value === 'bigint') return { kind: 'bigint', value: String(value) };
    if (value === null || typeof value !== 'object') return value;
    const within = (part) => encode(part, depth + 1);
    if (Array.isArray(value)) return value.map(within);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return { kind: 'array', type: value.constructor.name, value: Array.from(value, within) };
    if (value instanceof Date) return { kind: 'date', value: value.getTime() };
    if (value instanceof Error) return { kind: 'error', name: value.name, message: value.message, stack: String(value.stack) };
    return { kind: 'object', value: Object.entries(value).map(([name, part]) => [name, within(part)]) };
  }

  function decode(value) {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(decode);
    switch (value.kind) {
      case 'number': return Number(value.value);
      case 'bigint': return BigInt(value.value);
      case 'array': return globalThis[value.type].from(value.value.map(decode));
      case 'date': return new Date(value.value);
      case 'error': return Object.assign(new Error(value.message), { name: value.name, stack: value.stack });
      case 'object': return Object.fromEntries(value.value.map(([name, part]) => [name, decode(part)]));
      default: return undefined;
    }
  }

  return { encode, decode };
}
