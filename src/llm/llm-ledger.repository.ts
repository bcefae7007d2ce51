import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { Tx } from '../common/uow';
import { ADJUSTED, type AttemptOutcome } from './errors';

/** `rerank`: of earlier versions, in which a model chose among the passages that a search had found. */
export type LlmPurpose = 'interview' | 'embed' | 'rerank' | 'score' | 'transcribe' | 'replay';

export interface OpenAttempt {
  readonly subject: string;
  readonly purpose: LlmPurpose;
  /** Which request of this purpose within the flush, from 1; `next`: one more than there are. */
  readonly n: number | 'next';
  readonly epoch: number;
  /** In a tool loop: one more than the number of earlier requests of the loop. */
  readonly round?: number;
  readonly model: string;
  /** The second server is asked. */
  readonly isFallback?: boolean;
}

export interface SettledAttempt {
  readonly outcome: AttemptOutcome;
  /** Embedding has a price of its own, transcription none; every other purpose the model's. */
  readonly purpose?: LlmPurpose;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly latencyMs: number;
  /** By the second model, whose prices are not known. */
  readonly isFallback?: boolean;
  /** A code, never a server's text. */
  readonly error?: string;
}

/** The model that wrote a reply. `isFallback`: the second one, in place of the first. */
export interface ReplyModel {
  readonly model: string;
  readonly isFallback: boolean;
}

/** Requests that ended in the same way. */
export interface RecentOutcome {
  readonly outcome: AttemptOutcome;
  readonly count: number;
  /** To how many answers they belong. */
  readonly answers: number;
  /** The most frequent code beside the outcome, such as the server's status; null: none. */
  readonly detail: string | null;
}

/**
 * SQL of `llm_request`, one per (subject, purpose, n), and `llm_attempt`, one per HTTP request of
 * it. Rows are never deleted here: an attempt is inserted before its call and updated once after it,
 * without the job's fence, so that attempts of a lost lease are recorded too.
 */
