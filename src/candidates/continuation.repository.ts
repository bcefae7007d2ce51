import type { ChannelName } from '../channels';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { hashToken } from '../common/ids';
import type { Tx } from '../common/uow';
import { isReissuedSinceSql } from './account-conversation.repository';

/** Whether a continuation that exists can still be used. */
export type ContinuationState = 'ok' | 'used' | 'expired';

export interface FoundContinuation {
  readonly conversationId: string;
  readonly state: ContinuationState;
}

interface Row {
  readonly conversation_id: string;
  readonly used_at: Date | null;
  readonly is_over: boolean;
}

const VALID_MS = 24 * 3_600_000;
/** The form of newToken(); any other token is unknown without asking the database. */
const TOKEN = /^[\w-]{16,64}$/;

const CREATE = `
insert into continuation (token_hash, conversation_id, channel, expires_at, created_at)
values ($1, $2, $3, coalesce($5::timestamptz, clock_timestamp()) + $4 * interval '1 millisecond',
  coalesce($5::timestamptz, clock_timestamp()))
returning expires_at`;

/** Of two commits at once the second waits for the row's lock and then finds it used. */
const REDEEM = `
update continuation l set used_at = coalesce($3::timestamptz, clock_timestamp())
from conversation c
where token_hash = $1 and l.channel = $2 and used_at is null
  and expires_at > coalesce($3::timestamptz, now())
  and c.id = l.conversation_id and not ${isReissuedSinceSql('c', 'l.created_at')}
returning conversation_id`;

const FIND = `
select conversation_id, used_at, (expires_at <= coalesce($3::timestamptz, now())
  or ${isReissuedSinceSql('c', 'l.created_at')}) as is_over
from continuation l join conversation c on c.id = l.conversation_id
where token_hash = $1 and l.channel = $2`;

/**
 * Links that continue an interview on another channel. Whoever opens one is taken for the candidate,
 * so it works once, for 24 hours, on the channel it was made for, and only its hash is stored. SQL,
 * because it compares times with the database's clock.
 *
 *   ok ──redeemed──> used        ok ──24 h, or the invitation is issued again──> expired
 */
@Injectable()
export class ContinuationRepository {
  constructor(private readonly clock: Clock) {}

  /** Stores the hash of a new token; returns when it expires. */
  async create(
    tx: Tx,
    {
      conversationId,
      channel,
      token,
    }: { conversationId: string; channel: ChannelName; token: string },
  ): Promise<Date> {
    const [row] = await tx.query<{ expires_at: Date }>(CREATE, [
      hashToken(token),
      conversationId,
      channel,
      VALID_MS,
      this.clock.databaseNow(),
    ]);
    if (row === undefined) throw new Error('the insert of a continuation returned no row');
    return row.expires_at;
  }

  /** Uses the continuation up. `unknown` also on a channel that it was not made for. */
  async redeem(
    tx: Tx,
    token: string,
    channel: ChannelName,
  ): Promise<{ conversationId: string } | 'unknown' | Exclude<ContinuationState, 'ok'>> {
    if (!TOKEN.test(token)) return 'unknown';
    const [redeemed] = await tx.query<Pick<Row, 'conversation_id'>>(REDEEM, [
      hashToken(token),
      channel,
      this.clock.databaseNow(),
    ]);
    if (redeemed !== undefined) return { conversationId: redeemed.conversation_id };
    const found = await this.find(tx, token, channel);
    if (found === null) return 'unknown';
    return found.state === 'used' ? 'used' : 'expired';
  }

  /** Deletes the continuations that nobody has used yet. */
  async revokeOf(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    await tx.query(
      'delete from continuation where conversation_id = any($1::uuid[]) and used_at is null',
      [conversationIds],
    );
  }

  /** The continuation of a token on this channel, also a used one. Reads only. */
  async find(tx: Tx, token: string, channel: ChannelName): Promise<FoundContinuation | null> {
    if (!TOKEN.test(token)) return null;
    const given = [hashToken(token), channel, this.clock.databaseNow()];
    const [row] = await tx.query<Row>(FIND, given);
    if (row === undefined) return null;
    return { conversationId: row.conversation_id, state: stateOf(row) };
  }
}

function stateOf(row: Row): ContinuationState {
  if (row.used_at !== null) return 'used';
  return row.is_over ? 'expired' : 'ok';
}
