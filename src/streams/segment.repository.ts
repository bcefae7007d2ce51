import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { type ReplyClaim, type ReplyPart, eventsOfTurn, partsOf } from './live-replies';

/** A piece of a reply's text, from `startAt` (UTF-16 units) on. */
export interface Segment {
  readonly turnId: string;
  readonly epoch: number;
  readonly startAt: number;
  readonly text: string;
  /** Under which it was written; whoever lost it writes nothing. */
  readonly claim: ReplyClaim;
}

/** A turn as another replica's rows tell it. */
export interface RunningTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly epoch: number;
  readonly messageId: string;
  readonly bufferIds: readonly string[];
  /** The claim that opened this epoch still holds, and there is no reply yet. */
  readonly isRunning: boolean;
  /** Null until it is stored; empty when it was stopped before its first word. */
  readonly replyText: string | null;
  /** The line of the transcript that the reply became. */
  readonly seq: number | null;
  readonly createdAt: Date | null;
  readonly isPartial: boolean | null;
  /** What is known of the running epoch's text. */
  readonly text: string;
  /** What was committed of it beside the text. */
  readonly parts: readonly ReplyPart[];
}

interface Columns extends Omit<RunningTurn, 'text' | 'parts'> {
  readonly pieces: readonly Piece[];
  readonly agent: string | null;
  readonly events: readonly ReplyPart[];
}

type Piece = readonly [startAt: number, text: string];

/**
 * `turn_segment`: the text of replies that are being written, for readers elsewhere and for
 * whoever takes over. Never the truth about a reply that is stored.
 */
@Injectable()
export class SegmentRepository {
  /**
   * Writes those whose claim still holds, and answers their turns. A row that is locked is left for
   * the next time: its own flow may be committing.
   */
  async write(tx: Tx, segments: readonly Segment[]): Promise<Set<string>> {
    // Lost with a crash of the server, they are written again or the reply is generated again.
    await tx.query(`set local synchronous_commit = off`);
    const rows = await tx.query<{ turn_id: string }>(
      `with piece as (
         select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::int[], $5::int[], $6::text[])
           as p (job_id, claim_no, turn_id, epoch, start_at, text)),
       fenced as (
         select t.id from job t join piece p on p.job_id = t.id and p.claim_no = t.claim_no
         where t.state = 'running'
         for no key update of t skip locked)
       insert into turn_segment (turn_id, epoch, start_at, text)
       select turn_id, epoch, start_at, text from piece
       where job_id in (select id from fenced)
       on conflict (turn_id, epoch, start_at) do update set text = excluded.text
       returning turn_id`,
      [
        segments.map(({ claim }) => claim.jobId),
        segments.map(({ claim }) => claim.claimNo),
        segments.map(({ turnId }) => turnId),
        segments.map(({ epoch }) => epoch),
        segments.map(({ startAt }) => startAt),
        segments.map(({ text }) => text),
      ],
    );
    return new Set(rows.map((row) => row.turn_id));
  }

  /** The turns of these ids, and the running turns of these conversations: one statement, one moment. */
  async readTurns(
    tx: Tx,
    of: { readonly conversationIds: readonly string[]; readonly turnIds: readonly string[] },
  ): Promise<RunningTurn[]> {
    const rows = await tx.query<Columns>(
      `select u.conversation_id as "conversationId", u.id as "turnId", u.epoch,
         u.reply_message_id as "messageId",
         array(select b.buffer_id from turn b where b.merged_into = u.id order by b.buffer_id)
           || u.buffer_id as "bufferIds",
         u.state = 'opened' and exists (
           select from job t
           where t.id = u.buffer_id and t.claim_no = u.claim_no and t.state = 'running'
         ) as "isRunning",
         u.reply_text as "replyText", m.seq, m.received_at as "createdAt",
         m.partial as "isPartial",
         coalesce((
           select json_agg(json_build_array(s.start_at, s.text) order by s.start_at)
           from turn_segment s where s.turn_id = u.id and s.epoch = u.epoch), '[]') as pieces,
         u.agent,
         ${eventsOfTurn('u.id')} as events
       from turn u left join message m on m.id = u.reply_message_id
       where u.id in (
         select unnest($2::bigint[])
         union select o.id from turn o
         where o.conversation_id = any($1::uuid[]) and o.state = 'opened')`,
      [of.conversationIds, of.turnIds],
    );
    return rows.map(({ pieces, agent, events, ...turn }) => ({
      ...turn,
      text: joined(pieces),
      parts: partsOf(agent, events),
    }));
  }

  /** Throws when rows cannot be read. */
  async probe(tx: Tx): Promise<void> {
    await tx.query('select 1');
  }

  /** What the last epoch that wrote anything had written. */
  async lastText(tx: Tx, turnId: string): Promise<string> {
    const rows = await tx.query<{ epoch: number; start_at: number; text: string }>(
      `select epoch, start_at, text from turn_segment where turn_id = $1
       order by epoch desc, start_at`,
      [turnId],
    );
    const last = rows.filter(({ epoch }) => epoch === rows[0]?.epoch);
    return joined(last.map((row): Piece => [row.start_at, row.text]));
  }

  /** In the commit that ends the turn. */
  async clear(tx: Tx, turnId: string): Promise<void> {
    await tx.query('delete from turn_segment where turn_id = $1', [turnId]);
  }
}

/** The text from its beginning, as far as it has no hole. */
function joined(pieces: readonly Piece[]): string {
  let text = '';
  for (const [startAt, piece] of pieces) {
    if (startAt > text.length) break;
    text += piece.slice(text.length - startAt);
  }
  return text;
}
