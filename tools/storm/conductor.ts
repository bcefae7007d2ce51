import { setTimeout as pause } from 'node:timers/promises';
import type { Update } from '@grammyjs/types';
import type { Fault as BotFault } from '../fake-telegram/faults';
import { LateOwner } from './late-owner';
import {
  DISTANT_MS,
  type Fault,
  type NotionFault,
  type PlannedFault,
  REPLICAS,
  type TelegramFault,
} from './schedule';
import type { StormSetup } from './storm-setup';

/** Longer than DELIVERY_TIMEOUT of the storm: the message is in the chat, and its sender gave up. */
const TOO_LATE_MS = 4000;
const UPDATES_KEPT = 50;
const MOST_PLANNED = 3;
const ASKED_EVERY_MS = 10;
/**
 * After all other faults LISTEN is hardly ever connected: no notice of a reply arrives then, and no broken
 * stream brings the page to it either.
 */
const CUTS_AT_THE_END = { times: 20, everyMs: 300 };
/** More than Colloquy may send a message without a response. */
const SENDS_ALWAYS_LOST = 4;

/** A fault that was carried out. `atMs` is of `performance.now()`. */
export interface CarriedOut {
  readonly atMs: number;
  readonly fault: Fault;
  /** Null: it happened. Otherwise why it could not. */
  readonly problem: string | null;
}

/** Carries the schedule out. */
export class Conductor {
  readonly done: CarriedOut[] = [];
  /** When the last fault ended that lasts. */
  lastEndMs = 0;
  private readonly updates: Update[] = [];
  private readonly lasting = new Set<Promise<unknown>>();
  private readonly lateOwner: LateOwner;
  private readonly stopWatching: () => void;

  constructor(private readonly setup: StormSetup) {
    this.lateOwner = new LateOwner(setup);
    const known = new Set<number>();
    this.stopWatching = setup.telegram.onChange(() => {
      for (const update of setup.telegram.pendingUpdates) {
        if (known.has(update.update_id) || update.message === undefined) continue;
        known.add(update.update_id);
        this.updates.push(update);
        if (this.updates.length > UPDATES_KEPT) this.updates.shift();
      }
    });
  }

  async run(schedule: readonly PlannedFault[]): Promise<void> {
    const beganMs = performance.now();
    for (const { atMs, fault } of schedule) {
      await pause(Math.max(0, beganMs + atMs - performance.now()));
      this.carryOut(fault);
    }
    await Promise.allSettled(this.lasting);
    for (let n = 0; n < CUTS_AT_THE_END.times; n += 1) {
      this.carryOut({ kind: 'cut_listen' });
      await pause(CUTS_AT_THE_END.everyMs);
    }
    await Promise.allSettled(this.lasting);
    this.stopWatching();
    this.lastEndMs = performance.now();
  }

