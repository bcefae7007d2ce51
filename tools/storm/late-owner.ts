import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from './replica';
import type { OwnerCommit } from './schedule';
import type { StormSetup } from './storm-setup';

/** For a successor whose model fails, or whose database is killed. */
const LATEST_END_MS = 30_000;
const LOOK_EVERY_MS = 250;
/** For what the successor has stored to reach its candidate. */
const SEEN_AFTER_MS = 3000;

/**
 * As a freeze that lasts longer than the lease. A row without a worker is taken over at once, also by a replica
 * whose connection breaks every few seconds: it takes over nothing else.
 */
const END_LEASE = `update job set due_at = clock_timestamp(), leased_until = null, worker = null
  where id = $1 and state = 'running'`;
const LIVE = `select from job where id = $1 and state in ('open', 'running', 'retry')`;

/** Makes owners of jobs store what they have done after their successors. */
export class LateOwner {
  private isStopped = false;

  constructor(
    private readonly setup: Pick<StormSetup, 'rows'> & {
      readonly replicas: readonly Pick<Replica, 'freezeAtCommit'>[];
    },
    private readonly seenAfterMs = SEEN_AFTER_MS,
  ) {}

  /** Meanwhile the other replicas have to stay awake, to take over. */
  get isLate(): boolean {
    return this.isStopped;
  }

  /**
   * The first replica that comes to the commit is frozen right before it, and loses its lease. It goes on when
   * another has ended its job, and the candidate has seen what came of it. Throws if none comes, or while the last
   * one is late.
   */
  async stopAt(commit: OwnerCommit): Promise<void> {
    if (this.isLate) throw new Error('the last owner is still late');
    this.isStopped = true;
    let hasStopped = false;
    const stops = this.setup.replicas.map((replica) =>
      replica.freezeAtCommit(commit, async (jobId) => {
        // The others go on at once.
        if (hasStopped) return;
        hasStopped = true;
        await this.untilAnotherHasEnded(jobId);
        await pause(this.seenAfterMs);
      }),
    );
    const ended = await Promise.allSettled(stops);
    this.isStopped = false;
    const hasCome = ended.some(({ status }) => status === 'fulfilled');
    if (!hasCome) throw new Error('the commit did not come');
  }

  private async untilAnotherHasEnded(jobId: string | null): Promise<void> {
    const untilMs = performance.now() + LATEST_END_MS;
    await this.count(END_LEASE, jobId, untilMs);
    while ((await this.count(LIVE, jobId, untilMs)) > 0 && performance.now() < untilMs) {
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Rows of the statement, which is repeated while the database is away. */
  private async count(text: string, jobId: string | null, untilMs: number): Promise<number> {
    for (;;) {
      const rows = await this.setup.rows(text, [jobId]).catch(() => null);
      if (rows !== null || performance.now() >= untilMs) return rows?.length ?? 0;
      await pause(LOOK_EVERY_MS);
    }
  }
}
