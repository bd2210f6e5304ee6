/** A worker that trains until it is ended, and reports the loss of every step. */
import * as lanthorn from '/npm/js/index.js';
import { createTraining } from '/tests/lib/recovery.mjs';

self.onmessage = async ({ data: { device } }) => {
  const info = await lanthorn.init({ device });
  const training = createTraining(lanthorn);
  for (;;) {
    const loss = await training.step().item();
    self.postMessage({ device: info.device, loss });
  }
};
