import type { OutsideFacts, StoredFacts, StoredMessage, StoredTurn, Violation } from './facts';
import {
  endedRepliesAreStored,
  pageMissesNothing,
  repliesArriveInTime,
  streamsEndAfterReplies,
} from './check-pages';
import { keysInviteOnce } from './check-invitations';
import { chatsShowNothingElse, chatsShowWhatIsSent, noneIsSentTooOften } from './check-chats';
import type { ModelCall } from './storm-model';
import { CALL_NAME, type SentToken, TOKENS } from './tokens';

/** Calls to Notion in a second and in a minute. The network may bring calls closer together. */
const NOTION_A_SECOND = 3;
const NOTION_A_MINUTE = 180;
const NOTION_SLACK = 1;
/** A replica that was frozen while it began a call sends it when it goes on. */
const NOTION_SLACK_AFTER_FROZEN = 2;
/** A call that arrives during a stall is noted when its connection is set up after it. */
const NOTED_AFTER_STALL_MS = 20;
/** A request that was on its way when its reply was stored. */
const ON_ITS_WAY_MS = 1000;

/** Compares what is stored with what was seen from outside. An empty list: every promise was kept. */
export function check(stored: StoredFacts, outside: OutsideFacts): Violation[] {
  const index = indexOf(stored);
  return [
    ...nothingIsLostOrStoredTwice(outside, index),
    ...everyTokenHasReply(stored, outside, index),
    ...everyMessageHasAJob(stored),
    ...everyReplyHasOneRequest(stored, outside, index),
    ...turnsKeepOrder(stored, outside, index),
    ...repliesAreNotMadeAgain(outside, index),
    ...clearedMeansDelivered(stored, index),
    ...noneIsSentTooOften(stored, outside),
    ...chatsShowWhatIsSent(stored, outside),
    ...chatsShowNothingElse(stored, outside),
    ...outside.pages.flatMap((page) => streamsEndAfterReplies(page)),
    ...outside.pages.flatMap((page) => endedRepliesAreStored(stored, page)),
    ...outside.pages.flatMap((page) => pageMissesNothing(stored, page)),
    ...outside.pages.flatMap((page) => repliesArriveInTime(stored, page, outside)),
    ...notionStaysInBudget(outside),
    ...nothingBeforeConsent(outside, index),
    ...requestsForPersonAreShown(stored, outside),
    ...keysInviteOnce(stored, outside),
  ];
}

/**
 * What is broken already while the storm goes on, and stays so whatever happens next. `outside` is read
 * before `stored`.
 */
export function checkSoFar(stored: StoredFacts, outside: OutsideFacts): Violation[] {
  const index = indexOf(stored);
  return [
    ...nothingIsLostOrStoredTwice(outside, index),
    ...everyMessageHasAJob(stored),
    ...turnsKeepOrder(stored, outside, index),
    ...noneIsSentTooOften(stored, outside),
    ...chatsShowNothingElse(stored, outside),
    ...outside.pages.flatMap((page) => streamsEndAfterReplies(page)),
    ...outside.pages.flatMap((page) => endedRepliesAreStored(stored, page)),
    ...outside.pages.flatMap((page) => repliesArriveInTime(stored, page, outside)),
    ...notionStaysInBudget(outside),
    ...nothingBeforeConsent(outside, index),
  ];
}

interface Index {
  readonly turns: ReadonlyMap<string, StoredTurn>;
  readonly messages: ReadonlyMap<string, StoredMessage>;
  /** Messages of candidates by the token in them. */
  readonly byToken: ReadonlyMap<string, readonly StoredMessage[]>;
}

function indexOf({ turns, messages }: StoredFacts): Index {
  const byToken = new Map<string, StoredMessage[]>();
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const token of message.text.match(TOKENS) ?? []) {
      byToken.set(token, [...(byToken.get(token) ?? []), message]);
    }
  }
  return {
    turns: new Map(turns.map((turn) => [turn.id, turn])),
    messages: new Map(messages.map((message) => [message.id, message])),
    byToken,
  };
}

