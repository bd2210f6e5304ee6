/** The text of a visitor who pastes none: sentences of a small grammar, whose words have kinds. */
import { uniform } from '../../parts/random';

/** The words of each kind, which have the same positions in sentences. */
export const KINDS: Readonly<Record<string, readonly string[]>> = {
  animals: ['cat', 'dog', 'horse', 'sheep', 'goat', 'hen', 'duck', 'mouse'],
  food: ['bread', 'cheese', 'soup', 'rice', 'apples', 'honey', 'fish', 'beans'],
  cities: ['paris', 'rome', 'vienna', 'lisbon', 'oslo', 'athens', 'prague', 'dublin'],
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  colours: ['red', 'blue', 'green', 'white', 'black', 'brown', 'yellow', 'grey'],
  people: ['farmer', 'teacher', 'doctor', 'baker', 'painter', 'sailor', 'singer', 'judge'],
};

/** A name in braces is replaced by a word of that kind. */
const SENTENCES: readonly string[] = [
  'the {animals} sleeps in the barn beside the {animals}',
  'a {colours} {animals} runs over the field to the {animals}',
  'the {people} feeds the {animals} on {days}',
  'for lunch the {people} cooks {food} with {food}',
  'we ate {food} and {food} at the table',
  'she buys fresh {food} at the market on {days}',
  'the train from {cities} to {cities} leaves on {days}',
  'the {people} flew to {cities} and then to {cities}',
  'the museums of {cities} are closed on {days}',
  'between {days} and {days} the weather was fine',
  'the {people} painted the wall {colours} and the door {colours}',
  'her coat is {colours} and her hat is {colours}',
  'the {people} met the {people} in {cities}',
  'the {people} and the {people} sing together',
];

/** `count` sentences, the same for the same seed. */
export function madeText(count: number, seed = 1): string {
  const random = uniform(seed);
  const one = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const lines = Array.from({ length: count }, () => one(SENTENCES).replace(/\{(\w+)\}/g, (_, kind: string) => one(KINDS[kind]!)));
  return lines.map((line) => `${line}.`).join('\n');
}

/** The kind of a word of the made text. */
export function kindOf(word: string): string | undefined {
  return Object.keys(KINDS).find((kind) => KINDS[kind]!.includes(word));
}
