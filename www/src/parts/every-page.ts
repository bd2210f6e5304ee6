/** The script of every page, which runs after the page's own. */
import { offerFreshStart } from './fresh-start';

/** Elements that the page's own script replaces or fills, some of them later. */
const AWAITED = '#training, :is(.toolbar, .standing) > .fields:empty';

/** Shows the content after the fields, if they are there. */
function release(): boolean {
  const isReady = document.querySelector(AWAITED) === null;
  document.body.classList.toggle('held', !isReady);
  return isReady;
}

if (!release()) {
  const observer = new MutationObserver(() => void (release() && observer.disconnect()));
  observer.observe(document.body, { childList: true, subtree: true });
}
offerFreshStart();