/** I1: what was acknowledged is stored, and nothing is stored twice. */
function nothingIsLostOrStoredTwice(
  { tokens, erased }: OutsideFacts,
  { byToken }: Index,
): Violation[] {
  return tokens.flatMap((entry) => {
    if (erased.has(entry.candidate)) return [];
    const count = byToken.get(entry.token)?.length ?? 0;
    if (count > 1)
      return [{ rule: 'I1', what: `${nameOf(entry)} is stored ${String(count)} times` }];
    if (count === 1 || entry.acknowledgedMs === null) return [];
    return [{ rule: 'I1', what: `${nameOf(entry)} was acknowledged and is lost` }];
  });
}

/** I1: a message ends in exactly one delivered turn, or in the attention list. */
function everyTokenHasReply(
  { attention }: StoredFacts,
  { tokens, erased }: OutsideFacts,
  { byToken, turns }: Index,
): Violation[] {
  const withPerson = new Set(attention);
  return tokens.flatMap((entry) => {
    if (erased.has(entry.candidate)) return [];
    const [message] = byToken.get(entry.token) ?? [];
    if (message === undefined) {
      // Every update of Telegram is acknowledged by then.
      if (entry.channel === 'web') return [];
      return [{ rule: 'I1', what: `${nameOf(entry)} was acknowledged and is lost` }];
    }
    const turn = finalTurn(turns, message.turnId);
    if (turn?.state === 'delivered' || withPerson.has(message.conversationId)) return [];
    const what = `${nameOf(entry)} has no reply: its turn is ${turn?.state ?? 'missing'}`;
    return [{ rule: 'I1', what }];
  });
}

/** I1, at any moment: a message that waits has a job or a delivery, or a person. */
function everyMessageHasAJob({ stranded }: StoredFacts): Violation[] {
  return stranded.map((id) => {
    const what = `conversation ${id} has a message that waits, and no job that replies to it`;
    return { rule: 'I1', what };
  });
}

function nameOf({ token, candidate, channel }: SentToken): string {
  return `${token} of candidate ${String(candidate)} (${channel})`;
}

/** The turn that a turn was merged into, if it was. */
function finalTurn(turns: Index['turns'], id: string | null): StoredTurn | undefined {
  const turn = turns.get(id ?? '');
  return turn?.state === 'merged' && turn.mergedInto !== null
    ? finalTurn(turns, turn.mergedInto)
    : turn;
}

/** I2: one request for an answer; its reply repeats exactly the tokens of that answer. */
function everyReplyHasOneRequest(
  { turns, messages, requests }: StoredFacts,
  { calls }: OutsideFacts,
  index: Index,
): Violation[] {
  const violations: Violation[] = [];
  const callsByName = new Map(calls.map((call) => [call.name, call]));
  const usedBy = new Map<string, string>();
  for (const turn of turns) {
    const reply = index.messages.get(turn.replyMessageId);
    const named = reply?.text.match(CALL_NAME) ?? [];
    if (named.length > 1) {
      violations.push({ rule: 'I2', what: `the reply of turn ${turn.id} is of two requests` });
    }
    for (const name of named) {
      const other = usedBy.get(name);
      if (other !== undefined) {
        violations.push({
          rule: 'I2',
          what: `turns ${other} and ${turn.id} share request ${name}`,
        });
      }
      usedBy.set(name, turn.id);
      if (callsByName.get(name)?.outcome !== 'completed') {
        violations.push({ rule: 'I2', what: `turn ${turn.id} has a reply of no whole request` });
      }
    }
    violations.push(...repeatsItsAnswer(turn, reply, messages, index));
  }
  return [...violations, ...ledgerIsComplete(requests, calls, index)];
}

