/**
 * Generated people who answer the questions of an interview in several messages each. Fixed before
 * anything was tuned on them.
 *
 * The time between two messages is a pause and then the typing of the next message.
 *
 *   speed   words (5 characters) a minute. At a keyboard 51.6, standard deviation 20.2: Dhakal, Feit,
 *           Kristensson, Oulasvirta, "Observations on Typing from 136 Million Keystrokes", CHI 2018.
 *           On a phone 36.2, deviation 13.2: Palin, Feit, Kim, Kristensson, Oulasvirta, "How do People
 *           Type on Mobile Devices?", MobileHCI 2019.
 *   pause   log-normal: pauses in writing are skewed, and their logarithms come near to a normal
 *           distribution or to a mixture of several (Baaijen, Galbraith, de Glopper, "Keystroke
 *           Analysis: Reflections on Procedures and Measures", Written Communication 29(3), 2012). So
 *           some writers here mix two.
 *   change  people do not keep one rhythm: times between actions are bursty, with heavy tails (Barabási,
 *           "The origin of bursts and heavy tails in human dynamics", Nature 435, 2005). So each answer
 *           has a tempo of its own, one kind grows slower and slower, and one is interrupted.
 *
 * No source that we know gives the medians of pauses, the lengths and the number of messages, or how
 * often a message of an unfinished answer ends in a full stop. These are assumptions, and the kinds
 * are spread wide around them for that reason. Full stops are not reliable in chats, so half of the
 * kinds seldom set one.
 */

export type End = 'complete' | 'unfinished' | 'unclear';

export interface WrittenMessage {
  /** From the message before it in the same answer, in ms; 0 for the first. */
  readonly gapMs: number;
  /** From the message before it to the first key of this one. */
  readonly pauseMs: number;
  readonly end: End;
  readonly chars: number;
}

export type WrittenAnswer = readonly WrittenMessage[];

export interface Writer {
  readonly kind: string;
  readonly answers: readonly WrittenAnswer[];
}

interface Kind {
  readonly name: string;
  readonly speed: { readonly mean: number; readonly deviation: number };
  /** Median and sigma of the logarithm, in seconds. */
  readonly pause: readonly {
    readonly share: number;
    readonly median: number;
    readonly sigma: number;
  }[];
  /** How much people of the kind differ from each other, as the sigma of a factor. */
  readonly between: number;
  /** How much the answers of one person differ from each other. */
  readonly tempo: number;
  /** By how much each answer is slower than the one before it. */
  readonly drift: number;
  readonly chars: { readonly median: number; readonly sigma: number };
  /** Another message follows with this probability, up to 12. */
  readonly goesOn: number;
  /** Probability of a closing sign at the end of the answer, and after an earlier message. */
  readonly closes: { readonly last: number; readonly earlier: number };
  /** Probability that an earlier message ends in a comma, a dash or "and". */
  readonly breaksOff: number;
}

const KEYBOARD = { mean: 51.6, deviation: 20.2 };
const PHONE = { mean: 36.2, deviation: 13.2 };

