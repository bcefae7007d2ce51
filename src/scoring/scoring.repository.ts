import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { isCourtesy, isSkipping } from '../interview';
import { type Rubric, canonicalRubric, rubricHash } from '../vacancies';
import { type EvidenceMessage, normalised } from './evidence';
import type { SpokenLine } from './heard-words';
import { type Prompt, promptHash } from './score-prompts';
import type { CriterionReading, FactReading } from './sample-reader';
import type { Scorecard } from './scorecard';

export type ItemKind = 'criterion' | 'fact';

/** A message of an answer, as it was given to the model. */
export interface InputReference {
  readonly messageId: string;
  /** SHA-256 of its text in NFC, as hex. */
  readonly sha256: string;
}

/** One request about one criterion or fact, with all that is needed to repeat it. */
export interface StoredSample {
  readonly questionId: string;
  readonly kind: ItemKind;
  readonly item: string;
  /** From 1. */
  readonly n: number;
  readonly rubricHash: string;
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly promptName: string;
  readonly promptVersion: number;
  readonly promptHash: string;
  readonly input: readonly InputReference[];
  /** SHA-256 of what is rated (`inputHashOf`), as hex. */
  readonly inputHash: string;
  /** `ok`, or why there was no completion. */
  readonly outcome: string;
  readonly output: string | null;
  readonly reading: CriterionReading | FactReading;
}

/** What a sample is of, and by which version. */
export type SampleVersion = Pick<
  StoredSample,
  'questionId' | 'kind' | 'item' | 'rubricHash' | 'model' | 'promptHash' | 'inputHash'
>;

export interface ReadSample extends SampleVersion {
  readonly isDropped: boolean;
}

export interface ScoreRun {
  readonly id: string;
  readonly conversationId: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly card: Scorecard | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** The conversation's messages to one question, in order, edits in place of what they replace. */
export type AnswersByQuestion = ReadonlyMap<string, readonly EvidenceMessage[]>;

/** What the candidate said, as far as it is rated. */
export interface SaidByQuestion {
  readonly answers: AnswersByQuestion;
  /** Messages that were said to an earlier question, and touch on this one too. */
  readonly touching: AnswersByQuestion;
  /** By message: its place in the conversation, and the question that waited; null: it came after the end. */
  readonly places: ReadonlyMap<string, { readonly seq: number; readonly askedId: string | null }>;
  /** What came after the end, and is not placed with a question yet. */
  readonly unplaced: readonly EvidenceMessage[];
  /** Ids of thanks after the end that are not placed yet: they belong to none. */
  readonly thanks: readonly string[];
}

interface SaidRow {
  readonly conversationId: string;
  readonly id: string;
  readonly seq: number;
  readonly text: string;
  /** The message that it is an edit of. */
  readonly amends: string | null;
  readonly questionId: string | null;
  /** The question that waited. */
  readonly askedId: string | null;
  /** Later questions that it touches on. */
  readonly touches: readonly string[];
  /** Of what came after the end: the questions that it belongs to; null: not known yet. */
  readonly belongsTo: readonly string[] | null;
  /** No finished run has read it. */
  readonly isNew: boolean;
  /** The candidate asked something or said something else: it belongs to no answer. */
  readonly isBeside: boolean;
  /** It was written when no question waited any more. */
  readonly isAfterEnd: boolean;
  /** Of the reply to it; null: there is none, or it was stopped. */
  readonly verdict: string | null;
  /** The answer that it is part of. */
  readonly turnId: string | null;
}

const RUN = `id, conversation_id as "conversationId", state, card, started_at as "startedAt",
  ended_at as "endedAt"`;

const SAMPLE = `question_id as "questionId", kind, item, n, rubric_hash as "rubricHash", model,
  parameters, prompt_name as "promptName", prompt_version as "promptVersion",
  prompt_hash as "promptHash", input, input_hash as "inputHash", outcome, output, reading`;

const SAMPLE_COLUMNS = `question_id, kind, item, n, rubric_hash, model, parameters, prompt_name,
  prompt_version, prompt_hash, input, input_hash, outcome, output, reading`;

const NOW = (n: number): string => `coalesce($${String(n)}::timestamptz, clock_timestamp())`;

/**
 * Runs and samples of scoring, the rubrics and prompts that they used, and what the candidate said to each
 * question. The database's clock is used unless a test gives the time.
 */
@Injectable()
export class ScoringRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * What the candidate wrote under the consent in force, by question. Additions and corrections belong
   * to the question that they were labelled with; questions and asides are left out, and so is a message
   * without the candidate's words: a voice message that nobody could read, or a file, whose text is made
   * by code from its name and size, or what somebody else wrote and the candidate passed on. A message without a
   * label, whose reply was stopped, belongs to the question that waited when it came. What was added after
   * the end belongs to the questions that it was placed with (`placeLate`), and until then to each that has an
   * answer. Thanks belong to none, unless a run of a version that did not know them has read them. A question that
   * was not answered stays so.
   *
   * A wish to skip is no answer. A question that was skipped instead of saying more, after a push-back,
   * has none: what was too little before is left out too. What is added to it later counts.
   */
  async said(tx: Tx, conversationId: string): Promise<SaidByQuestion> {
    return byQuestion(await this.lines(tx, [conversationId]));
  }

