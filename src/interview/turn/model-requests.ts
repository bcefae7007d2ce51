import { ledgerSubjectOf } from './turn.repository';
import { Injectable, Logger } from '@nestjs/common';
import { DomainEvents } from '../../common/events';
import type { Flush } from '../../buffer';
import { describeError } from '../../common/errors';
import { newId } from '../../common/ids';
import type { Tx, UnitOfWork } from '../../common/uow';
import { type KnowledgeQuestion, KnowledgeSearch } from '../../knowledge';
import {
  type ModelChunk,
  LlmLedgerRepository,
  LlmMetrics,
  type SettledAttempt,
  type TakenServer,
} from '../../llm';
import { ConversationRepository } from '../conversation.repository';
import type { LiveReply } from '../../streams';
import { Jobs } from '../../jobs';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import { type TurnEvent, searchesOf, eventForClients } from '../transcript/turn-events';
import {
  SEARCH_KNOWLEDGE,
  buildInterviewRequest,
  type InterviewPrompt,
} from '../prompts/interview-request';
import type { OpenedTurn } from './turn-opening';
import type { Speaker } from './speaker-choice';
import { MAX_SEARCHES, type StoredPrompt } from '../prompts/turn-prompt';
import { z } from 'zod';
import { storable } from '../../common/text';
import {
  type ModelOutput,
  ReplyRequestRepository,
} from '../reply-requests/reply-request.repository';

/** A prompt, and the same prompt as it is stored. */
export interface AskedPrompt {
  readonly prompt: InterviewPrompt;
  readonly stored: StoredPrompt;
}

/** How a request ended, and what the model wrote until then. */
export interface EndedAttempt extends SettledAttempt {
  readonly output: ModelOutput;
}

/** Requests that failed on one answer before the interview goes on without the model. */
const MAX_FAILED_REQUESTS = 3;
/** The same for failures of any other kind, below the number that makes the job dead. */
const MAX_FAILED_CLAIMS = 4;

/** The requests of turns to the model, as the ledger and the metrics show them. */
@Injectable()
export class ModelAttempts {
  private readonly logger = new Logger('ModelAttempts');

  constructor(
    private readonly ledger: LlmLedgerRepository,
    private readonly metrics: LlmMetrics,
    private readonly requests: ReplyRequestRepository,
  ) {}

  /** Stores the turn's next request, which is about to be sent. Returns the attempt's id. */
  async open(
    tx: Tx,
    { id: turnId, answerId, epoch }: Pick<OpenedTurn, 'id' | 'answerId' | 'epoch'>,
    { prompt, stored }: AskedPrompt,
    { name, client: { model } }: TakenServer,
  ): Promise<string> {
    const round = prompt.searches.length + 1;
    const { attemptId } = await this.ledger.open(tx, {
      subject: ledgerSubjectOf(answerId),
      purpose: 'interview',
      n: 1,
      epoch,
      round,
      model,
      isFallback: name === 'fallback',
    });
    const request = buildInterviewRequest(prompt);
    await this.requests.add(tx, { attemptId, turnId, model, request, input: stored });
    return attemptId;
  }

  /** Stores the outcome in the commit of its effect; `count` belongs after that commit. */
  async settle(tx: Tx, { speaker }: OpenedTurn, attempt: EndedAttempt): Promise<void> {
    if (speaker.kind === 'model') await this.store(tx, speaker.attemptId, attempt);
  }

  /**
   * Stores and counts the outcome in a commit of its own, without the job's fence, because the ledger
   * is a log. It does not decide about the turn, so a failure to store it is only logged.
   */
  async settleAlone(uow: UnitOfWork, turn: OpenedTurn, attempt: EndedAttempt): Promise<void> {
    if (turn.speaker.kind !== 'model') return;
    const { attemptId } = turn.speaker;
    this.count(attempt);
    try {
      await uow.commit('llm.settle', (tx) => this.store(tx, attemptId, attempt));
    } catch (error) {
      this.logger.warn(
        `the outcome of attempt ${attemptId} could not be stored: ${describeError(error)}`,
      );
    }
  }

  count(attempt: SettledAttempt): void {
    this.metrics.attempted('interview', attempt);
  }

  /** Whether the model has failed on this answer for good, so the interview goes on without it. */
  async areUsedUp(tx: Tx, { answerId, claim }: Flush): Promise<boolean> {
    if (claim.failures === 0) return false;
    if (claim.failures >= MAX_FAILED_CLAIMS) return true;
    const { count, isHopeless } = await this.ledger.failuresOf(tx, ledgerSubjectOf(answerId));
    return isHopeless || count >= MAX_FAILED_REQUESTS;
  }

  /** How the last failed request about this answer ended; null: none failed. */
  async lastFailure(tx: Tx, answerId: string): Promise<string | null> {
    return (await this.ledger.failuresOf(tx, ledgerSubjectOf(answerId))).last;
  }

  private async store(tx: Tx, attemptId: string, attempt: EndedAttempt): Promise<void> {
    await this.ledger.settle(tx, attemptId, attempt);
    await this.requests.setOutput(tx, attemptId, attempt.output);
  }
}

type ModelSpeaker = Extract<Speaker, { kind: 'model' }>;

