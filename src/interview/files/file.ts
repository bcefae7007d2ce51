import type { Channel } from '../../buffer';
import type { FileType } from './file-type';

/**
 * A file that a candidate sent: one row of the table `file` beside its message, whose text is the
 * file's name and size. Nothing of the file goes to a model.
 *
 *   announced ──fetched, and of a type that is taken──> kept
 *       └──cannot be fetched, or is something else────> refused
 *
 *   announced  the channel holds it under `source`; nothing of it is here yet.
 *   kept       its bytes are here, for every replica; `mimeType` is what they show.
 *   refused    nothing of it is kept, `problem` says why, and its candidate was told.
 *
 * FileService makes it announced or kept; everything else is the FileWorker's.
 */
export type FileState = 'announced' | 'kept' | 'refused';

/**
 * Why a file was refused.
 *
 *   type       its content is nothing that is taken
 *   too_large  it has more bytes than are taken
 *   gone       its channel does not have it any more
 *   failed     every try to fetch it failed
 *   withdrawn  its candidate has ended the interview
 */
export type FileProblem = 'type' | 'too_large' | 'gone' | 'failed' | 'withdrawn';

export type FileEnd =
  | {
      readonly kind: 'kept';
      readonly name: string;
      readonly mimeType: FileType;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'refused'; readonly problem: FileProblem };

export interface NewFile {
  readonly conversationId: string;
  readonly channel: Channel;
  /** The channel's own id of the message. */
  readonly externalId: string;
  /** As its sender calls it. */
  readonly name: string;
  /** All of it, or the name under which its channel will give it; size 0: not known yet. */
  readonly content:
    | { readonly kind: 'bytes'; readonly bytes: Buffer }
    | { readonly kind: 'reference'; readonly reference: string; readonly sizeBytes: number };
}

/** Without its bytes. */
export interface FileRow {
  readonly messageId: string;
  readonly conversationId: string;
  readonly channel: Channel;
  readonly receivedAt: Date;
  readonly state: FileState;
  readonly name: string;
  /** Null until its content has shown it. */
  readonly mimeType: FileType | null;
  readonly sizeBytes: number;
  readonly source: string | null;
  readonly problem: FileProblem | null;
}
