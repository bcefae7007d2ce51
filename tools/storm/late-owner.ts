import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from './replica';
import type { OwnerCommit } from './schedule';
import type { StormSetup } from './storm-setup';

/** For a takeover: the lease has to end, and another replica needs a whole lease of calm before. */
const LATEST_TAKEOVER_MS = 30_000;
const LOOK_EVERY_MS = 250;
/** For what the successors have stored to reach its candidates. */
const SEEN_AFTER_MS = 3000;

/** The queue whose jobs store what they have done with this commit. */
const QUEUES: Readonly<Record<OwnerCommit, string>> = {
  'turn.close': 'flush',
  'deliver.settle': 'deliver',
};

/** Makes owners of jobs store what they have done after their successors. */
export class LateOwner {
  private isLate = false;

  constructor(
    private readonly setup: Pick<StormSetup, 'rows'> & {
      readonly replicas: readonly Pick<Replica, 'freezeAtCommit'>[];
    },
    private readonly seenAfterMs = SEEN_AFTER_MS,
  ) {}

  /**
   * The first replica that comes to the commit is frozen right before it until others have taken over and ended
   * its jobs, and candidates have seen what came of them. Throws if none comes, or while the last one is late: others have to be there to take over.
   */
  async stopAt(commit: OwnerCommit): Promise<void> {
    if (this.isLate) throw new Error('the last owner is still late');
    this.isLate = true;
    let hasStopped = false;
    const stops = this.setup.replicas.map((replica) =>
      replica.freezeAtCommit(commit, async (worker) => {
        // The others go on at once.
        if (hasStopped) return;
        hasStopped = true;
        await this.untilTakenOver(worker, QUEUES[commit]);
        await pause(this.seenAfterMs);
      }),
    );
    await Promise.allSettled(stops);
    this.isLate = false;
    if (!hasStopped) throw new Error('the commit did not come');
  }

  /** Until none of the jobs runs any more that the worker has in the queue now. */
  private async untilTakenOver(worker: string | null, queue: string): Promise<void> {
    const untilMs = performance.now() + LATEST_TAKEOVER_MS;
    let ids: readonly string[] | null = null;
    while (ids?.length !== 0 && performance.now() < untilMs) {
      // The database may be away in between.
      const running: readonly { readonly id: string }[] | null = await this.setup
        .rows<{ id: string }>(
          `select id from job
           where queue = $1 and state = 'running'
             and case when $3::bigint[] is null then worker = $2 else id = any($3::bigint[]) end`,
          [queue, worker, ids],
        )
        .catch(() => null);
      ids = running?.map(({ id }) => id) ?? ids;
      await pause(LOOK_EVERY_MS);
    }
  }
}
