import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { ModelClient } from '../../llm';
import { type Decision, completeReply } from '../plan/decision';
import { ScriptedInterviewer } from '../plan/scripted-interviewer';
import { decide } from '../plan/decide';
import { decideWithoutModel } from '../plan/without-model';
import { buildInterviewRequest } from '../prompts/interview-request';
import { ReplyReader } from '../reply/reply-reader';
import type { OpenedTurn, Speaker } from './opened-turn';
import { type SearchCall, queriesOf, queryOf } from './search-queries';
import { type ReplySink, VerdictGate } from './verdict-first';

/** What a model used, as far as it said. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one request to the model, or code alone, came to. */
export type Generated =
  | { readonly kind: 'reply'; readonly decision: Decision; readonly usage: Usage | null }
  /** Nothing was let through: these are to be searched for first. */
  | {
      readonly kind: 'search';
      readonly queries: readonly string[];
      readonly usage: Usage | null;
    };

export interface Listener {
  readonly sink: ReplySink;
  /** The model has begun to answer. */
  heard(): void;
}

/**
 * Writes a reply into a sink. Holds no connection and commits nothing. Not a word of the model
 * gets through before code has decided on its verdict.
 */
@Injectable()
export class ReplyGeneration {
  private readonly scripted = new ScriptedInterviewer();

  constructor(
    private readonly model: ModelClient,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async generate(turn: OpenedTurn, listener: Listener, signal: AbortSignal): Promise<Generated> {
    const { speaker } = turn;
    const { sink } = listener;
    switch (speaker.kind) {
      case 'model':
        return this.byModel(turn, speaker, listener, signal);
      case 'scripted':
        return this.byScript(turn, sink, signal);
      case 'code': {
        const decision = decideWithoutModel(turn.state, turn.context);
        await this.write(completeReply(decision, ''), sink, signal);
        return { kind: 'reply', decision, usage: null };
      }
    }
  }

  private async byScript(
    turn: OpenedTurn,
    sink: ReplySink,
    signal: AbortSignal,
  ): Promise<Generated> {
    const { verdict, text } = this.scripted.answer(turn.context);
    const decision = decide(turn.plan, turn.state, verdict, turn.context);
    const own = decision.speaker === 'model' ? text : '';
    await this.write(own + completeReply(decision, own), sink, signal);
    return { kind: 'reply', decision, usage: null };
  }

  private async byModel(
    turn: OpenedTurn,
    { prompt }: Extract<Speaker, { kind: 'model' }>,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<Generated> {
    const reader = new ReplyReader();
    const take = new VerdictGate(turn, prompt, reader, listener.sink);
    const calls: SearchCall[] = [];
    let usage: Usage | null = null;
    for await (const chunk of this.model.stream(buildInterviewRequest(prompt), signal)) {
      listener.heard();
      if (chunk.type === 'usage') usage = chunk;
      else if (chunk.type === 'call') calls.push(chunk);
      else take.all(reader.push(chunk.text));
    }
    // Calls instead of words; after words they come too late.
    if (calls.length > 0 && !take.hasSpoken) {
      return { kind: 'search', queries: queriesOf(calls, prompt.answer), usage };
    }
    take.all(reader.end());
    if (take.mustSearch) return { kind: 'search', queries: [queryOf(prompt.answer)], usage };
    return { kind: 'reply', decision: take.finish(), usage };
  }

  /** Whole words at a reading pace: a reply that appears at once looks like a form letter. */
  private async write(text: string, sink: ReplySink, signal: AbortSignal): Promise<void> {
    const paceMs = this.settings.interview.scriptedPaceMs;
    const pieces = paceMs === 0 ? [text] : (text.match(/\S+\s*|\s+/gu) ?? []);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await this.clock.sleep(paceMs, signal);
      signal.throwIfAborted();
      sink(piece);
    }
  }
}
