import type { Clock } from '../common/clock';
import { JobPostponedError, QueueBreakers } from '../jobs';
import { ModelUnavailableError } from './errors';
import type { ModelClient } from './model-client';

/**
 * The servers that may write replies, and which of them a claim asks.
 *
 *   first ──its breaker opens──> fallback ──a probe of the first succeeds──> first
 *             └─the fallback's is open too─> both down: the breaker of the queue pauses answers
 *
 * Each server has a breaker of its own, beside that of the queue: while one of them responds, answers are
 * not paused. One server is asked for each claim, and one claim at a time probes. Without a fallback only
 * the breaker of the queue counts.
 */
export class InterviewModels {
  private readonly breakers: QueueBreakers<ServerName>;
  /** Jobs that wait for the fallback because the first has failed: they do not probe the first again. */
  private readonly switched = new Set<string>();
  private lastFailed: ServerName = 'fallback';

  constructor(
    private readonly first: ModelClient,
    private readonly fallback: ModelClient | null,
    clock: Clock,
  ) {
    this.breakers = new QueueBreakers(clock);
    this.onReplaced(() => {
      this.switched.clear();
    });
  }

  /** The names of both models while the second replies in place of the first; null: it does not. */
  get replaced(): { readonly model: string; readonly by: string } | null {
    if (this.fallback === null || !this.breakers.isOpen(FIRST)) return null;
    return { model: this.first.model, by: this.fallback.model };
  }

  /** Calls `listener` when the first server is found to be away, and when it is back. */
  onReplaced(listener: (isReplaced: boolean) => void): void {
    this.breakers.onChange(({ queue, from, to }) => {
      if (queue !== FIRST) return;
      if (from === 'closed') listener(true);
      if (to === 'closed') listener(false);
    });
  }

  /** For the whole of a claim, so that its request is opened, sent and counted for one server. */
  take(jobId: string): TakenServer {
    const isFallbackFirst = this.switched.delete(jobId) || this.mustAlternate();
    const name = this.usable(isFallbackFirst ? NAMES.toReversed() : NAMES) ?? this.soonest();
    const client = name === 'fallback' ? (this.fallback ?? this.first) : this.first;
    const isProbe = this.fallback !== null && this.breakers.claimed(name);
    return { name, client, jobId, isProbe };
  }

  /** The claim has ended; a probe without a request is left to another claim. */
  release({ name, isProbe }: TakenServer): void {
    if (isProbe) this.breakers.probeVanished(name);
  }

  responded({ name, jobId }: TakenServer): void {
    if (this.fallback !== null) this.breakers.peerResponded(name, jobId);
  }

  /** Returns what the claim has to throw: whether the other server is asked, or answers wait. */
  failed(
    { name, jobId, isProbe }: TakenServer,
    error: ModelUnavailableError,
  ): ModelUnavailableError | ModelSwitchedError {
    if (this.fallback === null) return error;
    this.breakers.peerFailed({ queue: name, jobId }, error, isProbe);
    this.lastFailed = name;
    // One failed request of this job alone: its server responds to others.
    if (!this.breakers.isOpen(name)) return error;
    if (!this.breakers.isOpen(otherThan(name))) {
      if (name === 'first') this.switched.add(jobId);
      return new ModelSwitchedError(`${error.message}; the other server is asked`, 0);
    }
    // Both are known to be away, so the prompt is not the cause. Neither is asked before its time.
    const retryAfterMs = this.breakers.nextProbeInMs(NAMES);
    return new ModelUnavailableError(error.message, { fields: error.fields, retryAfterMs });
  }

  /** While both are away, their probes take turns. */
  private mustAlternate(): boolean {
    return this.lastFailed === 'first' && NAMES.every((name) => this.breakers.isOpen(name));
  }

  private usable(order = NAMES): ServerName | undefined {
    if (this.fallback === null) return 'first';
    return order.find((name) => this.breakers.allowance(name) > 0);
  }

  private soonest(): ServerName {
    const [first = 0, fallback = 0] = NAMES.map((name) => this.breakers.nextProbeInMs([name]));
    return fallback < first ? 'fallback' : 'first';
  }
}

const FIRST: ServerName = 'first';
const NAMES: readonly ServerName[] = [FIRST, 'fallback'];

/** `fallback`: the server of OPENAI_FALLBACK_BASE_URL. */
export type ServerName = 'first' | 'fallback';

/** The server that one claim of an answer asks. */
export interface TakenServer {
  readonly name: ServerName;
  readonly client: ModelClient;
  readonly jobId: string;
  /** The claim finds out whether this server responds again. */
  readonly isProbe: boolean;
}

/** The other server is asked at once; no failure is counted. */
export class ModelSwitchedError extends JobPostponedError {
  override readonly code = 'model_unavailable';
}

function otherThan(name: ServerName): ServerName {
  return name === 'first' ? 'fallback' : 'first';
}
