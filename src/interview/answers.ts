import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';

/** As the transcript writes its ids. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LIVE = `lane = 'flush' and state in ('open', 'running', 'retry')`;

/** How a conversation's answers stand, for readers that wait for a reply. An answer is a buffer. */
@Injectable()
export class Answers {
  /** The answer that will be replied to next. */
  async findOldestLive(tx: Tx, conversationId: string): Promise<string | undefined> {
    const rows = await tx.query<{ id: string }>(
      `select id from task where key = $1 and ${LIVE} order by id limit 1`,
      [conversationId],
    );
    return rows[0]?.id;
  }

  /** For a request without a new message: the pending answer, or else the last one replied to. */
  async findToReplay(tx: Tx, conversationId: string): Promise<string | undefined> {
    const pending = await this.findOldestLive(tx, conversationId);
    if (pending !== undefined) return pending;
    const rows = await tx.query<{ buffer_id: string }>(
      `select buffer_id from turn where conversation_id = $1 and reply_text <> ''
       order by id desc limit 1`,
      [conversationId],
    );
    return rows[0]?.buffer_id;
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
    of: { readonly conversationId: string; readonly bufferId: string; readonly chatId: string },
  ): Promise<string | undefined> {
    const rows = await tx.query<{ id: string }>(
      `select request_id as id from message
       where conversation_id = $1 and buffer_id = $2 and chat_id = $3
       order by seq desc limit 1`,
      [of.conversationId, of.bufferId, of.chatId],
    );
    return rows[0]?.id;
  }

  /**
   * Those of these ids that name stored messages of the candidate: ids of the web client's own, or
   * the ids that the transcript gave them; and what the last one of them is.
   */
  async knownMessages(
    tx: Tx,
    conversationId: string,
    ids: readonly string[],
  ): Promise<{
    readonly ids: ReadonlySet<string>;
    readonly last: { readonly text: string; readonly bufferId: string | undefined } | undefined;
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
    const [last] = await tx.query<{ text: string; buffer_id: string | null }>(
      'select text, buffer_id from message where id = $1',
      [known.get(lastGiven)],
    );
    return {
      ids: new Set(known.keys()),
      last: last && { text: last.text, bufferId: last.buffer_id ?? undefined },
    };
  }
}
