/**
 * The chapter "Bring your model" in a real browser, on WebGPU (in software) and on the CPU: the
 * example, a script module, models of ONNX, and files that are refused.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { devicesOf, SHORT, TRAINING, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { readDemo, serveSite, waitForState } from './lib/site.mjs';
import { drawDigit, isReadAs } from './lib/strokes.mjs';

/**
 * The example knows five of the ten digits before its last layer is trained, and this much after.
 */
const BEFORE = 0.55;
const MIN_ACCURACY = 0.96;

const file = (path) => readFile(new URL(path, import.meta.url));
const example = file('../../www/src/chapters/model/example.pt2');

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

/** Drops a file on the page, and resolves to the page's text afterwards. */
const drop = (page, name, bytes, type = '') => dropAll(page, { [name]: bytes }, type);

/** Drops files on the page, by their names. */
async function dropAll(page, files, type = '') {
  const contents = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  await page.evaluate(([contents, type]) => {
    const transfer = new DataTransfer();
    for (const [name, content] of contents) {
      transfer.items.add(new File([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], name, { type }));
    }
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, [contents, type]);
  await waitForState(page, 'ready', SHORT);
  return page.evaluate(readDemo);
}

/** Opens the example by its button. */
async function openExample(page) {
  await waitForState(page, 'ready', SHORT);
  await page.click('#use-example');
  await page.waitForFunction(() => window.lanthornDemo.before > 0, null, { timeout: SHORT });
  return waitForState(page, 'ready', SHORT);
}

/** The archive with `from` replaced by `to`, of the same length, in the entry that has it. */
function replaceInArchive(archive, from, to) {
  const bytes = Buffer.from(archive);
  const at = bytes.indexOf(from);
  assert.ok(at > 0 && from.length === to.length);
  const header = bytes.lastIndexOf('PK\x03\x04', at, 'latin1');
  const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const end = Math.min(...['PK\x03\x04', 'PK\x07\x08'].map((mark) => bytes.indexOf(mark, start, 'latin1')).filter((found) => found > 0));
  const sum = (value) => Buffer.from(Uint32Array.of(value).buffer);
  const length = bytes.readUInt32LE(header + 22) || end - start;
  const before = sum(crc32(bytes.subarray(start, start + length)));
  for (let next = at; next >= 0 && next < start + length; next = bytes.indexOf(from, next + 1)) bytes.write(to, next);
  const after = sum(crc32(bytes.subarray(start, start + length)));
  for (let next = bytes.indexOf(before); next >= 0; next = bytes.indexOf(before, next + 1)) after.copy(bytes, next);
  return bytes;
}

for (const device of devicesOf('model')) {
  describe(`the model chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const withPage = (check) => visit(browser, site.address({ device }, 'model'), check);

    test('shows, runs and fine-tunes the example', () =>
      withPage(async (page) => {
        const opened = await openExample(page);
        assert.equal(opened.device, device);
        assert.ok(opened.before < BEFORE, `accuracy ${opened.before} before`);
        assert.equal(await page.locator('#graph .node.operator').count(), 10);
        assert.equal(await page.locator('#graph .edge').count(), 12);
        assert.match(await page.locator('#inputs').innerText(), /image float32 \[\w+, 1, 8, 8\]/);
        assert.equal(await page.locator('#parameters tbody tr').count(), 8);
        await page.locator('#graph .node', { hasText: 'stem.weight' }).click();
        assert.match(await page.locator('#node-details').innerText(), /aten\.conv2d\.default[\s\S]*stem\.bias[\s\S]*\[1,1\]/);

        await page.locator('#inputs input').first().fill('3, 1, 8, 8');
        await page.click('#run');
        await page.waitForFunction(() => window.lanthornDemo.outputs === 1, null, { timeout: SHORT });
        assert.match(await page.locator('#results').innerText(), /float32 \[3, 10\]/);
        assert.equal(await page.locator('#results .bars li').count(), 10);
        assert.equal(await page.locator('#times dd').count(), 4, 'eager and compiled, first and later');

        await page.click('#tune');
        const tuned = await waitForState(page, 'done', TRAINING);
        assert.ok(tuned.accuracy >= MIN_ACCURACY, `accuracy ${tuned.accuracy}`);
        assert.ok(tuned.replays > tuned.step / 2, `${tuned.replays} of ${tuned.step} steps are replayed`);
        await drawDigit(page, 7);
        assert.ok(await isReadAs(page, 7), await page.locator('#verdict').innerText());

        const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-safetensors')]);
        const saved = await readFile(await download.path());
        assert.equal(download.suggestedFilename(), 'example-tuned.safetensors');
        assert.match(saved.subarray(8, 2000).toString('latin1'), /"head\.weight".*"stem\.weight"|"stem\.weight".*"head\.weight"/);

        await page.click('#restore');
        await page.waitForFunction(() => window.lanthornDemo.step === 0 && window.lanthornDemo.accuracy < 0.55, null, { timeout: SHORT });
      }));
  });
}

/** The position and scale of the drawn graph. */
const transformOf = (page) => page.locator('#graph svg > g').getAttribute('transform');

describe('other files', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser({ webgpu: false });
  });
  after(() => browser?.close());
  const withPage = (check) => visit(browser, site.address({ device: 'cpu' }, 'model'), check);

  test('a script module shows its methods and its source, and runs', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      const shown = await drop(page, 'tree.pt', await file('../models/tree_lstm/scripted.pt'));
      assert.equal(shown.format, 'torchscript');
      assert.match(await page.locator('#script-words').innerText(), /TreeLstm with 1 method: forward\(words, parent\)/);
      assert.match(await page.locator('#sources').innerText(), /class TreeLstm\(Module\)/);
      assert.match(await page.locator('#untunable-words').innerText(), /takes 2 arguments/);
      const [words, parents] = await page.locator('.input').all();
      for (const [row, content] of [[words, 'random'], [parents, 'values']]) {
        await row.getByLabel('Shape').fill('3');
        await row.getByLabel('Type').selectOption('int32');
        await row.getByLabel('Content').selectOption(content);
      }
      await page.getByLabel('parent: values').fill('2, 2, -1');
      await page.click('#run');
      await page.waitForFunction(() => window.lanthornDemo.outputs === 2, null, { timeout: SHORT });
      assert.match(await page.locator('#times-words').innerText(), /Not compiled: it reads elements/);
    }));

  test('a script module is fine-tuned, stopped, and opened again on another device', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      await page.click('#use-script');
      await page.waitForFunction(() => window.lanthornDemo.before > 0, null, { timeout: SHORT });
      await page.locator('#steps').selectOption('3000');
      await page.click('#tune');
      await page.waitForFunction(() => window.lanthornDemo.step >= 100, null, { timeout: SHORT });
      await page.click('#stop');
      const stopped = await waitForState(page, 'done', TRAINING);
      assert.ok(stopped.step < 3000 && stopped.accuracy > 0.9, `accuracy ${stopped.accuracy} at step ${stopped.step}`);
      await page.locator('#device').selectOption('auto');
      await page.waitForFunction(() => window.lanthornDemo.before < 0.55, null, { timeout: SHORT });
      const { format, status } = await waitForState(page, 'ready', SHORT);
      assert.deepEqual([format, status], ['torchscript', 'example.pt is open.']);
    }));

  test('a model of ONNX is shown and fine-tuned; one with its weights in another file is opened with it', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      await page.click('#use-onnx');
      await page.waitForFunction(() => window.lanthornDemo.before > 0, null, { timeout: SHORT });
      const { format, before } = await waitForState(page, 'ready', SHORT);
      assert.ok(format === 'onnx' && before < BEFORE, `${format}, accuracy ${before} before`);
      assert.match(await page.locator('#facts').innerText(), /ONNX model/);
      assert.match(await page.locator('#inputs').innerText(), /image float32 \[\w+, 1, 8, 8\]/);
      await page.locator('#graph .node', { hasText: 'stem.weight' }).click();
      assert.match(await page.locator('#node-details').innerText(), /onnx\.Conv[\s\S]*stem\.bias/);
      await page.click('#tune');
      const tuned = await waitForState(page, 'done', TRAINING);
      assert.ok(tuned.accuracy >= MIN_ACCURACY, `accuracy ${tuned.accuracy}`);
      assert.ok(tuned.replays > tuned.step / 2, `${tuned.replays} of ${tuned.step} steps are replayed`);

      const [model, data] = await Promise.all(['onnx', 'data'].map((ending) => file(`../models/training_encoder/external.${ending}`)));
      assert.match((await drop(page, 'encoder.onnx', model)).notice, /weights of encoder\.onnx are in another file: drop both/);
      const { status } = await dropAll(page, { 'external.data': data, 'encoder.onnx': model });
      assert.equal(status, 'encoder.onnx is open.');
      await page.locator('#inputs input').first().fill('4, 10');
      await page.click('#run');
      await page.waitForFunction(() => window.lanthornDemo.outputs === 1, null, { timeout: SHORT });
      assert.match(await page.locator('#results').innerText(), /float32 \[4, 3\]/);
    }));

  test('the graph is moved, scaled, folded and unfolded by mouse and keyboard', () =>
    withPage(async (page) => {
      await openExample(page);
      const nodes = page.locator('#graph .node.operator, #graph .node.folded');
      await nodes.nth(2).click();
      await page.getByRole('button', { name: 'Fold block' }).click();
      assert.equal(await nodes.count(), 6, 'a block of five operators is one node');
      assert.match(await page.locator('#node-details').innerText(), /block\s+Block: 5 operators/);
      const placed = await transformOf(page);
      const box = await page.locator('#graph').boundingBox();
      await page.mouse.move(box.x + 30, box.y + 30);
      await page.mouse.down();
      await page.mouse.move(box.x + 80, box.y + 50, { steps: 3 });
      await page.mouse.up();
      const moved = await transformOf(page);
      assert.notEqual(moved, placed, 'dragging moves it');
      await page.keyboard.press('+');
      assert.notEqual(/scale.*/.exec(await transformOf(page))[0], /scale.*/.exec(moved)[0], 'a key scales it');
      await page.click('#zoom-fit');
      await page.locator('#graph .node.folded').focus();
      await page.keyboard.press('Enter');
      assert.equal(await nodes.count(), 10);
    }));

  test('a picture is resized to the input', () =>
    withPage(async (page) => {
      await openExample(page);
      const picture = await page.locator('#preview').evaluate((canvas) => canvas.toDataURL().split(',')[1]);
      await drop(page, 'picture.png', Buffer.from(picture, 'base64'), 'image/png');
      assert.equal(await page.getByLabel('Content').inputValue(), 'image');
      await page.click('#run');
      await page.waitForFunction(() => window.lanthornDemo.outputs === 1, null, { timeout: SHORT });
    }));

  test('files that are no model are refused in words, and the model before stays', () =>
    withPage(async (page) => {
      await waitForState(page, 'ready', SHORT);
      assert.match((await drop(page, 'notes.pt', Buffer.from('a text'))).notice, /notes\.pt is no model of torch\.export\.save or torch\.jit\.save, and none of ONNX/);
      await openExample(page);
      const whole = await example;
      assert.match((await drop(page, 'short.pt2', whole.subarray(0, whole.length / 2))).notice, /short\.pt2 is incomplete/);
      const unknown = await drop(page, 'unknown.pt2', replaceInArchive(whole, 'torch.ops.aten.relu.default', 'torch.ops.aten.rely.default'));
      assert.match(unknown.notice, /unknown\.pt2 uses operators that do not exist here[\s\S]*aten\.rely/);
      assert.equal(unknown.status, 'example.pt2 is still open.');
      await page.locator('#inputs input').first().fill('2, 1, 9, 8');
      await page.click('#run');
      await page.waitForFunction(() => document.getElementById('status').textContent === 'The call failed.', null, { timeout: SHORT });
      assert.match((await page.evaluate(readDemo)).notice, /The program does not run with these arguments/);
      await page.locator('#inputs input').first().fill('2, 1, 8, 8');
      await page.click('#run');
      await page.waitForFunction(() => window.lanthornDemo.outputs === 1, null, { timeout: SHORT });
    }));
});
