import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { SegmentRepository } from '../../streams';
import type { Agent } from '../prompts/instructions';

/**
 * One answer and its reply (`turn`).
 *
 *   opened ──turn.close──> replied ──last part delivered──> delivered
 *      │ └─(web: turn.close is the delivery)────────────────────┘
 *      ├─ given up, or the candidate has withdrawn ──> failed   (given up: in the attention list)
 *      ├─ too old ───────────────────────────────────> expired  (in the attention list)
 *      └─ failed or expired by an outage, taken up by a later turn ──> merged
 *
 * A reply that is stored is never generated again: replied and delivered are final for its text.
 * A reply that was stopped before its first word is stored as an empty text.
 */
export type TurnState = 'opened' | 'replied' | 'delivered' | 'failed' | 'expired' | 'merged';

export interface TurnRow {
  readonly id: string;
  readonly answerId: string;
  readonly conversationId: string;
  readonly interviewStep: number;
  readonly state: TurnState;
  readonly epoch: number;
  readonly replyMessageId: string;
  readonly replyText: string | null;
  readonly mergedInto: string | null;
  readonly stopRequestedAt: Date | null;
  /** The claim that stored the reply. */
  readonly repliedBy: string | null;
  /** The agent that began its reply; null in rows older than agents. */
  readonly agent: Agent | null;
}

interface Columns {
  id: string;
  answer_id: string;
  conversation_id: string;
  interview_step: number;
  state: TurnState;
  epoch: number;
  reply_message_id: string;
  reply_text: string | null;
  merged_into: string | null;
  stop_requested_at: Date | null;
  replied_by: string | null;
  agent: Agent | null;
}

const COLUMNS = `id, answer_id, conversation_id, interview_step, state, epoch,
  reply_message_id, reply_text, merged_into, stop_requested_at, replied_by, agent`;

export interface NewTurn {
  readonly answerId: string;
  readonly conversationId: string;
  readonly interviewStep: number;
  readonly channel: string;
  readonly messageCount: number;
  readonly replyMessageId: string;
  /** Who begins its reply. */
  readonly agent: Agent;
  /** Of the claim that works on it. */
  readonly claimNo: number;
}

/** Reads and writes turns; every writer holds the conversation's lock. */
@Injectable()
export class TurnRepository {
  constructor(
    private readonly segments: SegmentRepository,
    private readonly clock: Clock,
  ) {}

  async findByAnswer(tx: Tx, answerId: string): Promise<TurnRow | undefined> {
    const rows = await tx.query<Columns>(`select ${COLUMNS} from turn where answer_id = $1`, [
      answerId,
    ]);
    return rows[0] && toRow(rows[0]);
  }

