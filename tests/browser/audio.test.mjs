/**
 * `lanthorn/audio` in Node on the CPU, and in a real browser on WebGPU (in software) and on the
 * CPU, against torchaudio and librosa (`tests/golden/audio.json`); and Chromium's fake microphone,
 * whose tone becomes frames. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { BROWSER, launchBrowser } from './lib/browser.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { inPage, openPackage, PACKAGE, servePackage } from './lib/package-page.mjs';
import { cases } from './libraries/audio.mjs';

const golden = { audio: JSON.parse(await readFile(new URL('../golden/audio.json', import.meta.url), 'utf8')) };

describeEnvironments({
  cases,
  address: '/tests/libraries/audio.mjs',
  givenInNode: async () => {
    const [lanthorn, audio] = await Promise.all(['index', 'audio/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, audio, golden };
  },
  givenInPage: async (golden) => ({ audio: await import('/npm/js/audio/index.js'), golden }),
  argument: golden,
});

const FLAGS = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

test('frames of a microphone are tensors until it is stopped', { skip: BROWSER !== 'chromium' }, async (t) => {
  const site = await servePackage();
  t.after(() => site.close());
  const browser = await launchBrowser({ webgpu: false, flags: FLAGS });
  t.after(() => browser.close());
  const { page, problems } = await openPackage(browser, site);
  const found = await inPage(page, async () => {
    const { microphone } = await import('/npm/js/audio/index.js');
    await window.lanthorn.init({ device: 'cpu' });
    const stream = await microphone({ sampleRate: 16000, frameLength: 800, hopLength: 400 });
    const frames = [];
    // The fake device beeps once a second.
    for await (const frame of stream) {
      frames.push(frame);
      if (frames.length === 50) break;
    }
    const levels = await window.lanthorn.stack(frames).abs().amax([1, 2]).tolist();
    const halves = frames.slice(0, -1).map((frame, index) => frame.narrow(1, 400, 400).eq(frames[index + 1].narrow(1, 0, 400)).all());
    const overlaps = await window.lanthorn.stack(halves).all().item();
    let rest = 0;
    for await (const _ of stream) rest++;
    const ended = await microphone({ signal: AbortSignal.abort() }).catch((error) => error.name);
    return { shape: [...frames[0].shape], loudest: Math.max(...levels), overlaps, rest, ended, rate: stream.sampleRate };
  });
  const { loudest, ...others } = found;
  assert.deepEqual(others, { shape: [1, 800], overlaps: true, rest: 0, ended: 'AbortError', rate: 16000 });
  assert.ok(loudest > 0.01, `the loudest sample is ${loudest}`);
  assert.deepEqual(problems, []);
});
