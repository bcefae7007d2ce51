import {
  ABOUT_WORDS,
  ACKNOWLEDGED,
  ADDRESSED,
  ANNOUNCES,
  CONDITIONS,
  CONFIRMATION,
  COUNTED_IN_TALK,
  CURRENCY_BEFORE,
  DAYS,
  FIRST_PERSON,
  HERE,
  HOW_MUCH,
  IN_THE_JOB,
  INTERROGATIVE,
  JOB_UNIT,
  OURS,
  PAST,
  PRESENT,
  PROMISES,
  REPORTED,
  REQUEST,
  TALK,
  TEAM,
  YOU,
} from './job-words';
import { numbersIn } from './numbers';
import { isQuestion, sentencesOf } from './sentences';

/** What a reply may rest on. */
export interface Evidence {
  /** Texts of the plan, and facts that were said before. */
  readonly plan: readonly string[];
  /** The passages and facts that the model names; empty if it names none. */
  readonly named: readonly string[];
  /** The name of the company. */
  readonly company: string;
  /** What the candidate wrote: evidence for remarks about their own words, never for the company. */
  readonly said: readonly string[];
  /** The answer that is replied to. */
  readonly answer: string;
  /** Whether it asks something of the company, by the model; null: the model does not say. */
  readonly asks: boolean | null;
}

/**
 * Finds sentences that state something about the company, the job or the process without evidence. What is said
 * of the candidate's own words, what asks them something and what only leads on states nothing of the kind.
 * It sees by words, clause by clause, in English and Russian; it cannot tell whether a sentence is true.
 */
export class StatementCheck {
  private readonly plan: readonly Clause[];
  private readonly named: Clause | null;
  private readonly told: Clause;
  /** The beginnings of its name's words. */
  private readonly company: readonly string[];
  /** What the candidate asks. */
  private readonly questions: readonly Clause[];
  private readonly asksHowMuch: boolean;

  constructor(private readonly evidence: Evidence) {
    this.plan = evidence.plan.flatMap(sentencesOf).map(clauseOf);
    this.named = evidence.named.length === 0 ? null : clauseOf(evidence.named.join('\n'));
    this.company = wordsOf(evidence.company).map(rootOf);
    this.told = clauseOf(evidence.said.flatMap(sentencesOf).filter(isOwnWord).join('\n'));
    const asked = sentencesOf(evidence.answer).filter(isQuestion);
    this.questions = asked.map(clauseOf);
    this.asksHowMuch = this.questions.some(({ words }) => HOW_MUCH.test(words));
  }

  /** The sentence states something of the job that no evidence has. */
  isUnproven(sentence: string): boolean {
    return clausesOf(sentence).some((clause) => !this.isAllowed(clause));
  }

  /** The sentence replies to something that the candidate asks. */
  repliesToQuestion(sentence: string): boolean {
    return clausesOf(sentence).some(
      (clause) =>
        CONFIRMATION.test(clause.words) ||
        this.questions.some((asked) => sharedOf(clause, asked) > 0),
    );
  }

  private isAllowed(clause: Clause): boolean {
    if (CONFIRMATION.test(clause.words)) return this.questions.every((one) => this.mayConfirm(one));
    switch (this.kindOf(clause)) {
      case 'company':
        return this.isProven(clause);
      case 'question':
        return !hasClaims(clause) || !this.isOurs(clause) || this.isKnown(clause);
      case 'team':
        return this.isOfCandidate(clause) || this.isProven(clause);
      case 'candidate':
        return clause.isPast || this.isKnown(clause);
      case 'other':
        return this.isHarmless(clause);
    }
  }

  private kindOf(clause: Clause): 'company' | 'question' | 'team' | 'candidate' | 'other' {
    const { words } = clause;
    if (INTERROGATIVE.test(words) || REQUEST.test(words)) return 'question';
    if (PROMISES.test(words)) return 'company';
    if (IN_THE_JOB.test(words)) return 'company';
    if (this.isOurs(clause)) return 'company';
    if (TEAM.test(words) || (HERE.test(words) && hasClaims(clause))) return 'team';
    return YOU.test(words) && !REPORTED.test(words) ? 'candidate' : 'other';
  }

  private isOurs({ words }: Clause): boolean {
    const isNamed = this.company.length > 0 && this.company.every((root) => words.includes(` ${root}`));
    return isNamed || OURS.test(words.replace(TALK, ' '));
  }

  /** Of a team or a company that may be the candidate's own: told before, of the past, or only acknowledged. */
  private isOfCandidate(clause: Clause): boolean {
    const { words, isPast } = clause;
    if (!this.isKnown(clause)) return false;
    return isPast || ACKNOWLEDGED.test(words) || YOU.test(words) || this.isToldInPart(clause);
  }

