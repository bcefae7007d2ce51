import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { type InterviewPlan, minutesOf, type Vacancy, VacancyRepository } from '../../vacancies';
import { FullTextRepository, KnowledgeRepository } from '../../knowledge';
import { type ConversationRow } from '../conversation.repository';
import { MessageLabelRepository, type StoredLabel } from '../transcript/message-label.repository';
import { type MessageRow, MessageRepository } from '../transcript/message.repository';
import { type TurnEvent, searchesOf } from '../transcript/turn-events';
import { InterviewTerms } from '../interview-terms';
import { disclosureOf } from '../texts/disclosure';
import { allowedVerdicts } from '../plan/decide';
import { placeIn } from '../plan/place';
import type { ScriptedFacts } from '../plan/verdicts';
import { textsOf } from '../texts/texts';
import {
  type InterviewFacts,
  type InterviewPrompt,
  MAX_LINE_LENGTH,
  type PromptPassage,
  type PromptSearch,
  type PromptLine,
} from './interview-request';
import type { OpenedTurn } from '../turn/turn-opening';

/** Collects the prompt for one answer. It never contains what was written before consent. */
@Injectable()
export class TurnPrompt {
  constructor(
    private readonly messages: MessageRepository,
    private readonly labels: MessageLabelRepository,
    private readonly vacancies: VacancyRepository,
    private readonly knowledge: KnowledgeRepository,
    private readonly fullText: FullTextRepository,
    private readonly terms: InterviewTerms,
  ) {}

  async promptFor(
    tx: Tx,
    turn: Omit<OpenedTurn, 'speaker'>,
    conversation: ConversationRow,
    answer: readonly MessageRow[],
    events: readonly TurnEvent[],
  ): Promise<{ readonly prompt: InterviewPrompt; readonly stored: StoredPrompt }> {
    const vacancy = await this.vacancies.find(tx, conversation.vacancyId);
    const read = await this.messages.listHistory(tx, {
      conversationId: turn.conversationId,
      untilAnswer: turn.answerId,
      exceptBuffers: turn.answerIds,
      limit: HISTORY_LINES,
      // One more character, so that the prompt shows that a line was cut.
      lineChars: MAX_LINE_LENGTH + 1,
    });
    const hasOlder = read.length === HISTORY_LINES;
    const history = hasOlder ? fromNextStep(read) : read;
    const searches = searchesOf(events);
    const shown = answer.filter((line) => mayBeShown(line, conversation));
    const corrections = shown.filter(({ amends }) => amends !== null);
    const isCorrection = corrections.length === shown.length;
    const said = isCorrection ? shown : shown.filter(({ amends }) => amends === null);
    const shownBefore = history.filter((line) => mayBeShown(line, conversation));
    const labels = await this.labelsOf(tx, shownBefore, turn.plan);
    const { documents, hasMore } = await this.documentsOf(tx, conversation);
    const stored: StoredPrompt = {
      form: PROMPT_FORM,
      vacancy: { title: vacancy?.title ?? '', company: vacancy?.company ?? '' },
      facts: this.factsOf(vacancy, turn),
      language: turn.language,
      state: turn.state,
      history: shownBefore.map(({ id, seq, role, amends, isFromPerson }) => ({
        id,
        role: isFromPerson ? 'team' : role === 'user' ? 'candidate' : 'interviewer',
        ...(role === 'user' ? { n: seq } : {}),
        ...(amends === null ? {} : { isCorrection: true }),
        ...labels.get(id),
      })),
      ...(hasOlder ? { hasOlder } : {}),
      buffers: turn.answerIds,
      said: said.map(({ id }) => id),
      corrections: isCorrection ? [] : corrections.map(({ id }) => id),
      ...markedIn([...shownBefore, ...shown]),
      allowedVerdicts: allowedVerdicts(turn.plan, turn.state),
      isAddendum: turn.context.isAddendum,
      isCorrection: turn.context.isCorrection === true,
      agent: turn.agent,
      ...(documents.length === 0 ? {} : { documents: documents.map(({ id }) => id) }),
      searches: searches.length,
      canSearch: hasMore && searches.length < MAX_SEARCHES,
      maxOutputTokens: this.terms.llm.maxOutputTokens,
    };
    const messages = new Map([...shownBefore, ...shown].map((line) => [line.id, line]));
    const texts = { plan: turn.plan, messages, documents, searches };
    return { stored, prompt: filledPrompt(stored, texts) };
  }

  /** All passages of the vacancy, if they are few enough to stand in every prompt. */
  private async documentsOf(
    tx: Tx,
    { vacancyId }: ConversationRow,
  ): Promise<{ readonly documents: readonly PromptPassage[]; readonly hasMore: boolean }> {
    const count = await this.knowledge.countUpTo(tx, vacancyId, MAX_SHOWN_PASSAGES + 1);
    const isSmall = count > 0 && count <= MAX_SHOWN_PASSAGES;
    const documents = isSmall ? await this.knowledge.listPassages(tx, vacancyId) : [];
    return { documents, hasMore: count > MAX_SHOWN_PASSAGES };
  }