function repeatsItsAnswer(
  turn: StoredTurn,
  reply: StoredMessage | undefined,
  messages: readonly StoredMessage[],
  { turns }: Index,
): Violation[] {
  const said = new Set(reply?.text.match(TOKENS) ?? []);
  if (said.size === 0) return [];
  const meant = new Set(
    messages
      .filter(({ role, turnId }) => role === 'user' && finalTurn(turns, turnId)?.id === turn.id)
      .flatMap(({ text }) => text.match(TOKENS) ?? []),
  );
  const wrong = [...said].filter((token) => !meant.has(token));
  const missing = [...meant].filter((token) => !said.has(token));
  if (wrong.length + missing.length === 0) return [];
  const what = `the reply of turn ${turn.id} is about [${[...said].join(' ')}], its answer is [${[...meant].join(' ')}]`;
  return [{ rule: 'I2', what }];
}

/** Every request that reached the model is in the ledger of its answer, under one logical request. */
function ledgerIsComplete(
  requests: StoredFacts['requests'],
  calls: readonly ModelCall[],
  { byToken, turns }: Index,
): Violation[] {
  const made = new Map<string, number>();
  for (const { tokens } of calls) {
    const turn = finalTurn(turns, byToken.get(tokens[0] ?? '')?.[0]?.turnId ?? null);
    if (turn !== undefined) made.set(turn.subject, (made.get(turn.subject) ?? 0) + 1);
  }
  const ledger = new Map<string, { requests: number; attempts: number }>();
  for (const { subject, attempts } of requests) {
    const known = ledger.get(subject) ?? { requests: 0, attempts: 0 };
    ledger.set(subject, {
      requests: known.requests + 1,
      attempts: known.attempts + attempts,
    });
  }
  return [...made].flatMap(([subject, count]) => {
    const { requests: logical = 0, attempts = 0 } = ledger.get(subject) ?? {};
    if (logical > 1) return [{ rule: 'I2', what: `${subject} has ${String(logical)} requests` }];
    if (count <= attempts) return [];
    const what = `${subject} reached the model ${String(count)} times, its ledger says ${String(attempts)}`;
    return [{ rule: 'I2', what }];
  });
}

/** I3 and I4: messages and turns of a conversation follow arrival, and one turn runs at a time. */
function turnsKeepOrder(
  { turns, messages }: StoredFacts,
  { tokens }: OutsideFacts,
  { byToken }: Index,
): Violation[] {
  const violations: Violation[] = [];
  const lastSeq = new Map<number, number>();
  for (const { token, candidate } of tokens) {
    const seq = byToken.get(token)?.[0]?.seq;
    if (seq === undefined) continue;
    if (seq < (lastSeq.get(candidate) ?? 0)) {
      const what = `${token} of candidate ${String(candidate)} is before an earlier message`;
      violations.push({ rule: 'I3', what });
    }
    lastSeq.set(candidate, seq);
  }
  const firstSeqs = new Map<string, number>();
  for (const { turnId, role, seq } of messages) {
    if (turnId === null || role !== 'user') continue;
    firstSeqs.set(turnId, Math.min(firstSeqs.get(turnId) ?? Infinity, seq));
  }
  const before = new Map<string, StoredTurn>();
  for (const turn of turns) {
    if (turn.state === 'merged' || turn.repliedMs === null) continue;
    const earlier = before.get(turn.conversationId);
    before.set(turn.conversationId, turn);
    if (earlier === undefined) continue;
    if ((firstSeqs.get(turn.id) ?? Infinity) < (firstSeqs.get(earlier.id) ?? 0)) {
      violations.push({
        rule: 'I3',
        what: `turn ${turn.id} replies to older words than ${earlier.id}`,
      });
    }
    if (turn.startedMs < (earlier.repliedMs ?? 0)) {
      violations.push({ rule: 'I4', what: `turns ${earlier.id} and ${turn.id} ran together` });
    }
  }
  return violations;
}

