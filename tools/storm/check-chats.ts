/**
 * Compares what the chats of Telegram show with the deliveries that are stored. Pure: it reads no
 * application and no log.
 */
import type { OutsideFacts, StoredDelivery, StoredFacts, Violation } from './facts';
import { CALL_NAME, TOKENS } from './tokens';

/** Outcomes of sends that may have arrived. */
const MAYBE_SENT = new Set(['started', 'unknown', 'server_error']);
/** Outcomes of sends without any response; after the second one a message is not sent again. */
const BLIND = new Set(['started', 'unknown']);
const MOST_BLIND_SENDS = 2;

/** One send for a reply, except for sends without a response, which are flagged. */
export function noneIsSentTooOften(
  { deliveries, messages }: StoredFacts,
  { chats }: OutsideFacts,
): Violation[] {
  return deliveries.flatMap((delivery) => {
    const { attempts } = delivery;
    const seen = timesInChat(delivery, chats, messages);
    const maybe = countOf(attempts, MAYBE_SENT);
    const lastBlind = attempts.findIndex(
      (_, n) => countOf(attempts.slice(0, n + 1), BLIND) === MOST_BLIND_SENDS,
    );
    const certain = attempts.filter((outcome) => outcome === 'sent').length;
    const again = attempts.filter((outcome) => outcome === 'sent_again').length;
    if (lastBlind >= 0 && attempts.slice(lastBlind + 1).some((outcome) => outcome !== 'not_sent')) {
      const what = `${labelOf(delivery)} was sent again after two sends without a response`;
      return [{ rule: 'delivery', what }];
    }
    if (certain <= 1 && seen <= maybe + certain + again) return [];
    return [{ rule: 'delivery', what: `${labelOf(delivery)} was sent ${String(seen)} times` }];
  });
}

/** A reply that counts as sent is in its chat. */
export function chatsShowWhatIsSent(
  { deliveries, messages }: StoredFacts,
  { chats }: OutsideFacts,
): Violation[] {
  return deliveries.flatMap((delivery) => {
    const { state, isConfirmed, attempts } = delivery;
    const isCertain = attempts.some((outcome) => outcome === 'sent' || outcome === 'sent_again');
    if (state !== 'sent' || !isConfirmed || !isCertain) return [];
    if (timesInChat(delivery, chats, messages) > 0) return [];
    const what = `${labelOf(delivery)} counts as sent, and the chat does not show it`;
    return [{ rule: 'delivery', what }];
  });
}

/** A reply in a chat is the stored one: no other owner of its turn has replaced it. */
export function chatsShowNothingElse(
  { messages }: StoredFacts,
  { chats, tokens, erased }: OutsideFacts,
): Violation[] {
  const stored = new Set(messages.map(({ text }) => text.trim()));
  const erasedTokens = new Set(
    tokens.filter(({ candidate }) => erased.has(candidate)).map(({ token }) => token),
  );
  const isErased = (text: string): boolean =>
    (text.match(TOKENS) ?? []).some((token) => erasedTokens.has(token));
  return [...chats].flatMap(([chat, texts]) =>
    texts
      .filter((text) => text.match(CALL_NAME) !== null)
      .filter((text) => !stored.has(text.trim()) && !isErased(text))
      .map((text) => ({ rule: 'delivery', what: `chat ${chat} shows "${text}", not stored` })),
  );
}

function timesInChat(
  { chat, messageId }: StoredDelivery,
  chats: OutsideFacts['chats'],
  messages: StoredFacts['messages'],
): number {
  const text = messages.find(({ id }) => id === messageId)?.text.trim();
  return (chats.get(chat) ?? []).filter((shown) => shown.trim() === text).length;
}

function labelOf({ id, chat, attempts }: StoredDelivery): string {
  return `delivery ${id} to chat ${chat} [${attempts.join(' ')}]`;
}

function countOf(attempts: readonly string[], outcomes: ReadonlySet<string>): number {
  return attempts.filter((outcome) => outcomes.has(outcome)).length;
}
