import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import {
  type QuestionMark,
  type ReplyClaim,
  type ReplyPart,
  partsOf,
  questionPart,
} from './live-replies';

/**
 * SQL of the table `turn_segment`: the text of replies that are being written, for readers on other
 * replicas and for a worker that takes over. Once a reply is stored, only its message counts.
 */
@Injectable()
export class SegmentRepository {
  /**
   * Writes the segments whose claim still holds, and returns their turns. Skips locked jobs, whose
   * flow may be committing; the next write stores them.
   */
  async write(tx: Tx, segments: readonly Segment[]): Promise<Set<string>> {
    // A crash of the server may lose them: they are written again or the reply is generated again.
    await tx.query(`set local synchronous_commit = off`);
    const rows = await tx.query<{ turn_id: string }>(
      `with piece as (
         select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::int[], $5::int[], $6::text[])
           as p (job_id, claim_no, turn_id, epoch, start_at, text)),
       fenced as (
         select t.id from live_job t join piece p on p.job_id = t.id and p.claim_no = t.claim_no
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

  /** The turns of these ids and the running turns of these conversations, in one statement. */
  async readTurns(
    tx: Tx,
    of: { readonly conversationIds: readonly string[]; readonly turnIds: readonly string[] },
  ): Promise<RunningTurn[]> {
    const rows = await tx.query<Columns>(
      `select u.conversation_id as "conversationId", u.id as "turnId", u.epoch,
         u.reply_message_id as "messageId",
         array(select b.answer_id from turn b where b.merged_into = u.id order by b.answer_id)
           || u.answer_id as "answerIds",
         u.state = 'opened' and exists (
           select from live_job t
           where t.id = u.answer_id and t.claim_no = u.claim_no and t.state = 'running'
         ) as "isRunning",
         u.reply_text as "replyText", m.seq, m.received_at as "createdAt",
         m.partial as "isPartial", ${QUESTION_OF_MESSAGE} as question,
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
      parts: [...partsOf(agent, events), ...questionPart(turn.replyText ?? '', turn.question)],
    }));
  }

  /** Throws when rows cannot be read. */
  async probe(tx: Tx): Promise<void> {
    await tx.query('select 1');
  }

  /** The text of the last epoch that stored any. */
  async lastText(tx: Tx, turnId: string): Promise<string> {
    const rows = await tx.query<{ epoch: number; start_at: number; text: string }>(
      `select epoch, start_at, text from turn_segment where turn_id = $1
       order by epoch desc, start_at`,
      [turnId],
    );
    const last = rows.filter(({ epoch }) => epoch === rows[0]?.epoch);
    return joined(last.map((row): Piece => [row.start_at, row.text]));
  }

  /** Part of the commit that ends the turn. */
  async clear(tx: Tx, turnId: string): Promise<void> {
    await tx.query('delete from turn_segment where turn_id = $1', [turnId]);
  }
}

/** As SQL, the question that a message ends with; null without one. */
export const QUESTION_OF_MESSAGE = `case when m.question_at is not null then
  json_build_object('id', m.question_context, 'start', m.question_at) end`;

/** A piece of a reply's text, from `startAt` (UTF-16 units) on. */
export interface Segment {
  readonly turnId: string;
  readonly epoch: number;
  readonly startAt: number;
  readonly text: string;
  /** The claim under which it was written. Without it nothing is stored. */
  readonly claim: ReplyClaim;
}

/** A turn as another replica has stored it. */
export interface RunningTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly epoch: number;
  readonly messageId: string;
  readonly answerIds: readonly string[];
  /** The claim that opened this epoch still holds, and there is no reply yet. */
  readonly isRunning: boolean;
  /** Null until it is stored; empty when the reply was stopped before its first word. */
  readonly replyText: string | null;
  /** The message of the transcript as which the reply was stored. */
  readonly seq: number | null;
  readonly createdAt: Date | null;
  readonly isPartial: boolean | null;
  /** The question at the end of the stored reply. */
  readonly question: QuestionMark | null;
  /** The stored text of the running epoch. */
  readonly text: string;
  /** Its stored parts apart from the text. */
  readonly parts: readonly ReplyPart[];
}

interface Columns extends Omit<RunningTurn, 'text' | 'parts'> {
  readonly pieces: readonly Piece[];
  readonly agent: string | null;
  readonly events: readonly ReplyPart[];
}

type Piece = readonly [startAt: number, text: string];

/** As SQL, the events of a turn as clients get them; `turnId` names its id in the statement. */
export function eventsOfTurn(turnId: string): string {
  return `coalesce((
    select json_agg(e.event - 'passages' order by e.seq)
    from message e where e.turn_id = ${turnId} and e.role = 'event'), '[]')`;
}

/** The text from its beginning to the first gap. */
function joined(pieces: readonly Piece[]): string {
  let text = '';
  for (const [startAt, piece] of pieces) {
    if (startAt > text.length) break;
    text += piece.slice(text.length - startAt);
  }
  return text;
}