  /** The answers alone. */
  async answers(tx: Tx, conversationId: string): Promise<AnswersByQuestion> {
    return (await this.said(tx, conversationId)).answers;
  }

  /** By conversation, the answers alone. One in which nothing was said is left out. */
  async answersOf(
    tx: Tx,
    conversationIds: readonly string[],
  ): Promise<ReadonlyMap<string, AnswersByQuestion>> {
    const lines = groupedBy(await this.lines(tx, conversationIds), (row) => row.conversationId);
    return new Map([...lines].map(([id, rows]) => [id, byQuestion(rows).answers]));
  }

  private lines(tx: Tx, conversationIds: readonly string[]): Promise<SaidRow[]> {
    return tx.query<SaidRow>(
      `select m.conversation_id as "conversationId", m.id, m.seq, m.text, m.amends, coalesce(l.question_id, m.question_context) as "questionId",
         m.question_context as "askedId", coalesce(l.touches, '{}') as touches,
         p.question_ids as "belongsTo", m.received_at > coalesce((
           select max(r.started_at) from score_run r
           where r.conversation_id = c.id and r.state = 'done'), '-infinity') as "isNew",
         coalesce(l.label in ('question', 'aside'), false) as "isBeside",
         coalesce(l.label = 'addition' and m.question_context is null, false) as "isAfterEnd",
         t.verdict, m.turn_id as "turnId"
       from message m join conversation c on c.id = m.conversation_id
       left join turn t on t.id = m.turn_id
       left join message_label l on l.message_id = m.id
       left join late_message p on p.message_id = m.id
       left join message a on a.id = m.amends
       where m.conversation_id = any($1::uuid[]) and m.role = 'user' and m.content_type <> 'FILE'
         and m.attachment->'author' is null and a.attachment->'author' is null
         and c.consent_accepted
         and m.seq > coalesce(c.consent_seq, 0)
       order by m.conversation_id, m.seq`,
      [conversationIds],
    );
  }

  /** Stores which questions a message after the end belongs to; empty: none. The first one counts. */
  async placeLate(
    tx: Tx,
    {
      messageId,
      questionIds,
    }: { readonly messageId: string; readonly questionIds: readonly string[] },
  ): Promise<void> {
    await tx.query(
      `insert into late_message (message_id, question_ids, placed_at) values ($1, $2::text[], ${NOW(3)})
       on conflict do nothing`,
      [messageId, questionIds, this.clock.databaseNow()],
    );
  }

  /** What both sides said, in order; without files, whose text is made by code, and the words of others. */
  spoken(tx: Tx, conversationId: string): Promise<SpokenLine[]> {
    return tx.query(
      `select id, seq, role = 'user' as "isCandidate", role = 'system' as "isNotice", text from message
       where conversation_id = $1 and role in ('user', 'assistant', 'system')
         and content_type <> 'FILE' and text <> '' and attachment->'author' is null
       order by seq`,
      [conversationId],
    );
  }

  /** Stores the rubric with the next version of its question, unless it is known. Returns its hash. */
  async keepRubric(tx: Tx, vacancyId: string, rubric: Rubric): Promise<string> {
    const hash = rubricHash(rubric);
    await tx.query(
      `insert into rubric_version (hash, vacancy_id, question_id, version, canonical, created_at)
       select $1, $2, $3, coalesce(max(version), 0) + 1, $4, ${NOW(5)} from rubric_version
       where vacancy_id = $2 and question_id = $3
       on conflict do nothing`,
      [hash, vacancyId, rubric.questionId, canonicalRubric(rubric), this.clock.databaseNow()],
    );
    return hash;
  }

