import type { Update } from '@grammyjs/types';
import type { Clock } from '../../../src/common/clock';
import type { Changes } from '../../http-fake/changes';

export type UpdateKind = Exclude<keyof Update, 'update_id'>;

/** What a bot has not confirmed yet. */
export interface PendingUpdate {
  readonly update: Update;
  /** Updates of one queue go to a webhook one after the other. */
  readonly queue: string;
  readonly expiresAtMs: number;
}

/** Kinds that a bot gets only when it asks for them. */
const ON_REQUEST: readonly UpdateKind[] = [
  'chat_member',
  'message_reaction',
  'message_reaction_count',
];
const DAY_MS = 86_400_000;
/** A bot gets no button press that is older than this. */
const PRESS_LIVES_MS = 150_000;
const FIRST_ID = 700_000_001;

/** The bot's updates, oldest first. They are forgotten when confirmed, or when they are too old. */
export class PendingUpdates {
  private waiting: PendingUpdate[] = [];
  private nextId = FIRST_ID;
  private asked: readonly UpdateKind[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly changes: Changes,
  ) {}

  /** The kinds that were requested last; empty: the default. */
  get allowed(): readonly UpdateKind[] {
    return this.asked;
  }

  /** Undefined keeps the earlier kinds. Concerns updates from now on. */
  allow(kinds: readonly UpdateKind[] | undefined): void {
    if (kinds !== undefined) this.asked = [...kinds];
  }

  /** Adds an update if the bot has requested its kind; otherwise null. */
  add(content: Omit<Update, 'update_id'>, queue: string): Update | null {
    const kind = Object.keys(content)[0] as UpdateKind;
    if (!this.wants(kind)) return null;
    const update: Update = { update_id: this.nextId, ...content };
    this.nextId += 1;
    const lives = kind === 'callback_query' ? PRESS_LIVES_MS : DAY_MS;
    const expiresAtMs = this.clock.now().getTime() + lives;
    // A copy, because later edits do not change an update that was sent.
    this.waiting.push({ update: structuredClone(update), queue, expiresAtMs });
    this.changes.notify();
    return update;
  }

  /** Adds an update unchanged, so that it comes a second time or out of order, as with the real server. */
  repeat(update: Update, queue: string): void {
    const expiresAtMs = this.clock.now().getTime() + DAY_MS;
    this.waiting.push({ update, queue, expiresAtMs });
    this.changes.notify();
  }

  all(): readonly PendingUpdate[] {
    const now = this.clock.now().getTime();
    this.waiting = this.waiting.filter(({ expiresAtMs }) => expiresAtMs > now);
    return this.waiting;
  }

  /**
   * Updates from `offset` on. Everything below a positive offset is confirmed; a negative one counts
   * from the end and forgets what comes before.
   */
  from(offset: number, limit: number): readonly Update[] {
    const pending = this.all();
    const kept =
      offset < 0
        ? pending.slice(offset)
        : pending.filter(({ update }) => update.update_id >= offset);
    if (kept.length < pending.length) {
      this.waiting = [...kept];
      this.changes.notify();
    }
    return this.waiting.slice(0, limit).map(({ update }) => update);
  }

  forget(gone: PendingUpdate): void {
    this.waiting = this.waiting.filter((pending) => pending !== gone);
    this.changes.notify();
  }

  clear(): void {
    this.waiting = [];
    this.changes.notify();
  }

  private wants(kind: UpdateKind): boolean {
    return this.asked.length === 0 ? !ON_REQUEST.includes(kind) : this.asked.includes(kind);
  }
}
