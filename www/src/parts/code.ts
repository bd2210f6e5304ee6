/** Shows TypeScript source with syntax highlighting. */
const TOKEN =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'[^'\n]*'|"[^"\n]*"|`[^`]*`)|(?<keyword>\b(?:import|from|export|function|const|let|return|new|type|await|async|class|extends|for|of|if|else|switch|case|try|catch|finally|throw|using)\b)|(?<number>\b\d[\d_.e]*\b)/g;

export function showCode(container: HTMLElement, source: string): void {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    parts.push(source.slice(end, match.index));
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['comment'];
    const span = document.createElement('span');
    span.className = `code-${kind}`;
    span.textContent = match[0];
    parts.push(span);
    end = match.index + match[0].length;
  }
  parts.push(source.slice(end).trimEnd());
  container.replaceChildren(...parts);
}
