import type { Arrival } from './events-client';
import type { FrozenTime } from './frozen-time';
import type { Invited } from './inviting-program';
import type { OnlookerFacts } from './onlookers';
import type { ModelCall } from './storm-model';
import type { SentToken } from './tokens';

/** A promise that was broken: which one, and where. */
export interface Violation {
  /** An invariant of ARCHITECTURE.md, or a name. */
  readonly rule: string;
  readonly what: string;
}

/** What PostgreSQL holds at the end, read in one statement. Times are milliseconds since 1970. */
export interface StoredFacts {
  readonly messages: readonly StoredMessage[];
  readonly turns: readonly StoredTurn[];
  readonly deliveries: readonly StoredDelivery[];
  /** Interview requests of the ledger. */
  readonly requests: readonly { readonly subject: string; readonly attempts: number }[];
  /** Conversations with an open attention item. */
  readonly attention: readonly string[];
  /** Conversations with a message that waits for a reply, and nothing that would bring it one. */
  readonly stranded: readonly string[];
  /** Of the inviting program, by its key. */
  readonly invitations: readonly { readonly id: string; readonly key: string }[];
}

export interface StoredMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly seq: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly turnId: string | null;
  readonly isCleared: boolean;
}

export interface StoredTurn {
  readonly id: string;
  readonly subject: string;
  readonly conversationId: string;
  readonly state: 'opened' | 'replied' | 'delivered' | 'failed' | 'expired' | 'merged';
  readonly mergedInto: string | null;
  readonly replyMessageId: string;
  readonly startedMs: number;
  readonly repliedMs: number | null;
}

export interface StoredDelivery {
  readonly id: string;
  readonly messageId: string;
  readonly chat: string;
  readonly state: 'pending' | 'sending' | 'sent' | 'unknown' | 'dead';
  readonly isConfirmed: boolean;
  /**
   * Outcomes of all sends, oldest first. `sent_again`: it was sent while an earlier send had no outcome, and
   * is marked so; that earlier outcome may have been stored since.
   */
  readonly attempts: readonly string[];
}

/** One statement, so that all of it is of one moment. */
export const FACTS = `
select json_build_object(
  'messages', (select coalesce(json_agg(json_build_object('id', m.id, 'conversationId', m.conversation_id,
      'seq', m.seq, 'role', m.role, 'text', m.text, 'turnId', m.turn_id::text,
      'isCleared', m.cleared_at is not null) order by m.conversation_id, m.seq), '[]')
    from message m where m.role in ('user', 'assistant')),
  'turns', (select coalesce(json_agg(json_build_object('id', t.id::text, 'subject', 'flush:' || t.answer_id,
      'conversationId', t.conversation_id, 'state', t.state, 'mergedInto', t.merged_into::text,
      'replyMessageId', t.reply_message_id, 'startedMs', extract(epoch from t.started_at) * 1000,
      'repliedMs', extract(epoch from t.replied_at) * 1000) order by t.id), '[]') from turn t),
  'deliveries', (select coalesce(json_agg(json_build_object('id', d.id::text, 'messageId', d.message_id,
      'chat', d.chat, 'state', d.state, 'isConfirmed', d.confirmed,
      'attempts', (select coalesce(json_agg(
          case when x.outcome = 'sent' and x.unconfirmed then 'sent_again' else x.outcome end
          order by x.id), '[]')
        from delivery_attempt x where x.delivery_id = d.id))), '[]')
    from delivery d where d.channel = 'telegram' and d.kind = 'reply'),
  'requests', (select coalesce(json_agg(json_build_object('subject', r.subject,
      'attempts', (select count(*) from llm_attempt a where a.request_id = r.id))), '[]')
    from llm_request r where r.purpose = 'interview'),
  'attention', (select coalesce(json_agg(distinct conversation_id), '[]') from attention
    where conversation_id is not null),
  'stranded', (select coalesce(json_agg(distinct m.conversation_id), '[]') from message m
    where m.role = 'user' and m.cleared_at is null
      and not exists (select from job j where j.state in ('open', 'running', 'retry')
        and (j.queue = 'flush' and j.key = m.conversation_id::text
          or j.queue = 'transcribe' and j.key = m.id::text))
      and not exists (select from delivery d
        where d.conversation_id = m.conversation_id
          and (d.state in ('pending', 'sending') or d.due_at is not null))
      and not exists (select from attention a where a.conversation_id = m.conversation_id)),
  'invitations', (select coalesce(json_agg(json_build_object('id', i.id, 'key', i.metadata ->> 'key')), '[]')
    from invitation i where i.metadata ? 'key')
) as facts`;

/** A candidate's page at the end. */
export interface SeenPage {
  readonly candidate: number;
  readonly conversationId: string;
  /** Replies that came as a stream, by the id of their message. */
  readonly streamed: ReadonlyMap<string, { readonly text: string; readonly isFinished: boolean }>;
  /** Every text with which a reply has ended on the page, also one that another has replaced since. */
  readonly ended: ReadonlyMap<string, ReadonlySet<string>>;
  /** The stream owes what is stored after this message; null: it owes nothing (see EventsClient). */
  readonly readUpToSeq: number | null;
  /** Ids of lines that came whole. */
  readonly lines: ReadonlySet<string>;
  /** When replies were complete on the page, of `performance.now()`. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
  /** The transcript that the API returns at the end, by id. */
  readonly transcript: ReadonlyMap<string, string>;
  /** Streams that ended cleanly inside a reply. */
  readonly endedInside: number;
}

/** What was seen from outside. */
export interface OutsideFacts {
  readonly tokens: readonly SentToken[];
  readonly calls: readonly ModelCall[];
  /** Every token that was in any request to the model. */
  readonly seenByModel: ReadonlySet<string>;
  readonly onlookers: OnlookerFacts;
  readonly invited: readonly Invited[];
  /** Texts of the bot's messages by chat, oldest first; also those whose caller got no response. */
  readonly chats: ReadonlyMap<string, readonly string[]>;
  readonly pages: readonly SeenPage[];
  /** Candidates that were erased: nothing of them may be left. */
  readonly erased: ReadonlySet<number>;
  /** Starts of the calls to Notion, in milliseconds. */
  readonly notionStartsMs: readonly number[];
  /** Of the storm's own process, which also runs the fakes: they note nothing meanwhile. */
  readonly stalls: readonly FrozenTime[];
  /** Of all replicas. */
  readonly frozen: readonly FrozenTime[];
  /** `performance.timeOrigin`, to compare times of this process with the database's. */
  readonly timeOriginMs: number;
}
