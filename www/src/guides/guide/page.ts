/** The page of a guide, whose content is written by the site's build. */
import '../../parts/base.css';
import '../guides.css';
import { showCode } from '../../parts/code';

for (const code of document.querySelectorAll<HTMLElement>('code[data-language=js], code[data-language=rust]')) {
  showCode(code, code.textContent ?? '');
}