  /** Whether the vacancy has documents to answer from. */
  hasDocuments(tx: Tx, vacancyId: string): Promise<boolean> {
    return this.knowledge.has(tx, vacancyId);
  }

  /** Passages with words of a question, best first. No model is asked. */
  passagesWith(tx: Tx, vacancyId: string, question: string): Promise<readonly PromptPassage[]> {
    return this.fullText.find(tx, { vacancyId, question, limit: MOST_QUOTABLE });
  }

  /** What may be said of the interview itself without a model. */
  async factsFor(
    tx: Tx,
    turn: Pick<OpenedTurn, 'vacancyId' | 'plan' | 'state' | 'language'>,
  ): Promise<Omit<ScriptedFacts, 'quoted'>> {
    const { readers } = this.factsOf(await this.vacancies.find(tx, turn.vacancyId), turn);
    return { readers, place: placeIn(turn.plan, turn.state) };
  }

  private factsOf(
    vacancy: Vacancy | null,
    { plan, state, language }: Pick<OpenedTurn, 'plan' | 'state' | 'language'>,
  ): InterviewFacts {
    const texts = textsOf(language);
    const { question, of, minutes } = placeIn(plan, state);
    const { company = '', owner } = vacancy ?? {};
    const readers = texts.readers(owner?.name ?? company, company);
    return {
      progress: `${texts.progress(question, of)} ${texts.minutesLeft(minutes, minutesOf(plan))}`,
      disclosure: disclosureOf(this.terms, language, { company }).text,
      readers: this.terms.isRated ? `${readers} ${texts.rated}` : readers,
    };
  }

  private async labelsOf(
    tx: Tx,
    lines: readonly MessageRow[],
    plan: InterviewPlan,
  ): Promise<ReadonlyMap<string, { readonly label: string }>> {
    const ids = lines.filter(({ role }) => role === 'user').map(({ id }) => id);
    const stored = await this.labels.listOf(tx, ids);
    return new Map(stored.map((one) => [one.messageId, { label: written(one, plan) }]));
  }
}

/** Lines of the transcript that are read for a prompt; the prompt itself is bounded further. */
const HISTORY_LINES = 120;
/** Of a longer conversation so many numbers are left out at once; see buildInterviewRequest. */
const HISTORY_STEP = 20;
/** The passages of a vacancy that stand in every prompt; more are searched. About 5,000 tokens. */
const MAX_SHOWN_PASSAGES = 20;
/** Passages that code looks through for a quotation. */
const MOST_QUOTABLE = 5;
/** Tool rounds of one answer. */
export const MAX_SEARCHES = 2;

/** From the next multiple of the step on, so that the first line stays the same while that many are added. */
function fromNextStep(lines: readonly MessageRow[]): MessageRow[] {
  const oldest = lines[0]?.seq ?? 0;
  const from = Math.ceil(oldest / HISTORY_STEP) * HISTORY_STEP;
  return lines.filter(({ seq }) => seq >= from);
}

/** As the model writes labels: an answer and an addition name their question, a correction its message. */
function written({ label, questionId, correctsSeq }: StoredLabel, plan: InterviewPlan): string {
  const question = plan.questions.findIndex(({ id }) => id === questionId) + 1;
  if (label !== 'correction') return question > 0 ? `${label} ${String(question)}` : label;
  if (correctsSeq !== null) return `correction ${String(correctsSeq)}`;
  return question > 0 ? `correction of the answer to question ${String(question)}` : label;
}

/**
 * A candidate's words may be shown to a model if they were written under the consent in force. Their numbers
 * say so, because a clock that is set back would put them before it.
 */
export function mayBeShown(
  line: Pick<MessageRow, 'role' | 'seq'>,
  { consent, consentSeq }: Pick<ConversationRow, 'consent' | 'consentSeq'>,
): boolean {
  if (consent?.accepted !== true) return false;
  if (line.role !== 'user') return true;
  return line.seq > consentSeq;
}

type TextsAndPlan =
  'plan' | 'history' | 'answer' | 'messages' | 'corrections' | 'documents' | 'searches';

/** The form of stored prompts. One in another form cannot be built again. */
export const PROMPT_FORM = 2;

/**
 * A prompt as it is stored: of messages only their ids, because what was written in them is stored
 * already and is erased there. `filledPrompt` builds the whole prompt from it.
 */
export interface StoredPrompt extends Omit<InterviewPrompt, TextsAndPlan> {
  /** PROMPT_FORM; of an earlier version another one, or none. */
  readonly form: number;
  readonly history: readonly (Omit<
    PromptLine,
    'text' | 'asked' | 'isVoice' | 'from' | 'repliesTo'
  > & {
    readonly id: string;
  })[];
  /** The buffers of the answer. */
  readonly buffers: readonly string[];
  /** The messages of the answer, in order. */
  readonly said: readonly string[];
  /** New texts of earlier messages that came together with the answer. */
  readonly corrections: readonly string[];
  /** Those that somebody else wrote, and those that refer to others; left out where there are none. */
  readonly forwarded?: readonly string[];
  readonly replies?: readonly string[];
  /** The passages that stand in every prompt, in order; left out where there are none. */
  readonly documents?: readonly string[];
  /** How many of the turn's searches were made before the request. */
  readonly searches: number;
}

