import {
  type Decision,
  completeReply,
  type Verdict,
  ScriptedInterviewer,
  decideWithoutModel,
} from '../plan/decision';
import { decide } from '../plan/decide';
import {
  type InterviewPrompt,
  passagesOf,
  buildInterviewRequest,
} from '../prompts/interview-request';
import { type ReplyEvent, ReplyReader } from './reply-reader';
import type { OpenedTurn, Speaker } from './turn-opening';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { ModelClient } from '../../llm';
import { type SearchCall, queriesOf, queryOf } from './search-round';

/** Takes the reply's text piece by piece; throws when the turn is no longer ours to write. */
export type ReplySink = (delta: string) => void;

/** Lets the model's text through once code has accepted its verdict, and adds code's own words. */
export class VerdictGate {
  private decision: Decision | null = null;
  private streamed = '';
  private isSearchFirst = false;

  constructor(
    private readonly turn: OpenedTurn,
    private readonly prompt: InterviewPrompt,
    private readonly reader: ReplyReader,
    private readonly sink: ReplySink,
  ) {}

  get hasSpoken(): boolean {
    return this.streamed !== '';
  }

  /** The candidate asks something that the model has no source for, and no search was made yet. */
  get mustSearch(): boolean {
    return this.isSearchFirst;
  }

  all(events: Iterable<ReplyEvent>): void {
    for (const event of events) {
      if (event.type === 'delta') this.letThrough(event.text);
      else this.judge(event.verdict);
    }
  }

  finish(): Decision {
    const decision = this.decision ?? this.decide('answered');
    const rest = completeReply(decision, this.streamed);
    if (rest !== '') this.sink(rest);
    // Searched for in vain: an answer held a question too.
    const isQuestionOpen = this.prompt.searches.length > 0 && !this.isGrounded;
    return isQuestionOpen ? { ...decision, isQuestionOpen } : decision;
  }

  private get isGrounded(): boolean {
    return namesSources(this.reader.sources, passagesOf(this.prompt.searches).length);
  }

  private judge(proposed: Verdict): void {
    const { canSearch, searches } = this.prompt;
    const isUnknown = proposed === 'question' && !this.isGrounded;
    if (isUnknown && canSearch && searches.length === 0) this.isSearchFirst = true;
    else this.decide(proposed);
  }

  private decide(proposed: Verdict): Decision {
    const { plan, state, context } = this.turn;
    this.decision = decide(plan, state, proposed, context, this.isGrounded);
    return this.decision;
  }

  private letThrough(text: string): void {
    if (this.decision?.speaker !== 'model') return;
    this.streamed += text;
    this.sink(text);
  }
}

/**
 * Whether these are numbers of sources, and of none but what there is: 0 is the interview itself, 1 to
 * `passages` are what was found. Words about sources are none: "none of the 2" names no source.
 */
function namesSources(sources: string, passages: number): boolean {
  const named = sources.split(/[\s,;[\]]+/).filter((name) => name !== '');
  return named.length > 0 && named.every((name) => /^\d+$/.test(name) && Number(name) <= passages);
}

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