  private isHarmless(clause: Clause): boolean {
    const { words, isPast, conditions, numbers } = clause;
    const isAsked = this.asksHowMuch || (this.questions.length > 0 && this.evidence.asks !== false);
    if (isAsked && numbers.some((one) => !this.isNumberKnown(one, clause))) return false;
    if (isPast && !REPORTED.test(words)) return true;
    const isOfJob = numbers.some(({ isOfJob }) => isOfJob);
    if (conditions.length === 0 && !isOfJob) return true;
    const isStating = PRESENT.test(words) && !ACKNOWLEDGED.test(words) && conditions.length > 0;
    return isStating ? this.isToldInPart(clause) || this.isProven(clause) : this.isKnown(clause);
  }

  /** Each number and condition stands in the evidence, or the candidate told it. */
  private isKnown(clause: Clause): boolean {
    return (
      clause.numbers.every((one) => this.isNumberKnown(one, clause)) &&
      clause.conditions.every((one) => this.sources.some((of) => of.conditions.includes(one)))
    );
  }

  private get sources(): Clause[] {
    return [...this.plan, ...(this.named === null ? [] : [this.named]), this.told];
  }

  private isNumberKnown(number: NumberOfClause, clause: Clause): boolean {
    return hasNumber(this.told, number) || this.isNumberProven(number, clause);
  }

  /** A plan has many numbers: it proves one only beside what it counts, or what the question is about. */
  private isNumberProven(number: NumberOfClause, clause: Clause): boolean {
    if (this.named !== null && hasNumber(this.named, number)) return true;
    const { counted } = number;
    return this.plan.some((one) => {
      if (!hasNumber(one, number)) return false;
      if (one.isRussian !== clause.isRussian) return true;
      if (counted.length > 0) return counted.some((stem) => one.stems.has(stem));
      return [clause, ...this.questions].some((of) => sharedStems(of, one) > 0);
    });
  }

  /** Half of its words are the candidate's. */
  private isToldInPart(clause: Clause): boolean {
    const shared = sharedOf(clause, this.told);
    return this.isKnown(clause) && shared > 0 && shared * 2 >= sizeOf(clause);
  }

  /** The evidence holds what the clause says, as far as words can show it. */
  private isProven(clause: Clause): boolean {
    const sources = [...this.plan, ...(this.named === null ? [] : [this.named])];
    const areNumbersKnown = clause.numbers.every((one) => this.isNumberProven(one, clause));
    const areKnown = clause.conditions.every((one) =>
      sources.some((of) => of.conditions.includes(one)),
    );
    const isNamedKnown = clause.names.every((one) => sources.some(({ stems }) => stems.has(one)));
    if (!areNumbersKnown || !areKnown || !isNamedKnown) return false;
    if (this.named !== null && (sizeOf(clause) === 0 || sharedOf(clause, this.named) > 0)) return true;
    return this.plan.some((one) => {
      const shared = sharedOf(clause, one);
      // Of a translation only the claims can be found.
      if (one.isRussian !== clause.isRussian) return shared > 0;
      return shared >= 2 && shared * 2 >= sizeOf(clause);
    });
  }

  /** Whether "yes" may follow this question of the candidate: it says what was asked. */
  private mayConfirm(asked: Clause): boolean {
    if (this.evidence.asks === true && this.named === null) return this.isProven(asked);
    if (ABOUT_WORDS.test(asked.words)) return true;
    const isOfCompany =
      hasClaims(asked) || this.isOurs(asked) || ADDRESSED.test(asked.words);
    return !isOfCompany || this.isProven(asked);
  }
}

/** Some part of the sentence asks the candidate something, by its form or its mark. */
export function asksSomething(sentence: string): boolean {
  return isQuestion(sentence) || clausesOf(sentence).some(({ words }) => REQUEST.test(words));
}

/** The sentence is a question, or begins by telling the candidate what to say. */
export function isOnlyAsking(sentence: string): boolean {
  const [first] = clausesOf(sentence);
  return isQuestion(sentence) || (first !== undefined && REQUEST.test(first.words));
}

/**
 * Whether the sentence asks for what `coming` asks, or leads to it. `known`: what the candidate wrote, which an
 * acknowledgement may repeat.
 */
export function resembles(sentence: string, coming: string, known: readonly string[]): boolean {
  const { words, stems } = clauseOf(sentence);
  const told = clauseOf(known.join('\n')).stems;
  const asked = clauseOf(coming).stems;
  const own = [...stems].filter((stem) => !told.has(stem));
  const shared = own.filter((stem) => asked.has(stem)).length;
  return ANNOUNCES.test(words) ? shared > 0 : shared >= 2 && shared * 2 >= own.length;
}

interface NumberOfClause {
  readonly values: readonly number[];
  /** It counts what belongs to a job: money, days, people. */
  readonly isOfJob: boolean;
  /** Stems of the words behind it. */
  readonly counted: readonly string[];
}

/** A part of a sentence, or a text of the evidence. */
interface Clause {
  /** In lower case, with a space around each and no marks. */
  readonly words: string;
  readonly stems: ReadonlySet<string>;
  readonly numbers: readonly NumberOfClause[];
  /** Which conditions of a job it mentions. */
  readonly conditions: readonly string[];
  /** Stems of names inside it. */
  readonly names: readonly string[];
  readonly isPast: boolean;
  readonly isRussian: boolean;
}

