import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { ModelClient } from '../../llm';
import {
  type Decision,
  ScriptedInterviewer,
  type Verdict,
  completeReply,
  decide,
  decideWithoutModel,
} from '../plan';
import { ReplyReader } from '../reply';
import type { OpenedTurn, Speaker } from './opened-turn';

/** What a model used, as far as it said. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface GeneratedReply {
  readonly decision: Decision;
  readonly usage: Usage | null;
}

/** Takes the reply's text piece by piece; throws when the turn is no longer ours to write. */
export type ReplySink = (delta: string) => void;

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

  async generate(
    turn: OpenedTurn,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<GeneratedReply> {
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
        return { decision, usage: null };
      }
    }
  }

  private async byScript(
    turn: OpenedTurn,
    sink: ReplySink,
    signal: AbortSignal,
  ): Promise<GeneratedReply> {
    const { language, ordinal } = turn.context;
    const { verdict, text } = this.scripted.answer({ language, ordinal });
    const decision = decide(turn.plan, turn.state, verdict, turn.context);
    const own = decision.speaker === 'model' ? text : '';
    await this.write(own + completeReply(decision, own), sink, signal);
    return { decision, usage: null };
  }

  private async byModel(
    turn: OpenedTurn,
    speaker: Extract<Speaker, { kind: 'model' }>,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<GeneratedReply> {
    const reader = new ReplyReader();
    const take = new VerdictFirst(turn, listener.sink);
    let usage: Usage | null = null;
    for await (const chunk of this.model.stream(speaker.request, signal)) {
      listener.heard();
      if (chunk.type === 'usage') usage = chunk;
      else take.all(reader.push(chunk.text));
    }
    take.all(reader.end());
    return { decision: take.finish(), usage };
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

/** Lets the model's text through once code has accepted its verdict, and adds code's own words. */
class VerdictFirst {
  private decision: Decision | null = null;
  private streamed = '';

  constructor(
    private readonly turn: OpenedTurn,
    private readonly sink: ReplySink,
  ) {}

  all(
    pieces: Iterable<{ type: 'verdict'; verdict: Verdict } | { type: 'delta'; text: string }>,
  ): void {
    for (const piece of pieces) {
      if (piece.type === 'verdict') this.decide(piece.verdict);
      else this.letThrough(piece.text);
    }
  }

  finish(): Decision {
    const decision = this.decision ?? this.decide('answered');
    const rest = completeReply(decision, this.streamed);
    if (rest !== '') this.sink(rest);
    return decision;
  }

  private decide(proposed: Verdict): Decision {
    const { plan, state, context } = this.turn;
    this.decision = decide(plan, state, proposed, context);
    return this.decision;
  }

  private letThrough(text: string): void {
    if (this.decision?.speaker !== 'model') return;
    this.streamed += text;
    this.sink(text);
  }
}
