import { Injectable } from '@nestjs/common';
import { EventBus } from '../../common/events';
import type { Flush } from '../../buffer';
import { newId } from '../../common/ids';
import type { Tx, UnitOfWork } from '../../common/uow';
import { KnowledgeSearch } from '../../knowledge';
import type { ModelChunk } from '../../llm';
import { ConversationRepository } from '../conversation.repository';
import type { LiveReply } from '../../streams';
import { Jobs } from '../../jobs';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import { type TurnEvent, searchesOf, shown } from './agents';
import { type AskedPrompt, type EndedAttempt, ModelAttempts } from './model-attempts';
import { SEARCH_KNOWLEDGE } from '../prompts/interview-request';
import type { OpenedTurn, Speaker } from './turn-opening';
import { MAX_SEARCHES } from '../prompts/turn-prompt';
import { z } from 'zod';
import { storable } from '../../common/text';

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
    private readonly bus: EventBus,
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
    const events: TurnEvent[] = [];
    if (turn.agent !== 'answers') {
      events.push({ type: 'agent', agent: 'answers', from: turn.agent });
      reply.addParts(...events.map(shown));
    }
    for (const query of wanted.queries) {
      for await (const event of this.searchFor(turn, query, signal)) {
        events.push(event);
        reply.addParts(shown(event));
      }
    }
    const searches = [...speaker.prompt.searches, ...searchesOf(events)];
    const changed = { agent: 'answers', canSearch: searches.length < MAX_SEARCHES } as const;
    const next = {
      prompt: { ...speaker.prompt, ...changed, searches },
      stored: { ...speaker.stored, ...changed, searches: searches.length },
    };
    const attemptId = await uow.commit('turn.tool', (tx) =>
      this.store(tx, flush, turn, { ...wanted, events, next }),
    );
    return { ...turn, agent: 'answers', speaker: { kind: 'model', ...next, attemptId } };
  }

  private async *searchFor(
    { vacancyId, flushId }: OpenedTurn,
    query: string,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void> {
    const callId = newId();
    yield { type: 'call', callId, tool: SEARCH_KNOWLEDGE.name, input: { query } };
    const found = await this.search.search({ vacancyId, question: query, signal, flushId });
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
      /** The request that follows. */
      readonly next: AskedPrompt;
    },
  ): Promise<string> {
    await this.conversations.lock(tx, turn.conversationId);
    await this.jobs.fence(tx, flush.claim);
    await this.events.add(tx, turn, 'answers', round.events);
    await this.bus.publish(tx, 'conversation.changed', { conversationId: turn.conversationId });
    await this.attempts.settle(tx, turn, round.attempt);
    return this.attempts.open(tx, turn, round.next);
  }
}

export type SearchCall = Extract<ModelChunk, { type: 'call' }>;

/** Queries per response of the model. */
const MAX_QUERIES = 2;
/** UTF-16 units. */
const MAX_LENGTH = 2000;

const searchInput = z.object({ query: z.string() });

/** The queries of the model's calls; an empty one becomes the candidate's answer. */
export function queriesOf(calls: readonly SearchCall[], answer: string): string[] {
  const queries = calls.slice(0, MAX_QUERIES).map(({ input }) => {
    const query = searchInput.safeParse(input).data?.query ?? '';
    return queryOf(query.trim() === '' ? answer : query);
  });
  return [...new Set(queries)];
}

/** Cut to a bounded length, without characters that cannot be stored. */
export function queryOf(text: string): string {
  return storable(text.slice(0, MAX_LENGTH), ' ').trim();
}
