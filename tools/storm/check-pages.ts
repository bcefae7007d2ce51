import type { OutsideFacts, SeenPage, StoredFacts, Violation } from './facts';
import { frozenMsBetween } from './frozen-time';

const LATEST_ON_PAGE_MS = 15_000;

/** A stream that breaks off inside a reply never ends as if it were complete. */
export function streamsEndAfterReplies({ candidate, endedInside }: SeenPage): Violation[] {
  if (endedInside === 0) return [];
  const what = `candidate ${String(candidate)}: ${String(endedInside)} streams ended cleanly inside a reply`;
  return [{ rule: 'page', what }];
}

/** A reply that has ended on the page is stored letter for letter: no other owner of its turn replaces it. */
export function endedRepliesAreStored({ messages }: StoredFacts, page: SeenPage): Violation[] {
  return messages.flatMap(({ id, text }) => {
    const streamed = page.streamed.get(id);
    const ended = new Set(page.ended.get(id));
    if (streamed?.isFinished === true) ended.add(streamed.text);
    ended.delete(text);
    return [...ended].map((other) => ({
      rule: 'page',
      what: `candidate ${String(page.candidate)}: reply ${id} was streamed as "${other}" and is stored as "${text}"`,
    }));
  });
}

/** The page misses no stored reply, and the transcript is what is stored. */
export function pageMissesNothing({ messages }: StoredFacts, page: SeenPage): Violation[] {
  const name = `candidate ${String(page.candidate)}`;
  const violations: Violation[] = [];
  const add = (what: string): void => void violations.push({ rule: 'page', what });
  const own = messages.filter(({ conversationId }) => conversationId === page.conversationId);
  const owedAfterSeq = page.readUpToSeq ?? Infinity;
  for (const { id, seq, role, text, turnId } of own) {
    if (role !== 'assistant' || turnId === null) continue;
    const streamed = page.streamed.get(id);
    if (streamed?.isFinished === false) add(`${name}: reply ${id} never ended on the page`);
    if (page.transcript.get(id) !== text) add(`${name}: the transcript differs in reply ${id}`);
    if (seq > owedAfterSeq && streamed === undefined && !page.lines.has(id)) {
      add(`${name}: reply ${id} never reached the page`);
    }
  }
  return violations;
}

/**
 * A page whose stream is open gets a stored reply soon, also when the notice of it is lost: rows are read
 * again after 2 s. Time for which a replica is frozen does not count.
 */
export function repliesArriveInTime(
  { turns }: StoredFacts,
  page: SeenPage,
  { frozen, timeOriginMs }: Pick<OutsideFacts, 'frozen' | 'timeOriginMs'>,
): Violation[] {
  return turns.flatMap(({ id, conversationId, replyMessageId, repliedMs }) => {
    const arrival = page.arrivals.get(replyMessageId);
    if (conversationId !== page.conversationId || repliedMs === null || arrival === undefined) {
      return [];
    }
    const storedMs = repliedMs - timeOriginMs;
    const frozenMs = frozenMsBetween(frozen, storedMs, arrival.atMs);
    const lateMs = arrival.atMs - storedMs - frozenMs;
    if (arrival.openSinceMs > storedMs || lateMs <= LATEST_ON_PAGE_MS) return [];
    const what = `candidate ${String(page.candidate)}: the reply of turn ${id} reached an open page after ${lateMs.toFixed(0)} ms`;
    return [{ rule: 'page', what }];
  });
}
