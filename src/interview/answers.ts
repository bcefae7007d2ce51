import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { TurnTable, type TurnRow } from './turn/turn-table';

const LIVE = `lane = 'flush' and state in ('open', 'running', 'retry')`;

/** How a conversation's answers stand, for readers that wait for a reply. An answer is a buffer. */
@Injectable()
export class Answers {
  constructor(private readonly turns: TurnTable) {}

  /** The turn that replies to this answer, also when a later one took it up. */
  async turnOf(tx: Tx, bufferId: string): Promise<TurnRow | undefined> {
    const turn = await this.turns.findByBuffer(tx, bufferId);
    if (turn?.mergedInto == null) return turn;
    return this.turns.findById(tx, turn.mergedInto);
  }

  /** Whether the answer is still being collected or worked on. */
  async isLive(tx: Tx, bufferId: string): Promise<boolean> {
    const rows = await tx.query(`select 1 from task where id = $1 and ${LIVE}`, [bufferId]);
    return rows.length > 0;
  }

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
      `select buffer_id from turn where conversation_id = $1 and reply_text is not null
       order by id desc limit 1`,
      [conversationId],
    );
    return rows[0]?.buffer_id;
  }

  /** Which of these client ids name messages that are stored already. */
  async knownWebIds(tx: Tx, conversationId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ external_id: string }>(
      `select external_id from message
       where conversation_id = $1 and channel = 'web' and external_id = any($2::text[])`,
      [conversationId, ids],
    );
    return new Set(rows.map((row) => row.external_id));
  }
}
