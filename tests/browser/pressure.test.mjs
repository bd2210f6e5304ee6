/**
 * WebGPU under pressure: the minimum limits of the specification, and many steps. Needs the package
 * built into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBuffers } from './lib/leak.mjs';
import { offerTheLeast } from './lib/least-limits.mjs';
import { inPage, useBrowser } from './lib/package-page.mjs';
import { cases as selection } from './api/selection.mjs';
import { cases as values } from './api/values.mjs';

const opened = useBrowser({ webgpu: true, flags: ['--js-flags=--expose-gc'] });

test('values are right on the least of all devices', () =>
  opened.withPage(async (page) => {
    const asked = await inPage(page, async (files) => {
      const info = await window.lanthorn.init({ device: 'webgpu' });
      window.expect.ok(info.device === 'webgpu', info.device);
      for (const [file, names] of Object.entries(files)) {
        const { cases } = await import(`/tests/api/${file}.mjs`);
        for (const name of names) {
          await cases[name](window.lanthorn, 'webgpu').catch((error) => { throw new Error(`${name}: ${error.stack}`); });
        }
      }
      return window.asked;
    }, { values: Object.keys(values), selection: Object.keys(selection) });
    assert.deepEqual(asked.features, []);
  }, { beforehand: offerTheLeast }));

test('600 steps hold no more than 100 did', () =>
  opened.withPage(async (page) => {
    const [early, late] = await inPage(page, async () => {
      const { createTraining } = await import('/tests/lib/recovery.mjs');
      const { init, scope, memory } = window.lanthorn;
      await init({ device: 'webgpu' });
      const training = createTraining(window.lanthorn);
      const run = async (steps) => {
        for (let step = 0; step < steps; step += 1) {
          const loss = scope(() => training.step());
          if (step % 10 === 0) {
            await loss.item();
          }
          loss.dispose();
        }
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { ...window.gpu, tensors: memory().tensors, held: memory().bytes };
      };
      return [await run(100), await run(500)];
    });
    assert.ok(early.made > 0 && early.held > 0, 'what is counted is there');
    assert.equal(late.tensors, early.tensors);
    assert.equal(late.held, early.held);
    assert.equal(late.made, early.made, 'buffers made');
    assert.equal(late.bytes, early.bytes, 'bytes of live buffers');
  }, { beforehand: countBuffers }));
