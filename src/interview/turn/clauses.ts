import {
  CONDITIONS,
  COUNTED_IN_TALK,
  CURRENCY_BEFORE,
  DAYS,
  JOB_UNIT,
  ONLY_ACKNOWLEDGED,
  PAST,
  PRESENT,
} from './job-words';
import { isNumberWord, numbersIn } from './numbers';

/** A part of a sentence, or a text of the evidence. */
export interface Clause {
  /** In lower case, with a space around each and no marks. */
  readonly words: string;
  /** The beginnings of the words that carry meaning. */
  readonly stems: ReadonlySet<string>;
  readonly numbers: readonly NumberOfClause[];
  /** The conditions of a job that it mentions. */
  readonly conditions: readonly Condition[];
  /** Stems of the days that it names. */
  readonly days: readonly string[];
  /** Stems of names inside it. */
  readonly names: readonly string[];
  readonly isPast: boolean;
  readonly isPresent: boolean;
  readonly isRussian: boolean;
  /** It says how something is, without a verb: "график гибкий". */
  readonly isPredicate: boolean;
}

/** A condition of a job in a text. */
export interface Condition {
  readonly name: string;
  /** Of the words that mention it. */
  readonly stems: readonly string[];
}

export interface NumberOfClause {
  readonly values: readonly number[];
  /** It counts what belongs to a job: money, days, people. */
  readonly isOfJob: boolean;
  /** Stems of the words behind it. */
  readonly counted: readonly string[];
}

/** Ends in an adjective behind a word that is none. */
const PREDICATE = /(?<!(?:ый|ий|ой|ая|яя|ое|ее|ые|ие)) \p{L}{2,}(?:ый|ий|ая|яя|ое|ее|ые|ие) $/u;

/** Not inside figures like "1,200" and "9:30". */
const CUT =
  /[;()!?]|[,:–—](?!\d)|(?<!\d)[,:–—]|\s-\s|(?<!hundred|thousand)\s(?=(?:and|but|so|because|while|и|а|но|поэтому|потому что)\s)/u;

