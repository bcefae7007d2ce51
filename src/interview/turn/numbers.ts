/** A number of a text and its place there. */
export interface NumberInText {
  readonly start: number;
  readonly end: number;
  /** What it may mean: "1,200" is 1200 in English and 1.2 in Russian. */
  readonly values: readonly number[];
}

/**
 * The numbers of a text, in figures ("1,200", "1 200", "1.2k", "4 млн") and in words, English and Russian.
 * Of "140 to 180 thousand" the first may mean 140,000 too.
 */
export function numbersIn(text: string): NumberInText[] {
  const found: NumberInText[] = [];
  let open: Reading | null = null;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const { 0: word, index } = token;
    // "A hundred and eighty"
    if (word === 'and' && open !== null) continue;
    const end = index + word.length;
    const part = partOf(word);
    const gap: string | null = open === null ? null : text.slice(open.end, index);
    const joined: Reading | null =
      part === null || gap === null ? null : joinedOver(gap, open, part, end);
    if (joined === null && open !== null) found.push(numberOf(open));
    open = joined ?? (part === null ? null : begun(part, index, end));
  }
  if (open !== null) found.push(numberOf(open));
  return found.map((one, at) => withScaleOf(text, one, found[at + 1]));
}

/** The word is a number, or a factor as "thousand" is. */
export function isNumberWord(word: string): boolean {
  return word.length > 1 && partOf(word) !== null;
}

/** What a word adds: `figures` and `count` a value, `scale` a factor. */
interface Part {
  readonly kind: 'figures' | 'count' | 'scale';
  readonly values: readonly number[];
}

/** A number that may go on. `room`: what the next word of a count has to be less than. */
interface Reading {
  readonly start: number;
  readonly end: number;
  readonly done: number;
  readonly values: readonly number[];
  readonly room: number;
}

const FIGURES = String.raw`(?<![\d.,])\d{1,3}(?:[,.\u0020\u00a0\u202f]\d{3})+(?![\d])|\d+(?:[.,]\d+)?`;
const TOKEN = new RegExp(String.raw`${FIGURES}|\p{L}+`, 'gu');
const JOINS = /^(?:[\s-]?|\s+and\s+)$/u;

function partOf(word: string): Part | null {
  if (/^\d/.test(word)) return { kind: 'figures', values: figuresOf(word) };
  const plain = word.normalize('NFKC').toLowerCase().replace(/ё/g, 'е');
  const scale = SCALES.find(([form]) => form.test(plain))?.[1];
  if (scale !== undefined) return { kind: 'scale', values: [scale] };
  const count = COUNTS.get(plain);
  return count === undefined ? null : { kind: 'count', values: [count] };
}

function figuresOf(figures: string): number[] {
  const decimal = Number(figures.replace(',', '.'));
  const groups = figures.split(/[^\d]/u);
  const isGrouped = groups.length > 1 && groups.slice(1).every(({ length }) => length === 3);
  const whole = isGrouped ? [Number(groups.join(''))] : [];
  return Number.isNaN(decimal) ? whole : [...whole, decimal];
}

function begun({ kind, values }: Part, start: number, end: number): Reading | null {
  // A letter like "k" is a factor only behind a number.
  if (kind === 'scale') {
    const [value = 0] = values;
    return end - start < 3 ? null : { start, end, done: 0, values: [value], room: value };
  }
  return { start, end, done: 0, values, room: kind === 'figures' ? 0 : roomBelow(values[0] ?? 0) };
}

/** The longer number; null if this word begins another one. */
function joinedOver(gap: string, open: Reading | null, part: Part, end: number): Reading | null {
  if (open === null || !JOINS.test(gap)) return null;
  const { kind, values } = part;
  const [value = 0] = values;
  if (kind === 'scale')
    return gap !== '' && isLetter(open, gap, end) ? null : scaledBy(value, open, end);
  if (kind === 'figures' || value >= open.room) return null;
  return { ...open, end, values: open.values.map((one) => one + value), room: roomBelow(value) };
}

/** "5 к 6" is no "5k". */
function isLetter(open: Reading, gap: string, end: number): boolean {
  return end - open.end - gap.length === 1;
}

