import type { Label, Tx } from '../common/uow';
import {
  type ExportRepository,
  type ExportedConversation,
  type ExportedPage,
  type ExportedRow,
  SECTIONS,
  type Section,
} from './export.repository';

/**
 * Limit of all audio and files in one export: about forty minutes of speech. Telegram accepts files up
 * to 50 MB, and Base64 makes a recording longer.
 */
const MAX_KEPT_BYTES = 10 * 1024 * 1024;

/** Runs `work` in a commit of its own. */
export type PageCommit = <T>(label: Label, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The parts of a file that do not come from one conversation. */
export interface FileFrame {
  readonly candidateId: string;
  readonly conversations: readonly Omit<ExportedConversation, 'candidateId'>[];
  /** The fields before `conversations`. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Read last: the value of the field `holders`, after `conversations`. */
  readonly holders: (tx: Tx) => Promise<Readonly<Record<string, unknown>>>;
  /** The error to throw when the person is erased, or a conversation moves, before the end. */
  readonly gone: () => Error;
}

/**
 * The file of an export (PersonalDataExport) as JSON text, piece by piece. A page is read when it is
 * asked for, in its own commit: no lock and no connection is held while a piece is sent, and memory
 * holds one page, or one recording or file. Data that is written meanwhile may appear only in later
 * parts of the file. It throws when the data is erased before the end; the caller then cuts the file
 * off and does not end it.
 */
export class ExportFile {
  private keptLeft = MAX_KEPT_BYTES;

  constructor(
    private readonly rows: ExportRepository,
    private readonly commit: PageCommit,
    private readonly frame: FileFrame,
  ) {}

  async *pieces(): AsyncGenerator<string, void, undefined> {
    const { head, conversations, candidateId, holders } = this.frame;
    const fields = Object.entries(head).map(([name, value]) => fieldOf(name, value));
    yield `{\n${fields.join(',\n')},\n"conversations": [`;
    for (const [index, conversation] of conversations.entries()) {
      yield index === 0 ? '\n' : ',\n';
      yield* this.conversation({ candidateId, ...conversation });
    }
    const held = await this.commit('personal.export_holders', holders);
    yield `\n],\n${fieldOf('holders', held)}\n}\n`;
  }

  private async *conversation(of: ExportedConversation): AsyncGenerator<string, void, undefined> {
    const facts = await this.commit('personal.export_page', (tx) => this.factsOf(tx, of));
    const fields = Object.entries(facts).map(([name, value]) => fieldOf(name, value));
    yield `{\n${fields.join(',\n')}`;
    for (const section of SECTIONS) {
      yield `,\n${JSON.stringify(section)}: [`;
      let before = '\n';
      for await (const row of this.section(of, section)) {
        yield before + (await this.jsonOf(row));
        before = ',\n';
      }
      yield ']';
    }
    yield '\n}';
  }

  private async *section(
    of: ExportedConversation,
    section: Section,
  ): AsyncGenerator<ExportedRow, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: ExportedPage = await this.page(of, section, cursor);
      yield* page.rows;
      ({ cursor } = page);
    } while (cursor !== null);
  }

  private page(
    of: ExportedConversation,
    section: Section,
    cursor: string | null,
  ): Promise<ExportedPage> {
    return this.commit('personal.export_page', async (tx) => {
      await this.factsOf(tx, of);
      return this.rows.page(tx, of, section, cursor);
    });
  }

  private async factsOf(tx: Tx, of: ExportedConversation) {
    const facts = await this.rows.facts(tx, of);
    if (facts === undefined) throw this.frame.gone();
    return facts;
  }

  /** Recordings and files are included oldest first, as far as they fit. */
  private async jsonOf({ fields, kept }: ExportedRow): Promise<string> {
    const { voice, file } = fields;
    if (!isObject(voice) && !isObject(file)) return JSON.stringify(fields);
    let content: string | null = null;
    if (kept !== null && kept.bytes <= this.keptLeft) {
      const bytes = await this.commit('personal.export_content', (tx) =>
        this.rows.content(tx, kept),
      );
      content = bytes?.toString('base64') ?? null;
      this.keptLeft -= bytes?.length ?? 0;
    }
    return JSON.stringify({
      ...fields,
      voice: isObject(voice) ? { ...voice, recording: content } : null,
      file: isObject(file) ? { ...file, content } : null,
    });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fieldOf(name: string, value: unknown): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}