/** Words between commas that belong to no clause of their own. */
const INSERTED =
  /, (unfortunately|however|of course|by the way|i'm afraid|к сожалению|конечно|кстати|наверное|впрочем|пожалуй),/giu;

/** The clauses of a sentence. What is acknowledged belongs to its "noted", and words without a verb to an "and". */
export function clausesOf(sentence: string): Clause[] {
  const texts: string[] = [];
  for (const part of sentence.replace(INSERTED, ' $1 ').split(CUT)) {
    if (!/[\p{L}\p{N}]/u.test(part)) continue;
    const before = texts.at(-1);
    if (before === undefined || !belongsTo(part, before)) texts.push(part);
    else texts[texts.length - 1] = `${before} ${part}`;
  }
  return texts.map(clauseOf);
}

/** In UTF-16 units. */
const LONGEST = 300;

function belongsTo(part: string, before: string): boolean {
  if (before.length > LONGEST) return false;
  const words = spaced(wordsOf(part));
  const isAcknowledging = ONLY_ACKNOWLEDGED.test(words);
  if (!isAcknowledging && !/^ (?:and|и) /u.test(words)) return false;
  const list = wordsOf(before);
  const hasVerb = PAST.test(spaced(list)) || PRESENT.test(spaced(list));
  return stemsOf(list).length > 0 && (isAcknowledging || !hasVerb);
}

/** What of a clause is compared by its words alone. */
export type Phrase = Pick<Clause, 'words' | 'stems' | 'names'>;

export function phraseOf(text: string): Phrase {
  const list = wordsOf(text);
  const names = namesIn(text).map(stemOf);
  return { words: spaced(list), stems: new Set([...stemsOf(list), ...names]), names };
}

export function clauseOf(text: string): Clause {
  // Named one by one, because properties behind a spread take as long as all expressions here.
  const { words, stems, names } = phraseOf(text);
  return {
    words,
    stems,
    names,
    numbers: numbersOf(text),
    conditions: conditionsIn(words),
    days: (words.match(DAYS) ?? []).map((day) => stemOf(day.split(' ').at(-1) ?? day)),
    isPast: PAST.test(words),
    isPresent: PRESENT.test(words),
    isPredicate: PREDICATE.test(words),
    isRussian: /\p{Script=Cyrillic}/u.test(words),
  };
}

const NAMED_CONDITIONS = Object.entries(CONDITIONS);

function conditionsIn(words: string): Condition[] {
  return NAMED_CONDITIONS.flatMap(([name, form]) => {
    const found = form.exec(words)?.[0];
    return found === undefined ? [] : [{ name, stems: stemsOf(wordsOf(found)) }];
  });
}

/** The text has this condition, in whatever words. */
export function hasCondition({ conditions }: Clause, { name }: Condition): boolean {
  return conditions.some((one) => one.name === name);
}

/** The text has the words of this condition. */
export function hasWordsOf({ stems }: Clause, condition: Condition): boolean {
  return condition.stems.length > 0 && condition.stems.every((stem) => stems.has(stem));
}

export function hasClaims({ numbers, conditions, days, names }: Clause): boolean {
  return numbers.length + conditions.length + days.length + names.length > 0;
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е').replace(/[’‘ʼ]/g, "'");
}

function spaced(list: readonly string[]): string {
  return ` ${list.join(' ')} `;
}

export function wordsOf(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Names stand inside a text with a capital letter. */
function namesIn(text: string): string[] {
  const found = text.match(/(?<=[\p{L}\p{N},»"'] [«"']?)\p{Lu}[\p{L}\p{N}-]+/gu) ?? [];
  return found.map(plain);
}

/** In UTF-16 units: where the words that a number counts are looked for. */
const NEAR = 40;

/** "One" is hardly ever meant as a number, and "two or three sentences" are none of a job. */
function numbersOf(text: string): NumberOfClause[] {
  const behind = (end: number): string => text.slice(end, end + NEAR);
  return numbersIn(text)
    .filter(({ values, end }) => !values.includes(1) && !COUNTED_IN_TALK.test(behind(end)))
    .map(({ values, start, end }) => {
      const isOfJob =
        JOB_UNIT.test(behind(end)) || CURRENCY_BEFORE.test(text.slice(0, start).slice(-2));
      return { values, isOfJob, counted: stemsOf(wordsOf(behind(end)).slice(0, 2)) };
    });
}

export function hasNumber({ numbers }: Clause, number: NumberOfClause): boolean {
  return numbers.some((one) => isSame(one, number));
}

export function isSame(one: NumberOfClause, other: NumberOfClause): boolean {
  return one.values.some((value) => other.values.includes(value));
}

/** Words, numbers and conditions that both have. */
export function sharedOf(clause: Clause, other: Clause): number {
  return sharedStems(clause, other) + clause.numbers.filter((one) => hasNumber(other, one)).length;
}

export function sharedStems(clause: Clause, other: Clause): number {
  return [...clause.stems].filter((stem) => other.stems.has(stem)).length;
}

/** The clause without the words that begin like these. */
export function withoutStems(clause: Clause, roots: readonly string[]): Clause {
  const isOf = (stem: string, root: string): boolean =>
    stem.startsWith(root) || root.startsWith(stem);
  const stems = [...clause.stems].filter((stem) => !roots.some((root) => isOf(stem, root)));
  return { ...clause, stems: new Set(stems) };
}

export function sizeOf({ stems, numbers }: Clause): number {
  return stems.size + numbers.length;
}

const ENDING =
  /(?:'s|ing|ed|es|s|ly|ами|ями|ого|его|ому|ему|ыми|ими|ых|их|ов|ев|ах|ях|ам|ям|ом|ем|ым|им|[аеиоуыэюяйь]+)$/u;
const SHORTEST = 3;
const STEM = 5;
const EMPTY = new Set(
  (
    'all and any are but can did for get got had has her him his how its let may nor not now off old our out ' +
    'own she the too two use via was way who why yes yet you ' +
    'без был вам вас вот все где для его ещё еще как кто мне мой моя над нам нас нет они она оно под при раз ' +
    'сам так там тем тех тот тут уже чем что это эта эти этой или если ' +
    'about after also alright answer around because been before being both could does done each else even ' +
    'every everything from good great have having here into just know like made make many more most much ' +
    'name need noted okay only other over please question same should some sorry such sure tell than thank ' +
    'thanks that their them then there these they thing think this those very want well were what when where ' +
    'which while will with within without work would year years your yours ' +
    'больше скоро пока будет была были было быть вами ваша ваше ваши ведь весь вместе вопрос всего всегда всех всеми ' +
    'даже бывает виду значит имеется любой любое любые нужен нужна нужны ' +
    'если есть ещё еще затем здесь именно когда которая которое которые который кстати лишь между меня много ' +
    'может можно надо него нужно один одна около очень перед после потом потому почти поэтому понятно просто ' +
    'самый себя сейчас спасибо также такой там тоже только того хорошо чего через чтобы этого этой этом этот'
  )
    .split(' ')
    .map(stemOf),
);

function stemOf(word: string): string {
  return word.replace(ENDING, '').slice(0, STEM);
}

/** Without a case ending. */
export function rootOf(word: string): string {
  return word.slice(0, Math.max(3, word.length - 2));
}

/** The beginnings of the words that carry meaning. */
function stemsOf(words: readonly string[]): string[] {
  return words
    .filter((word) => word.length >= SHORTEST && /^\p{L}/u.test(word) && !isNumberWord(word))
    .map(stemOf)
    .filter((stem) => !EMPTY.has(stem));
}
