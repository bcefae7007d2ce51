import type { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { assertOutsideCommit } from '../common/uow';
import { CompletionValidator, type ServerChunk } from './answer-check';
import { rejectionReason } from './classify';
import { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
import { type ModelChunk, ModelClient, type ModelRequest } from './model-client';
import { failureOf, isServerError, openAiAt } from './openai-sdk';
import { requestBody } from './request-body';
import { type OutputFormat, capabilitiesOf } from './server-habits';
import { chunksOf } from './server-chunks';
import { Watchdog } from './watchdog';

export interface OpenAiOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Of the whole request, to the end of its reply. */
  readonly requestTimeoutMs: number;
  readonly maxOutputTokens: number;
}

/** After the finish reason only the usage is missing: worth a short wait, not an answer. */
const AFTER_FINISH_MS = 2_000;

/**
 * Any server that speaks the chat completions protocol. One request per call, never a retry. The
 * server's own words never reach an error: they may hold the prompt, or part of the key.
 */
export class OpenAiClient extends ModelClient {
  override readonly model: string;
  private readonly openai;
  private readonly habits;

  constructor(
    private readonly options: OpenAiOptions,
    private readonly clock: Clock,
  ) {
    super();
    this.model = options.model;
    this.habits = capabilitiesOf(options.baseUrl);
    this.openai = openAiAt(options);
  }

  override stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk> {
    assertOutsideCommit('model');
    return this.attempt(request, signal);
  }

  private async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelChunk, void> {
    const { format } = this.habits;
    const watch = new Watchdog(this.clock, signal, this.options.requestTimeoutMs);
    const offered = (request.tools ?? []).map(({ name }) => name);
    const answer = new CompletionValidator(this.maxTokens(request), offered);
    try {
      for await (const chunk of this.receive(request, watch, answer)) yield* answer.take(chunk);
      failIfTripped(watch, answer);
    } catch (error) {
      failIfTripped(watch, answer);
      if (!answer.isFinished || error instanceof ColloquyError)
        throw this.failureOf(error, format, offered.length > 0);
    } finally {
      watch.close();
    }
    answer.assertWhole();
    this.habits.learnFromAnswer(format, answer.beginsLikeJson);
    yield* answer.calls;
  }

  /** The server's events, watched while we wait for them. */
  private async *receive(
    request: ModelRequest,
    watch: Watchdog,
    answer: CompletionValidator,
  ): AsyncGenerator<ServerChunk, void> {
    const { model, habits, options } = this;
    watch.expect(options.firstByteTimeoutMs, 'first_byte');
    const body = requestBody(request, { model, habits, maxTokens: this.maxTokens(request) });
    const opened = this.openai.chat.completions.create(body, { signal: watch.signal });
    for await (const chunk of chunksOf(await opened.withResponse())) {
      watch.rest();
      yield chunk;
      const patienceMs = answer.isFinished ? AFTER_FINISH_MS : options.idleTimeoutMs;
      watch.expect(Math.min(patienceMs, options.idleTimeoutMs), 'idle');
    }
    watch.rest();
  }

  private maxTokens(request: ModelRequest): number {
    return Math.min(request.maxOutputTokens, this.options.maxOutputTokens);
  }

  private failureOf(error: unknown, format: OutputFormat, hadTools: boolean): ColloquyError {
    const failure = failureOf(error, this.clock.now());
    const isRejection = failure instanceof ModelFailure && failure.kind === 'bad_request';
    if (!isRejection || !isServerError(error)) return failure;
    // Another request may have learned the same meanwhile: then this one only has to ask again.
    const isOutdated = format !== this.habits.format;
    const reason = rejectionReason(error.error);
    const isAdjusted = isOutdated || this.habits.learnFromRejection(reason, hadTools);
    return new ModelFailure('bad_request', { fields: failure.fields, isAdjusted });
  }
}

/** A finished answer is whole, even when the server forgets to close the stream. */
function failIfTripped(watch: Watchdog, answer: CompletionValidator): void {
  switch (watch.trippedBy) {
    case null:
      return;
    case 'caller':
      throw new ModelAbortedError('the request to the model was ended by its caller');
    case 'first_byte':
      throw new ModelUnavailableError('the model server did not begin its reply in time', {
        mayConcernTaskOnly: true,
      });
    case 'idle':
    case 'too_long':
      if (!answer.isFinished) throw new ModelFailure('stalled');
  }
}
