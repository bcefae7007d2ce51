import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from './replica';
import type { OwnerCommit } from './schedule';
import type { StormSetup } from './storm-setup';

/** For a takeover, during which the database may be killed, and for a successor whose model fails. */
const LATEST_END_MS = 30_000;
const LOOK_EVERY_MS = 250;
/** For what the successor has stored to reach its candidate. */
const SEEN_AFTER_MS = 3000;

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
   * The first replica that comes to the commit is frozen right before it until another has taken over and ended
   * its job, and the candidate has seen what came of it. Throws if none comes, or while the last one is late.
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
        await this.untilEnded(jobId);
        await pause(this.seenAfterMs);
      }),
    );
    await Promise.allSettled(stops);
    this.isStopped = false;
    if (!hasStopped) throw new Error('the commit did not come');
  }

  private async untilEnded(jobId: string | null): Promise<void> {
    const untilMs = performance.now() + LATEST_END_MS;
    while (performance.now() < untilMs) {
      // The database may be away in between.
      const live = await this.setup
        .rows(`select from job where id = $1 and state in ('open', 'running', 'retry')`, [jobId])
        .catch(() => null);
      if (live?.length === 0) return;
      await pause(LOOK_EVERY_MS);
    }
  }
}
