/**
 * Digits as pen strokes, as fractions of the pad's width and height, drawn with real mouse events.
 */
export const STROKES = {
  0: [ellipse(0.5, 0.5, 0.2, 0.33)],
  1: [[[0.5, 0.15], [0.5, 0.85]]],
  4: [[[0.55, 0.15], [0.3, 0.6], [0.75, 0.6]], [[0.6, 0.4], [0.6, 0.88]]],
  7: [[[0.28, 0.2], [0.72, 0.2], [0.6, 0.5], [0.48, 0.85]], [[0.4, 0.5], [0.7, 0.5]]],
};

function ellipse(x, y, width, height) {
  return Array.from({ length: 25 }, (_, corner) => {
    const turn = (2 * Math.PI * corner) / 24;
    return [x + width * Math.sin(turn), y - height * Math.cos(turn)];
  });
}

/** Draws `digit` on the page's cleared pad. */
export async function drawDigit(page, digit) {
  await page.click('#clear');
  const pad = page.locator('#pad');
  await pad.scrollIntoViewIfNeeded();
  const box = await pad.boundingBox();
  for (const [first, ...rest] of STROKES[digit]) {
    const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
    await page.mouse.move(...at(first));
    await page.mouse.down();
    for (const point of rest) {
      await page.mouse.move(...at(point), { steps: 3 });
    }
    await page.mouse.up();
  }
}

/**
 * Waits until the page reads the drawing as `digit`; resolves to false if it settles on another
 * digit.
 */
export async function isReadAs(page, digit, timeout = 5000) {
  const wait = page.waitForFunction((wanted) => document.getElementById('verdict').dataset.digit === wanted, String(digit), { timeout, polling: 50 });
  return wait.then(() => true, () => false);
}
