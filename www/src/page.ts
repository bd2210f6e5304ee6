/** The front page: a few lines of code with lanthorn, and the list of chapters. */
import './parts/base.css';
import './home.css';
import type { About } from '../frame';
import { showCode } from './parts/code';
import { byId } from './parts/dom';

const SAMPLE = `import { init, tensor } from 'lanthorn';

await init({ device: 'auto' });

const w = tensor([[1, 2], [3, 4]], { requiresGrad: true });
const y = w.matmul(w).sum();
y.backward();

await y.item();      // 54
await w.grad.data(); // 7, 11, 9, 13
`;

showCode(byId('sample', HTMLElement), SAMPLE);

const copy = byId('copy-install', HTMLButtonElement);
copy.addEventListener('click', () => {
  const line = byId('install', HTMLElement);
  navigator.clipboard.writeText(line.textContent).then(
    () => (copy.textContent = 'Copied'),
    () => {
      // Without leave to write to the clipboard, the line is marked for the visitor's own copy.
      getSelection()?.selectAllChildren(line);
      copy.textContent = 'Marked';
    },
  );
});

/** The chapters' `about.json` and their pictures, by path. */
const abouts = import.meta.glob<About>('./chapters/*/about.json', { eager: true, import: 'default' });
const covers = import.meta.glob<string>('./chapters/*/cover.svg', { eager: true, query: '?url', import: 'default' });

const chapters = Object.entries(abouts).sort(([, a], [, b]) => a.order! - b.order!);
byId('chapters', HTMLElement).replaceChildren(...chapters.map(([path, about]) => cardOf(path.replace('/about.json', ''), about)));

function cardOf(folder: string, { title, summary }: About): HTMLLIElement {
  const card = document.createElement('li');
  const link = document.createElement('a');
  link.className = 'card';
  // The link names the file, so that the site works on a server that does not look for index.html
  // too.
  link.href = `${folder}/index.html`;
  const picture = document.createElement('img');
  picture.src = covers[`${folder}/cover.svg`]!;
  picture.width = 312;
  picture.height = 132;
  picture.loading = 'lazy';
  picture.alt = '';
  const heading = document.createElement('h3');
  heading.textContent = title;
  const words = document.createElement('p');
  words.className = 'soft';
  words.textContent = summary;
  const go = document.createElement('span');
  go.className = 'go';
  go.textContent = 'Open the chapter →';
  link.append(picture, heading, words, go);
  card.append(link);
  return card;
}
