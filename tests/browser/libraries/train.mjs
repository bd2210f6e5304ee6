/** `lanthorn/train`, in a page and in Node. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** A callback that records the losses of steps. */
class Losses {
  losses = [];

  onTrainStepEnd(trainer) {
    this.losses.push(trainer.values.loss);
  }
}

/** Two classes of points with a loader, a network with random masks, and what trains it. */
function training({ lanthorn, data }, options = {}) {
  const { manualSeed, nn, optim } = lanthorn;
  manualSeed(7);
  const samples = Array.from({ length: 40 }, (_, index) => [Float32Array.of(Math.sin(index), Math.cos(3 * index), index / 40), Int32Array.of(index % 2)]);
  const loader = new data.DataLoader(samples, { batchSize: 6, shuffle: true, seed: 3 });
  const module = new nn.Sequential(new nn.Linear(3, 8), new nn.BatchNorm1d(8), new nn.ReLU(), new nn.Dropout(0.25), new nn.Linear(8, 2));
  const optimizer = new optim.Adam(module.parameters(), { lr: 0.05 });
  const scheduler = new optim.lrScheduler.StepLR(optimizer, { stepSize: 1, gamma: 0.5 });
  const loss = ([x, y]) => module.call(x).crossEntropy(y.squeeze(1));
  return { loader, task: { module, optimizer, scheduler, trainingStep: loss, validationStep: (batch) => ({ val_loss: loss(batch) }), ...options } };
}

async function weights(module) {
  const entries = Object.entries(module.stateDict());
  return Object.fromEntries(await Promise.all(entries.map(async ([name, tensor]) => [name, Array.from(await tensor.data())])));
}

