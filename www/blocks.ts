/**
 * Blocks that several pages have in common. A page's `index.html` names a block and states what
 * differs, and the block's HTML is declared here once:
 * `<site-loss class="half">The mean of the squared errors.</site-loss>`
 *
 * They are written at build time, so a page has its whole content before its scripts run. Custom
 * elements of the browser would fill it later, and the content below would move.
 */
import type { Plugin } from 'vite';

/** The value of an attribute that each use of the block states. */
const REQUIRED = undefined;

interface Block {
  /** The names of the attributes with their defaults. */
  attributes: Readonly<Record<string, string | undefined>>;
  /**
   * The text of a block that is used without content. Without it content is required; '' allows
   * none.
   */
  text?: string;
  write(attributes: Readonly<Record<string, string>>, text: string): string;
}

/** A card with a heading and a line of text. `class` is its width in a grid: `half` or `whole`. */
const card = (width: string, title: string, text: string, content: string) =>
  `<section class="${width === '' ? 'card' : `card ${width}`}">
  <h2>${title}</h2>
  <p class="soft">${text}</p>
  ${content}
</section>`;

/** A card with a plot over the training steps. */
const curve = (width: string, id: string, title: string, of: string, text: string) =>
  card(width, title, text, `<div class="curve" id="${id}" role="img"
    aria-label="Curve of ${of} over the training steps"></div>`);

const STATUS = `<p class="status"><span id="status" role="status" aria-live="polite">Loading…</span></p>
<p class="fallback" id="fallback" role="status" aria-live="polite" hidden></p>`;

const NOTICE = '<div class="notice" id="notice" role="alert" hidden></div>';

const BLOCKS: Readonly<Record<string, Block>> = {
  /** The title of the page and its first paragraph. */
  lead: {
    attributes: { title: REQUIRED },
    write: ({ title }, text) => `<div class="lead">
  <h1>${title}</h1>
  <p class="soft">${text}</p>
</div>`,
  },
  /** The page's state, and a message if another device than the chosen one computes. */
  status: { attributes: {}, text: '', write: () => STATUS },
  /** The element that shows an error. */
  notice: { attributes: {}, text: '', write: () => NOTICE },
  /** The choice of the device with status and notice, for a page without other controls. */
  device: {
    attributes: {},
    text: '',
    write: () => `<section class="card toolbar" aria-label="The device">
  <div class="fields" id="fields"></div>
  <div class="standing">${STATUS}</div>
</section>
${NOTICE}`,
  },
  /** The plot of the loss. */
  loss: {
    attributes: { class: '' },
    text: 'Cross entropy of a batch, and its running mean.',
    write: ({ class: width }, text) => curve(width!, 'loss-curve', 'Loss', 'the loss', text),
  },
  /** The plot of the accuracy. */
  accuracy: {
    attributes: { title: 'Test accuracy', of: 'the test accuracy', class: '' },
    text: 'Share of the 355 test images that are read correctly.',
    write: ({ title, of, class: width }, text) => curve(width!, 'accuracy-curve', title!, of!, text),
  },
  /** A plot of another value. */
  curve: {
    attributes: { id: REQUIRED, title: REQUIRED, of: REQUIRED, class: '' },
    write: ({ id, title, of, class: width }, text) => curve(width!, id!, title!, of!, text),
  },
  /** A source file, which the page's script shows in the element `id`. */
  source: {
    attributes: { file: REQUIRED, title: 'The code that trains', id: 'source', class: '' },
    text: 'The file this page runs, <code>{file}</code>, whole.',
    write: ({ file, title, id, class: width }, text) =>
      card(width!, title!, text.replace('{file}', file!),
        `<pre class="code" tabindex="0" aria-label="Source of ${file}"><code id="${id}"></code></pre>`),
  },
  /** The pad of `parts/digits/reading.ts`. */
  drawing: {
    attributes: {},
    text: 'With the mouse, a pen or a finger. The small picture is all the network sees.',
    write: (_, text) => card('half', 'Draw a digit', text, `<div class="reading">
    <canvas id="pad" role="img"
      aria-label="Pad to draw a digit on; the button Test image below shows one without drawing"></canvas>
    <div class="seen">
      <canvas id="preview" class="pixels" role="img" aria-label="The drawing as 8 by 8 pixels"></canvas>
      <div class="buttons">
        <button type="button" id="clear">Clear</button>
        <button type="button" id="example">Test image</button>
      </div>
    </div>
    <div class="answer">
      <output id="verdict" aria-live="polite" for="pad">Draw a digit from 0 to 9.</output>
      <ol id="bars" class="bars" aria-label="Probability of each digit"></ol>
    </div>
  </div>`),
  },
  /** The table of `parts/digits/confusion.ts`. */
  confusion: {
    attributes: { class: REQUIRED },
    text: '',
    write: ({ class: width }) =>
      card(width!, 'What is taken for what', 'Rows: the digit shown. Columns: the digit read.', `<div class="scroll">
    <table id="confusion"><caption class="visually-hidden">Confusion matrix of the test images</caption></table>
  </div>`),
  },
  /** The images of `parts/digits/mistakes.ts`. */
  mistakes: {
    attributes: {},
    text: '',
    write: () => `<section class="card half">
  <h2>Test images it reads wrongly</h2>
  <p class="soft" id="no-mistakes">The network has not been trained yet.</p>
  <div id="mistakes" class="mistakes"></div>
</section>`,
  },
  /** The filters and feature maps of the convolutional network. */
  layers: {
    attributes: {},
    text: '',
    write: () => {
      const sheet = (id: string, title: string, size: string) => `<h3 id="${id}-name">${title} <span>${size}</span></h3>
  <div id="${id}" class="sheet" role="group" aria-labelledby="${id}-name"></div>`;
      return `<div class="layers">
  ${sheet('filters', 'Filters of the first layer', '5 × 5 weights each')}
  ${sheet('first', 'What they answer', '8 maps of 8 × 8')}
  ${sheet('second', 'What the second layer makes of that', '16 maps of 4 × 4')}
</div>`;
    },
  },
  /** Paragraphs about the method, at the end of a chapter. */
  explanation: {
    attributes: { title: REQUIRED },
    write: ({ title }, paragraphs) => `<section class="card whole">
  <div class="prose">
    <h2>${title}</h2>
    ${paragraphs}
  </div>
</section>`,
  },
  /** The source of the images of digits, for a footer. */
  'digits-credit': {
    attributes: {},
    text: '',
    write: () => `Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak,
  UCI Machine Learning Repository, 1998,
  <a href="https://doi.org/10.24432/C50P49">doi 10.24432/C50P49</a>, CC BY 4.0.`,
  },
};

