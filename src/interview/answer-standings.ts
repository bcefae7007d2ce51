import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../common/uow';
import { type ReplyPart, eventsOfTurn, partsOf } from '../streams';

/** An answer that somebody waits for. Who resumes is no chat request of its own. */
export interface AwaitedReply {
  readonly conversationId: string;
  readonly bufferId: string;
  readonly chatId?: string;
  readonly requestId?: string | undefined;
}

/**
 * How an answer stands. `pending`: being collected or worked on. `said`: replied to, also by the
 * turn that took it up later. `stopped`: by the candidate, before the first word. `superseded`: a
 * newer request of the same chat, on whatever replica, waits for the reply. `givenUp`: no reply
 * comes any more.
 */
export type AnswerStatus =
  | { readonly kind: 'pending' | 'stopped' | 'superseded' | 'givenUp' }
  | {
      readonly kind: 'said';
      readonly messageId: string;
      readonly text: string;
      /** What belongs to it beside its text. */
      readonly parts: readonly ReplyPart[];
      readonly isPartial: boolean;
    };

interface Row {
  readonly isReplied: boolean;
  /** Null also of a reply that was stopped before its first word. */
  readonly messageId: string | null;
  readonly text: string;
  readonly isPartial: boolean;
  /** Who began the reply. */
  readonly agent: string | null;
  readonly events: readonly ReplyPart[];
  /** The request of the chat that brought the answer's newest message. */
  readonly newestRequest: string | null;
  readonly isLive: boolean;
}

/** Looks how answers stand, for all requests of this replica that wait: together, in one statement. */
@Injectable()
export class AnswerStatusReader {
  private readonly reads: CommitBatcher<AwaitedReply, Row>;

  constructor(units: UnitOfWorkFactory) {
    this.reads = new CommitBatcher(units, 'answer.standing', rowsOf, undefined, 'commitOne');
  }

  /** The caller is inside no commit. */
  async find(answer: AwaitedReply): Promise<AnswerStatus> {
    const row = await this.reads.ask(answer);
    const { isReplied, messageId, text, isPartial, agent, events, isLive } = row;
    if (isReplied && messageId === null) return { kind: 'stopped' };
    if (isReplied && messageId !== null) {
      return { kind: 'said', messageId, text, parts: partsOf(agent, events), isPartial };
    }
    if (isSuperseded(answer, row)) return { kind: 'superseded' };
    return { kind: isLive ? 'pending' : 'givenUp' };
  }
}

function isSuperseded({ chatId, requestId }: AwaitedReply, { newestRequest }: Row): boolean {
  return chatId !== undefined && newestRequest !== (requestId ?? null);
}

function rowsOf(tx: Tx, answers: readonly AwaitedReply[]): Promise<Row[]> {
  return tx.query<Row>(
    `select u.reply_text is not null as "isReplied", m.id as "messageId", m.text,
       m.partial as "isPartial", u.agent,
       ${eventsOfTurn('m.turn_id')} as events,
       newest.request_id as "newestRequest",
       exists (
         select from task t where t.id = a.buffer_id and t.lane = 'flush'
           and t.state in ('open', 'running', 'retry')) as "isLive"
     from unnest($1::uuid[], $2::bigint[], $3::text[]) with ordinality
       as a (conversation_id, buffer_id, chat_id, place)
     left join turn own on own.buffer_id = a.buffer_id
     left join turn u on u.id = coalesce(own.merged_into, own.id)
     left join message m on m.id = u.reply_message_id
     left join lateral (
       select request_id from message
       where conversation_id = a.conversation_id and buffer_id = a.buffer_id
         and chat_id = a.chat_id
       order by seq desc limit 1) newest on true
     order by a.place`,
    [
      answers.map(({ conversationId }) => conversationId),
      answers.map(({ bufferId }) => bufferId),
      answers.map(({ chatId }) => chatId ?? null),
    ],
  );
}
