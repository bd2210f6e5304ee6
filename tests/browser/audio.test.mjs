/**
 * The microphone of `lanthorn/audio`: Chromium's fake one, whose tone becomes frames. Needs the
 * package built into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, launchBrowser } from './lib/browser.mjs';
import { inPage, openPackage, servePackage } from './lib/package-page.mjs';

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
  assert.deepEqual(others, { shape: [1, 800], overlaps: 1, rest: 0, ended: 'AbortError', rate: 16000 });
  assert.ok(loudest > 0.01, `the loudest sample is ${loudest}`);
  assert.deepEqual(problems, []);
});
