import { Injectable, Module } from '@nestjs/common';
import { Readable } from 'node:stream';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { FileUnknownError } from './errors';
import type { FileRow } from './file';
import { FileRepository } from './file-repository';
import type { FileType } from './file-type';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Of a download in memory, however large the file and however slow its reader. */
const PART_BYTES = 256 * 1024;

/** A file of which everything is here. */
export interface KeptFile {
  readonly messageId: string;
  readonly name: string;
  readonly mimeType: FileType;
  readonly sizeBytes: number;
}

/** What candidates sent, for themselves and for the people who read their interviews. */
@Injectable()
export class FileArchive {
  constructor(
    private readonly files: FileRepository,
    private readonly units: UnitOfWorkFactory,
  ) {}

  /** In the order of the conversation; none where there is no such conversation. */
  async list(tx: Tx, conversationId: string): Promise<FileRow[]> {
    return UUID.test(conversationId) ? this.files.list(tx, conversationId) : [];
  }

  /** Throws FileUnknownError, also for a file that was refused or has not arrived. */
  async find(
    tx: Tx,
    of: { readonly conversationId: string; readonly messageId: string },
  ): Promise<KeptFile> {
    const file = UUID.test(of.messageId) ? await this.files.find(tx, of.messageId) : undefined;
    if (file?.conversationId !== of.conversationId || file.state !== 'kept') throw unknown();
    const { messageId, name, mimeType, sizeBytes } = file;
    if (mimeType === null) throw unknown();
    return { messageId, name, mimeType, sizeBytes };
  }

  /**
   * Its bytes, each part in a commit of its own: a slow reader holds no connection. It ends with an
   * error when the file is erased meanwhile.
   */
  read(file: KeptFile): Readable {
    return Readable.from(this.parts(file));
  }

  private async *parts({ messageId, sizeBytes }: KeptFile): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < sizeBytes; offset += PART_BYTES) {
      const part = await this.units.run('file.read', (uow) =>
        uow.commitOne('file.part', (tx) =>
          this.files.part(tx, messageId, { offset, length: PART_BYTES }),
        ),
      );
      if (part === null) throw unknown();
      yield part;
    }
  }
}

/** What is kept of files, without the worker that fetches them. Expects a global UnitOfWorkFactory. */
@Module({ providers: [FileArchive, FileRepository], exports: [FileArchive, FileRepository] })
export class FileArchiveModule {}

function unknown(): FileUnknownError {
  return new FileUnknownError('there is no such file');
}
