import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, from, lastValueFrom, of } from 'rxjs';
import { ProblemError, UnreadBody } from '../http';
import { sha256 } from '../ids';
import { type Tx, UnitOfWorkFactory } from '../uow';
import {
  type ClaimedRequest,
  IdempotencyRepository,
  type IdempotentRequest,
} from './idempotency.repository';
import { type SealedBy, openResponse, sealResponse } from './response-seal';

/**
 * Lets a client repeat a POST: with the header Idempotency-Key its work is done once. For a day a repeat gets
 * the first response, marked by the header Idempotent-Replayed. A repeat while the first still runs gets 409,
 * and one with another body or query 422. Requests that were refused or failed are not remembered: a repeat
 * is a new try.
 *
 * The claim is a commit before the handler. A handler that keeps its response in the commit of its effect
 * (`IdempotentCall`) does its work once even if the process crashes in between; for others the response is
 * kept in a commit afterwards.
 */
@Injectable()
class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly requests: IdempotencyRepository,
    private readonly units: UnitOfWorkFactory,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = keyOf(request);
    if (key === null) return next.handle();
    const secret = JSON.stringify([callerOf(request), key]);
    const described = await describe(request, secret);
    const sealedBy = { secret, keyHash: described.keyHash };
    const outcome = await this.commit('idempotency.claim', (tx) =>
      this.requests.claim(tx, described),
    );
    switch (outcome.state) {
      case 'running':
        throw runningProblem();
      case 'other_body':
        throw new ProblemError(
          422,
          'idempotency_key_reused',
          'The Idempotency-Key was used for another request.',
        );
      case 'stored':
        void http.getResponse<FastifyReply>().header('idempotent-replayed', 'true');
        return of(openResponse(sealedBy, outcome.response));
      case 'claimed':
        return from(this.run(request, { claimed: outcome.request, sealedBy, next }));
    }
  }

  private async run(
    request: FastifyRequest,
    { claimed, sealedBy, next }: { claimed: ClaimedRequest; sealedBy: SealedBy; next: CallHandler },
  ): Promise<unknown> {
    const call = new ClaimedCall(this.requests, claimed, sealedBy);
    CALLS.set(request, call);
    const response = await this.workOf(next, claimed);
    if (!call.isKept) {
      // The work is done, and its response goes out even if it cannot be kept.
      await this.commit('idempotency.store', (tx) =>
        this.requests.store(tx, claimed, sealResponse(sealedBy, response)),
      ).catch(() => undefined);
    }
    return response;
  }

  private async workOf(next: CallHandler, claimed: ClaimedRequest): Promise<unknown> {
    try {
      return await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      // If this fails too, the key is free when the lease has ended.
      await this.commit('idempotency.release', (tx) => this.requests.release(tx, claimed)).catch(
        () => undefined,
      );
      throw error;
    }
  }

  private commit<T>(
    label: 'idempotency.claim' | 'idempotency.store' | 'idempotency.release',
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return this.units.run('idempotency', (uow) => uow.commit(label, work));
  }
}

/** Keeps the response of a request in the commit of its effect. */
export interface ResponseKeeper {
  /** Without an Idempotency-Key it does nothing. Throws ProblemError when another request has taken over. */
  keep(tx: Tx, response: unknown): Promise<void>;
}

class ClaimedCall implements ResponseKeeper {
  /** As far as the last try of the commit knows. */
  isKept = false;

  constructor(
    private readonly requests: IdempotencyRepository,
    private readonly claimed: ClaimedRequest,
    private readonly sealedBy: SealedBy,
  ) {}

  async keep(tx: Tx, response: unknown): Promise<void> {
    const sealed = sealResponse(this.sealedBy, response);
    if (!(await this.requests.store(tx, this.claimed, sealed))) throw runningProblem();
    this.isKept = true;
  }
}

const CALLS = new WeakMap<FastifyRequest, ClaimedCall>();
const NOTHING: ResponseKeeper = { keep: () => Promise.resolve() };

/** A ResponseKeeper for this request, as a parameter of a controller's method. */
export const IdempotentCall = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

function callOf(request: FastifyRequest): ResponseKeeper {
  return CALLS.get(request) ?? NOTHING;
}

/** For a handler of POST, whose response is JSON: takes the header Idempotency-Key. */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'idempotency-key',
      required: false,
      description:
        'A text of your own, such as a UUID: for a day a repeat with it does nothing again and gets the ' +
        'first response. Another body under the same key: 422. While the first request runs: 409',
      schema: { type: 'string', minLength: 1, maxLength: MAX_KEY },
    }),
  );
}

const MAX_KEY = 255;
const KEY = /^[\x21-\x7e]+$/;
const RETRY_AFTER_S = 2;

function runningProblem(): ProblemError {
  return new ProblemError(
    409,
    'idempotency_running',
    'The first request with this Idempotency-Key still runs.',
    { retryAfterS: RETRY_AFTER_S },
  );
}

/** Null: the request has none. Throws ProblemError for one that cannot be a key. */
function keyOf({ headers }: FastifyRequest): string | null {
  const given = headers['idempotency-key'];
  if (given === undefined) return null;
  if (typeof given === 'string' && given.length <= MAX_KEY && KEY.test(given)) return given;
  throw new ProblemError(
    400,
    'idempotency_key_invalid',
    `Idempotency-Key takes 1 to ${String(MAX_KEY)} visible ASCII characters, once.`,
  );
}

const CALLERS = new WeakMap<FastifyRequest, string>();

/**
 * For a guard that lets in by one cookie among others: the request is told apart from others, and its response is
 * encrypted, by this secret.
 */
export function identifyCaller(request: FastifyRequest, secret: string): void {
  CALLERS.set(request, secret);
}

/** Whatever the guards let the caller in by. */
function callerOf(request: FastifyRequest): string {
  const { headers } = request;
  return CALLERS.get(request) ?? headers.authorization ?? headers.cookie ?? '';
}

/** Reads the body, after the guards and before the pipe, which then gets the same value. */
async function describe(request: FastifyRequest, secret: string): Promise<IdempotentRequest> {
  const { body, method, url } = request;
  const digest = body instanceof UnreadBody ? await body.digest() : '';
  const [path = '', ...query] = url.split('?');
  return {
    keyHash: sha256(JSON.stringify([secret, method, path])),
    bodyHash: sha256(JSON.stringify([query, digest])),
  };
}
