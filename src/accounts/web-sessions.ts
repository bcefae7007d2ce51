import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { hashToken, newToken } from '../common/ids';
import type { Tx } from '../common/uow';

/** What newToken() makes; anything else is nobody's without asking the database. */
const TOKEN = /^[\w-]{16,64}$/;

/**
 * Which conversation a browser may read and write. A session is one conversation's and does not
 * end; only its hash is stored, so whoever reads the table cannot act as a candidate.
 */
@Injectable()
export class WebSessions {
  constructor(private readonly clock: Clock) {}

  /** The secret for the browser's cookie; it is shown once. */
  async create(tx: Tx, conversationId: string): Promise<{ sessionToken: string }> {
    const sessionToken = newToken();
    await tx.query(
      `insert into web_session (token_hash, conversation_id, created_at)
       values ($1, $2, coalesce($3::timestamptz, clock_timestamp()))`,
      [hashToken(sessionToken), conversationId, this.clock.databaseNow()],
    );
    return { sessionToken };
  }

  /** The conversation's id, or null for a token that nobody was given. */
  async resolve(tx: Tx, sessionToken: string): Promise<string | null> {
    if (!TOKEN.test(sessionToken)) return null;
    const [row] = await tx.query<{ conversation_id: string }>(
      'select conversation_id from web_session where token_hash = $1',
      [hashToken(sessionToken)],
    );
    return row?.conversation_id ?? null;
  }
}
