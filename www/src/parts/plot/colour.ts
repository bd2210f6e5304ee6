/** Colours of the theme as numbers, for fields of colours. */

/** Red, green and blue of a CSS variable such as `--hue-3`, from 0 to 255. */
export function rgbOf(name: string): [number, number, number] {
  const written = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const digits = /^#([\da-f]{6})$/i.exec(written)?.[1];
  if (!digits) {
    throw new Error(`${name} is no colour of six digits: ${written}`);
  }
  const value = parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Calls `repaint` when the page changes between light and dark. */
export function onTheme(repaint: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
}
