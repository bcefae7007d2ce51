/**
 * A durable task: one row of the table `task`. It says *that* there is work for a key of a lane;
 * domain rows say *what*. A live row may be claimed once `due_at` has come.
 *
 *   open ────claim────> running ──complete──> done ──sweep, once its turn is final──> deleted
 *    ^ upsert             │  ^
 *                         │  └──claim── retry      own failure, or its peer was unavailable
 *                         ├──fail, give back──^ ^
 *                         └──failures or claims used up──> dead ──replay──┘
 *
 *   open     collects work: at most one per (lane, key); an upsert finds it and adds to it.
 *            `due_at` is when it may start, `worker` the process that added last.
 *   running  one worker holds it: at most one per (lane, key), one at all in a single lane.
 *            `due_at`, or `leased_until` once it was renewed, is the end of the lease; past it any
 *            worker may take the row over.
 *            `worker` is null when its worker handed it back, its flow having settled.
 *   retry    sealed: nothing is added to it, and later rows of its key wait behind it.
 *   done     its effect was committed together with this state, or it was cancelled unclaimed.
 *   dead     kept for a person; only a replay makes it live again.
 *
 * Who may change it: Tasks in the caller's transaction; a claim or a beat of a JobWorker. Every
 * claim raises `claim_no`, the fencing token: a write that names an older one changes nothing.
 */
export type JobState = 'open' | 'running' | 'retry' | 'done' | 'dead';

export const LANES = [
  'intake',
  'flush',
  'transcribe',
  'fetch-file',
  'deliver',
  'notion-event',
  'notion-removal',
  'notion-sync',
  'score',
  'remind',
  'retention',
] as const;

export type LaneName = (typeof LANES)[number];

/** Runs at most one task at a time in the whole cluster; the index task_lane_single holds it. */
export const SINGLE_LANE: LaneName = 'notion-sync';

/** One worker's hold on a task. */
export interface Claim {
  readonly taskId: string;
  readonly lane: LaneName;
  readonly key: string;
  readonly claimNo: number;
  /** Own failures so far. */
  readonly failures: number;
  readonly payload: unknown;
  /** The due time that made it claimable: of a taken over row, the end of the earlier lease. */
  readonly dueAt: Date;
  readonly firstAt: Date;
  readonly takenOver: boolean;
}

/** A task on its way to `dead`, as its lane's onDead sees it. */
export interface DeadJob extends Claim {
  /** `failed`: its own failures are used up. `crashed`: too many claims ended without a word. */
  readonly reason: 'failed' | 'crashed';
  readonly error: string;
}