const USE = /<site-([a-z-]+)((?:\s+[a-z]+="[^"]*")*)\s*>([^]*?)<\/site-\1>/g;

/**
 * Replaces the blocks of a page by their HTML. A block contains no other block.
 *
 * Throws an error that names `file` if a block or an attribute is unknown, or if an attribute or
 * the content is missing.
 */
export function writeBlocks(page: string, file: string): string {
  const written = page.replace(USE, (_, name: string, attributes: string, content: string) => {
    try {
      return writeBlock(name, attributes, content.trim());
    } catch (error) {
      throw new Error(`${file}: <site-${name}>: ${(error as Error).message}`);
    }
  });
  const left = /<\/?site-[^>]*>/.exec(written);
  if (left) {
    throw new Error(`${file}: ${left[0]} is not closed, or within another block`);
  }
  return written;
}

function writeBlock(name: string, written: string, content: string): string {
  const block = Object.hasOwn(BLOCKS, name) ? BLOCKS[name]! : undefined;
  if (!block) {
    throw new Error(`no such block; there are ${Object.keys(BLOCKS).join(', ')}`);
  }
  const attributes: Record<string, string> = {};
  for (const [, key, value] of written.matchAll(/([a-z]+)="([^"]*)"/g)) {
    if (!Object.hasOwn(block.attributes, key!)) {
      throw new Error(`it has no attribute ${key}`);
    }
    attributes[key!] = value!;
  }
  for (const [key, value] of Object.entries(block.attributes)) {
    attributes[key] ??= value ?? fail(`it needs the attribute ${key}`);
  }
  if (content !== '' && block.text === '') {
    throw new Error('it has no content');
  }
  return block.write(attributes, content || (block.text ?? fail('it needs content')));
}

function fail(message: string): never {
  throw new Error(message);
}

/** Writes the blocks of each page, before other plugins read its content. */
export function blocks(): Plugin {
  return {
    name: 'lanthorn:blocks',
    transformIndexHtml: { order: 'pre', handler: (page, { filename }) => writeBlocks(page, filename) },
  };
}
