/** Counts of memory, in a page and in Node where `gc` is global. */

// Held here, since a registry that is dropped calls nothing.
const witnesses = new FinalizationRegistry((finalized) => finalized());

/**
 * Collects garbage, and waits until an object that was dropped before is finalized: a timer alone
 * may come first.
 */
async function collect() {
  let waiting = true;
  witnesses.register({}, () => (waiting = false));
  while (waiting) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * The number of live tensors after the collector has freed those that other tests dropped, so that
 * none of them is freed during a test. Registries are served one after another, so the number
 * counts once it was the same after two collections.
 */
export async function settled(memory) {
  for (let [last, same] = [NaN, 0]; same < 2; ) {
    await collect();
    same = memory().tensors === last ? same + 1 : 0;
    last = memory().tensors;
  }
  return memory().tensors;
}
