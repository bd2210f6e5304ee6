/** The common blocks of the site's pages: their HTML, and the errors of the site's build. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadSource } from './lib/source.mjs';

const { writeBlocks } = await loadSource('blocks.ts');
const write = (page) => writeBlocks(page, 'page.html').replace(/\s+/g, ' ');

test('a block has its attributes, its defaults and its content', () => {
  for (const [page, expected] of [
    ['<site-lead title="Trees">A <b>tree</b>.</site-lead>', '<h1>Trees</h1> <p class="soft">A <b>tree</b>.</p>'],
    ['<site-loss></site-loss>', '<section class="card"> <h2>Loss</h2> <p class="soft">Cross entropy of a batch'],
    ['<site-loss class="half">Of all.</site-loss>', '<section class="card half"> <h2>Loss</h2> <p class="soft">Of all.</p>'],
  ]) assert.ok(write(page).includes(expected), write(page));
  const source = write('<site-source file="a.ts" id="other"></site-source>');
  assert.match(source, /<code>a\.ts<\/code>, whole\..*aria-label="Source of a\.ts"><code id="other">/);
  assert.equal(write('<p>$& and $1</p><site-notice></site-notice>').indexOf('<p>$& and $1</p><div'), 0);
});

test('a block that is not right stops the build with the name of the page', () => {
  for (const [page, message] of [
    ['<site-los></site-los>', /page\.html: <site-los>: no such block; there are lead, /],
    ['<site-toString></site-toString>', /page\.html: <site-toString> is not closed/],
    ['<site-lead>Text.</site-lead>', /page\.html: <site-lead>: it needs the attribute title/],
    ['<site-lead title="Trees"></site-lead>', /page\.html: <site-lead>: it needs content/],
    ['<site-loss width="half"></site-loss>', /page\.html: <site-loss>: it has no attribute width/],
    ['<site-notice>Text.</site-notice>', /page\.html: <site-notice>: it has no content/],
    ['<site-notice>', /page\.html: <site-notice> is not closed/],
    ['<site-loss><site-notice></site-notice></site-loss>', /page\.html: <site-notice> is .* within another block/],
  ]) assert.throws(() => write(page), { message }, page);
});

test('ids are unique on every page of the site', () => {
  const root = fileURLToPath(new URL('../../www/src/', import.meta.url));
  const pages = readdirSync(root, { recursive: true }).filter((file) => file.endsWith('index.html'));
  assert.ok(pages.length > 20, pages.join());
  for (const page of pages) {
    const html = writeBlocks(readFileSync(root + page, 'utf8'), page);
    const ids = Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id]) => id);
    assert.deepEqual(ids.filter((id, index) => ids.indexOf(id) < index), [], page);
  }
});
