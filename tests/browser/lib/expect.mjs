/** Expectations for tests. Runs in the page as well as in Node, so it uses the API of neither. */

const show = (value) => {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'number' && !Number.isFinite(part) ? String(part) : ArrayBuffer.isView(part) ? Array.from(part) : part));
  return text?.length > 400 ? `${text.slice(0, 400)}…` : String(text);
};

/** Fails with a message unless `condition` holds. */
export function ok(condition, message = 'expected it to hold') {
  if (!condition) {
    throw new Error(message);
  }
}

/** The same numbers, nested in the same way. Typed arrays count as arrays. */
export function equal(actual, expected, message = '') {
  close(actual, expected, { absolute: 0, relative: 0 }, message);
}

/** Numbers that agree up to rounding, nested in the same way; NaN equals NaN. */
export function close(actual, expected, { absolute = 1e-5, relative = 1e-4 } = {}, message = '') {
  const compare = (one, other, path) => {
    const fail = () => {
      throw new Error(`${message}${message && ': '}${path || 'value'} is ${show(one)}, expected ${show(other)}; all of it: ${show(actual)}, expected ${show(expected)}`);
    };
    if (typeof other === 'object' && other !== null) {
      if (typeof one !== 'object' || one === null || one.length !== other.length) {
        fail();
      }
      for (let index = 0; index < other.length; index += 1) {
        compare(one[index], other[index], `${path}[${index}]`);
      }
    } else if (typeof other === 'number' && typeof one === 'number') {
      const near = Object.is(one, other) || one === other || Math.abs(one - other) <= absolute + relative * Math.abs(other);
      if (!near) {
        fail();
      }
    } else if (one !== other) {
      fail();
    }
  };
  compare(actual, expected, '');
}

/**
 * Checks that `action` throws, synchronously or later, a LanthornError of this kind, whose message
 * matches all patterns.
 */
export async function refuses(action, kind, ...patterns) {
  let error;
  let value;
  try {
    value = await action();
  } catch (thrown) {
    error = thrown;
  }
  ok(error !== undefined, `expected an error of kind ${kind}, but there came ${String(value)}`);
  ok(error.name === 'LanthornError' && error.constructor.name === 'LanthornError', `expected a LanthornError of kind ${kind}, but it is ${error.stack ?? error}`);
  ok(error.kind === kind, `expected the kind ${kind}, but it is ${error.kind}: ${error.message}`);
  for (const pattern of patterns) {
    ok(pattern.test(error.message), `expected the message to match ${pattern}: ${error.message}`);
  }
  return error;
}

/** Pseudorandom numbers between -2 and 2, the same every time. */
export function numbers(count, seed = 1) {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround((4 * state) / 2 ** 32 - 2);
  });
}

/** Flat numbers as rows of `columns`. */
export function rows(flat, columns) {
  return Array.from({ length: flat.length / columns }, (_, row) => Array.from(flat.slice(row * columns, (row + 1) * columns)));
}

/** The first frame of a stack: V8 repeats the message above it, other engines do not. */
export const firstFrame = (stack) => stack.split('\n').find((line) => /^\s+at |@/.test(line)) ?? '';