/** I7: no request is made for an answer whose reply is stored. */
function repliesAreNotMadeAgain(
  { calls, frozen, timeOriginMs }: OutsideFacts,
  { byToken, turns }: Index,
): Violation[] {
  return calls.flatMap(({ tokens, beganMs, name }) => {
    const turn = finalTurn(turns, byToken.get(tokens[0] ?? '')?.[0]?.turnId ?? null);
    if (turn?.repliedMs == null) return [];
    const lateMs = timeOriginMs + beganMs - turn.repliedMs;
    // A replica that was frozen right before it sent the request sends it when it is awake.
    const wasFrozen = frozen.some(
      ({ fromMs, toMs }) => beganMs >= fromMs && beganMs <= toMs + ON_ITS_WAY_MS,
    );
    if (lateMs < ON_ITS_WAY_MS || wasFrozen) return [];
    const what = `request ${name} was made ${lateMs.toFixed(0)} ms after the reply of turn ${turn.id} was stored`;
    return [{ rule: 'I7', what }];
  });
}

/** I5: a message is cleared exactly when its reply is delivered. */
function clearedMeansDelivered(
  { messages, attention }: StoredFacts,
  { turns }: Index,
): Violation[] {
  const withPerson = new Set(attention);
  return messages.flatMap(({ id, role, isCleared, turnId, conversationId }) => {
    if (role !== 'user' || withPerson.has(conversationId)) return [];
    const isDelivered = finalTurn(turns, turnId)?.state === 'delivered';
    if (isCleared === isDelivered) return [];
    const what = isCleared
      ? `message ${id} is cleared without a delivered reply`
      : `message ${id} waits although its reply is delivered`;
    return [{ rule: 'I5', what }];
  });
}

/** I10: before consent nothing is kept, and nothing goes to a model. */
function nothingBeforeConsent(
  { onlookers, seenByModel }: OutsideFacts,
  { byToken }: Index,
): Violation[] {
  return onlookers.unconsented.flatMap((token) => {
    const places = [
      ...(seenByModel.has(token) ? ['reached the model'] : []),
      ...(byToken.has(token) ? ['is stored'] : []),
    ];
    return places.map((place) => ({
      rule: 'I10',
      what: `${token} was written before consent and ${place}`,
    }));
  });
}

/** I10: a candidate who asks for a person has an open attention item. */
function requestsForPersonAreShown(
  { attention }: StoredFacts,
  { onlookers }: OutsideFacts,
): Violation[] {
  const withPerson = new Set(attention);
  return onlookers.askedForPerson
    .filter((id) => !withPerson.has(id))
    .map((id) => ({
      rule: 'I10',
      what: `conversation ${id} asked for a person; it has no open item`,
    }));
}

/** I8: at most the budget in any rolling window. A call that is noted after a stall may be as old as it. */
function notionStaysInBudget({ notionStartsMs, frozen, stalls }: OutsideFacts): Violation[] {
  const earliestMs = (startMs: number): number =>
    stalls.find(({ fromMs, toMs }) => fromMs <= startMs && startMs <= toMs + NOTED_AFTER_STALL_MS)
      ?.fromMs ?? startMs;
  return (
    [
      ['second', 1000, NOTION_A_SECOND],
      ['minute', 60_000, NOTION_A_MINUTE],
    ] as const
  ).flatMap(([name, windowMs, most]) => {
    const crowded = [...notionStartsMs.entries()].filter(([n, startMs]) => {
      const isAfterFrozen = frozen.some(
        ({ toMs }) => toMs <= startMs && toMs > startMs - windowMs - ON_ITS_WAY_MS,
      );
      const slack = isAfterFrozen ? NOTION_SLACK_AFTER_FROZEN : NOTION_SLACK;
      const before = notionStartsMs[n - most - slack];
      return before !== undefined && startMs - earliestMs(before) < windowMs;
    });
    const [first] = crowded;
    if (first === undefined) return [];
    const around = notionStartsMs
      .slice(Math.max(0, first[0] - 2 * most), first[0] + most)
      .map((startMs) => (startMs - first[1]).toFixed(0));
    const what = `more than ${String(most)} calls to Notion in a ${name}, ${String(crowded.length)} times; calls around the first, in ms: ${around.join(' ')}`;
    return [{ rule: 'I8', what }];
  });
}