/** A search that the model requested, or code for it, and the request that it came from. */
export interface WantedSearch {
  readonly queries: readonly string[];
  readonly attempt: EndedAttempt;
}

/**
 * One round of a turn's tool loop: the vacancy's documents are searched while no connection is
 * held; then calls and results, the agent's switch, the end of this request to the model and the
 * beginning of the next are one commit. A claim that takes over goes on after the last round that
 * was committed.
 */
@Injectable()
export class SearchRound {
  constructor(
    private readonly search: KnowledgeSearch,
    private readonly conversations: ConversationRepository,
    private readonly events: ConversationEventRepository,
    private readonly jobs: Jobs,
    private readonly attempts: ModelAttempts,
    private readonly bus: DomainEvents,
  ) {}

  /** Returns the turn for its next request. Throws the signal's reason when it aborted. */
  async run(
    on: {
      readonly uow: UnitOfWork;
      readonly flush: Flush;
      readonly turn: OpenedTurn;
      readonly speaker: ModelSpeaker;
      readonly reply: LiveReply;
    },
    wanted: WantedSearch,
    signal: AbortSignal,
  ): Promise<OpenedTurn> {
    const { uow, flush, turn, speaker, reply } = on;
    const { server } = speaker;
    const events: TurnEvent[] = [];
    if (turn.agent !== 'answers') {
      events.push({ type: 'agent', agent: 'answers', from: turn.agent });
      reply.addParts(...events.map(eventForClients));
    }
    // An erasure may have come since the last request.
    const admit = async (tx: Tx): Promise<void> => {
      await this.conversations.lock(tx, turn.conversationId);
      await this.jobs.fence(tx, flush.claim);
    };
    for (const query of wanted.queries) {
      for await (const event of this.searchFor(turn, query, { signal, admit })) {
        events.push(event);
        reply.addParts(eventForClients(event));
      }
    }
    const searches = [...speaker.prompt.searches, ...searchesOf(events)];
    const changed = { agent: 'answers', canSearch: searches.length < MAX_SEARCHES } as const;
    const next = {
      prompt: { ...speaker.prompt, ...changed, searches },
      stored: { ...speaker.stored, ...changed, searches: searches.length },
    };
    const attemptId = await uow.commit('turn.tool', (tx) =>
      this.store(tx, flush, turn, { ...wanted, events, next, server }),
    );
    return { ...turn, agent: 'answers', speaker: { kind: 'model', ...next, attemptId, server } };
  }

  private async *searchFor(
    { vacancyId, answerId }: OpenedTurn,
    query: string,
    asked: Pick<KnowledgeQuestion, 'signal' | 'admit'>,
  ): AsyncGenerator<TurnEvent, void> {
    const callId = newId();
    yield { type: 'call', callId, tool: SEARCH_KNOWLEDGE.name, input: { query } };
    const subject = ledgerSubjectOf(answerId);
    const found = await this.search.search({ vacancyId, question: query, subject, ...asked });
    const passages = found.passages.map(({ id, document, headings, text }) => ({
      id,
      document,
      headings,
      text,
    }));
    const output = { documents: [...new Set(passages.map(({ document }) => document))] };
    yield { type: 'result', callId, output, passages };
  }

  private async store(
    tx: Tx,
    flush: Flush,
    turn: OpenedTurn,
    round: {
      readonly events: readonly TurnEvent[];
      readonly attempt: EndedAttempt;
      /** The request that follows, to the same server. */
      readonly next: AskedPrompt;
      readonly server: TakenServer;
    },
  ): Promise<string> {
    await this.conversations.lock(tx, turn.conversationId);
    await this.jobs.fence(tx, flush.claim);
    await this.events.add(tx, turn, 'answers', round.events);
    await this.bus.publish(tx, 'conversation.changed', { conversationId: turn.conversationId });
    await this.attempts.settle(tx, turn, round.attempt);
    return this.attempts.open(tx, turn, round.next, round.server);
  }
}

export type SearchCall = Extract<ModelChunk, { type: 'call' }>;

/** Queries per response of the model. */
const MAX_QUERIES = 2;
/** UTF-16 units. */
const MAX_LENGTH = 2000;

const searchInput = z.object({ query: z.string() });

/** The queries of the model's calls; an empty one becomes the candidate's answer. */
export function queriesOf(calls: readonly Pick<SearchCall, 'input'>[], answer: string): string[] {
  const queries = calls.slice(0, MAX_QUERIES).map(({ input }) => {
    const query = searchInput.safeParse(input).data?.query ?? '';
    return queryOf(query.trim() === '' ? answer : query);
  });
  return [...new Set(queries)];
}

/** The questions in an answer, or the whole of one without a "?": what else it tells would mislead a search. */
export function askedIn(answer: string): string {
  const asked = answer.split(/(?<=[.!?…])\s+|\n/u).filter((one) => one.trimEnd().endsWith('?'));
  return asked.length === 0 ? answer : asked.join(' ').trim();
}

/** Cut to a bounded length, without characters that cannot be stored. */
export function queryOf(text: string): string {
  return storable(text.slice(0, MAX_LENGTH), ' ').trim();
}