  /** Those of the answers whose turn still needs a reply or its delivery. */
  async listUnfinished(tx: Tx, answerIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select answer_id as id from turn
       where answer_id = any($1::bigint[]) and state in ('opened', 'replied')`,
      [answerIds],
    );
    return rows.map(({ id }) => id);
  }

  /** The turn of that id if its reply is stored, or else the last one that has a reply. */
  async findForResume(
    tx: Tx,
    conversationId: string,
    turnId: string | null,
  ): Promise<TurnRow | undefined> {
    const rows = await tx.query<Columns>(
      `select ${COLUMNS} from turn where conversation_id = $1 and reply_text <> ''
       order by id is not distinct from $2::bigint desc, id desc limit 1`,
      [conversationId, turnId],
    );
    return rows[0] && toRow(rows[0]);
  }

  /** A turn, or the next epoch of the one that an earlier claim opened. */
  async open(tx: Tx, turn: NewTurn): Promise<TurnRow> {
    const rows = await tx.query<Columns>(
      `insert into turn (answer_id, conversation_id, interview_step, channel,
         message_count, reply_message_id, started_at, claim_no, agent)
       values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, clock_timestamp()), $8, $9)
       on conflict (answer_id) do update set epoch = turn.epoch + 1, state = 'opened',
         claim_no = excluded.claim_no,
         error = null, completed_at = null, message_count = excluded.message_count
       returning ${COLUMNS}`,
      [...this.valuesOf(turn), turn.claimNo, turn.agent],
    );
    return only(rows);
  }

  /** The reply is stored, and with it (on the web) delivered. */
  async storeReply(
    tx: Tx,
    turnId: string,
    reply: {
      text: string;
      verdict: string | null;
      isPartial: boolean;
      isDelivered: boolean;
      repliedBy: string;
      /** What a stopped reply would have decided. */
      unfinished: unknown;
      /** The instructions that the model was given; null without a model. */
      prompt: string | null;
    },
  ): Promise<void> {
    await this.segments.clear(tx, turnId);
    await tx.query(
      `update turn set state = $2, reply_text = $3, verdict = $4, partial = $5, replied_by = $6,
         replied_at = coalesce($7::timestamptz, clock_timestamp()),
         completed_at = case when $2 = 'delivered'
           then coalesce($7::timestamptz, clock_timestamp()) end,
         decision = $8, prompt = $9
       where id = $1`,
      [
        turnId,
        reply.isDelivered ? 'delivered' : 'replied',
        reply.text,
        reply.verdict,
        reply.isPartial,
        reply.repliedBy,
        this.clock.databaseNow(),
        reply.unfinished === null ? null : JSON.stringify(reply.unfinished),
        reply.prompt,
      ],
    );
  }

  /** The last turn, if its reply was stopped; `unfinished`: what the reply would have decided. */
  async findStopped(
    tx: Tx,
    conversationId: string,
  ): Promise<(TurnRow & { readonly unfinished: unknown }) | undefined> {
    const rows = await tx.query<Columns & { decision: unknown; is_stopped: boolean }>(
      `select ${COLUMNS}, decision, partial and state in ('replied', 'delivered') as is_stopped
       from turn where conversation_id = $1 and state <> 'merged' order by id desc limit 1`,
      [conversationId],
    );
    const [last] = rows;
    return last?.is_stopped === true ? { ...toRow(last), unfinished: last.decision } : undefined;
  }

  /** The turn ends without a reply; a person has to act. */
  async giveUp(
    tx: Tx,
    turn: Omit<NewTurn, 'claimNo' | 'agent'>,
    end: { state: 'failed' | 'expired'; error: string },
  ): Promise<void> {
    const [ended] = await tx.query<{ id: string }>(
      `insert into turn (answer_id, conversation_id, interview_step, channel,
         message_count, reply_message_id, started_at, completed_at, state, error)
       values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, clock_timestamp()),
         coalesce($7::timestamptz, clock_timestamp()), $8, $9)
       on conflict (answer_id) do update set state = excluded.state, error = excluded.error,
         completed_at = excluded.completed_at
       where turn.state = 'opened'
       returning id`,
      [...this.valuesOf(turn), end.state, end.error],
    );
    if (ended !== undefined) await this.segments.clear(tx, ended.id);
  }

  /**
   * Makes earlier turns that ended without a reply because of an outage part of this one, with those that
   * they had taken up themselves. Returns their buffers.
   */
  async takeUpEarlier(tx: Tx, turn: TurnRow): Promise<string[]> {
    const rows = await tx.query<{ answer_id: string }>(
      `with left_over as (
         select id from turn
         where conversation_id = $1 and answer_id < $2 and state in ('failed', 'expired')
           and error = any($4::text[]))
       update turn set state = 'merged', merged_into = $3
       where conversation_id = $1
         and (id in (select id from left_over) or merged_into in (select id from left_over))
       returning answer_id`,
      [turn.conversationId, turn.answerId, turn.id, [ENDED_BY_OUTAGE, LEFT_TO_NEXT_TURN]],
    );
    return rows.map((row) => row.answer_id);
  }

  /** The buffers of what this turn has taken up, now or in an earlier epoch. */
  async listTakenUp(tx: Tx, turnId: string): Promise<string[]> {
    const rows = await tx.query<{ answer_id: string }>(
      `select answer_id from turn where merged_into = $1 order by answer_id`,
      [turnId],
    );
    return rows.map((row) => row.answer_id);
  }

  /** Whether a whole reply of another turn was delivered (or, if not delivered yet, stored) at `since` or later. */
  async wasRepliedSince(tx: Tx, turn: TurnRow, since: Date): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from turn
       where conversation_id = $1 and id <> $2 and state in ('replied', 'delivered')
         and not partial and coalesce(completed_at, replied_at) >= $3 limit 1`,
      [turn.conversationId, turn.id, since],
    );
    return rows.length > 0;
  }

  async requestStop(tx: Tx, conversationId: string): Promise<void> {
    await tx.query(
      `update turn set stop_requested_at = coalesce($2::timestamptz, clock_timestamp())
       where conversation_id = $1 and state = 'opened' and stop_requested_at is null`,
      [conversationId, this.clock.databaseNow()],
    );
  }

  /** Whether a person of the team has written since the turn began. */
  async isOvertaken(tx: Tx, turnId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from turn t join message m on m.conversation_id = t.conversation_id
       where t.id = $1 and m.from_person and m.received_at >= t.started_at limit 1`,
      [turnId],
    );
    return rows.length > 0;
  }

  /** Those of these running turns that have to stop: by request, or because they were erased. */
  async listToStop(tx: Tx, turnIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      `select r.id from unnest($1::bigint[]) as r (id) left join turn t on t.id = r.id
       where t.id is null or (t.state = 'opened' and t.stop_requested_at is not null)`,
      [turnIds],
    );
    return new Set(rows.map((row) => row.id));
  }

  /**
   * The candidate has withdrawn: turns without a worker, and the one of the caller's buffer, end without a
   * reply. A running turn ends itself.
   */
  async abandon(tx: Tx, of: { conversationId: string; ownAnswer: string | null }): Promise<void> {
    await tx.query(
      `update turn u set state = 'failed', error = '${WITHDRAWN}',
         completed_at = coalesce($3::timestamptz, clock_timestamp())
       where u.conversation_id = $1 and u.state = 'opened'
         and (u.answer_id = $2 or not exists (
           select 1 from live_job t where t.id = u.answer_id and t.state = 'running'))`,
      [of.conversationId, of.ownAnswer, this.clock.databaseNow()],
    );
  }

  /** The last part of its reply is delivered. Returns the turn's buffer; null: it was over before. */
  async end(tx: Tx, turnId: string): Promise<string | null> {
    const rows = await tx.query<{ answer_id: string }>(
      `update turn set state = 'delivered',
         completed_at = coalesce($2::timestamptz, clock_timestamp())
       where id = $1 and state = 'replied' returning answer_id`,
      [turnId, this.clock.databaseNow()],
    );
    return rows[0]?.answer_id ?? null;
  }

  private valuesOf(turn: Omit<NewTurn, 'claimNo' | 'agent'>): unknown[] {
    return [
      turn.answerId,
      turn.conversationId,
      turn.interviewStep,
      turn.channel,
      turn.messageCount,
      turn.replyMessageId,
      this.clock.databaseNow(),
    ];
  }
}

/** `turn.error` of a turn that ended because a peer or the database was away for too long. */
export const ENDED_BY_OUTAGE = 'outage';
/** The same for a turn whose answer a person has joined to the later one. */
export const LEFT_TO_NEXT_TURN = 'left_to_next_turn';
const WITHDRAWN = 'withdrawn';

/** What the requests about an answer are recorded under in the ledger. */
export function ledgerSubjectOf(answerId: string): string {
  return `flush:${answerId}`;
}

function only(rows: readonly Columns[]): TurnRow {
  const [row] = rows;
  if (row === undefined) throw new Error('an upsert of a turn returned no row');
  return toRow(row);
}

function toRow(columns: Columns): TurnRow {
  return {
    id: columns.id,
    answerId: columns.answer_id,
    conversationId: columns.conversation_id,
    interviewStep: columns.interview_step,
    state: columns.state,
    epoch: columns.epoch,
    replyMessageId: columns.reply_message_id,
    replyText: columns.reply_text,
    mergedInto: columns.merged_into,
    stopRequestedAt: columns.stop_requested_at,
    repliedBy: columns.replied_by,
    agent: columns.agent,
  };
}