const KINDS: readonly Kind[] = [
  {
    name: 'quick, at a keyboard',
    speed: KEYBOARD,
    pause: [{ share: 1, median: 0.8, sigma: 0.6 }],
    between: 0.3,
    tempo: 0.1,
    drift: 1,
    chars: { median: 18, sigma: 0.5 },
    goesOn: 0.7,
    closes: { last: 0.3, earlier: 0.05 },
    breaksOff: 0.15,
  },
  {
    name: 'quick, on a phone',
    speed: PHONE,
    pause: [{ share: 1, median: 0.8, sigma: 0.6 }],
    between: 0.3,
    tempo: 0.1,
    drift: 1,
    chars: { median: 12, sigma: 0.5 },
    goesOn: 0.7,
    closes: { last: 0.2, earlier: 0.05 },
    breaksOff: 0.15,
  },
  {
    name: 'whole sentences, at a keyboard',
    speed: KEYBOARD,
    pause: [{ share: 1, median: 2, sigma: 0.7 }],
    between: 0.3,
    tempo: 0.2,
    drift: 1,
    chars: { median: 45, sigma: 0.5 },
    goesOn: 0.6,
    closes: { last: 0.8, earlier: 0.45 },
    breaksOff: 0.2,
  },
  {
    name: 'whole sentences, on a phone',
    speed: PHONE,
    pause: [{ share: 1, median: 2, sigma: 0.7 }],
    between: 0.3,
    tempo: 0.2,
    drift: 1,
    chars: { median: 35, sigma: 0.5 },
    goesOn: 0.6,
    closes: { last: 0.8, earlier: 0.45 },
    breaksOff: 0.2,
  },
  {
    name: 'one long message, sometimes more',
    speed: KEYBOARD,
    pause: [{ share: 1, median: 3, sigma: 0.8 }],
    between: 0.3,
    tempo: 0.2,
    drift: 1,
    chars: { median: 150, sigma: 0.5 },
    goesOn: 0.25,
    closes: { last: 0.9, earlier: 0.7 },
    breaksOff: 0.05,
  },
  {
    name: 'thinks for long',
    speed: PHONE,
    pause: [{ share: 1, median: 7, sigma: 0.8 }],
    between: 0.4,
    tempo: 0.3,
    drift: 1,
    chars: { median: 25, sigma: 0.5 },
    goesOn: 0.6,
    closes: { last: 0.5, earlier: 0.2 },
    breaksOff: 0.2,
  },
  {
    name: 'irregular: quick bursts and long pauses',
    speed: KEYBOARD,
    pause: [
      { share: 0.75, median: 0.8, sigma: 0.5 },
      { share: 0.25, median: 9, sigma: 0.9 },
    ],
    between: 0.3,
    tempo: 0.4,
    drift: 1,
    chars: { median: 20, sigma: 0.7 },
    goesOn: 0.7,
    closes: { last: 0.4, earlier: 0.15 },
    breaksOff: 0.1,
  },
  {
    name: 'grows slower from answer to answer',
    speed: PHONE,
    pause: [{ share: 1, median: 1, sigma: 0.6 }],
    between: 0.3,
    tempo: 0.2,
    drift: 1.15,
    chars: { median: 14, sigma: 0.5 },
    goesOn: 0.65,
    closes: { last: 0.3, earlier: 0.1 },
    breaksOff: 0.15,
  },
  {
    name: 'interrupted now and then',
    speed: KEYBOARD,
    pause: [
      { share: 0.92, median: 1, sigma: 0.6 },
      { share: 0.08, median: 30, sigma: 0.7 },
    ],
    between: 0.3,
    tempo: 0.2,
    drift: 1,
    chars: { median: 20, sigma: 0.5 },
    goesOn: 0.65,
    closes: { last: 0.4, earlier: 0.1 },
    breaksOff: 0.1,
  },
];

/** Answers of one interview: the examples of this project ask 6 to 8 questions, with follow-ups. */
const ANSWERS = 10;
const MOST_MESSAGES = 12;
const SLOWEST_WPM = 10;
const CHARS_PER_WORD = 5;

/** As many writers of each kind; the same ones for the same seed. */
export function makeWriters(seed: number, ofEachKind: number): Writer[] {
  const random = randomFrom(seed);
  return KINDS.flatMap((kind) =>
    Array.from({ length: ofEachKind }, () => makeWriter(kind, random)),
  );
}

function makeWriter(kind: Kind, random: () => number): Writer {
  const wpm = Math.max(SLOWEST_WPM, kind.speed.mean + kind.speed.deviation * normal(random));
  const msPerChar = 60_000 / (wpm * CHARS_PER_WORD);
  const own = Math.exp(kind.between * normal(random));
  const answers = Array.from({ length: ANSWERS }, (_, n) => {
    const tempo = own * Math.exp(kind.tempo * normal(random)) * kind.drift ** n;
    return makeAnswer(kind, { msPerChar, tempo }, random);
  });
  return { kind: kind.name, answers };
}

function makeAnswer(
  kind: Kind,
  { msPerChar, tempo }: { msPerChar: number; tempo: number },
  random: () => number,
): WrittenAnswer {
  let count = 1;
  while (count < MOST_MESSAGES && random() < kind.goesOn) count += 1;
  return Array.from({ length: count }, (_, n) => {
    const chars = 1 + kind.chars.median * Math.exp(kind.chars.sigma * normal(random));
    const pauseMs = 1000 * tempo * pauseOf(kind, random);
    const gapMs = n === 0 ? 0 : pauseMs + chars * msPerChar;
    return {
      gapMs,
      pauseMs: n === 0 ? 0 : pauseMs,
      chars,
      end: endOf(kind, n === count - 1, random),
    };
  });
}

function pauseOf({ pause }: Kind, random: () => number): number {
  let rest = random();
  const chosen = pause.find(({ share }) => (rest -= share) < 0) ?? pause.at(-1);
  if (chosen === undefined) throw new Error('a kind of writer has no pauses');
  return chosen.median * Math.exp(chosen.sigma * normal(random));
}

function endOf({ closes, breaksOff }: Kind, isLast: boolean, random: () => number): End {
  const value = random();
  if (isLast) return value < closes.last ? 'complete' : 'unclear';
  if (value < closes.earlier) return 'complete';
  return value < closes.earlier + breaksOff ? 'unfinished' : 'unclear';
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Mulberry32: small, and the same numbers on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