/** Not inside figures like "1,200" and "9:30". */
const CUT =
  /[;()!?]|[,:–—](?!\d)|(?<!\d)[,:–—]|\s-\s|\s(?=(?:and|but|so|because|while|и|а|но|поэтому|потому что)\s)/u;

function clausesOf(sentence: string): Clause[] {
  return sentence
    .split(CUT)
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map(clauseOf);
}

function clauseOf(text: string): Clause {
  const list = wordsOf(text);
  const words = ` ${list.join(' ')} `;
  return {
    words,
    stems: new Set(stemsOf(list)),
    numbers: numbersOf(text),
    conditions: conditionsIn(words),
    names: stemsOf(namesIn(text)),
    isPast: PAST.test(words),
    isRussian: /\p{Script=Cyrillic}/u.test(words),
  };
}

function conditionsIn(words: string): string[] {
  const named = Object.keys(CONDITIONS).filter((name) => CONDITIONS[name]?.test(words));
  return [...named, ...[...words.matchAll(DAYS)].map(([day]) => stemOf(day))];
}

function hasClaims({ numbers, conditions, names }: Clause): boolean {
  return numbers.length + conditions.length + names.length > 0;
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е').replace(/[’‘ʼ]/g, "'");
}

function wordsOf(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Names stand inside a text with a capital letter. */
function namesIn(text: string): string[] {
  const found = [...text.matchAll(/(?<=[\p{L}\p{N},»"'] [«"']?)\p{Lu}[\p{L}\p{N}-]+/gu)].map(([name]) => name);
  return found.map(plain);
}

/** In UTF-16 units: where the words that a number counts are looked for. */
const NEAR = 40;

/** "One" is hardly ever meant as a number. */
function numbersOf(text: string): NumberOfClause[] {
  return numbersIn(text)
    .filter(({ values, end }) => !values.includes(1) && !COUNTED_IN_TALK.test(text.slice(end, end + NEAR)))
    .map(({ values, start, end }) => {
      const isOfJob = JOB_UNIT.test(text.slice(end, end + NEAR)) || CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 2), start));
      const counted = stemsOf(wordsOf(text.slice(end, end + NEAR)).slice(0, 2));
      return { values, isOfJob, counted };
    });
}

function hasNumber({ numbers }: Clause, { values }: NumberOfClause): boolean {
  return numbers.some((one) => one.values.some((value) => values.includes(value)));
}

/** Words, numbers and conditions that both have. */
function sharedOf(clause: Clause, other: Clause): number {
  return sharedStems(clause, other) + clause.numbers.filter((one) => hasNumber(other, one)).length;
}

function sharedStems(clause: Clause, other: Clause): number {
  return [...clause.stems].filter((stem) => other.stems.has(stem)).length;
}

function sizeOf({ stems, numbers }: Clause): number {
  return stems.size + numbers.length;
}

const SHORTEST = 4;
const STEM = 5;
const EMPTY = new Set(
  (
    'about after also alright answer around because been before being both could does done each else even ' +
    'every everything from good great have having here into just know like made make many more most much ' +
    'name need noted okay only other over please question same should some sorry such sure tell than thank ' +
    'thanks that their them then there these they thing think this those very want well were what when where ' +
    'which while will with within without work would year years your yours ' +
    'больше будет была были было быть вами ваша ваше ваши ведь весь вместе вопрос всего всегда всех даже ' +
    'если есть ещё еще затем здесь именно когда которая которое которые который кстати лишь между меня много ' +
    'может можно надо него нужно один одна около очень перед после потом потому почти поэтому понятно просто ' +
    'самый себя сейчас спасибо также такой там тоже только того хорошо чего через чтобы этого этой этом этот'
  )
    .split(' ')
    .map(stemOf),
);

function stemOf(word: string): string {
  return word.replace(/(?:'s|ing|ed|es|s|ly)$/u, '').slice(0, STEM);
}

/** Without a case ending. */
function rootOf(word: string): string {
  return word.slice(0, Math.max(3, word.length - 2));
}

/** The beginnings of the words that carry meaning. */
function stemsOf(words: readonly string[]): string[] {
  return words
    .filter((word) => word.length >= SHORTEST && /^\p{L}/u.test(word))
    .map(stemOf)
    .filter((stem) => !EMPTY.has(stem));
}

/**
 * A sentence of the candidate about themselves. One that asks, or says how the job is ("So the salary is
 * 5,000"), proves nothing.
 */
function isOwnWord(sentence: string): boolean {
  if (isQuestion(sentence)) return false;
  const { words, conditions, isPast } = clauseOf(sentence);
  const isOfJob = conditions.length > 0 && /^ (?:so|then|то есть|значит|а) | (?:is|are) /u.test(words);
  return !isOfJob || isPast || FIRST_PERSON.test(words);
}