/** What a stored prompt is filled with. A message or passage that is missing leaves its place empty. */
export interface PromptTexts {
  readonly plan: InterviewPlan;
  readonly messages: ReadonlyMap<string, PromptMessage>;
  readonly documents: readonly PromptPassage[];
  readonly searches: readonly PromptSearch[];
}

type PromptMessage = Pick<
  MessageRow,
  'seq' | 'text' | 'joiner' | 'author' | 'reference' | 'question' | 'contentType'
>;

const MISSING: PromptMessage = {
  seq: 0,
  text: '',
  joiner: null,
  author: null,
  reference: null,
  question: null,
  contentType: 'TEXT',
};

/** The prompt with its texts. It is also how a prompt is first built, so both are the same. */
export function filledPrompt(
  { form: _form, buffers: _, said: saidIds, forwarded = [], replies = [], ...stored }: StoredPrompt,
  { plan, messages, documents, searches }: PromptTexts,
): InterviewPrompt {
  const messageOf = (id: string) => messages.get(id) ?? MISSING;
  const marksOf = (id: string): Pick<PromptLine, 'from' | 'repliesTo' | 'isVoice'> => ({
    ...(forwarded.includes(id) ? { from: writerOf(messageOf(id)) } : {}),
    ...(replies.includes(id) ? { repliesTo: messageOf(id).reference?.quote ?? '' } : {}),
    ...(messageOf(id).contentType === 'VOICE' ? { isVoice: true } : {}),
  });
  const own = saidIds.filter((id) => !forwarded.includes(id));
  const { documents: documentIds = [], ...rest } = stored;
  return {
    ...rest,
    plan,
    history: withoutSplits(
      stored.history.map(({ id, role, n, isCorrection, label }) => ({
        role,
        ...(n === undefined ? {} : { n }),
        ...(isCorrection === undefined ? {} : { isCorrection }),
        ...marksOf(id),
        ...spokenIn(messageOf(id), plan),
        ...(label === undefined ? {} : { label }),
        joiner: messageOf(id).joiner,
      })),
    ),
    answer: joined(own.map(messageOf)),
    messages: withoutSplits(
      saidIds.map((id) => {
        const { seq, text, joiner } = messageOf(id);
        return { n: seq, ...marksOf(id), text, joiner };
      }),
    ),
    corrections: stored.corrections.map((id) => messageOf(id).text),
    ...(documentIds.length === 0
      ? {}
      : { documents: documentIds.map((id) => documents.find((one) => one.id === id) ?? gone(id)) }),
    searches: searches.slice(0, stored.searches),
  };
}

/** The parts of a text that the candidate's client split are one line again, with the first part's number. */
function withoutSplits<Line extends { readonly text: string }>(
  lines: readonly (Line & { readonly joiner: string | null })[],
): Line[] {
  const whole: Line[] = [];
  for (const { joiner, ...part } of lines) {
    const line = part as unknown as Line;
    const last = whole.at(-1);
    if (joiner === null || last === undefined) whole.push(line);
    else whole[whole.length - 1] = { ...last, text: last.text + joiner + line.text };
  }
  return whole;
}

/** A passage that was imported anew since. */
function gone(id: string): PromptPassage {
  return { id, document: '', headings: [], text: '' };
}

/** The interviewer's own words, and the number of the question of the plan at their end. */
function spokenIn(
  { text, question }: Pick<MessageRow, 'text' | 'question'>,
  { questions }: InterviewPlan,
): Pick<PromptLine, 'text' | 'asked'> {
  const asked = questions.findIndex(({ id }) => id === question?.id) + 1;
  if (question === null || asked === 0) return { text };
  return { text: text.slice(0, question.start).trimEnd(), asked };
}

function markedIn(lines: readonly MessageRow[]): Pick<StoredPrompt, 'forwarded' | 'replies'> {
  const forwarded = lines.filter(({ author }) => author !== null).map(({ id }) => id);
  const replies = lines.filter(({ reference }) => (reference?.quote ?? null) !== null);
  return {
    ...(forwarded.length === 0 ? {} : { forwarded }),
    ...(replies.length === 0 ? {} : { replies: replies.map(({ id }) => id) }),
  };
}

function writerOf({ author }: Pick<MessageRow, 'author'>): string {
  const name = author?.name ?? 'somebody else';
  return author?.how === 'bot' ? `the bot ${name}` : name;
}

/** Whether the candidate wrote the line, and did not pass on what somebody else wrote. */
export function isOwn({ author }: Pick<MessageRow, 'author'>): boolean {
  return author === null;
}

/** Joins messages as paragraphs, except the parts of a text that the candidate's client split. */
export function joined(lines: readonly Pick<MessageRow, 'text' | 'joiner'>[]): string {
  const [first, ...others] = lines;
  return others.reduce(
    (whole, { text, joiner }) => whole + (joiner ?? '\n\n') + text,
    first?.text ?? '',
  );
}
