import { DefaultChatTransport, type UIMessage, type UIMessageChunk, readUIMessageStream } from 'ai';
import type { TestApp } from '../../support/app';
import { patiently, type TestCandidate } from '../../support/candidate';

/** The application as a client of the AI SDK meets it: with a model and a short debounce window. */
export const CHAT = { model: true, env: { INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.3' } } as const;

interface SubmitOptions {
  readonly chatId?: string;
  readonly trigger?: 'submit-message' | 'regenerate-message';
}

/** Posts the chat to the candidate's replica, as the SDK's client does. */
export function submit(
  candidate: TestCandidate,
  messages: UIMessage[],
  { chatId = candidate.conversationId, trigger = 'submit-message' }: SubmitOptions = {},
): Promise<ReadableStream<UIMessageChunk>> {
  return transportOf(candidate).sendMessages({
    trigger,
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
}

/** Reconnects to the reply that is being written; null when there is none. */
export function resume(candidate: TestCandidate): Promise<ReadableStream<UIMessageChunk> | null> {
  return transportOf(candidate).reconnectToStream({ chatId: candidate.conversationId });
}

/** The same request over plain HTTP; resolves with the headers of its response. */
export function postChat(
  candidate: TestCandidate,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${candidate.app.url}/api/chat`, {
    method: 'POST',
    headers: candidate.headers,
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** How many turns, messages of them and model requests a conversation has. */
export function requestsFor(app: TestApp, candidate: TestCandidate): Promise<unknown> {
  return app.sql(
    `select count(*)::int as turns, coalesce(sum(message_count), 0)::int as messages,
       (select count(*)::int from llm_request r join turn u
         on r.subject = 'flush:' || u.answer_id
        where u.conversation_id = $1) as requests
     from turn where conversation_id = $1`,
    [candidate.conversationId],
  );
}

function transportOf(candidate: TestCandidate): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: `${candidate.app.url}/api/chat`,
    headers: candidate.headers,
    fetch: (input, init) => patiently(() => fetch(input, init)),
  });
}

export async function lastReply(candidate: TestCandidate): Promise<{ id: string; text: string }> {
  const view = await candidate.waitFor(
    ({ replying, hasBuffer, messages }) =>
      !replying && !hasBuffer && messages.at(-1)?.role === 'assistant',
  );
  return view.messages.at(-1) as { id: string; text: string };
}

export function said(id: string, text: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] };
}

export async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

export function deltasOf(chunks: readonly UIMessageChunk[] | undefined): string {
  return (chunks ?? []).map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
}

/** What the SDK's client makes of a stream; throws where it would show an error. */
export async function messageOf(
  stream: ReadableStream<UIMessageChunk>,
): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    last = message;
  }
  return last;
}

export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}
