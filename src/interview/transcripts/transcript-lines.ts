import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type { FileLine } from '../../persistence';

/** One line of a transcript, as people read it. */
export interface TranscriptLine {
  readonly id: string;
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly channel: 'web' | 'telegram' | 'code';
  readonly text: string;
  readonly at: Date;
  readonly editedAt: Date | null;
  /** The line that it corrects. */
  readonly amendsSeq: number | null;
  /** A reply that was stopped: this is all that was said. */
  readonly isPartial: boolean;
  /** A person of the hiring team wrote it. */
  readonly isFromPerson: boolean;
  /** What came beside the text, such as `photo`; the channel has it. */
  readonly attachment: string | null;
  /** Of a voice message, whose text is what was heard or corrected. */
  readonly voice: { readonly durationS: number | null; readonly hasAudio: boolean } | null;
  /** Of a file, whose text is its name and size. */
  readonly file: FileLine | null;
}

/** Transcripts as people read them: what was said, without events. Writes nothing. */
@Injectable()
export class TranscriptLines {
  /** In order. */
  list(tx: Tx, conversationId: string): Promise<TranscriptLine[]> {
    return tx.query<TranscriptLine>(
      `select m.id, m.seq, m.role, m.channel, m.text, m.received_at as at,
         m.edited_at as "editedAt", a.seq as "amendsSeq", m.partial as "isPartial",
         m.from_person as "isFromPerson",
         m.attachment->>'kind' as attachment,
         case when v.message_id is not null then json_build_object(
           'durationS', v.duration_s, 'hasAudio', v.bytes is not null) end as voice,
         case when f.message_id is not null then json_build_object(
           'name', f.name, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes, 'state', f.state)
         end as file
       from message m
       left join message a on a.id = m.amends
       left join voice v on v.message_id = m.id
       left join file f on f.message_id = m.id
       where m.conversation_id = $1 and m.role <> 'event' order by m.seq`,
      [conversationId],
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