  private carryOut(fault: Fault): void {
    const atMs = performance.now();
    const note = (problem: string | null): void => void this.done.push({ atMs, fault, problem });
    try {
      const end = this.begin(fault);
      if (end === null) note(null);
      else {
        this.lasting.add(end);
        end
          .then(
            () => {
              note(null);
            },
            (error: unknown) => {
              note(error instanceof Error ? error.message : String(error));
            },
          )
          .finally(() => this.lasting.delete(end));
      }
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
  }

  /** Begins a fault; returns its end if it lasts. */
  private begin(fault: Fault): Promise<unknown> | null {
    const { setup } = this;
    switch (fault.kind) {
      case 'kill':
        setup.replicas[fault.replica]?.kill();
        return null;
      case 'kill_at_commit':
      case 'jump_clock':
        setup.replicas[fault.replica]?.tell(fault);
        return null;
      case 'terminate':
        setup.replicas[fault.replica]?.terminate();
        return null;
      case 'freeze':
        this.assertNoneIsLate();
        setup.replicas[fault.replica]?.freeze(fault.forMs);
        return pause(fault.forMs);
      case 'freeze_at_commit':
        this.assertNoneIsLate();
        return this.freezeOwner(fault);
      case 'late_owner':
        return this.lateOwner.stopAt(fault.commit);
      case 'kill_database':
        setup.killDatabase();
        return null;
      case 'full_disk':
        return this.fillDisk(fault.forMs);
      case 'slow_statements':
        return this.slowDown(fault.forMs);
      case 'cut_listen':
        return setup.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'colloquy-notices'`,
        );
      case 'distant_database':
        return this.moveDatabaseAway(fault.forMs);
      case 'model':
        setup.model.failNext(fault.fault);
        return null;
      case 'telegram':
        this.failTelegram(fault.fault);
        return null;
      case 'notion':
        this.failNotion(fault.fault);
        return null;
      case 'repeat_update': {
        const update = this.updates.at(-1 - fault.howOld);
        if (update === undefined) throw new Error('there is no update yet that can come again');
        setup.telegram.repeat(update);
        return null;
      }
      case 'delay':
      case 'cut_in_frame':
      case 'black_hole':
      case 'reset':
        return this.breakLink(fault);
    }
  }

  private assertNoneIsLate(): void {
    if (this.lateOwner.isLate) throw new Error('the replica has to take over from a late owner');
  }

  private async freezeOwner(fault: Extract<Fault, { kind: 'freeze_at_commit' }>): Promise<void> {
    const { commit, replica, forMs, untilAskedAgain } = fault;
    await this.setup.replicas[replica]?.freezeAtCommit(commit, () =>
      untilAskedAgain ? this.untilAskedAgain(forMs) : pause(forMs),
    );
  }

  /** Until the model is asked for an answer for which it has completed a request; `forMs` at most. */
  private async untilAskedAgain(forMs: number): Promise<void> {
    const { calls } = this.setup.model;
    const completed = new Set(
      calls.filter(({ outcome }) => outcome === 'completed').map(({ tokens }) => tokens[0]),
    );
    const untilMs = performance.now() + forMs;
    const known = calls.length;
    const isAskedAgain = (): boolean =>
      calls.slice(known).some(({ tokens }) => completed.has(tokens[0]));
    while (performance.now() < untilMs && !isAskedAgain()) await pause(ASKED_EVERY_MS);
  }

  private breakLink(
    fault: Extract<Fault, { kind: 'delay' | 'cut_in_frame' | 'black_hole' | 'reset' }>,
  ): Promise<unknown> | null {
    const proxy = this.setup.proxy(fault.link);
    switch (fault.kind) {
      case 'cut_in_frame':
        proxy.cutNext(1);
        return null;
      case 'reset':
        proxy.resetAll();
        return null;
      case 'black_hole':
        proxy.blackHole();
        break;
      case 'delay':
        proxy.delayMs = fault.byMs;
    }
    return pause(fault.forMs).then(() => {
      // Calls to Notion that the hole held back would arrive together, however far apart they began.
      if (fault.link === 'notion') proxy.resetAll();
      proxy.heal();
    });
  }

  private async moveDatabaseAway(forMs: number): Promise<void> {
    const proxies = Array.from({ length: REPLICAS }, (_, n) => this.setup.proxy(`database ${n}`));
    for (const proxy of proxies) proxy.delayMs = DISTANT_MS;
    await pause(forMs);
    for (const proxy of proxies) proxy.delayMs = 0;
  }

  /** Everything that writes a job waits for a lock. */
  private async slowDown(forMs: number): Promise<void> {
    await this.setup.rows(
      `do $$ begin
         lock table job in share row exclusive mode;
         perform pg_sleep(${String(forMs / 1000)});
       end $$`,
    );
  }

  /** Writes of messages and turns fail with PostgreSQL's own error for a full disk. */
  private async fillDisk(forMs: number): Promise<void> {
    const tables = ['message', 'turn'];
    await this.setup.rows(
      `create or replace function storm_full_disk() returns trigger language plpgsql as $$
       begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`,
    );
    for (const table of tables) {
      await this.setup.rows(
        `create trigger storm_full_disk before insert or update on ${table}
         for each row execute function storm_full_disk()`,
      );
    }
    await pause(forMs);
    // The database may be away in between, and the disk must not stay full.
    for (const table of tables) {
      await this.insist(`drop trigger if exists storm_full_disk on ${table}`);
    }
    await this.insist('drop function if exists storm_full_disk()');
  }

  private async insist(statement: string): Promise<void> {
    for (let tried = 0; tried < 100; tried += 1) {
      const isDone = await this.setup.rows(statement).then(
        () => true,
        () => false,
      );
      if (isDone) return;
      await pause(200);
    }
    throw new Error(`it failed a hundred times: ${statement}`);
  }

  private failTelegram(fault: TelegramFault): void {
    const { faults } = this.setup.telegram;
    if (fault !== 'always_lost_after') {
      if (faults.plans >= MOST_PLANNED) throw new Error('the last faults were not met yet');
      faults.on('sendMessage', botFault(fault), { after: 1 });
      return;
    }
    // It comes first: a fault before it would let its message through.
    faults.clear();
    let message: string | null = null;
    const matching = ({ chat_id: chat, text }: Readonly<Record<string, unknown>>): boolean => {
      const sent = JSON.stringify([chat, text]);
      message ??= sent;
      return message === sent;
    };
    faults.on('sendMessage', botFault('lost_after'), { times: SENDS_ALWAYS_LOST, matching });
  }

  private failNotion(fault: NotionFault): void {
    const { faults, limits } = this.setup.notion;
    switch (fault) {
      case 'rate_limited':
        limits.pauseFor(1);
        return;
      case 'overloaded':
        limits.overloadFor(1);
        return;
      case 'dropped':
        faults.on('*', { kind: 'drop', when: 'after' });
        return;
      case 'server_error':
        faults.on('*', { kind: 'body', status: 502, body: '<html>Bad gateway</html>' });
    }
  }
}

function botFault(fault: Exclude<TelegramFault, 'always_lost_after'>): BotFault {
  switch (fault) {
    case 'rate_limited':
      return { kind: 'status', code: 429, retryAfterS: 1 };
    case 'server_error':
      return { kind: 'status', code: 500 };
    case 'lost_before':
      return { kind: 'drop', when: 'before' };
    case 'lost_after':
      return { kind: 'drop', when: 'after' };
    case 'late_after':
      return { kind: 'delay', ms: TOO_LATE_MS, when: 'after' };
    case 'malformed':
      return { kind: 'body', status: 200, body: '{"ok":tr', when: 'after' };
  }
}
