import type { InterviewPlan } from '../../vacancies';
import type { QuestionMark } from '../../streams';
import {
  type TurnDecision,
  type Observations,
  completeReply,
  paragraphs,
  type Verdict,
} from '../plan/verdicts';
import { decide } from '../plan/decide';
import { textsOfPlan } from '../plan/plan-texts';
import { markQuestion } from '../plan/state';
import { FACT_SOURCES, type InterviewPrompt, passagesOf } from '../prompts/interview-request';
import { textsOf } from '../texts/texts';
import type { ReplyEvent, ReplyReader } from './reply-reader';
import type { OpenedTurn } from './turn-opening';

/** Takes the reply's text piece by piece; throws when another worker may hold the turn. */
export type ReplySink = (delta: string) => void;

/** What is known of a reply before it is complete. */
export interface ReplyNotes {
  /** Code has decided what the reply will change. The text may still be stopped. */
  decided(decision: TurnDecision): void;
  /** What the model made of the messages, once the reply is complete. */
  labelled(written: string, noticed: Pick<Observations, 'touches'>): void;
  /** A question of the plan follows, as the end of the text. */
  asks(text: string, question: QuestionMark | null): void;
}

/**
 * Passes the model's text on once code has accepted its verdict, and adds code's own text. Facts about the
 * job pass only with their evidence (see FactFilter).
 */
export class VerdictGate {
  private decision: TurnDecision | null = null;
  private streamed = '';
  private isSearchFirst = false;
  private facts: FactFilter | null = null;

  constructor(
    private readonly turn: OpenedTurn,
    private readonly prompt: InterviewPrompt,
    private readonly reader: ReplyReader,
    private readonly sink: ReplySink,
    private readonly notes: ReplyNotes,
  ) {}

  get hasSpoken(): boolean {
    return this.streamed !== '';
  }

  /** The candidate asks something that the model has no source for, and no search was made yet. */
  get mustSearch(): boolean {
    return this.isSearchFirst;
  }

  take(events: Iterable<ReplyEvent>): void {
    for (const event of events) {
      if (event.type === 'delta') this.letThrough(event.text);
      else this.judge(event.verdict);
    }
  }

  finish(): TurnDecision {
    const decided = this.decision ?? this.decide('answered');
    this.show(this.facts?.end() ?? '');
    const decision = this.withAdjustment(this.withoutFacts(decided));
    const rest = completeReply(decision, this.streamed);
    noteQuestion(this.turn, decision, this.streamed + rest, this.notes);
    if (rest !== '') this.sink(rest);
    this.notes.labelled(this.reader.field('labels'), this.noticed);
    // The search found nothing: the answer contained a question too.
    const isQuestionOpen = this.prompt.searches.length > 0 && !this.noticed.isGrounded;
    return isQuestionOpen ? { ...decision, isQuestionOpen } : decision;
  }

  /** A person arranges what the candidate needs, and code says so; the interview goes on meanwhile. */
  private withAdjustment(decision: TurnDecision): TurnDecision {
    const isAsked = this.reader.field('asks').trim().toLowerCase() === 'adjustment';
    if (!isAsked || decision.personNeededFor !== undefined) return decision;
    const { adjustmentNoted } = textsOf(this.turn.context.language);
    const tail = paragraphs(adjustmentNoted, decision.tail);
    return { ...decision, tail, personNeededFor: 'adjustment' };
  }

  /** A fact was held back: a candidate who asked hears that a person will see the question. */
  private withoutFacts(decision: TurnDecision): TurnDecision {
    // A fact that nobody asked for is only left out.
    const isAsked =
      decision.verdict === 'question' ||
      this.noticed.asksToo === true ||
      this.prompt.answer.includes('?');
    if (this.facts?.hasStopped !== true || !isAsked) return decision;
    const { noSource } = textsOf(this.turn.context.language);
    const lead = this.hasSpoken ? decision.lead : noSource;
    const tail = this.hasSpoken ? paragraphs(noSource, decision.tail) : decision.tail;
    return { ...decision, lead, tail, isQuestionOpen: true };
  }

