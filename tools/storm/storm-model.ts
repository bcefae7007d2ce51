import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type RawReply, sendRaw } from '../fake-model/model-replies';
import { replyDataOf } from '../fake-model/reply-data';
import { Listener } from '../http-fake/listener';
import { bodyOf } from '../http-fake/requests';
import { lettersOf } from './chance';
import type { ModelFault } from './schedule';
import { TOKENS } from './tokens';

/** One request, as the server saw it. Times are of `performance.now()`. */
export interface ModelCall {
  /** Is in the text of its reply. */
  readonly name: string;
  /** The tokens of the answer that it was made for. */
  readonly tokens: readonly string[];
  readonly beganMs: number;
  /** Null while it runs. */
  endedMs: number | null;
  outcome: 'running' | 'completed' | 'failed' | 'refused';
}

const CHUNK = 12;
const MOST_PLANNED = 3;
const CONTENT_OF_FAULTS = '{"verdict":"answered","sources":"","text":"This begins and';

/**
 * A model server whose replies name their request and repeat the tokens of the answer, so that every text
 * that a candidate sees can be traced to one request.
 */
export class StormModel {
  readonly calls: ModelCall[] = [];
  /** Every token that was anywhere in a request. */
  readonly seenTokens = new Set<string>();
  /** Between two pieces of a reply. */
  chunkPauseMs = 40;
  /** Answers with this word get 403, always. */
  refusedWord: string | null = null;
  private readonly planned: ModelFault[] = [];
  /** The request before failed as planned. */
  private hasFailed = false;
  private readonly listener = new Listener((request, response) => this.handle(request, response));

  static async start(): Promise<StormModel> {
    const model = new StormModel();
    await model.listener.open();
    return model;
  }

  get port(): number {
    return Number(new URL(this.listener.url).port);
  }

  /**
   * A request fails like this, soon. After a request that failed one succeeds, because under steady failures
   * the circuit breakers of the replicas stay open, and nothing happens any more.
   */
  failNext(fault: ModelFault): void {
    if (this.planned.length >= MOST_PLANNED) throw new Error('the last faults were not met yet');
    this.planned.push(fault);
  }

  /** Faults that no request has met are dropped. */
  heal(): void {
    this.planned.length = 0;
    this.refusedWord = null;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = String(await bodyOf(request));
    for (const token of text.match(TOKENS) ?? []) this.seenTokens.add(token);
    const body = JSON.parse(text) as {
      readonly messages?: readonly { readonly content: string }[];
    };
    const { answer } = replyDataOf(body.messages?.[1]?.content);
    const call: ModelCall = {
      name: `zx${lettersOf(this.calls.length)}`,
      tokens: answer.match(TOKENS) ?? [],
      beganMs: performance.now(),
      endedMs: null,
      outcome: 'running',
    };
    this.calls.push(call);
    try {
      await this.respond(call, answer, response);
    } finally {
      call.endedMs = performance.now();
      if (call.outcome === 'running') call.outcome = 'failed';
    }
  }

  private async respond(call: ModelCall, answer: string, response: ServerResponse): Promise<void> {
    const never = Promise.resolve();
    if (this.refusedWord !== null && answer.includes(this.refusedWord)) {
      call.outcome = 'refused';
      await sendRaw(response, { kind: 'status', status: 403, error: { code: 'forbidden' } }, never);
      return;
    }
    const fault = this.hasFailed ? undefined : this.planned.shift();
    this.hasFailed = fault !== undefined;
    if (fault !== undefined) {
      await sendRaw(response, FAULTS[fault], never);
      return;
    }
    const text = `Noted ${call.tokens.join(' ')} as ${call.name}.`;
    const content = JSON.stringify({ verdict: 'answered', sources: '', text });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (let at = 0; at < content.length; at += CHUNK) {
      if (response.destroyed) return;
      response.write(event({ content: content.slice(at, at + CHUNK) }));
      await pause(this.chunkPauseMs);
    }
    if (response.destroyed) return;
    response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
    call.outcome = 'completed';
  }
}

const FAULTS: Readonly<Record<ModelFault, RawReply>> = {
  rate_limited: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  server_error: { kind: 'status', status: 500, error: 'upstream failed' },
  overloaded: { kind: 'status', status: 529, error: { type: 'overloaded_error' } },
  truncated: { kind: 'cut', content: CONTENT_OF_FAULTS },
  malformed: { kind: 'lines', lines: ['data: {"choices":[{"delta":{"content":"{{{"', 'data: ]'] },
  unfinished: { kind: 'unfinished', content: CONTENT_OF_FAULTS },
  silent: { kind: 'silent' },
  dropped: { kind: 'drop' },
};

function event(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const chunk = { id: 'storm', object: 'chat.completion.chunk', created: 0, model: 'storm' };
  return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
}
