import {
  type TurnDecision,
  completeReply,
  ScriptedInterviewer,
  decideWithoutModel,
} from '../plan/verdicts';
import { decide } from '../plan/decide';
import { isAskingToo } from '../plan/asking';
import { textsOf } from '../texts/texts';
import { buildInterviewRequest, type InterviewPrompt } from '../prompts/interview-request';
import { ReplyReader } from './reply-reader';
import type { OpenedTurn } from './turn-opening';
import type { Speaker } from './speaker-choice';
import { VerdictGate, noteQuestion, type ReplyNotes, type ReplySink } from './verdict-gate';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { GrowingText } from '../../common/text';
import {
  InterviewModels,
  ledgerNote,
  type ModelChunk,
  ModelFailure,
  ModelUnavailableError,
  modelSpan,
  outcomeOf,
  type TakenServer,
  type ResponseFacts,
  toldIn,
} from '../../llm';
import {
  askedIn,
  type SearchCall,
  queriesOf,
  queryOf,
  SearchRound,
  type WantedSearch,
  type EndedAttempt,
  ModelAttempts,
} from './model-requests';
import type { Flush } from '../../buffer';
import type { UnitOfWork } from '../../common/uow';
import { type JobFlow, LeaseLostError, callUnderLease } from '../../jobs';
import { type LiveReply, questionPart } from '../../streams';
import type { ModelOutput } from '../reply-requests/reply-request.repository';
import { StopRequests } from './stopping';
import type { FinishedReply } from './turn-closing';

/** The result of one request to the model, or of code alone. */
export type GenerationResult =
  | { readonly kind: 'reply'; readonly decision: TurnDecision }
  /** No text was passed on: these queries have to be searched first. */
  | { readonly kind: 'search'; readonly queries: readonly string[] };

export interface Listener extends ReplyNotes {
  readonly sink: ReplySink;
  /** The model has written this. */
  heard(chunk: ModelChunk): void;
}

/**
 * Writes a reply into a sink. It holds no connection and commits nothing. The model's text is passed on
 * only after code has decided on its verdict.
 */
@Injectable()
export class ReplyGeneration {
  private readonly scripted = new ScriptedInterviewer();