@Injectable()
export class LlmLedgerRepository {
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Before the call. A second interview request of one flush violates a unique key (I2). */
  async open(tx: Tx, attempt: OpenAttempt): Promise<{ readonly attemptId: string }> {
    const { subject, purpose, n, epoch, model, round = 1, isFallback = false } = attempt;
    const rows = await tx.query<{ id: string }>(OPEN, [
      subject,
      purpose,
      n === 'next' ? null : n,
      epoch,
      model,
      this.clock.databaseNow(),
      round,
      isFallback,
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('an attempt was inserted and not returned');
    return { attemptId: row.id };
  }

  /** After the call. Settling twice keeps the first outcome. */
  async settle(tx: Tx, attemptId: string, settled: SettledAttempt): Promise<void> {
    const { outcome, inputTokens, outputTokens, latencyMs, error } = settled;
    await tx.query(SETTLE, [
      attemptId,
      outcome,
      inputTokens ?? null,
      outputTokens ?? null,
      this.costOf(settled),
      Math.round(latencyMs),
      error ?? null,
      this.clock.databaseNow(),
    ]);
  }

  /**
   * How often a model failed on this answer; `isHopeless` when the same request would be refused
   * again. Rejections after which the client changed its requests do not count.
   */
  async failuresOf(
    tx: Tx,
    subject: string,
  ): Promise<{
    readonly count: number;
    readonly isHopeless: boolean;
    /** How the last of them ended; null: there are none. */
    readonly last: AttemptOutcome | null;
  }> {
    const [row] = await tx.query<{
      count: number;
      hopeless: boolean | null;
      last: AttemptOutcome | null;
    }>(FAILURES, [subject]);
    return { count: row?.count ?? 0, isHopeless: row?.hopeless === true, last: row?.last ?? null };
  }

  /**
   * How the newest requests for replies ended, of all replicas, by outcome. Requests in progress, those
   * that a candidate or a drain ended and those by which a client learned are left out.
   */
  recentOutcomes(
    tx: Tx,
    { windowMs, requests }: { readonly windowMs: number; readonly requests: number },
  ): Promise<RecentOutcome[]> {
    return tx.query(RECENT, [this.clock.databaseNow(), windowMs, requests]);
  }

  /**
   * Tokens of input and output that requests of this purpose have used lately. `uncounted` is taken for a
   * request whose tokens are not known; one that the server rejected has none.
   */
  async tokensSpent(
    tx: Tx,
    of: { readonly purpose: LlmPurpose; readonly windowMs: number; readonly uncounted: number },
  ): Promise<number> {
    const [row] = await tx.query<{ tokens: number }>(SPENT, [
      this.clock.databaseNow(),
      of.windowMs,
      of.purpose,
      of.uncounted,
    ]);
    return row?.tokens ?? 0;
  }

  /** The model that wrote the reply of each of these answers; answers without a request are left out. */
  async modelsOf(tx: Tx, subjects: readonly string[]): Promise<ReadonlyMap<string, ReplyModel>> {
    const rows = await tx.query<ReplyModel & { subject: string }>(MODELS, [subjects]);
    return new Map(rows.map(({ subject, ...model }) => [subject, model]));
  }

  /** US dollars; null where tokens or prices are not known. */
  private costOf(settled: SettledAttempt): number | null {
    const { purpose, inputTokens = 0, outputTokens = 0 } = settled;
    const { llm } = this.settings;
    if (settled.isFallback === true) return null;
    // Priced by the minute, or by tokens at another price.
    if (purpose === 'transcribe') return null;
    const isEmbedding = purpose === 'embed';
    const inputPrice = isEmbedding ? llm.embeddingPricePerMillionUsd : llm.inputPricePerMillionUsd;
    const outputPrice = isEmbedding ? 0 : llm.outputPricePerMillionUsd;
    const isPriced = inputPrice + outputPrice > 0;
    if (!isPriced || inputTokens + outputTokens === 0) return null;
    return (inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000;
  }
}

/** Rows of one reading, so that it costs milliseconds however busy the last minutes were. */
const MAX_READ = 1000;

const FAILURES = `
select count(*)::int as count,
  bool_or(a.outcome in ('refused', 'content_filter', 'bad_request')) as hopeless,
  (array_agg(a.outcome order by a.id desc))[1] as last
from llm_attempt a join llm_request r on r.id = a.request_id
where r.subject = $1 and r.purpose = 'interview' and coalesce(a.error, '') not like '${ADJUSTED}%'
  and a.outcome not in ('sent', 'ok', 'stopped', 'aborted', 'unavailable')`;

/** The newest by their end: by their begin, failures at once would outnumber replies that take seconds. */
const RECENT = `
select outcome, count(*)::int as count, count(distinct subject)::int as answers,
  mode() within group (order by error) as detail
from (
  select * from (
    select a.outcome, a.error, a.ended_at, r.subject
    from llm_attempt a join llm_request r on r.id = a.request_id
    where a.sent_at > coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
      and a.ended_at is not null and r.purpose = 'interview'
      and a.outcome not in ('sent', 'stopped', 'aborted') 
      and coalesce(a.error, '') not like '${ADJUSTED}%'
    order by a.sent_at desc limit ${String(MAX_READ)}
  ) recent order by ended_at desc limit $3
) newest group by outcome`;

const SPENT = `
select coalesce(sum(coalesce(a.input_tokens + a.output_tokens, $4::int)), 0)::float8 as tokens
from llm_attempt a join llm_request r on r.id = a.request_id
where a.sent_at > coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and r.purpose = $3 and a.outcome not in ('bad_request', 'unavailable')`;

/** A reply that was stopped has no attempt with the outcome "ok": then the last one counts. */
const MODELS = `
select distinct on (r.subject) r.subject as "subject", a.model, a.is_fallback as "isFallback"
from llm_attempt a join llm_request r on r.id = a.request_id
where r.subject = any($1) and r.purpose = 'interview'
order by r.subject, a.outcome = 'ok' desc, a.id desc`;

/** The update changes nothing; without it `returning` would skip an existing row. */
const OPEN = `
with request as (
  insert into llm_request (subject, purpose, n, created_at)
  values ($1, $2,
    coalesce($3::int, (select coalesce(max(n), 0) + 1 from llm_request
      where subject = $1 and purpose = $2)),
    coalesce($6::timestamptz, clock_timestamp()))
  on conflict (subject, purpose, n) do update set n = excluded.n
  returning id
)
insert into llm_attempt (request_id, epoch, model, sent_at, round, is_fallback)
select id, $4, $5, coalesce($6::timestamptz, clock_timestamp()), $7, $8 from request
returning id`;

const SETTLE = `
update llm_attempt
set outcome = $2, input_tokens = $3, output_tokens = $4, cost_usd = $5, latency_ms = $6,
  error = $7, ended_at = coalesce($8::timestamptz, clock_timestamp())
where id = $1 and ended_at is null`;
