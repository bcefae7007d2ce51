import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import { DomainEvents } from '../../common/events';
import type { Tx } from '../../common/uow';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { SystemMessages } from '../transcript/system-messages';
import { textsOf } from '../texts/texts';
import { MediaSources } from '../voice/media-sources';
import { type FileEnd, type FileProblem, type FileRow, cleanFileName, sizeInWords } from './file';
import { readFileType } from './file-type';
import { FileRepository } from './file.repository';

declare module '../../jobs' {
  interface QueueNames {
    'fetch-file': FileWorker;
  }
}

interface LockedRows {
  readonly file: FileRow;
  readonly conversation: ConversationRow;
}

/**
 * The queue `fetch-file`, a job for each file that its channel holds:
 *
 *   file.open (commit) ─> fetch ─> file.close (commit)
 *
 * No connection is held during the fetch. A channel that does not respond makes its own files wait
 * and no others (`MediaSources`). After a crash the file is fetched again.
 */
@Injectable()
@JobHandler('fetch-file', {
  // Each file in memory has up to 20 MB, and as much again while it is stored.
  concurrency: 3,
  maxFailures: 5,
  continuesTrace: true,
})
export class FileWorker implements JobHandlerClass {
  private readonly maxBytes;

  constructor(
    private readonly jobs: Jobs,
    private readonly conversations: ConversationRepository,
    private readonly files: FileRepository,
    private readonly sources: MediaSources,
    private readonly systemMessages: SystemMessages,
    private readonly events: DomainEvents,
    settings: Settings,
  ) {
    this.maxBytes = settings.interview.maxFileBytes;
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const opened = await flow.uow.commit('file.open', (tx) => this.open(tx, claim));
    if (opened === undefined) return;
    const end = opened.end ?? (await this.fetch(opened, flow));
    await flow.uow.commit('file.close', (tx) => this.close(tx, claim, end));
  }

  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const locked = await this.lockAnnounced(tx, job.key);
    if (locked !== undefined) await this.settle(tx, locked, refused('failed'));
  }

  /**
   * Undefined: the file is settled or erased, and the job is done. `end` null: it has to be
   * fetched.
   */
  private async open(
    tx: Tx,
    claim: Claim,
  ): Promise<(LockedRows & { end: FileEnd | null }) | undefined> {
    const locked = await this.lockAnnounced(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (locked === undefined) {
      await this.jobs.complete(tx, claim);
      return undefined;
    }
    const { file, conversation } = locked;
    if (conversation.status === 'withdrawn') return { ...locked, end: refused('withdrawn') };
    return { ...locked, end: file.sizeBytes > this.maxBytes ? refused('too_large') : null };
  }

  /** Throws errors that make the job due again. */
  private async fetch({ file, conversation }: LockedRows, flow: JobFlow): Promise<FileEnd> {
    const { channel, source } = file;
    const wanted = { channel, source, maxBytes: this.maxBytes };
    const fetched = await this.sources.fetch(wanted, flow);
    if (fetched.kind !== 'bytes') return refused(fetched.kind);
    const { bytes } = fetched;
    const reading = readFileType(bytes);
    if ('problem' in reading) return refused(reading.problem);
    const { type: mimeType, needsPassword } = reading;
    const name = cleanFileName(file.name, mimeType, textsOf(conversation.language).file);
    return { kind: 'kept', name, mimeType, needsPassword, bytes };
  }

  private async close(tx: Tx, claim: Claim, end: FileEnd): Promise<void> {
    const locked = await this.lockAnnounced(tx, claim.key);
    await this.jobs.fence(tx, claim);
    if (locked !== undefined) await this.settle(tx, locked, end);
    await this.jobs.complete(tx, claim);
  }

  /** Locks the conversation; undefined when the file is settled or erased. */
  private async lockAnnounced(tx: Tx, messageId: string): Promise<LockedRows | undefined> {
    const known = await this.files.find(tx, messageId);
    if (known === undefined) return undefined;
    const conversation = await this.conversations.lock(tx, known.conversationId);
    // Read again under the lock, because another claim may have settled it meanwhile.
    const file = await this.files.find(tx, messageId);
    if (conversation === undefined || file?.state !== 'announced') return undefined;
    return { file, conversation };
  }

  /**
   * Tells the candidate about a refused or locked file, on the channel it came from, and shows a
   * refused one to a person.
   */
  private async settle(tx: Tx, { file, conversation }: LockedRows, end: FileEnd): Promise<void> {
    const { messageId, channel, name } = file;
    const { id, language } = conversation;
    await this.files.settle(tx, messageId, end);
    await this.events.publish(tx, 'conversation.changed', { conversationId: id });
    const { fileTooLarge, fileOfOtherType, fileOfOtherWord, fileLost, fileLocked } =
      textsOf(language);
    const notice = { role: 'system', externalId: `file:${messageId}` } as const;
    if (end.kind === 'kept') {
      if (!end.needsPassword) return;
      const text = fileLocked(end.name);
      await this.systemMessages.send(tx, { id, channel }, { ...notice, text });
      return;
    }
    if (end.problem === 'withdrawn') return;
    const text: Record<Exclude<FileProblem, 'withdrawn'>, string> = {
      type: fileOfOtherType(name),
      word_format: fileOfOtherWord(name),
      too_large: fileTooLarge(name, sizeInWords(this.maxBytes, language)),
      gone: fileLost(name),
      failed: fileLost(name),
    };
    await this.systemMessages.send(tx, { id, channel }, { ...notice, text: text[end.problem] });
    await this.events.publish(tx, 'attention.needed', {
      kind: 'unanalysed',
      subject: `message:${messageId}`,
      conversationId: id,
      reason: `a file was not kept (${end.problem})`,
    });
  }
}

function refused(problem: FileProblem): FileEnd {
  return { kind: 'refused', problem };
}