  /** The rubrics with these hashes. */
  rubrics(
    tx: Tx,
    hashes: readonly string[],
  ): Promise<
    {
      readonly hash: string;
      readonly version: number;
      readonly questionId: string;
      readonly canonical: string;
    }[]
  > {
    return tx.query(
      `select hash, version, question_id as "questionId", canonical from rubric_version
       where hash = any($1) order by question_id, version`,
      [hashes],
    );
  }

  /** Stores the prompt's text under its hash, unless it is known. */
  async keepPrompt(tx: Tx, prompt: Prompt): Promise<void> {
    await tx.query(
      `insert into scoring_prompt (hash, name, version, text, created_at)
       values ($1, $2, $3, $4, ${NOW(5)}) on conflict do nothing`,
      [promptHash(prompt), prompt.name, prompt.version, prompt.text, this.clock.databaseNow()],
    );
  }

  /** The prompts with these hashes. */
  prompts(
    tx: Tx,
    hashes: readonly string[],
  ): Promise<
    {
      readonly hash: string;
      readonly name: string;
      readonly version: number;
      readonly text: string;
    }[]
  > {
    return tx.query(
      `select hash, name, version, text from scoring_prompt
       where hash = any($1) order by name, version, hash`,
      [hashes],
    );
  }

  /** The run that is under way, or a new one. */
  async openRun(tx: Tx, id: string, conversationId: string): Promise<ScoreRun> {
    await tx.query(
      `insert into score_run (id, conversation_id, state, started_at)
       values ($1, $2, 'running', ${NOW(3)})
       on conflict (conversation_id) where state = 'running' do nothing`,
      [id, conversationId, this.clock.databaseNow()],
    );
    const [run] = await tx.query<ScoreRun>(
      `select ${RUN} from score_run where conversation_id = $1 and state = 'running'`,
      [conversationId],
    );
    if (run === undefined) throw new Error('the run was inserted and not found');
    return run;
  }

  async addSample(tx: Tx, runId: string, sample: StoredSample): Promise<void> {
    await tx.query(
      `insert into score_sample (run_id, question_id, kind, item, n, rubric_hash, model, parameters,
         prompt_name, prompt_version, prompt_hash, input, input_hash, outcome, output, reading,
         asked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12::jsonb, $13, $14, $15,
         $16::jsonb, ${NOW(17)})
       on conflict (run_id, question_id, kind, item, n) do nothing`,
      [
        runId,
        sample.questionId,
        sample.kind,
        sample.item,
        sample.n,
        sample.rubricHash,
        sample.model,
        JSON.stringify(sample.parameters),
        sample.promptName,
        sample.promptVersion,
        sample.promptHash,
        JSON.stringify(sample.input),
        sample.inputHash,
        sample.outcome,
        sample.output,
        JSON.stringify(sample.reading),
        this.clock.databaseNow(),
      ],
    );
  }

  /** Samples of an earlier run that are not asked for again: what they asked, and by what, is the same. */
  async copySamples(
    tx: Tx,
    runId: string,
    earlier: { readonly runId: string; readonly samples: readonly StoredSample[] },
  ): Promise<void> {
    const keys = earlier.samples.map(({ questionId, kind, item, n }) => [
      questionId,
      kind,
      item,
      n,
    ]);
    await tx.query(
      `insert into score_sample (run_id, ${SAMPLE_COLUMNS}, asked_at)
       select $1, ${SAMPLE_COLUMNS}, asked_at from score_sample s
       where run_id = $2
         and jsonb_build_array(question_id, kind, item, n) in (select jsonb_array_elements($3::jsonb))
       order by id
       on conflict (run_id, question_id, kind, item, n) do nothing`,
      [runId, earlier.runId, JSON.stringify(keys)],
    );
  }

  /** In the order in which they were asked. */
  samples(tx: Tx, runId: string): Promise<StoredSample[]> {
    return tx.query(`select ${SAMPLE} from score_sample where run_id = $1 order by id`, [runId]);
  }

