import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { z } from 'zod';
import { type ModelChunk, ModelClient } from '../../llm';
import {
  type Decision,
  ScriptedInterviewer,
  type Verdict,
  completeReply,
  decide,
  decideWithoutModel,
} from '../plan';
import { type InterviewPrompt, buildInterviewRequest, passagesOf } from '../prompts';
import { type ReplyEvent, ReplyReader } from '../reply';
import type { OpenedTurn, Speaker } from './opened-turn';

type Call = Extract<ModelChunk, { type: 'call' }>;

/** Of one answer of the model. */
const MAX_QUERIES = 2;
/** UTF-16 units. */
const MAX_QUERY_LENGTH = 2000;

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
    const { language, ordinal } = turn.context;
    const { verdict, text } = this.scripted.answer({ language, ordinal });
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
    const take = new VerdictFirst(turn, prompt, reader, listener.sink);
    const calls: Call[] = [];
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
    if (take.mustSearch) return { kind: 'search', queries: [storableQuery(prompt.answer)], usage };
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

/** Lets the model's text through once code has accepted its verdict, and adds code's own words. */
class VerdictFirst {
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

  /** The candidate asks what the model has no source for, and nobody has looked for one yet. */
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
    return namesSource(this.reader.sources, passagesOf(this.prompt.searches).length);
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

/** 0 is the interview itself, 1 to `passages` are what was found. */
function namesSource(sources: string, passages: number): boolean {
  return (sources.match(/\d+/g) ?? []).some((number) => Number(number) <= passages);
}

/** What the model's calls ask for; a call that says nothing asks for what the candidate said. */
function queriesOf(calls: readonly Call[], answer: string): string[] {
  const queries = calls.slice(0, MAX_QUERIES).map(({ input }) => {
    const query = z.object({ query: z.string() }).safeParse(input).data?.query ?? '';
    return storableQuery(query.trim() === '' ? answer : query);
  });
  return [...new Set(queries)];
}

/** PostgreSQL's JSON takes neither NUL nor half a surrogate pair. */
function storableQuery(text: string): string {
  return text
    .slice(0, MAX_QUERY_LENGTH)
    .replace(/[\0\p{Surrogate}]/gu, ' ')
    .trim();
}
