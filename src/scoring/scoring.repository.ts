import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { isSkipping } from '../interview';
import { type Rubric, canonicalRubric, rubricHash } from '../vacancies';
import { type EvidenceMessage, normalised } from './evidence';
import type { SpokenLine } from './heard-words';
import { type Prompt, promptHash } from './score-request';
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
  /** SHA-256 of the whole user message of the request, as hex. */
  readonly inputHash: string;
  /** `ok`, or why there was no completion. */
  readonly outcome: string;
  readonly output: string | null;
  readonly reading: CriterionReading | FactReading;
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

interface SaidRow {
  readonly id: string;
  readonly text: string;
  /** The message that it is an edit of. */
  readonly amends: string | null;
  readonly questionId: string | null;
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
   * by code from its name and size, or what somebody else wrote and the candidate passed on. A message without a label, whose reply was stopped, belongs to the
   * question that waited when it came. What was added after the end may concern any question, so it
   * belongs to each that has an answer; a question that was not answered stays so.
   *
   * A wish to skip is no answer. A question that was skipped instead of saying more, after a push-back,
   * has none: what was too little before is left out too. What is added to it later counts.
   */
  async answers(tx: Tx, conversationId: string): Promise<AnswersByQuestion> {
    const rows = await tx.query<SaidRow>(
      `select m.id, m.text, m.amends, coalesce(l.question_id, m.question_context) as "questionId",
         coalesce(l.label in ('question', 'aside'), false) as "isBeside",
         coalesce(l.label = 'addition' and m.question_context is null, false) as "isAfterEnd",
         t.verdict, m.turn_id as "turnId"
       from message m join conversation c on c.id = m.conversation_id
       left join turn t on t.id = m.turn_id
       left join message_label l on l.message_id = m.id
       left join message a on a.id = m.amends
       where m.conversation_id = $1 and m.role = 'user' and m.content_type <> 'FILE'
         and m.attachment->'author' is null and a.attachment->'author' is null
         and c.consent_accepted
         and m.seq > coalesce(c.consent_seq, 0)
       order by m.seq`,
      [conversationId],
    );
    return byQuestion(rows);
  }

  /** What both sides said, in order; without files, whose text is made by code, and the words of others. */
  spoken(tx: Tx, conversationId: string): Promise<SpokenLine[]> {
    return tx.query(
      `select id, seq, role = 'user' as "isCandidate", text from message
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

  /** In the order in which they were asked. */
  samples(tx: Tx, runId: string): Promise<StoredSample[]> {
    return tx.query(`select ${SAMPLE} from score_sample where run_id = $1 order by id`, [runId]);
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

type Line = Omit<SaidRow, 'amends'>;

function byQuestion(rows: readonly SaidRow[]): AnswersByQuestion {
  const lines = withEdits(rows);
  const answers = new Map<string, EvidenceMessage[]>();
  for (const [index, { id, text, questionId, isBeside, isAfterEnd, verdict }] of lines.entries()) {
    if (questionId === null || isBeside || text.trim() === '' || isSkipping(text)) continue;
    const isTooLittle = verdict === 'vague';
    if (isTooLittle && lines.slice(index + 1).some((later) => skips(later, questionId, lines))) {
      continue;
    }
    const concerned = isAfterEnd ? [...answers.keys()] : [questionId];
    for (const question of concerned) {
      answers.set(question, [...(answers.get(question) ?? []), { id, text: normalised(text) }]);
    }
  }
  return answers;
}

/** In order. An edit takes the place of what it replaces, and belongs to what that belonged to. */
function withEdits(rows: readonly SaidRow[]): Line[] {
  const lines = new Map<string, Line>();
  const firstOf = new Map<string, string>();
  for (const { amends, ...own } of rows) {
    const first = amends === null ? own.id : (firstOf.get(amends) ?? amends);
    firstOf.set(own.id, first);
    const replaced = lines.get(first);
    const { questionId, isAfterEnd, verdict, turnId } = replaced ?? own;
    lines.set(first, {
      ...own,
      questionId: questionId ?? own.questionId,
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
