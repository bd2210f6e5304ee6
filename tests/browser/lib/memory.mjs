/** What is counted of memory, in a page and in Node where `gc` is global. */

/**
 * The number of live tensors after the collector has freed those that other tests dropped, so that
 * none of them is freed during a test.
 */
export async function settled(memory) {
  for (let last = NaN; memory().tensors !== last; ) {
    last = memory().tensors;
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return memory().tensors;
}
