import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../common/uow';
import {
  type QuestionMark,
  QUESTION_OF_MESSAGE,
  type ReplyPart,
  eventsOfTurn,
  partsOf,
  questionPart,
} from '../streams';
import { OUTAGE_NOTICE } from './transcript/message.repository';
import { LEFT_TO_NEXT_TURN } from './turn/turn.repository';

/** An answer whose reply a chat request waits for. A resuming reader has no request of its own. */
export interface AwaitedReply {
  readonly conversationId: string;
  readonly answerId: string;
  readonly chatId?: string;
  readonly requestId?: string | undefined;
}

/**
 * The status of an answer. `pending`: being collected or worked on. `replied`: it has a reply, perhaps by the
 * turn that took it up later. `stopped`: by the candidate, before the first word. `superseded`: a
 * newer request of the same chat, on any replica, waits for the reply. `givenUp`: no reply
 * comes any more.
 */
export type AnswerStatus =
  | { readonly kind: 'pending' | 'stopped' | 'superseded' | 'givenUp' }
  | {
      readonly kind: 'replied';
      readonly messageId: string;
      readonly text: string;
      /** The parts apart from its text. */
      readonly parts: readonly ReplyPart[];
      readonly isPartial: boolean;
    };

interface Row {
  readonly isReplied: boolean;
  /** Also null for a reply that was stopped before its first word. */
  readonly messageId: string | null;
  readonly text: string;
  readonly isPartial: boolean;
  /** Who began the reply. */
  readonly agent: string | null;
  readonly events: readonly ReplyPart[];
  readonly question: QuestionMark | null;
  /** The request of the chat that brought the answer's newest message. */
  readonly newestRequest: string | null;
  readonly isLive: boolean;
}

/** Reads the status of answers for the chat requests that wait for a reply. */
@Injectable()
export class AnswerStatusReader {
  private readonly shared: CommitBatcher<AwaitedReply, Row>;

  constructor(units: UnitOfWorkFactory) {
    this.shared = new CommitBatcher(units, 'answer.status', rowsOf, undefined, 'commitOne');
  }

  /** In the caller's commit: one statement. */
  async read(tx: Tx, answer: AwaitedReply): Promise<AnswerStatus> {
    const [row] = await rowsOf(tx, [answer]);
    if (row === undefined) throw new Error('the status of an answer has no row');
    return statusOf(answer, row);
  }

  /** The same in a commit that callers at the same time share. The caller must be outside a commit. */
  async readShared(answer: AwaitedReply): Promise<AnswerStatus> {
    return statusOf(answer, await this.shared.submit(answer));
  }
}

function statusOf(answer: AwaitedReply, row: Row): AnswerStatus {
  const { isReplied, messageId, text, isPartial, agent, events, question, isLive } = row;
  if (isReplied && messageId === null) return { kind: 'stopped' };
  if (isReplied && messageId !== null) {
    const parts = [...partsOf(agent, events), ...questionPart(text, question)];
    return { kind: 'replied', messageId, text, parts, isPartial };
  }
  if (isSuperseded(answer, row)) return { kind: 'superseded' };
  return { kind: isLive ? 'pending' : 'givenUp' };
}

function isSuperseded({ chatId, requestId }: AwaitedReply, { newestRequest }: Row): boolean {
  return chatId !== undefined && newestRequest !== (requestId ?? null);
}

function rowsOf(tx: Tx, answers: readonly AwaitedReply[]): Promise<Row[]> {
  return tx.query<Row>(
    `select u.reply_text is not null as "isReplied", m.id as "messageId", m.text,
       m.partial as "isPartial", u.agent, ${QUESTION_OF_MESSAGE} as question,
       ${eventsOfTurn('m.turn_id')} as events,
       newest.request_id as "newestRequest",
       exists (
         select from live_job t where t.id = a.answer_id and t.queue = 'flush') as "isLive"
     from unnest($1::uuid[], $2::bigint[], $3::text[]) with ordinality
       as a (conversation_id, answer_id, chat_id, place)
     left join turn own on own.answer_id = a.answer_id
     left join turn u on u.id = coalesce(own.merged_into, own.id)
     left join message m on m.id = u.reply_message_id
     left join lateral (
       select request_id from message
       where conversation_id = a.conversation_id and answer_id = a.answer_id
         and chat_id = a.chat_id
       order by seq desc limit 1) newest on true
     order by a.place`,
    [
      answers.map(({ conversationId }) => conversationId),
      answers.map(({ answerId }) => answerId),
      answers.map(({ chatId }) => chatId ?? null),
    ],
  );
}

/** As the transcript writes its ids. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The answers of a conversation, for readers that wait for a reply. An answer is a buffer. */
@Injectable()
export class PendingAnswers {
  /** The answer that will be replied to next. */
  async findOldestLive(tx: Tx, conversationId: string): Promise<string | undefined> {
    const rows = await tx.query<{ id: string }>(
      `select id from live_job where queue = 'flush' and key = $1 order by id limit 1`,
      [conversationId],
    );
    return rows[0]?.id;
  }

  /** For a request without a new message: the pending answer, or else the last one replied to. */
  async findToReplay(tx: Tx, conversationId: string): Promise<string | undefined> {
    const pending = await this.findOldestLive(tx, conversationId);
    if (pending !== undefined) return pending;
    const rows = await tx.query<{ answer_id: string }>(
      `select answer_id from turn where conversation_id = $1 and reply_text <> ''
       order by id desc limit 1`,
      [conversationId],
    );
    return rows[0]?.answer_id;
  }

