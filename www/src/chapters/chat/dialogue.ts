/** Texts in which two people talk, and the text that the page offers to learn from. */

const YOU = 'You: ';
const ME = 'Me: ';
/**
 * The text that ends an answer of a model that has learnt from such a text: answers are one line.
 */
export const STOP = '\n';

/** Whether a text has questions and answers in the form that this page writes. */
export function isDialogue(text: string): boolean {
  return /^You: .*\nMe: /m.test(text);
}

/** A question in the form of such a text, up to the beginning of the answer. */
export function formatQuestion(question: string): string {
  return `${YOU}${question.trim().replace(/\s+/g, ' ')}\n${ME}`;
}

const ANIMALS: readonly (readonly [name: string, home: string, food: string, legs: string, sound: string])[] = [
  ['fox', 'in a den', 'mice and berries', 'four', 'barks'],
  ['owl', 'in a hollow tree', 'mice', 'two', 'hoots'],
  ['horse', 'in a stable', 'hay and oats', 'four', 'neighs'],
  ['bee', 'in a hive', 'nectar', 'six', 'hums'],
  ['spider', 'in a web', 'flies', 'eight', 'makes no sound'],
  ['frog', 'in a pond', 'flies', 'four', 'croaks'],
  ['cow', 'in a meadow', 'grass', 'four', 'moos'],
  ['hen', 'in a coop', 'corn', 'two', 'clucks'],
  ['wolf', 'in the forest', 'deer', 'four', 'howls'],
  ['duck', 'on a lake', 'water plants', 'two', 'quacks'],
  ['snail', 'in its shell', 'leaves', 'no', 'makes no sound'],
  ['robin', 'in a nest', 'worms', 'two', 'sings'],
];

const QUESTIONS: readonly ((animal: (typeof ANIMALS)[number]) => readonly [question: string, answer: string])[] = [
  ([name, home]) => [`Where does the ${name} live?`, `The ${name} lives ${home}.`],
  ([name, home]) => [`Where can I find the ${name}?`, `You find the ${name} ${home}.`],
  ([name, , food]) => [`What does the ${name} eat?`, `The ${name} eats ${food}.`],
  ([name, , food]) => [`What shall I feed the ${name}?`, `Feed the ${name} ${food}.`],
  ([name, , , legs]) => [`How many legs has the ${name}?`, `The ${name} has ${legs} legs.`],
  ([name, , , , sound]) => [`What does the ${name} say?`, `The ${name} ${sound}.`],
];

const DIALOGUES = 700;

/** Questions about animals and their answers, in an order that is always the same. */
export function sampleText(): string {
  // A linear congruential generator (Numerical Recipes).
  let state = 7;
  const pick = <T>(from: readonly T[]): T => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)]!;
  };
  return Array.from({ length: DIALOGUES }, () => {
    const [question, answer] = pick(QUESTIONS)(pick(ANIMALS));
    return `${YOU}${question}\n${ME}${answer}\n`;
  }).join('\n');
}
