/** The table of sizes, speeds and losses. */
import { byId, make } from '../../parts/dom';
import type { Metrics } from '../../parts/training/automation';
import type { Compared, Speaker } from './protocol';
import { inBytes, rateInWords } from './words';

const NAMES: Readonly<Record<Speaker, string>> = { learned: 'float32', q8_0: '8 bit (q8_0)', q4_0: '4 bit (q4_0)', opened: '' };

const table = () => byId('comparison', HTMLTableElement);
const frame = () => byId('comparison-frame', HTMLElement);

export function showComparison(step: number, rows: readonly Compared[]): Metrics {
  const whole = rows[0]!.bytes;
  frame().hidden = false;
  byId('comparison-words', HTMLElement).textContent = `At step ${step}. The speed is the best of three short replies.`;
  const cells = ({ speaker, bytes, tokensPerSecond, loss }: Compared) =>
    [NAMES[speaker], inBytes(bytes), `${Math.round((100 * bytes) / whole)} %`, rateInWords(tokensPerSecond), loss.toFixed(4)];
  const body = table().tBodies[0]!;
  body.replaceChildren(...rows.map((row) => make('tr', {}, cells(row).map((textContent, index) =>
    index === 0 ? make('th', { scope: 'row', textContent }) : make('td', { textContent })))));
  return Object.fromEntries(rows.flatMap(({ speaker, bytes, loss }) => [[`${speaker}Bytes`, bytes], [`${speaker}Loss`, loss]]));
}

export function hideComparison(): void {
  frame().hidden = true;
  byId('comparison-words', HTMLElement).textContent = '';
}
