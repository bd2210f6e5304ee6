/**
 * The page of an entry, whose content is written by the site's build. Its example waits for the
 * first click.
 */
import '../../parts/base.css';
import '../../playground/style.css';
import '../reference.css';
import { byId } from '../../parts/dom';
import { linkOf } from '../../playground/link';

// A few examples cannot run in a page.
if (document.getElementById('program')) {
  const program = byId('program', HTMLTextAreaElement);
  const open = byId('open', HTMLAnchorElement);
  const playground = open.href;
  const run = () => void import('./example').then(({ execute }) => execute(program.value));
  byId('run', HTMLButtonElement).addEventListener('click', run);
  program.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  program.addEventListener('input', () => {
    const source = program.value;
    program.rows = source.split('\n').length + 1;
    // A program that is too long for a link is opened as it was.
    linkOf(source, playground).then((link) => program.value === source && (open.href = link)).catch(() => {});
  });
}