export const cases = {
  'a training that is killed and resumed has the same losses and weights, bit for bit': async (given) => {
    const { train } = given;
    const run = async (store, kill, checkpoint) => {
      const { loader, task } = training(given);
      const record = new Losses();
      const checkpoints = new train.ModelCheckpoint({ dirpath: store, everyNTrainSteps: 5, saveLast: true });
      const killer = { onTrainStepEnd: (trainer) => { if (trainer.globalStep === kill) throw new Error('killed'); } };
      const callbacks = [record, new train.EMAWeightAveraging({ decay: 0.9 }), checkpoints, killer];
      const trainer = new train.Trainer({ maxEpochs: 3, gradientClipVal: 1, callbacks });
      const running = trainer.fit(task, loader, loader, checkpoint ? { checkpoint } : {});
      if (kill) await running.then(() => ok(false), (error) => equal(error.message, 'killed'));
      else await running;
      return { losses: record.losses, weights: await weights(task.module), values: trainer.values };
    };
    const whole = await run(train.memory());
    equal(whole.losses.length, 21);
    const store = train.memory();
    const killed = await run(store, 11);
    equal(killed.losses, whole.losses.slice(0, 11));
    const resumed = await run(store, undefined, await store.read('last.pt'));
    equal(resumed.losses, whole.losses.slice(10));
    equal(resumed.weights, whole.weights);
    equal(resumed.values, whole.values);
  },

  'a loss that is not finite stops a training with its step, and keeps the state before': async (given) => {
    const { lanthorn, train } = given;
    const { loader, task } = training(given);
    let before;
    const callbacks = [{ async onTrainStepEnd(trainer) { if (trainer.globalStep === 4) before = await weights(task.module); } }];
    let count = 0;
    const trainingStep = (batch) => (++count === 5 ? lanthorn.tensor(NaN) : lanthorn.tensor(1)).mul(task.trainingStep(batch));
    const failing = new train.Trainer({ maxEpochs: 1, callbacks }).fit({ ...task, trainingStep }, loader);
    const error = await failing.then(() => undefined, (reason) => reason);
    ok(error instanceof train.TrainingError, String(error));
    equal(error.step, 4);
    ok(/the loss is NaN in step 5/.test(error.message), error.message);
    const parameters = (all) => Object.fromEntries(Object.entries(all).filter(([name]) => /weight|bias/.test(name)));
    equal(parameters(await weights(task.module)), parameters(before));
  },

  'gradients of small batches add up to the gradient of a large one': async (given) => {
    const { data, lanthorn, train } = given;
    const { nn, optim, manualSeed } = lanthorn;
    const samples = Array.from({ length: 12 }, (_, index) => [Float32Array.of(index / 6, 1 - index / 12), Int32Array.of(index % 3)]);
    const fit = async (batchSize, accumulateGradBatches, compile) => {
      manualSeed(2);
      const module = new nn.Linear(2, 3);
      const optimizer = new optim.SGD(module.parameters(), { lr: 0.1 });
      const loader = new data.DataLoader(samples, { batchSize });
      const trainingStep = ([x, y]) => module.call(x).crossEntropy(y.squeeze(1));
      await new train.Trainer({ maxSteps: 4, accumulateGradBatches, compile }).fit({ module, optimizer, trainingStep }, loader);
      return Object.values(await weights(module)).flat();
    };
    const large = await fit(6, 1, false);
    close(await fit(3, 2, false), large);
    close(await fit(6, 1, true), large);
  },

  'validation has means, a prediction has a result for each batch, and both leave the mode as it was': async (given) => {
    const { train } = given;
    const { loader, task } = training(given);
    const modes = [];
    const watched = { ...task, validationStep: () => { modes.push(task.module.training); return { seen: modes.length }; }, predictStep: ([x]) => x.shape[0] };
    const trainer = new train.Trainer();
    equal(await trainer.validate(watched, loader), { seen: 4 });
    equal(modes, Array(7).fill(false));
    equal(task.module.training, true);
    equal(await trainer.predict(watched, loader), [6, 6, 6, 6, 6, 6, 4]);
    await refuses(() => trainer.predict(task, loader), 'argument', /no function predictStep/);
  },

  'a training stops when a value no longer improves, and keeps the best checkpoints': async (given) => {
    const { train } = given;
    const { loader, task } = training(given);
    const scores = [3, 1, 2, 2, 2, 0];
    let epoch = 0;
    const validated = { ...task, validationStep: () => ({ score: scores[epoch] }) };
    const checkpoints = new train.ModelCheckpoint({ dirpath: train.memory(), monitor: 'score', saveTopK: 2, filename: 'e{epoch}-{score}' });
    const stopping = new train.EarlyStopping({ monitor: 'score', patience: 3 });
    const trainer = new train.Trainer({ maxEpochs: 6, callbacks: [stopping, checkpoints, { onTrainEpochEnd: () => { epoch += 1; } }] });
    await trainer.fit(validated, loader, loader);
    equal(trainer.currentEpoch, 5);
    equal(stopping.bestScore, 1);
    equal(checkpoints.bestModelPath, 'e2-1.pt');
    ok((await checkpoints.read()).size > 1000);
    await refuses(() => checkpoints.read('e1-3.pt'), 'file', /no file e1-3.pt/);
  },

  'loggers write lines of JSON and records of TensorBoard': async (given) => {
    const { train } = given;
    const { loader, task } = training(given);
    const [text, events] = [[], []];
    const loggers = [new train.JSONLinesLogger((bytes) => text.push(new TextDecoder().decode(bytes))), new train.TensorBoardLogger((bytes) => events.push(...bytes))];
    const callbacks = [new train.LearningRateMonitor(), new train.GradientNorm()];
    await new train.Trainer({ maxSteps: 4, logEveryNSteps: 2, loggers, callbacks }).fit(task, loader);
    const lines = text.map((line) => JSON.parse(line));
    equal(lines.map(({ step }) => step), [2, 4]);
    equal(lines[0].lr, 0.05);
    ok(lines[0].grad_norm > 0 && lines[0].loss > 0);
    const records = recordsOf(Uint8Array.from(events));
    equal(records.length, 3);
    ok(new TextDecoder().decode(records[0]).includes('brain.Event:2'));
    ok(new TextDecoder().decode(records[2]).includes('grad_norm'));
  },

  'a progress event follows each batch, and a bar shows it': async (given) => {
    const { train } = given;
    const { loader, task } = training(given);
    const trainer = new train.Trainer({ maxEpochs: 1 });
    const seen = [];
    trainer.addEventListener('progress', ({ detail }) => seen.push(detail.batch));
    let output = '';
    const end = train.progressBar(trainer, (part) => { output += part; });
    await trainer.fit(task, loader);
    end();
    equal(seen, [1, 2, 3, 4, 5, 6, 7]);
    ok(/\[#{24}\] fit {2}epoch 0 {2}7\/7/.test(output), output);
  },

  'a training with wrong options is refused': async (given) => {
    const { train } = given;
    const { loader, task } = training(given);
    await refuses(() => new train.Trainer({ maxEpochs: 0 }), 'argument', /maxEpochs is a whole number above 0/);
    await refuses(() => new train.Trainer({ precision: 'half' }), 'argument', /precision is one of/);
    await refuses(() => new train.Trainer().fit({}, loader), 'argument', /an object with a module/);
    await refuses(() => new train.Trainer().fit({ ...task, optimizer: undefined }, loader), 'argument', /needs the optimizer/);
    await refuses(() => new train.Trainer({ maxEpochs: 1 }).fit(task, []), 'argument', /has no batches/);
    await refuses(() => new train.EarlyStopping({ monitor: 'x', mode: 'most' }), 'argument', /'min' or 'max'/);
  },
};

/** The data of records whose checksums are right. */
function recordsOf(bytes) {
  const view = new DataView(bytes.buffer);
  const records = [];
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint32(at, true);
    equal(view.getUint32(at + 8, true), checksum(bytes.subarray(at, at + 8)));
    const data = bytes.subarray(at + 12, at + 12 + length);
    equal(view.getUint32(at + 12 + length, true), checksum(data));
    records.push(data);
    at += 16 + length;
  }
  return records;
}

/** CRC-32C bit by bit, masked as TFRecord has it. */
function checksum(bytes) {
  let crc = 0xffffffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x82f63b78n : crc >> 1n;
  }
  crc ^= 0xffffffffn;
  return Number((((crc >> 15n) | (crc << 17n)) + 0xa282ead8n) & 0xffffffffn);
}
