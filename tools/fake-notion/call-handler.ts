import type { Clock } from '../../src/common/clock';
import { ApiError, type ErrorCode } from './api-error';
import { happen, outcomeOf } from '../http-fake/faulted-call';
import type { BrokenReply } from '../http-fake/reply';
import type { Fault, Faults } from './faults';
import { hasArchived, refusedVersion, versionIn } from './http/versions';
import type { Journal, OpenEntry } from './journal';
import type { Limits } from './limits';
import { type CallContext, type OperationName, run } from './operations';
import type { CallSchema, Params } from './schema/call-schema';

/** A request as it came in. */
export interface Call {
  /** Null: there is nothing at this address. */
  readonly operation: OperationName | null;
  readonly address: string;
  readonly params: Params;
  /** Whether the body was a JSON object or nothing. */
  readonly isReadable: boolean;
  readonly authorization: string | undefined;
  readonly version: string | undefined;
  /** Aborts when the caller has closed the connection. */
  readonly gone: AbortSignal;
}

/** The response to the caller. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly body: object;
      readonly retryAfterS?: number;
    }
  | BrokenReply;

interface Core {
  readonly clock: Clock;
  readonly schema: CallSchema;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly limits: Limits;
  readonly context: CallContext;
  readonly token: () => string;
  /** How long a call takes, by the clock. */
  readonly latencyMs: () => number;
}

/** Handles a call from its parameters to its reply, through limits and faults, and records it. */
export class CallHandler {
  constructor(private readonly core: Core) {}

  async handle(call: Call): Promise<Reply> {
    const { journal, clock } = this.core;
    const [at, atMs] = [clock.now(), clock.monotonicMs()];
    // The limits count the call before its parameters are checked, because the check may take a while.
    const refused = this.admit(call);
    const entry: OpenEntry = {
      at,
      atMs,
      operation: call.operation ?? call.address,
      params: call.params,
      version: versionIn(call.version),
      violations: this.violations(call),
      hadEffect: false,
      outcome: { kind: 'pending' },
    };
    journal.add(entry);
    const reply = refused ?? (await this.reply(call, entry));
    entry.outcome = call.gone.aborted ? { kind: 'dropped', by: 'caller' } : outcomeOf(reply);
    return reply;
  }

  private violations({ operation, params, version, isReadable }: Call): string[] {
    if (operation === null) return ['there is no such address'];
    if (!isReadable) return ['the body is not a JSON object'];
    const known = versionIn(version);
    const isLate = known !== null && !hasArchived(known) && 'archived' in params;
    const found = this.core.schema.violations(operation, params);
    return isLate ? [...found, `"archived" is "in_trash" in ${known}`] : found;
  }

  private async reply(call: Call, entry: OpenEntry): Promise<Reply> {
    const { faults, latencyMs } = this.core;
    const fault = faults.take(entry.operation, entry.params);
    const early = fault === null ? null : await happen(fault, 'before', faults, refuse);
    if (early !== null) return early;
    const ms = latencyMs();
    if (ms > 0) await faults.delay(ms);
    const reply = this.carryOut(call, entry);
    return (fault === null ? null : await happen(fault, 'after', faults, refuse)) ?? reply;
  }

  /** Null: the call is admitted and counted. */
  private admit({ authorization, version }: Call): Reply | null {
    try {
      if (authorization !== `Bearer ${this.core.token()}`) {
        throw new ApiError(401, 'unauthorized', 'API token is invalid.');
      }
      if (versionIn(version) === null) throw refusedVersion(version);
      this.core.limits.count();
      return null;
    } catch (error) {
      return refusal(error);
    }
  }

  private carryOut({ operation, isReadable }: Call, entry: OpenEntry): Reply {
    const { params, violations, version } = entry;
    try {
      if (operation === null) {
        throw new ApiError(400, 'invalid_request_url', 'Invalid request URL.');
      }
      if (!isReadable) throw new ApiError(400, 'invalid_json', 'Error parsing JSON body.');
      if (violations.length > 0) {
        throw ApiError.validation(`body failed validation: ${violations.join('; ')}`);
      }
      const body = run(operation, this.core.context, withInTrash(params));
      entry.hadEffect = true;
      const isOlder = version !== null && hasArchived(version);
      return { kind: 'response', status: 200, body: isOlder ? withArchived(body) : body };
    } catch (error) {
      return refusal(error);
    }
  }
}

/** Renames `archived`, the older name of `in_trash`: operations know only the newer one. */
function withInTrash(params: Params): Params {
  const { archived, ...others } = params;
  return archived === undefined ? params : { in_trash: archived, ...others };
}

/** Adds `archived` to an object, or to each object of a list. */
function withArchived(body: object): object {
  const { in_trash, results } = body as { in_trash?: boolean; results?: readonly object[] };
  if (results !== undefined) return { ...body, results: results.map(withArchived) };
  return in_trash === undefined ? body : { ...body, archived: in_trash };
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'validation_error',
  401: 'unauthorized',
  403: 'restricted_resource',
  404: 'object_not_found',
  409: 'conflict_error',
  429: 'rate_limited',
  500: 'internal_server_error',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  529: 'service_overload',
};

function refuse(fault: Extract<Fault, { kind: 'status' }>): Reply {
  return refusal(injected(fault));
}

function injected(fault: Extract<Fault, { kind: 'status' }>): ApiError {
  const { status, message = 'Injected by the test.', retryAfterS, reason } = fault;
  const code = fault.code ?? CODES[status] ?? 'internal_server_error';
  return new ApiError(status, code, message, {
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(reason === undefined ? {} : { additionalData: { rate_limit_reason: reason } }),
  });
}

function refusal(error: unknown): Reply {
  if (!(error instanceof ApiError)) throw error;
  const { status, code, message, details } = error;
  const { retryAfterS, additionalData } = details;
  const more = additionalData === undefined ? {} : { additional_data: additionalData };
  const body = { object: 'error', status, code, message, ...more };
  return { kind: 'response', status, body, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}
