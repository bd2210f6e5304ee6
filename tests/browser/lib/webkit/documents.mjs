/**
 * Scripts that run first in a page. WebDriver cannot add them, so the tests' servers insert them at
 * the beginning of the documents that they serve.
 */
let current = [];

/** Sets the scripts of the page that navigates next. */
export function useScripts(scripts) {
  current = scripts;
}

/** Whether documents get any. */
export const hasScripts = () => current.length > 0;

/** A document with the scripts. */
export function withScripts(html) {
  const elements = current.map((text) => `<script>document.currentScript.remove(); ${text.replaceAll('</script', '<\\/script')}</script>`).join('');
  const [head] = /<head[^>]*>|<!doctype[^>]*>/i.exec(html) ?? [''];
  return html.replace(head, () => head + elements);
}
