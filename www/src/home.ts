/** The front page: a few lines of code with lanthorn, and the list of chapters. */
import './parts/theme.css';
import './parts/code.css';
import './home.css';
import { type Chapter, chapters } from './chapters/table';
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
byId('chapters', HTMLElement).replaceChildren(...chapters.map(cardOf));

function cardOf({ folder, title, summary, cover }: Chapter): HTMLLIElement {
  const card = document.createElement('li');
  const link = document.createElement('a');
  link.className = 'card';
  // The link names the file, so that the site works on a server that does not look for index.html
  // too.
  link.href = `./chapters/${folder}/index.html`;
  const picture = document.createElement('img');
  picture.src = cover;
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