  constructor(
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async generate(
    turn: OpenedTurn,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const { speaker } = turn;
    const { sink } = listener;
    switch (speaker.kind) {
      case 'model':
        return this.byModel(turn, speaker, listener, signal);
      case 'scripted':
        return this.byScript(turn, speaker, listener, signal);
      case 'code': {
        const decision = decideWithoutModel(turn.plan, turn.state, turn.context);
        await this.write(completeReply(decision, ''), sink, signal);
        return { kind: 'reply', decision };
      }
    }
  }

  private async byScript(
    turn: OpenedTurn,
    { said, facts, quotation }: Extract<Speaker, { kind: 'scripted' }>,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const { plan, state, context } = turn;
    const quoted = quotation && textsOf(context.language).quoted(quotation.title, quotation.words);
    const heard = this.scripted.reply(context, { plan, state }, said, { ...facts, quoted });
    const { verdict, text, ...noticed } = heard;
    // Without a source, a question of the candidate goes to a person. So does an answer that no model could read.
    const isAnswer = verdict === 'answered' || verdict === 'vague';
    const asksToo = isAnswer && context.isUnanalysed !== true && isAskingToo(said);
    const decision = decide(plan, state, verdict, context, { ...noticed, asksToo });
    const isOwn = decision.speaker === 'model' && decision.verdict === verdict;
    const own = isOwn ? text : '';
    const whole = own + completeReply(decision, own);
    listener.decided(decision);
    noteQuestion(turn, decision, whole, listener);
    await this.write(whole, listener.sink, signal);
    return { kind: 'reply', decision };
  }

  private async byModel(
    turn: OpenedTurn,
    { prompt, server }: Extract<Speaker, { kind: 'model' }>,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const request = buildInterviewRequest(prompt);
    const reader = new ReplyReader(saidIn(prompt));
    const gate = new VerdictGate(turn, prompt, reader, listener.sink, listener);
    const calls: SearchCall[] = [];
    const asked = askedIn(prompt.answer);
    const searchFirst = { kind: 'search', queries: [queryOf(asked)] } as const;
    for await (const chunk of server.client.stream(request, signal)) {
      listener.heard(chunk);
      if (chunk.type === 'call') calls.push(chunk);
      if (chunk.type === 'text') gate.take(reader.push(chunk.text));
      // Nothing of this reply is shown. Leaving the loop ends the request, so the model stops writing.
      if (gate.mustSearch) return searchFirst;
    }
    const search = (called: readonly Pick<SearchCall, 'input'>[]): GenerationResult => ({
      kind: 'search',
      queries: queriesOf(called, asked),
    });
    // Calls count only without text; after text they come too late.
    if (calls.length > 0 && !gate.hasSpoken) return search(calls);
    const ended = reader.end(request.tools);
    if (ended.kind === 'calls') return search(ended.calls);
    gate.take(ended.events);
    if (gate.mustSearch) return searchFirst;
    return { kind: 'reply', decision: gate.finish() };
  }

  /** Writes whole words at a reading pace, because a reply that appears at once looks like a form letter. */
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

/** What the candidate wrote, which the model may repeat. */
function saidIn({ answer, history }: InterviewPrompt): string {
  const lines = history.filter(({ role }) => role === 'candidate').map(({ text }) => text);
  return [...lines, answer].join('\n');
}

/** The context of one reply. */
interface Work {
  readonly uow: UnitOfWork;
  readonly flush: Flush;
  readonly flow: JobFlow;
  readonly reply: LiveReply;
}

/** Without its text, which is the live reply's. */
type WrittenReply = Omit<FinishedReply, 'text'> & { readonly turn: OpenedTurn };

type ReplyRequestResult =
  | ({ readonly kind: 'reply' } & Omit<FinishedReply, 'text'>)
  | ({ readonly kind: 'search' } & WantedSearch);

/** Whether the candidate's Stop ended it, and no lost lease or drain. */
function isStop(error: unknown, stopped: AbortSignal, flow: JobFlow): boolean {
  return stopped.aborted && !flow.signal.aborted && !(error instanceof LeaseLostError);
}

/** What a model has written so far, and what its server has told. */
class OutputLog {
  told: ResponseFacts = {};
  private readonly text = new GrowingText();
  private readonly calls: ModelOutput['calls'][number][] = [];

  add(chunk: ModelChunk): void {
    if (chunk.type === 'text') this.text.append(chunk.text);
    if (chunk.type === 'call') this.calls.push({ name: chunk.name, input: chunk.input ?? null });
    const told = toldIn(chunk);
    if (told !== null) this.told = { ...this.told, ...told };
  }

  whole(): ModelOutput {
    return { text: this.text.toString(), calls: this.calls };
  }
}

function noteOf(error: unknown): Pick<EndedAttempt, 'error'> {
  const note = ledgerNote(error);
  return note === undefined ? {} : { error: note };
}

/** The candidate's Stop: what was shown is the reply, and the plan does not move. */
export const STOPPED = { decision: null, isPartial: true, attempt: null } as const;

/** The requests of one turn to its speaker, until there is a reply. */
@Injectable()
export class ReplyRequests {
  constructor(
    private readonly generation: ReplyGeneration,
    private readonly rounds: SearchRound,
    private readonly stops: StopRequests,
    private readonly attempts: ModelAttempts,
    private readonly models: InterviewModels,
    private readonly clock: Clock,
  ) {}

  /** One request after the other until there is a reply; a search runs between two requests. */
  async run(at: Work, opened: OpenedTurn): Promise<WrittenReply> {
    const { flow } = at;
    const running = this.stops.start(opened);
    const signal = AbortSignal.any([flow.signal, running.stopped]);
    let turn = opened;
    try {
      for (;;) {
        const made = await this.request(at, turn, signal, running.stopped);
        if (made.kind !== 'search') return { turn, ...made };
        turn = await this.searched(at, turn, made, signal);
      }
    } catch (error) {
      if (isStop(error, running.stopped, flow)) return { turn, ...STOPPED };
      throw error;
    } finally {
      running.end();
    }
  }

  /** One request to the speaker. A failed request is settled here, any other by the caller. */
  private async request(
    { uow, flow, reply }: Work,
    turn: OpenedTurn,
    signal: AbortSignal,
    stopped: AbortSignal,
  ): Promise<ReplyRequestResult> {
    const startedMs = this.clock.monotonicMs();
    const output = new OutputLog();
    const server = turn.speaker.kind === 'model' ? turn.speaker.server : null;
    const ended = (outcome: EndedAttempt['outcome']): EndedAttempt => {
      const { model: _, ...tokens } = output.told;
      const latencyMs = Math.round(this.clock.monotonicMs() - startedMs);
      const isFallback = server?.name === 'fallback';
      return { outcome, latencyMs, isFallback, ...tokens, output: output.whole() };
    };
    const isByModel = server !== null;
    const sink = (delta: string): void => {
      flow.assertLease();
      reply.append(delta);
    };
    let unfinished: TurnDecision | null = null;
    let labels: FinishedReply['labels'];
    const listener: Listener = {
      sink,
      heard: (chunk) => {
        output.add(chunk);
        flow.peerResponded();
        if (server !== null) this.models.responded(server);
      },
      decided: (decision) => {
        unfinished = decision;
      },
      labelled: (written, { touches = [] }) => {
        labels = { written, touches };
      },
      asks: (text, question) => {
        reply.addParts(...questionPart(text, question));
      },
    };
    try {
      const made = await callUnderLease(
        flow,
        () => this.generated(turn, listener, output, signal),
        // `heard` reports a stream that has begun; without a model nobody responded.
        { hasResponded: () => false, isResponse: (error) => error instanceof ModelFailure },
      );
      const attempt = ended('ok');
      if (made.kind === 'search') return { kind: 'search', queries: made.queries, attempt };
      const { decision } = made;
      const whole = { decision, isPartial: false, attempt: isByModel ? attempt : null };
      return { kind: 'reply', ...whole, ...(labels === undefined ? {} : { labels }) };
    } catch (error) {
      if (isStop(error, stopped, flow)) {
        const attempt = isByModel ? ended('stopped') : null;
        return { kind: 'reply', ...STOPPED, attempt, unfinished };
      }
      await this.attempts.settleAlone(uow, turn, {
        // A lost lease is no outcome of the model: another worker continues with this answer.
        ...ended(error instanceof LeaseLostError ? 'aborted' : outcomeOf(error)),
        ...noteOf(error),
      });
      throw server === null ? error : this.noted(server, error);
    }
  }

  /** Tells the breaker of the server how its request ended. Returns what the claim ends with. */
  private noted(server: TakenServer, error: unknown): unknown {
    if (error instanceof ModelFailure) this.models.responded(server);
    return error instanceof ModelUnavailableError ? this.models.failed(server, error) : error;
  }

  /** As a span of the turn, if a model is asked. */
  private generated(
    turn: OpenedTurn,
    listener: Listener,
    output: OutputLog,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    if (turn.speaker.kind !== 'model') return this.generation.generate(turn, listener, signal);
    const { model, baseUrl } = turn.speaker.server.client;
    return modelSpan({ purpose: 'interview', model, baseUrl }, async (note) => {
      try {
        return await this.generation.generate(turn, listener, signal);
      } finally {
        note(output.told);
      }
    });
  }

  private async searched(
    { uow, flush, flow, reply }: Work,
    turn: OpenedTurn,
    wanted: WantedSearch,
    signal: AbortSignal,
  ): Promise<OpenedTurn> {
    const { speaker } = turn;
    if (speaker.kind !== 'model') throw new Error('only a model requests a search');
    try {
      flow.assertLease();
      const next = await this.rounds.run({ uow, flush, turn, speaker, reply }, wanted, signal);
      this.attempts.count(wanted.attempt);
      return next;
    } catch (error) {
      await this.attempts.settleAlone(uow, turn, wanted.attempt);
      throw error;
    }
  }
}
