import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { describeError } from '../common/errors';
import {
  DomainEventHandler,
  DomainEvents,
  type PayloadOf,
  type TeamChange,
} from '../common/events';
import { RunMode } from '../common/run-mode';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { SignalConnection, type SignalListener } from '../persistence';
import { ReplyBroadcast, unpackSignals } from './reply-broadcast';
import { TeamFeedRepository } from './team-feed.repository';

/**
 * What changes for the hiring team, on every replica, by ids alone:
 *
 *   a commit here ──afterCommit──> told here, and announced to the other replicas (ReplyBroadcast)
 *   a signal of another replica ─> told here
 *   signals may have been lost ──> `resync`: whoever listens reads again
 *
 * The same thing is told at most once a second. Interviews come by the signals that wake the readers of their
 * streams (`conversation.changed`), so a message of a candidate costs no signal of its own. Without a listener
 * nothing is kept.
 */
@Injectable()
export class TeamFeed implements SignalListener, OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Streams');
  private readonly listeners = new Set<TeamListener>();
  /** By kind and id, what is to be told. */
  private readonly pending = new Map<string, TeamNews>();
  /** By kind and id, when it was told last; the oldest first. */
  private readonly toldAtMs = new Map<string, number>();
  /** By interview, its vacancy, which never changes. */
  private readonly vacancies = new Map<string, string>();
  private readonly stopping = new AbortController();
  private isTelling = false;

  constructor(
    private readonly events: DomainEvents,
    private readonly broadcast: ReplyBroadcast,
    private readonly repository: TeamFeedRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
    private readonly mode: RunMode,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Calls the listener with everything that changes, until the returned function is called. */
  listen(listener: TeamListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Something has changed here or elsewhere. */
  changed(news: TeamNews): void {
    if (this.listeners.size === 0) return;
    const { interviewId, vacancyId } = news;
    // An erasure says it while it is there; what else is told of the interview then has to be read no more.
    if (interviewId !== null && vacancyId !== null) this.remember(interviewId, vacancyId);
    this.pending.set(keyOf(news), news);
    if (this.isTelling) return;
    this.isTelling = true;
    // After the commits of this turn of the loop, so that they are told together.
    queueMicrotask(() => void this.tellPending());
  }

  @DomainEventHandler('team.changed')
  onTeamChanged(tx: Tx, change: PayloadOf<'team.changed'>): void {
    if (!this.mode.isServing) return;
    tx.afterCommit(
      () => {
        this.changed(change);
        this.broadcast.announce({ kind: 'team', change });
      },
      `team.changed:${keyOf(change)}`,
    );
  }

  /** The other replicas learn of it as the readers of the conversation do. */
  @DomainEventHandler('conversation.changed')
  onConversationChanged(tx: Tx, { conversationId }: PayloadOf<'conversation.changed'>): void {
    if (!this.mode.isServing) return;
    tx.afterCommit(() => {
      this.changed(ofInterview(conversationId));
    }, `team.interview:${conversationId}`);
  }

  /** A name, for one, changes all interviews of the candidate. */
  @DomainEventHandler('interview.changed')
  async onInterviewChanged(
    tx: Tx,
    { conversationIds }: PayloadOf<'interview.changed'>,
  ): Promise<void> {
    if (conversationIds.length < 2) return;
    for (const id of conversationIds)
      await this.events.publish(tx, 'team.changed', ofInterview(id));
  }

  /** Its vacancy is read before the rows are gone. */
  @DomainEventHandler('conversation.erased')
  async onErased(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>): Promise<void> {
    const found = await this.repository.vacanciesOf(tx, conversationIds);
    for (const { id, vacancyId } of found) {
      await this.events.publish(tx, 'team.changed', { ...ofInterview(id), vacancyId });
    }
  }

  onSignal(payload: string): void {
    if (this.listeners.size === 0) return;
    for (const signal of unpackSignals(payload)) {
      if (signal.kind === 'lost') this.onConnected();
      else if (signal.kind === 'rows') this.changed(ofInterview(signal.conversationId));
      else if (signal.kind === 'team') this.changed(signal.change);
    }
  }

  /** Signals may have been missed while there was no connection. */
  onConnected(): void {
    for (const listener of this.listeners) listener.onResync();
  }

  private async tellPending(): Promise<void> {
    while (this.pending.size > 0 && !this.stopping.signal.aborted) {
      const due = this.takeDue(this.clock.monotonicMs());
      if (due.length > 0) await this.tell(due);
      if (this.listeners.size === 0) this.pending.clear();
      if (this.pending.size > 0) await this.clock.sleep(STEP_MS, this.stopping.signal);
    }
    this.isTelling = false;
  }

  private takeDue(nowMs: number): TeamNews[] {
    for (const [key, atMs] of this.toldAtMs) {
      if (nowMs - atMs < EVERY_MS) break;
      this.toldAtMs.delete(key);
    }
    const due = [...this.pending].filter(([key]) => !this.toldAtMs.has(key));
    for (const [key] of due) {
      this.pending.delete(key);
      this.toldAtMs.set(key, nowMs);
    }
    return due.map(([, news]) => news);
  }

  private async tell(due: readonly TeamNews[]): Promise<void> {
    const isLimited = [...this.listeners].some((listener) => listener.isLimited);
    const known = isLimited ? await this.withVacancies(due) : due;
    for (const listener of this.listeners) {
      if (known !== null) listener.onNews(known);
      else if (listener.isLimited) listener.onResync();
      else listener.onNews(due);
    }
  }

  /** Null: the vacancies could not be read. */
  private async withVacancies(due: readonly TeamNews[]): Promise<readonly TeamNews[] | null> {
    const unknown = due.flatMap(({ interviewId, vacancyId }) =>
      vacancyId === null && interviewId !== null && !this.vacancies.has(interviewId)
        ? [interviewId]
        : [],
    );
    if (unknown.length > 0) {
      try {
        const read = await this.units.run('stream.team', (uow) =>
          uow.commitOne('stream.team', (tx) => this.repository.vacanciesOf(tx, unknown)),
        );
        for (const { id, vacancyId } of read) this.remember(id, vacancyId);
      } catch (error) {
        this.logger.debug(`the vacancies of interviews could not be read: ${describeError(error)}`);
        return null;
      }
    }
    return due.map((news) => ({
      ...news,
      vacancyId: news.vacancyId ?? this.vacancies.get(news.interviewId ?? '') ?? null,
    }));
  }

  private remember(interviewId: string, vacancyId: string): void {
    this.vacancies.set(interviewId, vacancyId);
    if (this.vacancies.size <= MOST_REMEMBERED) return;
    const [oldest] = this.vacancies.keys();
    if (oldest !== undefined) this.vacancies.delete(oldest);
  }
}

const EVERY_MS = 1000;
const STEP_MS = 100;
const MOST_REMEMBERED = 10_000;

/** `readers`: who reads the interview (TeamPresence). */
export interface TeamNews extends Omit<TeamChange, 'kind'> {
  readonly kind: TeamChange['kind'] | 'readers';
}

export interface TeamListener {
  /** It may be told of some vacancies only, so it needs to know of which one something is. */
  readonly isLimited: boolean;
  /** A `vacancyId` of null: of no vacancy, or nobody who listens needs it. */
  onNews(news: readonly TeamNews[]): void;
  /** Something may have been missed. */
  onResync(): void;
}

export function keyOf({ kind, id }: Pick<TeamNews, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function ofInterview(id: string): TeamChange {
  return { kind: 'interview', id, interviewId: id, vacancyId: null };
}
