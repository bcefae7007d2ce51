/**
 * The candidate's files that are being sent. They are sent one after the other, each under an id of its
 * own, so that the server stores a file once also when it is sent again.
 *
 *   waiting ──> sending ──accepted──> gone from the list: the transcript shows it
 *                  │ └── not reached ──> unsent ──retry──> waiting
 *                  └──── not taken ───> refused
 *
 * A file is kept in memory only: after a reload before it is sent, the candidate attaches it again.
 * What is unsent when the session is lost is given to the session that opens the conversation again.
 */
import { ApiProblem, isFinal } from '../api/client';
import type { Platform } from '../platform';

export type AttachmentProblem =
  'too_large' | 'type' | 'word_format' | 'full' | 'empty' | 'later' | 'closed' | 'refused';

export interface AttachmentItem {
  id: string;
  name: string;
  sizeBytes: number;
  state: 'waiting' | 'sending' | 'unsent' | 'refused';
  /** How much of it is sent, from 0 to 100. */
  percent: number;
  /** Why it was refused; null otherwise. */
  problem: AttachmentProblem | null;
}

export interface FileUpload {
  id: string;
  file: File;
  /** A share from 0 to 1. */
  onProgress: (share: number) => void;
  /** The candidate has taken it back. */
  signal: AbortSignal;
}

/** A file that is not sent yet, with the id under which it is sent. */
export type KeptFile = Pick<FileUpload, 'id' | 'file'>;

interface AttachmentPorts extends Pick<Platform, 'newMessageId' | 'wait'> {
  maxBytes: () => number;
  send: (upload: FileUpload) => Promise<unknown>;
  /** Called every second while something is being sent, because the answer waits for it. */
  onSending: () => void;
  onSent: () => void;
  onProblem: (problem: ApiProblem) => void;
  onChange: (items: readonly AttachmentItem[]) => void;
}

const REPORT_EVERY_MS = 1_000;

export class Attachments {
  private items: readonly AttachmentItem[] = [];
  private readonly files = new Map<string, File>();
  private running: { id: string; abort: AbortController } | null = null;
  private whenIdle: (() => void) | null = null;
  private isStopped = false;
  private cancelReport: () => void = () => undefined;

  constructor(private readonly ports: AttachmentPorts) {}

  add(files: Iterable<File>): void {
    this.restore([...files].map((file) => ({ id: this.ports.newMessageId(), file })));
  }

  /** Sends files that another instance has kept, under the ids that they had there. */
  restore(kept: readonly KeptFile[]): void {
    const added = kept.map(({ id, file }): AttachmentItem => {
      const problem = this.problemOf(file);
      if (problem === null) this.files.set(id, file);
      const { name, size: sizeBytes } = file;
      const state = problem === null ? 'waiting' : 'refused';
      return { id, name, sizeBytes, state, percent: 0, problem };
    });
    this.change([...this.items, ...added]);
    void this.pump();
  }

  /** Sends again what could not be sent. */
  retry(): void {
    this.change(
      this.items.map((item) =>
        item.state === 'unsent' ? { ...item, state: 'waiting', percent: 0 } : item,
      ),
    );
    void this.pump();
  }

  /** Cancels a file, also while it is being sent. */
  remove(id: string): void {
    this.files.delete(id);
    this.change(this.items.filter((item) => item.id !== id));
    if (this.running?.id === id) this.running.abort.abort();
  }

  /** What is not sent, in the order in which it was attached. */
  kept(): KeptFile[] {
    return [...this.files].map(([id, file]) => ({ id, file }));
  }

  /** Stops sending, and keeps what is not sent. */
  stop(): void {
    this.isStopped = true;
    this.whenIdle = null;
    this.running?.abort.abort();
  }

  /** Stops sending, and keeps nothing. */
  clear(): void {
    this.whenIdle = null;
    for (const { id } of this.items) this.remove(id);
  }

  /** Runs `then` once, when nothing is being sent any more. */
  afterDelivery(then: () => void): void {
    this.whenIdle = then;
    this.settle();
  }

  private problemOf({ size }: File): AttachmentProblem | null {
    if (size === 0) return 'empty';
    return size > this.ports.maxBytes() ? 'too_large' : null;
  }

  private async pump(): Promise<void> {
    if (this.running !== null) return;
    let next = this.next();
    while (next !== undefined) {
      await this.send(next.id);
      next = this.next();
    }
    this.settle();
  }

  private next(): AttachmentItem | undefined {
    if (this.isStopped) return undefined;
    return this.items.find(({ state }) => state === 'waiting');
  }

  private settle(): void {
    if (this.running !== null || this.next() !== undefined || this.whenIdle === null) return;
    const then = this.whenIdle;
    this.whenIdle = null;
    then();
  }

  private async send(id: string): Promise<void> {
    const file = this.files.get(id);
    if (file === undefined) return;
    const abort = new AbortController();
    this.running = { id, abort };
    this.mark(id, { state: 'sending', percent: 0 });
    this.reportSending();
    const onProgress = (share: number) => this.mark(id, { percent: Math.floor(share * 100) });
    try {
      await this.ports.send({ id, file, onProgress, signal: abort.signal });
      this.remove(id);
      this.ports.onSent();
    } catch (error) {
      if (!abort.signal.aborted) this.failed(id, error);
    } finally {
      this.cancelReport();
      this.running = null;
    }
  }

  /** Not with the progress: the browser reports 100 % when it has buffered the file. */
  private reportSending(): void {
    this.ports.onSending();
    this.cancelReport = this.ports.wait(REPORT_EVERY_MS, () => this.reportSending());
  }

  private failed(id: string, error: unknown): void {
    if (error instanceof ApiProblem) this.ports.onProblem(error);
    if (!isFinal(error)) {
      this.mark(id, { state: 'unsent', percent: 0 });
      return;
    }
    this.files.delete(id);
    this.mark(id, { state: 'refused', percent: 0, problem: refusalOf(error) });
  }

  private mark(id: string, change: Partial<AttachmentItem>): void {
    this.change(this.items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  private change(items: readonly AttachmentItem[]): void {
    this.items = items;
    this.ports.onChange(items);
  }
}

function refusalOf({ status, code }: ApiProblem): AttachmentProblem {
  if (code === 'files_full' || code === 'conversation_full') return 'full';
  if (code === 'uploads_full') return 'later';
  if (code === 'conversation_closed') return 'closed';
  if (code === 'file_empty') return 'empty';
  if (code === 'file_word_format') return 'word_format';
  if (status === 413) return 'too_large';
  return status === 415 ? 'type' : 'refused';
}
