import type { ApiResponse } from '@grammyjs/types';
import type { Clock } from '../../src/common/clock';
import { ApiError } from './api-error';
import { happen, outcomeOf } from '../http-fake/faulted-call';
import type { BrokenReply } from '../http-fake/reply';
import type { Fault, Faults } from './faults';
import { isSparedByFlood, methodOf, type CallContext } from './methods';
import type { Journal, OpenEntry } from './journal';
import type { CallBody } from './http/call-request';
import type { CallSchema, Params } from './schema/call-schema';

/** The response to the caller. */
export type Reply =
  | { readonly kind: 'response'; readonly status: number; readonly body: ApiResponse<unknown> }
  | BrokenReply;

interface Core {
  readonly clock: Clock;
  readonly schema: CallSchema;
  readonly journal: Journal;
  readonly faults: Faults;
}

/** Handles a call from its parameters to its reply, through planned faults, and records it. */
export class CallHandler {
  constructor(private readonly core: Core) {}

  async handle(name: string, body: CallBody, context: CallContext): Promise<Reply> {
    const { schema, journal, clock } = this.core;
    const method = schema.methodNamed(name);
    const params = this.read(method, body);
    const entry: OpenEntry = {
      at: clock.now(),
      method: method ?? name,
      params,
      uploads: [...context.uploads.values()].map((upload) => upload.name),
      violations: method === null ? [] : schema.violations(method, params),
      hadEffect: false,
      outcome: { kind: 'pending' },
    };
    journal.add(entry);
    const reply = await this.withFault(entry, () => this.carryOut(method, entry, context));
    entry.outcome = context.gone.aborted ? { kind: 'dropped', by: 'caller' } : outcomeOf(reply);
    return reply;
  }

  private read(method: string | null, { encoding, params: given }: CallBody): Params {
    // telegraf repeats the method's name in its forms, which the Bot API accepts.
    const { method: repeated, ...others } = given;
    const params = repeated === method ? others : given;
    if (method === null || encoding === 'json') return params;
    return this.core.schema.readTexts(method, params as Readonly<Record<string, string>>);
  }

  private async withFault(entry: OpenEntry, call: () => Promise<Reply>): Promise<Reply> {
    const { faults } = this.core;
    const fault = faults.take(entry.method, entry.params);
    if (fault === null) return call();
    const early = await happen(fault, 'before', faults, refuse);
    if (early !== null) return early;
    const reply = await call();
    return (await happen(fault, 'after', faults, refuse)) ?? reply;
  }

  private async carryOut(
    method: string | null,
    entry: OpenEntry,
    context: CallContext,
  ): Promise<Reply> {
    if (method === null) return refusal(new ApiError(404, 'Not Found: method not found'));
    try {
      const result = await this.result(method, entry, context);
      entry.hadEffect = true;
      return { kind: 'response', status: 200, body: { ok: true, result } };
    } catch (error) {
      if (error instanceof ApiError) return refusal(error);
      throw error;
    }
  }

  private result(method: string, entry: OpenEntry, context: CallContext): Promise<unknown> {
    const { params, violations } = entry;
    if (violations.length > 0) throw ApiError.badRequest(`schema: ${violations.join('; ')}`);
    if (!isSparedByFlood(method)) context.flood.check();
    const run = methodOf(method);
    if (run === null) throw new ApiError(501, `this test server has no ${method}`);
    return run(context, params satisfies Params);
  }
}

function refuse(fault: Extract<Fault, { kind: 'status' }>): Reply {
  return refusal(injected(fault));
}

function injected(fault: Extract<Fault, { kind: 'status' }>): ApiError {
  const { code, retryAfterS } = fault;
  if (retryAfterS !== undefined && fault.description === undefined) {
    return ApiError.tooManyRequests(retryAfterS);
  }
  const parameters = retryAfterS === undefined ? undefined : { retry_after: retryAfterS };
  return new ApiError(code, fault.description ?? 'Internal Server Error', parameters);
}

function refusal({ code, description, parameters }: ApiError): Reply {
  const more = parameters === undefined ? {} : { parameters };
  return {
    kind: 'response',
    status: code,
    body: { ok: false, error_code: code, description, ...more },
  };
}