  /** Marks messages with the chat client's request that brought them. */
  async markRequest(
    tx: Tx,
    conversationId: string,
    request: {
      readonly id: string;
      readonly chatId: string;
      readonly messageIds: readonly string[];
    },
  ): Promise<void> {
    await tx.query(
      `update message set chat_id = $2, request_id = $3
       where conversation_id = $1 and channel = 'web' and external_id = any($4::text[])`,
      [conversationId, request.chatId, request.id, request.messageIds],
    );
  }

  /** The request of that chat which brought this answer's newest message. */
  async newestRequest(
    tx: Tx,
    of: { readonly conversationId: string; readonly answerId: string; readonly chatId: string },
  ): Promise<string | undefined> {
    const rows = await tx.query<{ id: string }>(
      `select request_id as id from message
       where conversation_id = $1 and answer_id = $2 and chat_id = $3
       order by seq desc limit 1`,
      [of.conversationId, of.answerId, of.chatId],
    );
    return rows[0]?.id;
  }

  /**
   * Which of these ids name stored messages of the candidate (by the web client's id or the transcript's),
   * and the last one of them.
   */
  async knownMessages(
    tx: Tx,
    conversationId: string,
    ids: readonly string[],
  ): Promise<{
    readonly ids: ReadonlySet<string>;
    readonly last: { readonly text: string; readonly answerId: string | undefined } | undefined;
  }> {
    const rows = await tx.query<{ given: string; id: string }>(
      // Two joins, each by an index: a condition on either would compare every id with every line.
      `select g.given, m.id from unnest($2::text[]) as g (given)
       join message m on m.conversation_id = $1 and m.channel = 'web' and m.external_id = g.given
         and m.role = 'user'
       union all
       select g.given, m.id from unnest($3::text[]) as g (given)
       join message m on m.id = g.given::uuid and m.conversation_id = $1 and m.role = 'user'`,
      [conversationId, ids, ids.filter((id) => UUID.test(id))],
    );
    const known = new Map(rows.map(({ given, id }) => [given, id]));
    const lastGiven = ids.findLast((id) => known.has(id));
    if (lastGiven === undefined) return { ids: new Set(), last: undefined };
    const [last] = await tx.query<{ text: string; answer_id: string | null }>(
      'select text, answer_id from message where id = $1',
      [known.get(lastGiven)],
    );
    return {
      ids: new Set(known.keys()),
      last: last && { text: last.text, answerId: last.answer_id ?? undefined },
    };
  }
}

/** Due answers without a reply, the next one of each conversation. */
const WAITING = `t.queue = 'flush' and t.state in ('open', 'retry')
  and t.quiet_at <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and not exists (select 1 from live_job e
    where e.queue = 'flush' and e.key = t.key and e.id < t.id)
  and not exists (select 1 from message m
    where m.conversation_id = t.key::uuid and m.channel = 'code'
      and m.external_id = '${OUTAGE_NOTICE}:' || t.id)`;

/** An answer that waits for a reply. */
export interface WaitingAnswer {
  readonly answerId: string;
  readonly conversationId: string;
}

/** A later answer of the same conversation. */
export interface LaterAnswer {
  readonly answerId: string;
  readonly state: 'open' | 'running' | 'retry';
}

/** Answers without a reply: those that wait, and those that a person replays (`job`, `turn`). */
@Injectable()
export class AnswerWithoutReplyRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Answers that have been due for `dueForMs` and whose candidate has no notice of the outage yet,
   * the oldest first. `answerId`: only this one.
   */
  async listWaiting(
    tx: Tx,
    { dueForMs, limit, answerId }: { dueForMs: number; limit: number; answerId?: string },
  ): Promise<WaitingAnswer[]> {
    return tx.query<WaitingAnswer>(
      `select t.id as "answerId", t.key as "conversationId" from live_job t
       where ${WAITING} and ($3::bigint is null or t.id = $3) order by t.id limit $4`,
      [this.clock.databaseNow(), dueForMs, answerId ?? null, limit],
    );
  }

  /** Whether the answer is part of a later one, and whether a later one has a reply. */
  async findObstacles(
    tx: Tx,
    conversationId: string,
    answerId: string,
  ): Promise<{ isMerged: boolean; isOvertaken: boolean }> {
    const [found] = await tx.query<{ isMerged: boolean | null; isOvertaken: boolean | null }>(
      `select bool_or(answer_id = $2 and state = 'merged') as "isMerged",
         bool_or(answer_id > $2 and state in ('replied', 'delivered')) as "isOvertaken"
       from turn where conversation_id = $1`,
      [conversationId, answerId],
    );
    return { isMerged: found?.isMerged === true, isOvertaken: found?.isOvertaken === true };
  }

  /** The next answer after this one, with its job locked. */
  async lockLater(
    tx: Tx,
    conversationId: string,
    answerId: string,
  ): Promise<LaterAnswer | undefined> {
    const rows = await tx.query<LaterAnswer>(
      `select id as "answerId", state from live_job
       where queue = 'flush' and key = $1 and id > $2
       order by id limit 1 for no key update`,
      [conversationId, answerId],
    );
    return rows[0];
  }

  /** Opens the turn of an answer again. */
  async reopen(tx: Tx, answerId: string): Promise<void> {
    await tx.query(
      `update turn set state = 'opened', error = null, completed_at = null,
         stop_requested_at = null
       where answer_id = $1 and state in ('failed', 'expired')`,
      [answerId],
    );
  }

  /** Leaves the answer to the conversation's next turn. False if it never had a turn to take up. */
  async leaveToNextTurn(tx: Tx, answerId: string): Promise<boolean> {
    const left = await tx.query(
      `update turn set error = $2 where answer_id = $1 and state in ('failed', 'expired')
       returning id`,
      [answerId, LEFT_TO_NEXT_TURN],
    );
    return left.length > 0;
  }
}
