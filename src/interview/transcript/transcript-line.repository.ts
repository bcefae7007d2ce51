import { ledgerSubjectOf } from '../turn/turn.repository';
import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../../channels';
import type { Tx } from '../../common/uow';
import { LlmLedgerRepository } from '../../llm';
import type { LabelName } from './message-label.repository';
import type { Author, FileLine } from './message.repository';

/**
 * What a message of the candidate was read as. Questions are named by their place in the plan, from 1, and
 * lines by their place in the whole transcript.
 */
export interface LineLabel {
  readonly name: LabelName;
  /** The question that it belongs to; null for questions, asides and what belongs to none. */
  readonly question: number | null;
  /** The earlier line that it corrects. */
  readonly corrects: number | null;
  /** Later questions that it touched on, and the line that asked each of them; null: not asked yet. */
  readonly touches: { readonly question: number; readonly askedIn: number | null }[];
}

/** What a model's reply came from. */
export interface ReplyOrigin {
  /** The id for `colloquy replay --reply`. */
  readonly reply: string;
  /** Null: its request was deleted since. */
  readonly model: string | null;
  /** It was the second model, in place of the first. */
  readonly isFallback: boolean;
  /** Name, version and hash of the instructions: `interviewer 2 (1f0c…)`. */
  readonly prompt: string;
}

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
  /** Who wrote it, if the candidate only passed it on. */
  readonly author: Author | null;
  /** What it refers to: the place of a line, and the words; null where there is none. */
  readonly repliesTo: { readonly number: number | null; readonly quote: string | null } | null;
  /** What came apart from the text, such as `photo`; the channel has it. */
  readonly attachment: string | null;
  /** Of a voice message, whose text is what was heard or corrected. */
  readonly voice: { readonly durationS: number | null; readonly hasAudio: boolean } | null;
  /** Of a file, whose text is its name and size. */
  readonly file: FileLine | null;
  /** Null until its answer has a reply, and for lines that are not the candidate's. */
  readonly label: LineLabel | null;
  /** Null for lines that no model wrote. */
  readonly origin: ReplyOrigin | null;
  /** For the line that first asks a question: the place of the message that had touched on it before. */
  readonly touchedIn: number | null;
}

type LineDetails = Pick<TranscriptLine, 'label' | 'origin' | 'touchedIn'>;
type PlainLine = Omit<TranscriptLine, 'number' | keyof LineDetails>;

const NO_DETAILS: LineDetails = { label: null, origin: null, touchedIn: null };

/** What is read of the lines of a page besides the lines. */
interface DetailRow {
  readonly id: string;
  readonly label: LineLabel | null;
  readonly touchedIn: number | null;
  readonly answerId: string | null;
  readonly turnId: string | null;
  readonly prompt: string | null;
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
  m.partial as "isPartial", m.from_person as "isFromPerson", 
  case when m.attachment->>'kind' <> 'text' then m.attachment->>'kind' end
    as attachment,
  m.attachment->'author' as author,
  case when m.attachment ? 'reference' then json_build_object(
    'number', case when m.attachment->'reference'->>'seq' is not null
      then ${COUNT("(m.attachment->'reference'->>'seq')::int")} end,
    'quote', m.attachment->'reference'->>'quote') end as "repliesTo",
  case when v.message_id is not null then json_build_object(
    'durationS', v.duration_s, 'hasAudio', v.bytes is not null) end as voice,
  case when f.message_id is not null then json_build_object(
    'name', f.name, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes, 'state', f.state,
    'needsPassword', f.needs_password)
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

/** $2: the messages. A line that does not exist has no place. */
const DETAILS = `
with question as (
  select q.value ->> 'id' as id, q.n::int as n
  from conversation c, jsonb_array_elements(c.plan -> 'questions') with ordinality q (value, n)
  where c.id = $1
), asked as (
  select question_context as id, min(seq) as seq from message
  where conversation_id = $1 and role = 'assistant' and question_at is not null
  group by question_context
), touched as (
  select t.id, min(m.seq) as seq
  from message m join message_label l on l.message_id = m.id, unnest(l.touches) t (id)
  where m.conversation_id = $1 group by t.id
)
select m.id, u.id as "turnId", u.prompt, u.answer_id as "answerId",
  case when touched.seq is not null then ${COUNT('touched.seq')} end as "touchedIn",
  case when l.message_id is not null then json_build_object(
    'name', l.label, 'question', q.n,
    'corrects', case when c.seq is not null then ${COUNT('c.seq')} end,
    'touches', (
      select coalesce(json_agg(json_build_object('question', later.n,
        'askedIn', case when a.seq is not null then ${COUNT('a.seq')} end) order by later.n), '[]')
      from question later left join asked a on a.id = later.id and a.seq > m.seq
      where later.id = any(l.touches))) end as label
from message m
left join message_label l on l.message_id = m.id
left join message c on c.id = l.corrects
left join question q on q.id = l.question_id
left join turn u on u.id = m.turn_id and m.role = 'assistant' and u.prompt is not null
left join asked on asked.seq = m.seq
left join touched on touched.id = asked.id and touched.seq < m.seq
where m.id = any($2::uuid[])`;

/** Transcripts as people read them: what was said, without events, in pages. Writes nothing. */
@Injectable()
export class TranscriptLineRepository {
  constructor(private readonly ledger: LlmLedgerRepository) {}

  /** The newest lines, or the newest of those with a sequence number below `before`. */
  async page(tx: Tx, conversationId: string, before: number | null): Promise<TranscriptLinesPage> {
    const rows = await tx.query<PlainLine & { found: number }>(NEWEST, [
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
    const details = await this.detailsOf(tx, conversationId, rows);
    const lines = rows.map(({ found: _, ...line }, index) => ({
      ...line,
      number: (first?.number ?? 1) + index,
      ...(details.get(line.id) ?? NO_DETAILS),
    }));
    return { lines, olderCursor: isMore ? oldest.seq : null };
  }

  private async detailsOf(
    tx: Tx,
    conversationId: string,
    lines: readonly PlainLine[],
  ): Promise<ReadonlyMap<string, LineDetails>> {
    const ids = lines.map(({ id }) => id);
    const rows = await tx.query<DetailRow>(DETAILS, [conversationId, ids]);
    const subjects = rows.flatMap(({ answerId }) =>
      answerId === null ? [] : [ledgerSubjectOf(answerId)],
    );
    const models = await this.ledger.modelsOf(tx, subjects);
    return new Map(
      rows.map(({ id, label, touchedIn, answerId, turnId, prompt }) => {
        const { model = null, isFallback = false } =
          models.get(ledgerSubjectOf(answerId ?? '')) ?? {};
        const origin =
          prompt === null || turnId === null ? null : { reply: turnId, model, isFallback, prompt };
        return [id, { label, touchedIn, origin }];
      }),
    );
  }

  async beganAt(tx: Tx, conversationId: string): Promise<Date | null> {
    const [row] = await tx.query<{ at: Date }>(
      'select created_at as at from conversation where id = $1',
      [conversationId],
    );
    return row?.at ?? null;
  }
}
