import type { ReplyPart } from '../../streams';
import type { Agent } from '../prompts/instructions';
import type { PromptPassage, PromptSearch } from '../prompts/interview-request';

/**
 * A part of a reply as it is stored. A result contains its passages as they were at that time, for the
 * model and for people, but never for a candidate's client.
 */
export type TurnEvent =
  | (Extract<ReplyPart, { type: 'agent' }> & { readonly agent: Agent; readonly from: string })
  | (Extract<ReplyPart, { type: 'call' }> & { readonly input: { readonly query: string } })
  | (Extract<ReplyPart, { type: 'result' }> & { readonly passages: readonly PromptPassage[] });

/** The event as clients get it. */
export function eventForClients(event: TurnEvent): ReplyPart {
  if (event.type !== 'result') return event;
  const { type, callId, output } = event;
  return { type, callId, output };
}

/** Who speaks after these events, of a reply that `agent` began. */
export function agentAfter(agent: Agent, events: readonly TurnEvent[]): Agent {
  const last = events.findLast(({ type }) => type === 'agent');
  return last?.type === 'agent' ? last.agent : agent;
}

/** The searches that were made, oldest first: calls that have their result. */
export function searchesOf(events: readonly TurnEvent[]): PromptSearch[] {
  const found = new Map<string, readonly PromptPassage[]>();
  for (const event of events) if (event.type === 'result') found.set(event.callId, event.passages);
  return events.flatMap((event) => {
    const passages = event.type === 'call' ? found.get(event.callId) : undefined;
    return event.type === 'call' && passages !== undefined
      ? [{ query: event.input.query, passages }]
      : [];
  });
}