function scaledBy(factor: number, { start, done, values }: Reading, end: number): Reading {
  const scaled = values.map((one) => one * factor);
  const [sum = 0] = scaled;
  // More words may be added to a count, and none to figures that can be read in two ways.
  if (factor < 1000 || scaled.length > 1) return { start, end, done, values: scaled, room: factor };
  return { start, end, done: done + sum, values: [0], room: factor };
}

/** "Twenty" leaves room for "five", "two hundred" for "fifty". */
function roomBelow(value: number): number {
  if (value >= 100) return 100;
  return value >= 20 ? 10 : 0;
}

function numberOf({ start, end, done, values }: Reading): NumberInText {
  return { start, end, values: values.map((value) => done + value) };
}

const RANGE = /^\s*(?:[–—-]|to|and|до|и)\s*$/u;

function withScaleOf(text: string, one: NumberInText, next?: NumberInText): NumberInText {
  if (next === undefined || !RANGE.test(text.slice(one.end, next.start))) return one;
  const scale = scaleIn(text.slice(next.start, next.end));
  const isScaled = scale === 1 || scaleIn(text.slice(one.start, one.end)) !== 1;
  return isScaled ? one : { ...one, values: [...one.values, ...one.values.map((n) => n * scale)] };
}

function scaleIn(text: string): number {
  const words = text.match(/\p{L}+/gu) ?? [];
  const last = partOf(words.at(-1) ?? '');
  return last?.kind === 'scale' ? (last.values[0] ?? 1) : 1;
}

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^hundreds?$/u, 100],
  [/^(?:k|к|thousands?|тыс|тысяч\p{L}*)$/u, 1000],
  [/^(?:m|mln|millions?|млн|миллион\p{L}*)$/u, 1_000_000],
  [/^(?:bn|billions?|млрд|миллиард\p{L}*)$/u, 1_000_000_000],
];

/** Every form of a word, by its value. */
const FORMS: readonly (readonly [number, string])[] = [
  [0, 'zero ноль нуля нулю нулем'],
  [1, 'one один одна одно одного одной одному одну одним'],
  [1.5, 'полтора полторы полутора'],
  [2, 'two два две двух двум двумя двое двоих'],
  [3, 'three три трех трем тремя трое троих'],
  [4, 'four четыре четырех четырем четырьмя четверо четверых'],
  [5, 'five пять пяти пятью пятеро пятерых'],
  [6, 'six шесть шести шестью шестеро шестерых'],
  [7, 'seven семь семи семью семеро семерых'],
  [8, 'eight восемь восьми восемью восьмью восьмеро'],
  [9, 'nine девять девяти девятью девятеро'],
  [10, 'ten десять десяти десятью десятеро десятка десяток'],
  [11, 'eleven одиннадцать одиннадцати'],
  [12, 'twelve dozen двенадцать двенадцати дюжина дюжину'],
  [13, 'thirteen тринадцать тринадцати'],
  [14, 'fourteen четырнадцать четырнадцати'],
  [15, 'fifteen пятнадцать пятнадцати пятнадцатью'],
  [16, 'sixteen шестнадцать шестнадцати'],
  [17, 'seventeen семнадцать семнадцати'],
  [18, 'eighteen восемнадцать восемнадцати'],
  [19, 'nineteen девятнадцать девятнадцати'],
  [20, 'twenty двадцать двадцати двадцатью'],
  [30, 'thirty тридцать тридцати тридцатью'],
  [40, 'forty сорок сорока'],
  [50, 'fifty пятьдесят пятидесяти'],
  [60, 'sixty шестьдесят шестидесяти'],
  [70, 'seventy семьдесят семидесяти'],
  [80, 'eighty восемьдесят восьмидесяти'],
  [90, 'ninety девяносто девяноста'],
  [100, 'сто ста сотня сотню сотни'],
  [200, 'двести двухсот двумстам'],
  [300, 'триста трехсот тремстам'],
  [400, 'четыреста четырехсот'],
  [500, 'пятьсот пятисот'],
  [600, 'шестьсот шестисот'],
  [700, 'семьсот семисот'],
  [800, 'восемьсот восьмисот'],
  [900, 'девятьсот девятисот'],
];

const COUNTS: ReadonlyMap<string, number> = new Map(
  FORMS.flatMap(([value, forms]) => forms.split(' ').map((form) => [form, value] as const)),
);
