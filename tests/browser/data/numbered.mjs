/** A worker whose samples show their index, and which fails on request. */
import { HostArray, MapDataset, serveDataset } from '/npm/js/data/index.js';

export const LENGTH = 23;

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The samples, also for the page to make itself. */
export const dataset = new MapDataset({ length: LENGTH, get: (index) => index }, async (index, random) => {
  // Later samples are ready sooner, so that workers overtake one another.
  await wait(LENGTH - index);
  return { image: new HostArray(new Uint8Array(4).fill(index), [1, 2, 2]), drawn: random.uniform(), name: `n${index}` };
});

if (typeof document === 'undefined') {
  const fails = (sample) => {
    if (sample.name === new URL(location).searchParams.get('fails')) throw new RangeError(`${sample.name} is broken`);
    return sample;
  };
  serveDataset(new MapDataset(dataset, fails));
}
