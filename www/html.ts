/** Escapes `words` for HTML text and for attributes in double quotes. */
export function escapeHtml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
