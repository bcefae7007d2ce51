import type { ChannelName } from '../../channels';
import type { ContentType } from '../../buffer';

/** What a transcript shows of a file; its bytes are read separately. */
export interface FileLine {
  readonly name: string;
  /** Null until its content has shown it. */
  readonly mimeType: string | null;
  readonly sizeBytes: number;
  readonly state: 'announced' | 'kept' | 'refused';
}

export type MessageRole = 'user' | 'assistant' | 'system';

/** One line of a transcript. */
export interface MessageRow {
  readonly id: string;
  readonly seq: number;
  readonly role: MessageRole;
  readonly channel: ChannelName | 'code';
  readonly externalId: string;
  readonly contentType: ContentType;
  /** Empty of a voice whose transcript is still to come. */
  readonly text: string;
  readonly receivedAt: Date;
  readonly bufferId: string | null;
  readonly turnId: string | null;
  readonly beforeReply: boolean;
  /** The earlier message whose text this one replaces: it was edited after it was claimed. */
  readonly amends: string | null;
  readonly partial: boolean;
  /** A person of the hiring team wrote it. */
  readonly isFromPerson: boolean;
  readonly clearedAt: Date | null;
  /** What stood between it and the message before it, if the client split one text; else null. */
  readonly joiner: string | null;
  /** Null for a message that is no file, and when messages are read for a prompt. */
  readonly file: FileLine | null;
}

export interface MessageColumns {
  id: string;
  seq: number;
  role: MessageRole;
  channel: ChannelName | 'code';
  external_id: string;
  content_type: ContentType;
  text: string;
  received_at: Date;
  buffer_id: string | null;
  turn_id: string | null;
  before_reply: boolean;
  amends: string | null;
  partial: boolean;
  from_person: boolean;
  cleared_at: Date | null;
  joiner: string | null;
  file?: FileLine | null;
}

/** Columns without the text, which some readers cut off, and without its file. */
export const FACTS = `id, seq, role, channel, external_id, content_type, received_at, buffer_id,
  turn_id, before_reply, amends, partial, from_person, cleared_at, joiner`;
/** Of `message`, or of what is inserted into it. */
const FILE = `case when content_type = 'FILE' then (
  select json_build_object('name', f.name, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes,
    'state', f.state)
  from file f where f.message_id = message.id) end as file`;
export const MESSAGE_COLUMNS = `${FACTS}, text, ${FILE}`;

export function toMessageRow(columns: MessageColumns): MessageRow {
  return {
    id: columns.id,
    seq: columns.seq,
    role: columns.role,
    channel: columns.channel,
    externalId: columns.external_id,
    contentType: columns.content_type,
    text: columns.text,
    receivedAt: columns.received_at,
    bufferId: columns.buffer_id,
    turnId: columns.turn_id,
    beforeReply: columns.before_reply,
    amends: columns.amends,
    partial: columns.partial,
    isFromPerson: columns.from_person,
    clearedAt: columns.cleared_at,
    joiner: columns.joiner,
    file: columns.file ?? null,
  };
}
