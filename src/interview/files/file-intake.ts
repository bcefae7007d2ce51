import { Injectable } from '@nestjs/common';
import { type AppendedMessage, BufferService, MessageIdReusedError } from '../../buffer';
import { Settings } from '../../common/config';
import { storable } from '../../common/text';
import type { Tx } from '../../common/uow';
import { type ConversationRow } from '../../persistence';
import { Jobs } from '../../jobs';
import { questionOf } from '../open-conversation';
import { textsOf } from '../texts/texts';
import { FileEmptyError, FileTooLargeError, FileTypeError } from './errors';
import type { NewFile } from './file';
import { cleanFileName, sizeInWords } from './file-name';
import { FileRepository } from './file-repository';
import { type FileType, fileTypeOf } from './file-type';

/** How files get into conversations. Runs inside the caller's commit. */
@Injectable()
export class FileService {
  private readonly maxBytes;

  constructor(
    private readonly buffer: BufferService,
    private readonly files: FileRepository,
    private readonly tasks: Jobs,
    settings: Settings,
  ) {
    this.maxBytes = settings.interview.maxFileBytes;
  }

  /**
   * The message, whose text is the file's name and size; its bytes, or where they are and the job
   * that fetches them. A redelivery changes nothing. Throws what `append` throws, FilesFullError,
   * FileEmptyError, FileTooLargeError, FileTypeError.
   */
  async store(tx: Tx, file: NewFile, conversation: ConversationRow): Promise<AppendedMessage> {
    const { conversationId, channel, externalId, content } = file;
    const bytes = content.kind === 'bytes' ? content.bytes : null;
    const mimeType = bytes === null ? null : this.typeOf(bytes);
    const name = cleanFileName(file.name, mimeType);
    const sizeBytes = content.kind === 'bytes' ? content.bytes.length : sizeOf(content.sizeBytes);
    const appended = await this.buffer.append(tx, {
      conversationId,
      channel,
      externalId,
      text: labelOf({ name, sizeBytes }, conversation),
      contentType: 'FILE',
      questionContext: questionOf(conversation),
      audioBytes: this.countedBytesOf(sizeBytes),
    });
    const { messageId } = appended;
    if (!appended.isNew) {
      await this.assertSame(tx, messageId, bytes);
      return appended;
    }
    const source = content.kind === 'reference' ? storable(content.reference, '') : null;
    await this.files.insert(tx, { messageId, name, mimeType, sizeBytes, source, bytes });
    if (bytes === null)
      await this.tasks.upsert(tx, { lane: 'fetch-file', key: messageId, dueInMs: 0 });
    return appended;
  }

  private typeOf(bytes: Buffer): FileType {
    if (bytes.length === 0) throw new FileEmptyError('there is nothing in this file');
    if (bytes.length > this.maxBytes) {
      throw new FileTooLargeError(`a file has at most ${this.maxBytes} bytes`);
    }
    const type = fileTypeOf(bytes);
    if (type === null) throw new FileTypeError('a file is a PDF, a DOCX or a picture');
    return type;
  }

  /** Against the conversation's limit. What is too large is not kept; unknown may be the largest. */
  private countedBytesOf(sizeBytes: number): number {
    if (sizeBytes > this.maxBytes) return 0;
    return sizeBytes === 0 ? this.maxBytes : sizeBytes;
  }

  private async assertSame(tx: Tx, messageId: string, bytes: Buffer | null): Promise<void> {
    if (bytes === null || (await this.files.isKept(tx, messageId, bytes))) return;
    throw new MessageIdReusedError('this message id was used for another message', {
      fields: { messageId },
    });
  }
}

/** What stands for a file in the transcript and in the prompt. */
function labelOf(
  { name, sizeBytes }: { name: string; sizeBytes: number },
  { language }: ConversationRow,
): string {
  const size = sizeBytes === 0 ? '' : `, ${sizeInWords(sizeBytes, language)}`;
  return `[${textsOf(language).file}: ${name}${size}]`;
}

function sizeOf(given: number): number {
  return Number.isSafeInteger(given) ? Math.min(Math.max(given, 0), 2 ** 31 - 1) : 0;
}
