import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { FileEnd, FileRow } from './file';
import type { FileType } from './file-type';

const COLUMNS = `f.message_id as "messageId", m.conversation_id as "conversationId", m.channel,
  m.received_at as "receivedAt", f.state, f.name, f.mime_type as "mimeType",
  f.needs_password as "needsPassword",
  f.size_bytes as "sizeBytes", f.source, f.problem`;

const FILES = `file f join message m on m.id = f.message_id`;

/**
 * SQL of the table `file`. Bytes are read and written separately, because rows are small without
 * them.
 */
@Injectable()
export class FileRepository {
  constructor(private readonly clock: Clock) {}

  async insert(
    tx: Tx,
    file: {
      messageId: string;
      name: string;
      mimeType: FileType | null;
      needsPassword: boolean;
      sizeBytes: number;
      source: string | null;
      bytes: Buffer | null;
    },
  ): Promise<void> {
    const { messageId, name, mimeType, needsPassword, sizeBytes, source, bytes } = file;
    await tx.query(
      `insert into file (message_id, state, name, mime_type, size_bytes, source, bytes,
         needs_password)
       values ($1, case when $6::bytea is null then 'announced' else 'kept' end, $2, $3, $4, $5,
         $6, $7)`,
      [messageId, name, mimeType, sizeBytes, source, bytes, needsPassword],
    );
  }

  async find(tx: Tx, messageId: string): Promise<FileRow | undefined> {
    const rows = await tx.query<FileRow>(
      `select ${COLUMNS} from ${FILES} where f.message_id = $1`,
      [messageId],
    );
    return rows[0];
  }

  /** In the order of the conversation. */
  list(tx: Tx, conversationId: string): Promise<FileRow[]> {
    return tx.query<FileRow>(
      `select ${COLUMNS} from ${FILES} where m.conversation_id = $1 order by m.seq`,
      [conversationId],
    );
  }

  /** Up to `length` bytes from `offset`; null: nothing is kept of it, or it was erased. */
  async part(
    tx: Tx,
    messageId: string,
    { offset, length }: { offset: number; length: number },
  ): Promise<Buffer | null> {
    const rows = await tx.query<{ part: Buffer | null }>(
      'select substring(bytes from $2::int + 1 for $3::int) as part from file where message_id = $1',
      [messageId, offset, length],
    );
    return rows[0]?.part ?? null;
  }

  /** Whether the same bytes are stored for that message. */
  async isKept(tx: Tx, messageId: string, bytes: Buffer): Promise<boolean> {
    const rows = await tx.query<{ isSame: boolean | null }>(
      'select bytes = $2 as "isSame" from file where message_id = $1',
      [messageId, bytes],
    );
    return rows[0]?.isSame === true;
  }

  /** announced → kept, refused. */
  async settle(tx: Tx, messageId: string, end: FileEnd): Promise<void> {
    const kept = end.kind === 'kept' ? end : null;
    await tx.query(
      `update file
       set state = $2, name = coalesce($3, name), mime_type = $4, bytes = $5::bytea,
         size_bytes = coalesce(octet_length($5::bytea), size_bytes), problem = $6,
         needs_password = $8, settled_at = coalesce($7::timestamptz, clock_timestamp())
       where message_id = $1 and state = 'announced'`,
      [
        messageId,
        end.kind,
        kept?.name ?? null,
        kept?.mimeType ?? null,
        kept?.bytes ?? null,
        end.kind === 'refused' ? end.problem : null,
        this.clock.databaseNow(),
        kept?.needsPassword ?? false,
      ],
    );
  }
}
