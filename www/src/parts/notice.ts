/** A problem, in words, with a suggested action. */
export interface Remedy {
  label: string;
  act: () => void;
}

export function showNotice(container: HTMLElement, words: string, detail: string, remedies: readonly Remedy[]): void {
  const text = document.createElement('div');
  const sentence = document.createElement('p');
  sentence.textContent = words;
  text.append(sentence);
  if (detail) {
    const code = document.createElement('code');
    code.className = 'soft';
    code.textContent = detail;
    text.append(code);
  }
  const buttons = remedies.map(({ label, act }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', act);
    return button;
  });
  container.replaceChildren(text, ...buttons);
  container.hidden = false;
}

export function hideNotice(container: HTMLElement): void {
  container.hidden = true;
  container.replaceChildren();
}
