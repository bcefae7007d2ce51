import type { Clock } from '../../../src/common/clock';

/** A file on the server. */
export interface StoredFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size: number;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  /** Where getFile sends a bot: `voice/file_1.oga`. */
  readonly path: string;
}

export interface NewFile {
  readonly folder: string;
  readonly extension: string;
  readonly bytes: Buffer;
  readonly name?: string;
  readonly mimeType?: string;
  /** The claimed size of a file without real content. */
  readonly sizeBytes?: number;
}

/** A link works for an hour after getFile. */
const LINK_LIVES_MS = 3_600_000;

/** The files that were sent, by id; a download link opens with getFile. */
export class Files {
  private readonly byId = new Map<string, StoredFile>();
  private readonly links = new Map<
    string,
    { readonly file: StoredFile; readonly untilMs: number }
  >();

  constructor(private readonly clock: Clock) {}

  put({ folder, extension, bytes, name, mimeType, sizeBytes }: NewFile): StoredFile {
    const n = String(this.byId.size + 1);
    const file: StoredFile = {
      file_id: `AgACAgIAAxkB-${folder}-${n}`,
      file_unique_id: `AQAD-${n}`,
      file_size: sizeBytes ?? bytes.length,
      name: name ?? `file_${n}.${extension}`,
      mimeType: mimeType ?? 'application/octet-stream',
      bytes,
      path: `${folder}/file_${n}.${extension}`,
    };
    this.byId.set(file.file_id, file);
    return file;
  }

  find(fileId: string): StoredFile | null {
    return this.byId.get(fileId) ?? null;
  }

  openLink(file: StoredFile): void {
    this.links.set(file.path, { file, untilMs: this.clock.now().getTime() + LINK_LIVES_MS });
  }

  /** The file of a download link; null when getFile was never called for it or the link has expired. */
  behind(path: string): StoredFile | null {
    const link = this.links.get(path);
    return link !== undefined && link.untilMs > this.clock.now().getTime() ? link.file : null;
  }
}
