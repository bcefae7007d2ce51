/** Requests of the inbox. */
import type { paths } from '../../../tools/api-client/api.gen';
import { gated } from '../api/calls';
import { done } from '../api/problem';

type ListQuery = NonNullable<paths['/api/v1/admin/attention']['get']['parameters']['query']>;

const at = (id: string) => ({ params: { path: { id } } });

export const listItems = (query: ListQuery, signal: AbortSignal) =>
  done(gated.GET('/api/v1/admin/attention', { params: { query }, signal }));

export const readItem = (id: string, signal: AbortSignal) =>
  done(gated.GET('/api/v1/admin/attention/{id}', { ...at(id), signal }));

/** `from`: who has it now, and whom it is taken from. */
export const claimItem = (id: string, from: string | null) =>
  done(
    gated.POST('/api/v1/admin/attention/{id}/claim', {
      ...at(id),
      body: from === null ? {} : { from },
    }),
  );

export const releaseItem = (id: string) =>
  done(gated.POST('/api/v1/admin/attention/{id}/release', at(id)));

export const takeOver = (id: string) =>
  done(gated.POST('/api/v1/admin/attention/{id}/take-over', { ...at(id), body: {} }));

export const handBack = (id: string) =>
  done(gated.POST('/api/v1/admin/attention/{id}/return', { ...at(id), body: {} }));

export const closeItem = (id: string, resolution: string) =>
  done(gated.POST('/api/v1/admin/attention/{id}/close', { ...at(id), body: { resolution } }));

export const replayItem = (id: string) =>
  done(gated.POST('/api/v1/admin/attention/{id}/replay', at(id)));

/** `messageId`: a repeat with the same one sends nothing twice. */
export const replyTo = (id: string, { text, messageId }: { text: string; messageId: string }) =>
  done(
    gated.POST('/api/v1/admin/attention/{id}/reply', { ...at(id), body: { text, id: messageId } }),
  );

/** `question`: under which the answer is kept in the vacancy's documents; null: it is not kept. */
export const answerTo = (
  id: string,
  { text, messageId, question }: { text: string; messageId: string; question: string | null },
) =>
  done(
    gated.POST('/api/v1/admin/attention/{id}/answer', {
      params: { path: { id }, header: { 'idempotency-key': messageId } },
      body: { text, id: messageId, ...(question === null ? {} : { question }) },
    }),
  );

let saidTypingAt = 0;

/** Whether this page has said so within `ms`: the sign comes back to it, and is nobody else's. */
export function hasSaidTyping(ms: number): boolean {
  return Date.now() - saidTypingAt < ms;
}

/** Only a hint: if it is lost, nothing is shown. Nothing asks for a sign-in because of it. */
export async function sayTyping(id: string): Promise<void> {
  saidTypingAt = Date.now();
  await fetch(`/api/v1/admin/attention/${encodeURIComponent(id)}/typing`, { method: 'POST' }).catch(
    () => null,
  );
}

/** With the newest lines, or with those before `before`. */
export const readLines = (conversationId: string, before: number | null) =>
  done(
    gated.GET('/api/v1/admin/conversations/{id}/transcript', {
      params: { path: { id: conversationId }, query: before === null ? {} : { before } },
    }),
  );

export const openEvents = (conversationId: string): EventSource =>
  new EventSource(`/api/v1/admin/conversations/${encodeURIComponent(conversationId)}/events`);

export type Item = Awaited<ReturnType<typeof readItem>>;
export type ItemKind = Item['kind'];
export type Transcript = Awaited<ReturnType<typeof readLines>>;
