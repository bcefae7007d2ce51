import { GrowingText } from '../../common/text';
import type { InterviewPlan } from '../../vacancies';
import type { QuestionMark } from '../../streams';
import {
  type TurnDecision,
  type Observations,
  completeReply,
  factOf,
  paragraphs,
  type Verdict,
} from '../plan/verdicts';
import { isForAdjustment } from '../plan/hardship';
import { closingWith } from '../plan/after-end';
import { isAskingToo } from '../plan/asking';
import { decide } from '../plan/decide';
import { plainWishOf } from '../plan/phrases';
import { askingMoreIn, textIn, textsOfPlan, wordingsOf } from '../plan/plan-texts';
import { placeIn } from '../plan/place';
import { markQuestion, waitingQuestion } from '../plan/state';
import { FACT_SOURCES, type InterviewPrompt, passagesOf } from '../prompts/interview-request';
import { textsOf } from '../texts/texts';
import { ReplyFilter, type ReplyRule } from './reply-filter';
import type { ReplyEvent, ReplyReader } from './reply-reader';
import { type Evidence, StatementCheck } from './statements';
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
 * Passes the model's text on once code has accepted its verdict, and adds code's own text. What the text states
 * of the job passes only with its evidence, and the reply asks one thing (see ReplyFilter).
 */
export class VerdictGate {
  private decision: TurnDecision | null = null;
  /** The model's verdict that it was made of. */
  private proposed: Verdict | null = null;
  private readonly shown = new GrowingText();
  private isSearchFirst = false;
  private filter: ReplyFilter | null = null;

  constructor(
    private readonly turn: OpenedTurn,
    private readonly prompt: InterviewPrompt,
    private readonly reader: ReplyReader,
    private readonly sink: ReplySink,
    private readonly notes: ReplyNotes,
  ) {}

  get hasSpoken(): boolean {
    return this.shown.length > 0;
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
    // The last sentence need not wait for the labels.
    if (this.reader.isTextWhole) this.show(this.filter?.end() ?? '');
  }

  finish(): TurnDecision {
    const decided = this.decision ?? this.decide('answered');
    this.show(this.filter?.end() ?? '');
    const decision = this.withoutFacts(this.asking(decided));
    const streamed = this.shown.toString();
    const rest = completeReply(decision, streamed);
    noteQuestion(this.turn, decision, streamed + rest, this.notes);
    if (rest !== '') this.sink(rest);
    this.notes.labelled(this.isOverruled ? '' : this.reader.field('labels'), this.noticed);
    // The search found nothing: the answer contained a question too. "How are you?" is none.
    const isAside = this.turn.context.aside != null;
    const { isGrounded, fact } = this.noticed;
    const isSearched = this.prompt.searches.length > 0;
    const isQuestionOpen = isSearched && !isGrounded && !isAside && fact === undefined;
    return isQuestionOpen ? { ...decision, isQuestionOpen } : decision;
  }

  /** Code reads the answer in another way than the model, so that the model's labels do not fit it. */
  private get isOverruled(): boolean {
    const verdict = this.decision?.verdict ?? null;
    return verdict !== null && verdict !== this.proposed;
  }

  /** A push-back or a follow-up that asks nothing, or lost its question, asks as the plan does. */
  private asking(decision: TurnDecision): TurnDecision {
    const { plan, state, context } = this.turn;
    const question = waitingQuestion(plan, state);
    if (!isAskingMore(decision, context) || question === undefined) return decision;
    if (this.filter?.hasAsked === true) return decision;
    const lead = askingMoreIn(question, decision.verdict, context.language) ?? decision.lead;
    if (!this.hasSpoken) return { ...decision, lead };
    return { ...decision, tail: paragraphs(lead, decision.tail) };
  }

  /** A candidate who asked and gets no reply hears that a person will see the question. */
  private withoutFacts(decision: TurnDecision): TurnDecision {
    const isQuestion = decision.verdict === 'question';
    const isSilent = isQuestion && decision.speaker === 'model' && !this.hasSpoken;
    // What nobody asked for is only left out.
    const isAsked =
      isQuestion || this.isAskedBeside(decision) || this.filter?.hasHeldBackReply === true;
    if (!isSilent && !(isAsked && this.filter?.hasHeldBack === true)) return decision;
    // A person sees what the candidate needs, or code knows the reply.
    if (isQuestion && decision.personNeededFor === 'adjustment') return decision;
    const { context } = this.turn;
    const { fact } = this.noticed;
    const words = fact ?? textsOf(context.language).noSource;
    const isQuestionOpen = fact === undefined;
    const { lead, tail } = decision;
    if (this.hasSpoken) return { ...decision, tail: paragraphs(words, tail), isQuestionOpen };
    const isLeadNeeded = !isQuestion && (tail === '' || isAskingMore(decision, context));
    const rest = isLeadNeeded ? paragraphs(lead, tail) : tail;
    return { ...decision, lead: words, tail: rest, isQuestionOpen };
  }

  /** A question about the question is one to the interviewer, so that only the model knows of another one. */
  private isAskedBeside({ verdict }: TurnDecision): boolean {
    return verdict === 'clarify' ? this.asks === true : this.noticed.asksToo === true;
  }