  private get noticed(): Observations {
    const { plan } = this.turn;
    const isGrounded = namesSources(
      this.reader.field('sources'),
      passagesOf(this.prompt).length,
    );
    const asks = this.reader.field('asks').trim().toLowerCase();
    // A model that does not say whether something was asked may not reply to it.
    const asksToo = asks === 'yes' || (asks === '' && this.prompt.answer.includes('?'));
    const [about] = questionsIn(plan, this.reader.field('about'));
    const touches = questionsIn(plan, this.reader.field('touches'));
    return { isGrounded, asksToo, touches, ...(about === undefined ? {} : { about }) };
  }

  private judge(proposed: Verdict): void {
    const { canSearch, searches } = this.prompt;
    const { isGrounded, asksToo } = this.noticed;
    const isUnknown = (proposed === 'question' || asksToo === true) && !isGrounded;
    if (isUnknown && canSearch && searches.length === 0) this.isSearchFirst = true;
    else this.decide(proposed);
  }

  private decide(proposed: Verdict): TurnDecision {
    const { plan, state, context } = this.turn;
    const { noticed } = this;
    this.decision = decide(plan, state, proposed, context, noticed);
    this.facts = new FactFilter(evidenceOf(this.prompt, this.reader.field('sources'), noticed));
    this.notes.decided(this.decision);
    return this.decision;
  }

  private letThrough(text: string): void {
    if (this.decision?.speaker === 'model') this.show(this.facts?.take(text) ?? '');
  }

  private show(text: string): void {
    if (text === '') return;
    this.streamed += text;
    this.sink(text);
  }
}

/**
 * The texts that a reply may rest on: the plan, the named passages and the named facts about the
 * interview. What the candidate wrote counts only while they ask nothing, because "is it 5,000?" is no
 * evidence for "yes, 5,000".
 */
function evidenceOf(prompt: InterviewPrompt, sources: string, noticed: Observations): string[] {
  const { vacancy, plan, history, answer } = prompt;
  const passages = passagesOf(prompt);
  const named = noticed.isGrounded ? numbersIn(sources).map((n) => passages[n - 1]) : [];
  const facts = FACT_SOURCES.filter(
    (name) => noticed.isGrounded && namesIn(sources).includes(name),
  );
  const ofPlan = [vacancy.title, vacancy.company, ...textsOfPlan(plan)];
  const ofPassages = named.flatMap((one) =>
    one === undefined ? [] : [one.document, ...one.headings, one.text],
  );
  const isAsking = noticed.asksToo === true || answer.includes('?');
  const said = isAsking
    ? history.filter(({ role }) => role !== 'candidate').map(({ text }) => text)
    : [answer, ...prompt.corrections, ...history.map(({ text }) => text)];
  return [...ofPlan, ...ofPassages, ...facts.map((name) => prompt.facts[name]), ...said];
}

/** The ids of the questions with these numbers, which count from 1. */
function questionsIn({ questions }: InterviewPlan, numbers: string): string[] {
  return numbersIn(numbers).flatMap((n) => {
    const id = questions[n - 1]?.id;
    return id === undefined ? [] : [id];
  });
}

function numbersIn(list: string): number[] {
  return (list.match(/\d{1,6}/g) ?? []).map(Number);
}

/**
 * Whether this lists only sources that exist: 0 is the interview itself, 1 to `passages` are the passages
 * found, and a fact about the interview has a name. Text about sources does not count: "none of the 2" names
 * no source.
 */
function namesSources(sources: string, passages: number): boolean {
  const named = namesIn(sources);
  return named.length > 0 && named.every((name) => isSource(name, passages));
}

function isSource(name: string, passages: number): boolean {
  if (FACT_SOURCES.some((one) => one === name)) return true;
  return /^\d+$/.test(name) && Number(name) <= passages;
}

function namesIn(sources: string): string[] {
  return sources.split(/[\s,;[\]]+/).filter((name) => name !== '');
}

