import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { ChannelName } from '../../channels';

/**
 * SQL of the table `voice`. The audio is read and written separately, because rows are small
 * without it.
 */
@Injectable()
export class VoiceRepository {
  constructor(private readonly clock: Clock) {}

  async insert(
    tx: Tx,
    voice: {
      messageId: string;
      mimeType: string;
      durationS: number | null;
      sizeBytes: number;
      source: string | null;
      bytes: Buffer | null;
    },
  ): Promise<void> {
    const { messageId, mimeType, durationS, sizeBytes, source, bytes } = voice;
    await tx.query(
      `insert into voice (message_id, state, mime_type, duration_s, size_bytes, source, bytes)
       values ($1, case when $6::bytea is null then 'announced' else 'kept' end, $2, $3, $4, $5,
         $6)`,
      [messageId, mimeType, durationS, sizeBytes, source, bytes],
    );
  }

  async find(tx: Tx, messageId: string): Promise<VoiceRow | undefined> {
    const rows = await tx.query<VoiceRow>(
      `select ${COLUMNS} from ${VOICES} where v.message_id = $1`,
      [messageId],
    );
    return rows[0];
  }

  /** The voice whose transcript this message of the channel repeats; null: it repeats none. */
  async findRepeatedBy(
    tx: Tx,
    of: { conversationId: string; channel: string; externalId: string },
  ): Promise<string | null> {
    const rows = await tx.query<{ id: string }>(
      `select v.message_id as id
       from delivery d
       join message n on n.id = d.message_id
       -- A join by the text that begins with "voice:" would read all voices.
       join voice v
         on v.message_id = substring(n.external_id from '^voice:([0-9a-f-]{36})$')::uuid
       where v.state = 'heard' and d.conversation_id = $1 and d.channel = $2 and d.external_id = $3`,
      [of.conversationId, of.channel, of.externalId],
    );
    return rows[0]?.id ?? null;
  }

  /** By the transcript's id of its message, or by the id that the channel gave it. */
  async findOf(
    tx: Tx,
    of: { conversationId: string; channel: string; id: string },
  ): Promise<VoiceRow | undefined> {
    const rows = await tx.query<VoiceRow>(
      `select ${COLUMNS} from ${VOICES}
       where m.conversation_id = $1
         and (m.id::text = $3 or m.channel = $2 and m.external_id = $3)
       order by m.id::text = $3 desc limit 1`,
      [of.conversationId, of.channel, of.id],
    );
    return rows[0];
  }

  /** The newest, or the newest of those before `before`, in the order of the conversation. */
  newest(
    tx: Tx,
    of: { conversationId: string; before: number | null; limit: number },
  ): Promise<VoiceRow[]> {
    return tx.query(
      `select * from (
         select ${COLUMNS} from ${VOICES}
         where m.conversation_id = $1 and ($2::int is null or m.seq < $2)
         order by m.seq desc limit $3) newest
       order by seq`,
      [of.conversationId, of.before, of.limit],
    );
  }

  async audio(tx: Tx, messageId: string): Promise<Buffer | null> {
    const rows = await tx.query<{ bytes: Buffer | null }>(
      'select bytes from voice where message_id = $1',
      [messageId],
    );
    return rows[0]?.bytes ?? null;
  }

  /** Whether exactly these bytes are stored for the message. */
  async isKept(tx: Tx, messageId: string, bytes: Buffer): Promise<boolean> {
    const rows = await tx.query<{ isSame: boolean | null }>(
      'select bytes = $2 as "isSame" from voice where message_id = $1',
      [messageId, bytes],
    );
    return rows[0]?.isSame === true;
  }

  /** announced → kept. Audio that is stored already stays: a second fetch returns the same. */
  async keep(
    tx: Tx,
    messageId: string,
    audio: { bytes: Buffer; mimeType: string; durationS: number | null; fileName: string | null },
  ): Promise<void> {
    const { bytes, mimeType, durationS, fileName } = audio;
    await tx.query(
      `update voice
       set state = 'kept', bytes = $2, size_bytes = $3, mime_type = $4, duration_s = $5, file_name = $6
       where message_id = $1 and state = 'announced'`,
      [messageId, bytes, bytes.length, mimeType, durationS, fileName],
    );
  }

  /** announced, kept → heard, unheard. */
  async settle(tx: Tx, messageId: string, end: VoiceEnd): Promise<void> {
    const transcript = end.kind === 'heard' ? end.transcript : null;
    const problem = end.kind === 'unheard' ? end.problem : null;
    await tx.query(
      `update voice
       set state = $2, transcript = $3, problem = $4,
         settled_at = coalesce($5::timestamptz, clock_timestamp())
       where message_id = $1 and state in ('announced', 'kept')`,
      [messageId, end.kind, transcript, problem, this.clock.databaseNow()],
    );
  }

