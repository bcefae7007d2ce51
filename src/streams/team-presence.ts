import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { SignalConnection, type SignalListener } from '../persistence';
import { keyOfTab, ReplyBroadcast, type ReadingSign, unpackSignals } from './reply-broadcast';
import { TeamFeed } from './team-feed';

/**
 * Which colleagues read which interview now, as their tabs say it: in the memory of every replica, and nowhere
 * else. A tab that says nothing for a while reads nothing any more.
 */
@Injectable()
export class TeamPresence implements SignalListener, OnModuleInit {
  /** By user and tab, the one that spoke last at the end. */
  private readonly tabs = new Map<string, ReadingSign & { readonly untilMs: number }>();

  constructor(
    private readonly feed: TeamFeed,
    private readonly broadcast: ReplyBroadcast,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /** A tab says what it shows: once in `SIGN_EVERY_MS`, and when that changes. */
  note(sign: ReadingSign): void {
    this.take(sign);
    this.broadcast.announce({ kind: 'reading', sign });
  }

  /** Each once, by name. */
  readersOf(interviewId: string): Reader[] {
    const readers = new Map<string, Reader>();
    for (const tab of this.tabs.values()) {
      if (tab.interviewId !== interviewId) continue;
      readers.set(tab.userId, { id: tab.userId, name: tab.name });
    }
    return [...readers.values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The interviews that somebody reads, with their vacancies. */
  read(): { readonly interviewId: string; readonly vacancyId: string | null }[] {
    const read = new Map<string, string | null>();
    for (const { interviewId, vacancyId } of this.tabs.values()) {
      if (interviewId !== null) read.set(interviewId, vacancyId);
    }
    return [...read].map(([interviewId, vacancyId]) => ({ interviewId, vacancyId }));
  }

  onSignal(payload: string): void {
    // Most payloads are of replies: they are not parsed here.
    if (!payload.includes('"reading"')) return;
    for (const signal of unpackSignals(payload)) {
      if (signal.kind === 'reading') this.take(signal.sign);
    }
  }

  /** Signs that were missed come again. */
  onConnected(): void {
    return undefined;
  }

  @Interval(5000)
  tend(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, tab] of this.tabs) {
      if (tab.untilMs > nowMs) return;
      this.drop(key);
    }
  }

  private take(sign: ReadingSign): void {
    const key = keyOfTab(sign);
    const before = this.tabs.get(key);
    this.tabs.delete(key);
    if (sign.interviewId !== null) {
      this.tabs.set(key, { ...sign, untilMs: this.clock.monotonicMs() + SIGN_LASTS_MS });
      this.bound(sign.userId);
    }
    if (before?.interviewId === sign.interviewId) return;
    this.told(before);
    this.told(sign);
  }

  private bound(userId: string): void {
    const own = [...this.tabs].filter(([, tab]) => tab.userId === userId);
    const [oldest] = own.length > MOST_TABS ? own : this.tabs.size > MOST_IN_ALL ? this.tabs : [];
    if (oldest !== undefined) this.drop(oldest[0]);
  }

  private drop(key: string): void {
    const tab = this.tabs.get(key);
    this.tabs.delete(key);
    this.told(tab);
  }

  private told(tab: ReadingSign | undefined): void {
    const { interviewId = null, vacancyId = null } = tab ?? {};
    if (interviewId === null) return;
    this.feed.changed({ kind: 'readers', id: interviewId, interviewId, vacancyId });
  }
}

/** Pages repeat their sign so often. */
const SIGN_EVERY_MS = 20_000;
/** Two signs may get lost. */
const SIGN_LASTS_MS = 3 * SIGN_EVERY_MS;
const MOST_TABS = 20;
const MOST_IN_ALL = 5000;

interface Reader {
  /** Of the user. */
  readonly id: string;
  readonly name: string;
}