  /** The same by run, without what was sent and what came back. A run without any is left out. */
  async samplesOf(
    tx: Tx,
    runIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ReadSample[]>> {
    const rows = await tx.query<ReadSample & { readonly runId: string }>(
      `select run_id as "runId", question_id as "questionId", kind, item,
         rubric_hash as "rubricHash", model, prompt_hash as "promptHash",
         input_hash as "inputHash", reading ->> 'kind' = 'dropped' as "isDropped"
       from score_sample where run_id = any($1::uuid[]) order by id`,
      [runIds],
    );
    return groupedBy(rows, ({ runId }) => runId);
  }

  /** The hashes of what a run has asked. */
  async inputHashes(tx: Tx, runId: string): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ hash: string }>(
      'select distinct input_hash as hash from score_sample where run_id = $1',
      [runId],
    );
    return new Set(rows.map(({ hash }) => hash));
  }

  async endRun(tx: Tx, runId: string, card: Scorecard | null): Promise<void> {
    await tx.query(
      `update score_run set state = $2, card = $3::jsonb, ended_at = ${NOW(4)}
       where id = $1 and state = 'running'`,
      [
        runId,
        card === null ? 'failed' : 'done',
        card === null ? null : JSON.stringify(card),
        this.clock.databaseNow(),
      ],
    );
  }

  /** With its samples. */
  async deleteRun(tx: Tx, runId: string): Promise<void> {
    await tx.query('delete from score_run where id = $1', [runId]);
  }

  async findRun(tx: Tx, id: string): Promise<ScoreRun | null> {
    const [run] = await tx.query<ScoreRun>(`select ${RUN} from score_run where id = $1`, [id]);
    return run ?? null;
  }

  /** Oldest first. */
  runsOf(tx: Tx, conversationIds: readonly string[]): Promise<ScoreRun[]> {
    return tx.query(
      `select ${RUN} from score_run where conversation_id = any($1::uuid[]) order by started_at, id`,
      [conversationIds],
    );
  }
}

/** In the order of the rows. */
function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

type Line = Omit<SaidRow, 'amends'>;

function byQuestion(rows: readonly SaidRow[]): SaidByQuestion {
  const lines = withEdits(rows);
  const answers = new Map<string, EvidenceMessage[]>();
  const touching = new Map<string, EvidenceMessage[]>();
  const unplaced: EvidenceMessage[] = [];
  const thanks: string[] = [];
  for (const [index, line] of lines.entries()) {
    const { id, text, questionId, isBeside, isAfterEnd, verdict, belongsTo } = line;
    if (questionId === null || isBeside || text.trim() === '' || isSkipping(text)) continue;
    if (isAfterEnd && belongsTo === null && line.isNew && isCourtesy(text)) {
      thanks.push(id);
      continue;
    }
    const isTooLittle = verdict === 'vague';
    if (isTooLittle && lines.slice(index + 1).some((later) => skips(later, questionId, lines))) {
      continue;
    }
    const message = { id, text: normalised(text) };
    const answered = [...answers.keys()];
    const late = answered.filter((one) => belongsTo?.includes(one) ?? true);
    for (const question of isAfterEnd ? late : [questionId]) add(answers, question, message);
    for (const question of line.touches) add(touching, question, message);
    if (isAfterEnd && belongsTo === null && answered.length > 1) unplaced.push(message);
  }
  const places = new Map(lines.map(({ id, seq, askedId }) => [id, { seq, askedId }]));
  return { answers, touching, places, unplaced, thanks };
}

function add(lists: Map<string, EvidenceMessage[]>, key: string, message: EvidenceMessage): void {
  lists.set(key, [...(lists.get(key) ?? []), message]);
}

/** In order. An edit takes the place of what it replaces, and belongs to what that belonged to. */
function withEdits(rows: readonly SaidRow[]): Line[] {
  const lines = new Map<string, Line>();
  const firstOf = new Map<string, string>();
  for (const { amends, ...own } of rows) {
    const first = amends === null ? own.id : (firstOf.get(amends) ?? amends);
    firstOf.set(own.id, first);
    const replaced = lines.get(first);
    const { seq, questionId, askedId, touches, isAfterEnd, verdict, turnId } = replaced ?? own;
    lines.set(first, {
      ...own,
      seq,
      questionId: questionId ?? own.questionId,
      askedId,
      touches,
      // An answer in place of a wish to skip belongs to the question.
      isBeside:
        replaced === undefined ? own.isBeside : replaced.isBeside && !isSkipping(replaced.text),
      isAfterEnd,
      verdict,
      turnId,
    });
  }
  return [...lines.values()];
}

/** The line declines this question: it is all of its answer, or the whole answer was taken so. */
function skips(line: Line, questionId: string, lines: readonly Line[]): boolean {
  if (line.questionId !== questionId) return false;
  if (line.verdict === 'refusal' && line.isBeside) return true;
  return isSkipping(line.text) && !lines.some((one) => isBesideSkip(one, line));
}

function isBesideSkip(one: Line, skip: Line): boolean {
  return one.turnId === skip.turnId && one.turnId !== null && !isSkipping(one.text);
}