  private get noticed(): Observations {
    const { plan, state, context } = this.turn;
    const isGrounded = namesSources(this.reader.field('sources'), passagesOf(this.prompt).length);
    const { answer, facts } = this.prompt;
    const field = this.reader.field('asks').trim().toLowerCase();
    const needsAdjustment = field === 'adjustment' || (field === '' && isForAdjustment(answer));
    // A model that does not say whether something was asked may not reply to it.
    const asksToo = this.asks ?? (!needsAdjustment && isAskingToo(answer));
    const known = { readers: facts.readers, place: placeIn(plan, state) };
    const fact = factOf(plainWishOf(answer), known, textsOf(context.language));
    const [about] = questionsIn(plan, this.reader.field('about'));
    const touches = questionsIn(plan, this.reader.field('touches'));
    return {
      isGrounded,
      asksToo,
      needsAdjustment,
      touches,
      ...(fact === null ? {} : { fact }),
      ...(about === undefined ? {} : { about }),
    };
  }

  /** Whether the answer asks something, as the model says; null: it does not say. */
  private get asks(): boolean | null {
    const asks = this.reader.field('asks').trim().toLowerCase();
    return asks === '' ? null : asks === 'yes';
  }

  private judge(proposed: Verdict): void {
    if (this.needsSearch(proposed)) this.isSearchFirst = true;
    else this.decide(proposed);
  }

  /** The documents may hold what would be left to a person, and were not searched yet. */
  private needsSearch(proposed: Verdict): boolean {
    const { canSearch, searches } = this.prompt;
    if (!canSearch || searches.length > 0 || this.noticed.isGrounded) return false;
    const { verdict, isQuestionOpen } = this.decisionOn(proposed);
    return isQuestionOpen === true || (verdict === 'clarify' && this.asks === true);
  }

  private decisionOn(proposed: Verdict): TurnDecision {
    const { plan, state, context } = this.turn;
    return decide(plan, state, proposed, context, this.noticed);
  }

  private decide(proposed: Verdict): TurnDecision {
    this.proposed = proposed;
    this.decision = this.decisionOn(proposed);
    const { prompt, asks, noticed } = this;
    const { isGrounded } = noticed;
    const named = isGrounded ? this.reader.field('sources') : '';
    const verdict = this.decision.verdict ?? proposed;
    const evidence = evidenceOf(prompt, named, { verdict, asks, isGrounded });
    const rule = ruleOf(this.turn, this.decision, evidence.said);
    this.filter = new ReplyFilter(new StatementCheck(evidence), rule);
    this.notes.decided(this.decision);
    return this.decision;
  }

  private letThrough(text: string): void {
    if (this.decision?.speaker === 'model') this.show(this.filter?.take(text) ?? '');
  }

  private show(text: string): void {
    if (text === '') return;
    this.shown.append(text);
    this.sink(text);
  }
}

/**
 * What a reply may rest on: the plan, the named passages and facts, and what a person of the team wrote.
 * `sources` lists the names.
 */
function evidenceOf(
  prompt: InterviewPrompt,
  sources: string,
  read: Pick<Evidence, 'verdict' | 'asks' | 'isGrounded'>,
): Evidence {
  const { vacancy, plan, history, answer, corrections, facts } = prompt;
  const passages = passagesOf(prompt);
  const names = namesIn(sources);
  const ofPassages = numbersIn(sources).flatMap((n) => {
    const one = passages[n - 1];
    return one === undefined ? [] : [one.document, ...one.headings, one.text];
  });
  const ofFacts = FACT_SOURCES.filter((name) => names.includes(name)).map((name) => facts[name]);
  const saidBy = (wanted: string): string[] =>
    history.filter(({ role }) => role === wanted).map(({ text }) => text);
  return {
    ...read,
    plan: [vacancy.title, vacancy.company, ...textsOfPlan(plan)],
    team: saidBy('team'),
    named: [...ofPassages, ...ofFacts],
    company: vacancy.company,
    said: [...saidBy('candidate'), ...corrections, answer],
    answer,
    questions: plan.questions.flatMap(wordingsOf),
  };
}

/**
 * A reply asks one thing: what code asks behind the text, else the text's own question. A reply to an aside asks
 * nothing, because the question on the screen waits.
 */
function ruleOf(
  { plan, context }: OpenedTurn,
  decision: TurnDecision,
  said: readonly string[],
): ReplyRule {
  const { tail, verdict, state } = decision;
  const question = waitingQuestion(plan, state);
  const asked = question === undefined ? '' : textIn(question, context.language);
  if (verdict === 'aside' && tail === '') {
    return { isAskedBehind: false, isWaiting: true, coming: asked, said };
  }
  const [coming = tail] = [asked, closingWith(plan, context)].filter(
    (one) => one !== '' && tail.endsWith(one),
  );
  // A clarification is the question in other words, unless code says it in a new language.
  const mayAsk = isAskingMore(decision, context) || (verdict === 'clarify' && coming !== asked);
  const isReply = verdict === 'question' || (verdict === 'clarify' && tail === '');
  const repliesTo = isReply ? { repliesTo: verdict } : {};
  return mayAsk || tail === ''
    ? { isAskedBehind: false, coming: '', said, ...repliesTo }
    : { isAskedBehind: true, coming, said, ...repliesTo };
}

/** A push-back or a follow-up. What is said behind it asks nothing. An addendum is not asked for more. */
function isAskingMore(
  decision: TurnDecision,
  { isAddendum }: OpenedTurn['context'],
): decision is TurnDecision & { readonly verdict: 'vague' | 'follow_up' } {
  const { verdict, speaker } = decision;
  return !isAddendum && speaker === 'model' && (verdict === 'vague' || verdict === 'follow_up');
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