  async countWaiting(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from voice where state in ('announced', 'kept')`,
    );
    return row?.count ?? 0;
  }

  /**
   * Voices that have waited for a transcript for longer than `waitMs` and whose candidates got no notice
   * and have not withdrawn; of each conversation the oldest one.
   */
  listOverdue(
    tx: Tx,
    of: { waitMs: number; limit: number; noticePrefix: string },
  ): Promise<{ messageId: string; conversationId: string }[]> {
    return tx.query(
      `select distinct on (m.conversation_id) v.message_id as "messageId",
         m.conversation_id as "conversationId"
       from ${VOICES} join conversation c on c.id = m.conversation_id
       where v.state in ('announced', 'kept') and c.status <> 'withdrawn'
         and m.received_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
         and not exists (select from message n
           where n.conversation_id = m.conversation_id and n.channel = 'code'
             and n.external_id = $4 || v.message_id)
       order by m.conversation_id, m.seq limit $3`,
      [this.clock.databaseNow(), of.waitMs, of.limit, of.noticePrefix],
    );
  }
}

const COLUMNS = `v.message_id as "messageId", m.conversation_id as "conversationId", m.channel,
  m.external_id as "externalId", m.seq, m.received_at as "receivedAt", v.state,
  v.mime_type as "mimeType", v.file_name as "fileName", v.duration_s as "durationS",
  v.size_bytes as "sizeBytes", v.source, v.bytes is not null as "hasAudio", v.transcript, v.problem`;

const VOICES = `voice v join message m on m.id = v.message_id`;

/** Without its audio. */
export interface VoiceRow {
  readonly messageId: string;
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly seq: number;
  readonly receivedAt: Date;
  readonly state: VoiceState;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly durationS: number | null;
  readonly sizeBytes: number;
  readonly source: string | null;
  /** Whether its audio is stored. */
  readonly hasAudio: boolean;
  readonly transcript: string | null;
  readonly problem: VoiceProblem | null;
}

/**
 * A candidate's voice message: one row of the table `voice` for its message.
 *
 *   announced ──fetched──> kept ──transcribed──> heard
 *       │                    └──no transcript──> unheard
 *       └──cannot be fetched─────────────────────^
 *
 *   announced  the channel holds the audio under `source`; nothing of it is stored yet.
 *   kept       the audio is stored; the transcript is still to come.
 *   heard      `transcript` is the model's. The message's text was the same at first; the candidate
 *              may have corrected it since.
 *   unheard    there will be no transcript, `problem` says why. The candidate was asked for text,
 *              the message belongs to no answer, and a person may listen to the audio.
 *
 * VoiceService makes it announced or kept, VoiceWorker everything else.
 * While it is announced or kept its message is empty and holds its buffer open.
 */
export type VoiceState = 'announced' | 'kept' | 'heard' | 'unheard';

/**
 * Why there is no transcript.
 *
 *   no_endpoint  no model for audio is configured
 *   too_large    more bytes than are taken
 *   gone         its channel no longer has it
 *   refused      the server does not take this audio
 *   empty        it has no speech
 *   failed       every try ended without a transcript
 *   no_consent   it was not sent under the consent in force
 *   withdrawn    its candidate has ended the interview
 */
export type VoiceProblem =
  | 'no_endpoint'
  | 'too_large'
  | 'gone'
  | 'refused'
  | 'empty'
  | 'failed'
  | 'no_consent'
  | 'withdrawn';

export type VoiceEnd =
  | { readonly kind: 'heard'; readonly transcript: string }
  | { readonly kind: 'unheard'; readonly problem: VoiceProblem };

/** The largest audio that is taken: as much as Telegram provides, less than servers take. */
export const MAX_VOICE_BYTES = 20 * 1024 * 1024;

/** The audio's bytes, or the reference by which its channel hands them out. */
type GivenAudio =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly mimeType: string }
  | {
      readonly kind: 'reference';
      readonly reference: string;
      readonly mimeType: string;
      readonly sizeBytes: number;
    };

export interface NewVoice {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message. */
  readonly externalId: string;
  readonly audio: GivenAudio;
  /** Seconds, if the channel knows; what the audio says itself counts more. */
  readonly durationS: number | null;
}

export function isWaiting({ state }: VoiceRow): boolean {
  return state === 'announced' || state === 'kept';
}
