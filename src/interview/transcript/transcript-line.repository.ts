import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../../channels';
import type { Tx } from '../../common/uow';
import type { FileLine } from './message.repository';

/** One line of a transcript, as people read it. */
export interface TranscriptLine {
  readonly id: string;
  readonly seq: number;
  /** Its place among the lines of the whole transcript, from 1. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly channel: ChannelName | 'code';
  readonly text: string;
  readonly at: Date;
  readonly editedAt: Date | null;
  /** The line that it corrects. */
  readonly amendsSeq: number | null;
  /** The place of that line. */
  readonly amendsNumber: number | null;
  /** A reply that was stopped: this is all that was said. */
  readonly isPartial: boolean;
  /** A person of the hiring team wrote it. */
  readonly isFromPerson: boolean;
  /** What came apart from the text, such as `photo`; the channel has it. */
  readonly attachment: string | null;
  /** Of a voice message, whose text is what was heard or corrected. */
  readonly voice: { readonly durationS: number | null; readonly hasAudio: boolean } | null;
  /** Of a file, whose text is its name and size. */
  readonly file: FileLine | null;
}

/** A part of a transcript, in order. */
export interface TranscriptLinesPage {
  readonly lines: readonly TranscriptLine[];
  /** Asks for what is older; null: these are the first lines. */
  readonly olderCursor: number | null;
}

/** The bounds of a page. A longer message is a page of its own. */
const PAGE = { lines: 100, chars: 64_000 };

/** How many lines come up to the one with that sequence number. */
const COUNT = (seq: string): string =>
  `(select count(*)::int from message n
    where n.conversation_id = $1 and n.role <> 'event' and n.seq <= ${seq})`;

/** $2: only what is older; $3, $4: the bounds of the page. */
const NEWEST = `
select m.id, m.seq, m.role, m.channel, m.text,
  m.received_at as at, m.edited_at as "editedAt", a.seq as "amendsSeq",
  case when a.seq is not null then ${COUNT('a.seq')} end as "amendsNumber",
  m.partial as "isPartial", m.from_person as "isFromPerson", m.attachment->>'kind' as attachment,
  case when v.message_id is not null then json_build_object(
    'durationS', v.duration_s, 'hasAudio', v.bytes is not null) end as voice,
  case when f.message_id is not null then json_build_object(
    'name', f.name, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes, 'state', f.state)
  end as file, m.found
from (
  select p.*, row_number() over page as place, sum(length(text)) over page as total,
    count(*) over ()::int as found
  from (
    select * from message
    where conversation_id = $1 and role <> 'event' and ($2::int is null or seq < $2)
    order by seq desc limit $3::int + 1) p
  window page as (order by seq desc)) m
left join message a on a.id = m.amends
left join voice v on v.message_id = m.id
left join file f on f.message_id = m.id
where m.place = 1 or m.place <= $3::int and m.total <= $4::int
order by m.seq`;

/** Transcripts as people read them: what was said, without events, in pages. Writes nothing. */
@Injectable()
export class TranscriptLineRepository {
  /** The newest lines, or the newest of those with a sequence number below `before`. */
  async page(tx: Tx, conversationId: string, before: number | null): Promise<TranscriptLinesPage> {
    const rows = await tx.query<Omit<TranscriptLine, 'number'> & { found: number }>(NEWEST, [
      conversationId,
      before,
      PAGE.lines,
      PAGE.chars,
    ]);
    const [oldest] = rows;
    if (oldest === undefined) return { lines: [], olderCursor: null };
    const isMore = oldest.found > rows.length;
    const [first] = await tx.query<{ number: number }>(`select ${COUNT('$2')} as number`, [
      conversationId,
      oldest.seq,
    ]);
    const lines = rows.map(({ found: _, ...line }, index) => ({
      ...line,
      number: (first?.number ?? 1) + index,
    }));
    return { lines, olderCursor: isMore ? oldest.seq : null };
  }

  async beganAt(tx: Tx, conversationId: string): Promise<Date | null> {
    const [row] = await tx.query<{ at: Date }>(
      'select created_at as at from conversation where id = $1',
      [conversationId],
    );
    return row?.at ?? null;
  }
}