/** `whole`: the complete text, before its end is written. */
export function noteQuestion(
  { plan }: OpenedTurn,
  { state }: TurnDecision,
  whole: string,
  notes: ReplyNotes,
): void {
  notes.asks(whole, markQuestion(plan, state, whole));
}

/**
 * Stems of words that state a condition of a job, in both languages. A sentence with one of them, or with a
 * number, is held back unless the evidence has it.
 */
const JOB_STEMS = [
  ...[
    'salar',
    'compensat',
    'bonus',
    'equity',
    'vacation',
    'holiday',
    'remote',
    'hybrid',
    'relocat',
  ],
  ...[
    'visa',
    'insuranc',
    'overtime',
    'probation',
    'headcount',
    'promot',
    'budget',
    'hired',
    'pension',
  ],
  ...[
    'зарплат',
    'оклад',
    'преми',
    'бонус',
    'опцион',
    'отпуск',
    'удален',
    'гибрид',
    'релокац',
    'виз',
  ],
  ...['дмс', 'страхов', 'переработ', 'испытательн', 'бюджет', 'повышен', 'наняты'],
];
/** Stems that are whole words, because longer words begin with them. */
const WHOLE_WORDS = new Set(['виз', 'преми', 'дмс']);
const ENDINGS = /^(а|у|ы|е|ой|ю|я|и|ей|ям)?$/u;

/** The words of a text that state a condition of a job, and its numbers. */
function claimsIn(text: string): string[] {
  const words = plain(text).match(/\p{L}+|\d+/gu) ?? [];
  return words.flatMap((word) => {
    if (/^\d/.test(word)) return [word];
    const stem = JOB_STEMS.find((one) => word.startsWith(one) && isOf(word, one));
    return stem === undefined ? [] : [stem];
  });
}

function isOf(word: string, stem: string): boolean {
  return !WHOLE_WORDS.has(stem) || ENDINGS.test(word.slice(stem.length));
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е');
}

/**
 * Lets a model's text through up to the first fact about the job that its evidence does not have: a number,
 * or a word like "salary". It works word by word, so that the rest of a reply is shown as it arrives. It
 * cannot tell whether a sentence is true; it lets none of these through that the evidence does not contain.
 */
export class FactFilter {
  private readonly known: ReadonlySet<string>;
  private held = '';
  private shown = '';
  private stopped = false;

  /** `evidence`: every text that a reply may rest on. */
  constructor(evidence: readonly string[]) {
    this.known = new Set(evidence.flatMap(claimsIn));
  }

  /** A fact without evidence came; nothing behind it is shown. */
  get hasStopped(): boolean {
    return this.stopped;
  }

  /** The part of the text that may be shown now. */
  take(delta: string): string {
    if (this.stopped) return '';
    const text = this.held + delta;
    // An unfinished word waits for its end.
    const last = text.split(/[^\p{L}\d]+/u).at(-1) ?? '';
    this.held = mayBecomeClaim(last) ? last : '';
    return this.check(text.slice(0, text.length - this.held.length));
  }

  /** The rest of the text, once nothing follows. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return this.stopped ? '' : this.check(rest);
  }

  private check(text: string): string {
    for (const { 0: word, index } of text.matchAll(/[\p{L}\d]+/gu)) {
      if (claimsIn(word).every((claim) => this.known.has(claim))) continue;
      this.stopped = true;
      return this.cut(text.slice(0, index));
    }
    this.shown += text;
    return text;
  }

  /** A sentence that breaks off ends in an ellipsis. */
  private cut(text: string): string {
    const whole = (this.shown + text).trimEnd();
    if (whole === '' || /[.!?…]$/u.test(whole)) return text;
    return `${text.trimEnd()}…`;
  }
}

function mayBecomeClaim(word: string): boolean {
  if (word === '') return false;
  const begun = plain(word);
  if (/\d/.test(begun)) return true;
  return JOB_STEMS.some((stem) => stem.startsWith(begun) || begun.startsWith(stem));
}
