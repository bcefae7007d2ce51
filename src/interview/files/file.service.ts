import { ColloquyError } from '../../common/errors';
import { isUuid } from '../../common/ids';
import { Injectable } from '@nestjs/common';
import {
  type AppendedMessage,
  BufferService,
  MessageIdReusedError,
  countedBytes,
} from '../../buffer';
import { Settings } from '../../common/config';
import { storable } from '../../common/text';
import type { Tx, UnitOfWork } from '../../common/uow';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { Jobs } from '../../jobs';
import { OpenLinkLimits } from '../../vacancies';
import { textsOf } from '../texts/texts';
import { type NewFile, cleanFileName, sizeInWords, type FileRow } from './file';
import { type FileReading, type FileType, readFileType } from './file-type';
import { FileRepository } from './file.repository';
import { Readable } from 'node:stream';

/** How files get into conversations. Runs inside the caller's commit. */
@Injectable()
export class FileService {
  /** Of a file that is taken. */
  readonly maxBytes;

  constructor(
    private readonly conversations: ConversationRepository,
    private readonly buffer: BufferService,
    private readonly files: FileRepository,
    private readonly jobs: Jobs,
    private readonly openLinks: OpenLinkLimits,
    settings: Settings,
  ) {
    this.maxBytes = settings.interview.maxFileBytes;
  }

  /**
   * Stores the message, whose text is the file's name and size, and its bytes, or the reference to
   * them and the job that fetches them. A redelivery changes nothing. Throws what `append` throws,
   * UploadsFullError, FileEmptyError, FileTooLargeError, FileTypeError,
   * FileWordFormatError.
   */
  async receive(tx: Tx, file: NewFile): Promise<AppendedMessage> {
    const { conversationId, channel, externalId, content } = file;
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const bytes = content.kind === 'bytes' ? content.bytes : null;
    const { type: mimeType, needsPassword } =
      bytes === null ? { type: null, needsPassword: false } : this.readingOf(bytes);
    const name = cleanFileName(file.name, mimeType, textsOf(conversation.language).file);
    const sizeBytes = content.kind === 'bytes' ? content.bytes.length : sizeOf(content.sizeBytes);
    const isOpen = conversation.notOpen === null;
    const refusal = isOpen ? await this.openLinks.uploadRefusal(tx, conversation) : null;
    if (refusal !== null && !(await this.buffer.isStored(tx, file))) throw refusal;
    const appended = await this.buffer.append(tx, {
      conversationId,
      channel,
      externalId,
      text: labelOf({ name, sizeBytes }, conversation),
      contentType: 'FILE',
      mediaBytes: countedBytes(sizeBytes, this.maxBytes),
    });
    const { messageId } = appended;
    if (!appended.isNew) {
      await this.assertSame(tx, messageId, bytes);
      return appended;
    }
    const source = content.kind === 'reference' ? storable(content.reference, '') : null;
    await this.openLinks.countUpload(tx, conversation, countedBytes(sizeBytes, this.maxBytes));
    await this.files.insert(tx, {
      messageId,
      name,
      mimeType,
      needsPassword,
      sizeBytes,
      source,
      bytes,
    });
    if (bytes === null)
      await this.jobs.enqueue(tx, { queue: 'fetch-file', key: messageId, dueInMs: 0 });
    return appended;
  }

  private readingOf(bytes: Buffer): Extract<FileReading, { type: FileType }> {
    if (bytes.length === 0) throw new FileEmptyError('the file is empty');
    if (bytes.length > this.maxBytes) {
      throw new FileTooLargeError(`the file is too large: send at most ${this.maxBytes} bytes`);
    }
    const reading = readFileType(bytes);
    if ('type' in reading) return reading;
    if (reading.problem === 'word_format') {
      throw new FileWordFormatError(
        'this Word document has macros or a password, is a template or an old one: save it as DOCX or PDF',
      );
    }
    throw new FileTypeError('this file type is not accepted: send a PDF, a DOCX or a picture');
  }

  private async assertSame(tx: Tx, messageId: string, bytes: Buffer | null): Promise<void> {
    if (bytes === null || (await this.files.isKept(tx, messageId, bytes))) return;
    throw new MessageIdReusedError('this message id was used for another message', {
      fields: { messageId },
    });
  }
}

/** A file without a byte. */
class FileEmptyError extends ColloquyError {
  readonly code = 'file_empty';
  readonly retryable = false;
}

/** A larger file than is taken. */
class FileTooLargeError extends ColloquyError {
  readonly code = 'file_too_large';
  readonly retryable = false;
}

/** A Word document of a kind that is not taken. */
class FileWordFormatError extends ColloquyError {
  readonly code = 'file_word_format';
  readonly retryable = false;
}

/** Its content is none of the types that are taken. */
class FileTypeError extends ColloquyError {
  readonly code = 'file_type_unsupported';
  readonly retryable = false;
}

/** The text of the file's message in the transcript and in the prompt. */
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

/** How much of a download is in memory at a time. */
const PART_BYTES = 256 * 1024;

/** A file whose bytes are stored. */
export interface KeptFile {
  readonly messageId: string;
  readonly name: string;
  readonly mimeType: FileType;
  readonly sizeBytes: number;
}

/** What candidates sent, for themselves and for the people who read their interviews. */
@Injectable()
export class FileArchive {
  constructor(private readonly files: FileRepository) {}

  /** In the order of the conversation; none where there is no such conversation. */
  async list(tx: Tx, conversationId: string): Promise<FileRow[]> {
    return isUuid(conversationId) ? this.files.list(tx, conversationId) : [];
  }

  /** Throws FileUnknownError, also for a file that was refused or has not arrived. */
  async find(
    tx: Tx,
    of: { readonly conversationId: string; readonly messageId: string },
  ): Promise<KeptFile> {
    const file = isUuid(of.messageId) ? await this.files.find(tx, of.messageId) : undefined;
    if (file?.conversationId !== of.conversationId || file.state !== 'kept') throw unknown();
    const { messageId, name, mimeType, sizeBytes } = file;
    if (mimeType === null) throw unknown();
    return { messageId, name, mimeType, sizeBytes };
  }

  /**
   * Its bytes, each part in a commit of the request's unit: a slow reader holds no connection. It ends
   * with an error when the file is erased meanwhile.
   */
  read(uow: UnitOfWork, file: KeptFile): Readable {
    return Readable.from(this.parts(uow, file));
  }

  private async *parts(
    uow: UnitOfWork,
    { messageId, sizeBytes }: KeptFile,
  ): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < sizeBytes; offset += PART_BYTES) {
      const part = await uow.commitOne('file.part', (tx) =>
        this.files.part(tx, messageId, { offset, length: PART_BYTES }),
      );
      if (part === null) throw unknown();
      yield part;
    }
  }
}

function unknown(): FileUnknownError {
  return new FileUnknownError('there is no such file');
}

/** No such file, or nothing of it is kept. */
class FileUnknownError extends ColloquyError {
  readonly code = 'file_unknown';
  readonly retryable = false;
}
