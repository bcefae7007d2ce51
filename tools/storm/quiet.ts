import { setTimeout as pause } from 'node:timers/promises';
import type { Violation } from './facts';
import type { StormSetup } from './storm-setup';

/** What is left gets less at least this often. How fast it does is a matter of the machine. */
const LESS_WITHIN_MS = 30_000;
/** Telegram repeats an update that failed after up to a minute. */
const LONGEST_QUIET_MS = 120_000;
/** No answer is due later than this (INTERVIEW_BUFFER_MAX_WAIT). */
const LONGEST_WAIT_MS = 120_000;
const LOOK_EVERY_MS = 500;
const TELL_EVERY_MS = 10_000;

/**
 * Waits until no job and no update is left; says what is left when that does not get less. `look` is told at each
 * look what is left, `log` now and then.
 */
export async function untilQuiet(
  setup: StormSetup,
  lastEndMs: number,
  { log, look }: Readonly<Record<'log' | 'look', (what: string) => void>>,
): Promise<{ tookMs: number; violations: Violation[] }> {
  const deadline = new QuietDeadline(lastEndMs);
  let toldMs = lastEndMs;
  for (;;) {
    const jobs = await liveJobs(setup).catch(() => null);
    const updates = setup.telegram.pendingUpdates.length;
    const nowMs = performance.now();
    if (jobs?.length === 0 && updates === 0) {
      return { tookMs: nowMs - lastEndMs, violations: [] };
    }
    const left = (jobs ?? []).map(({ queue, state, dueInMs, error }) =>
      [queue, state, `due in ${String(dueInMs)} ms`, error ?? ''].join(' ').trim(),
    );
    const seconds = ((nowMs - lastEndMs) / 1000).toFixed(0);
    const what = `not quiet after ${seconds} s: ${String(updates)} updates, ${jobs === null ? 'no database' : `${String(left.length)} jobs`}: ${left.slice(0, 5).join('; ')}`;
    look(what);
    if (nowMs >= toldMs + TELL_EVERY_MS) {
      toldMs = nowMs;
      log(what);
    }
    if (deadline.isOver({ nowMs, jobs, updates })) {
      return { tookMs: nowMs - lastEndMs, violations: [{ rule: 'quiet', what }] };
    }
    await pause(LOOK_EVERY_MS);
  }
}

/**
 * Until when what a storm has left may stay as much as it is. It moves on with each job and update
 * fewer than ever before: a slow machine takes longer for them, and what is stuck stays. All times are
 * of `performance.now()`.
 */
export class QuietDeadline {
  private fewest = Infinity;
  private deadlineMs;
  private readonly latestMs;

  constructor(lastEndMs: number) {
    this.deadlineMs = lastEndMs + LESS_WITHIN_MS;
    this.latestMs = lastEndMs + LONGEST_QUIET_MS;
  }

  /** `jobs` null: the database does not respond. */
  isOver({ nowMs, jobs, updates }: Left): boolean {
    if (jobs !== null && jobs.length + updates < this.fewest) {
      this.fewest = jobs.length + updates;
      this.moveTo(nowMs + LESS_WITHIN_MS);
    }
    // What waits for a retry that a fault has caused may wait for it, and then has its time.
    for (const { dueInMs, state } of jobs ?? []) {
      if (state === 'retry' && dueInMs > 0) this.moveTo(nowMs + dueInMs + LESS_WITHIN_MS);
    }
    if (updates > 0) this.deadlineMs = this.latestMs;
    return jobs?.some(isDueTooLate) === true || nowMs > Math.min(this.deadlineMs, this.latestMs);
  }

  private moveTo(atMs: number): void {
    this.deadlineMs = Math.max(this.deadlineMs, atMs);
  }
}

interface Left {
  readonly nowMs: number;
  readonly jobs: readonly Pick<LiveJob, 'state' | 'dueInMs'>[] | null;
  readonly updates: number;
}

/** Answers that are due later than the settings allow, which is wrong at any moment. */
export async function answersDueTooLate(setup: StormSetup): Promise<Violation[]> {
  const late = (await liveJobs(setup)).filter(isDueTooLate);
  return late.map(({ queue, dueInMs }) => ({
    rule: 'quiet',
    what: `a job of "${queue}" is due in ${String(dueInMs)} ms`,
  }));
}

function isDueTooLate({ state, dueInMs }: Pick<LiveJob, 'state' | 'dueInMs'>): boolean {
  return state === 'open' && dueInMs > LONGEST_WAIT_MS;
}

interface LiveJob {
  readonly queue: string;
  readonly state: string;
  /** Of one that runs: until its lease ends. */
  readonly dueInMs: number;
  readonly error: string | null;
}

function liveJobs(setup: StormSetup): Promise<LiveJob[]> {
  return setup.rows<LiveJob>(
    `select queue, state, last_error as error,
       case when isfinite(due_at)
         then (extract(epoch from greatest(due_at, leased_until) - now()) * 1000)::int else 0 end
         as "dueInMs"
     from job
     where queue in ('flush', 'deliver', 'intake', 'transcribe')
       and state in ('open', 'running', 'retry')
     union all
     select 'turn', state, error, 0 from turn where state in ('opened', 'replied')`,
  );
}
