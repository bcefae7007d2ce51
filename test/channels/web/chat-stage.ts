import { DefaultChatTransport, type UIMessage, type UIMessageChunk, readUIMessageStream } from 'ai';
import { type TestApp, startTestApp } from '../../support/app';
import { patiently, type TestCandidate } from '../../support/candidate';
import { ModelServer } from '../../../tools/fake-model/model-server';

/** An application with a model, and what a client of the AI SDK does with it. */
export class ChatStage {
  private constructor(
    readonly app: TestApp,
    readonly model: ModelServer,
  ) {}

  static async start(): Promise<ChatStage> {
    const model = await ModelServer.start();
    const env = {
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.baseUrl,
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.3',
    };
    return new ChatStage(await startTestApp({ env }), model);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.model.close();
  }

  submit(
    candidate: TestCandidate,
    messages: UIMessage[],
    options: SubmitOptions = {},
  ): Promise<ReadableStream<UIMessageChunk>> {
    return submitAt(this.app.url, candidate, messages, options);
  }

  resume(candidate: TestCandidate): Promise<ReadableStream<UIMessageChunk> | null> {
    return transportAt(this.app.url, candidate).reconnectToStream({
      chatId: candidate.conversationId,
    });
  }

  /** The request as it goes over the wire; its answer's headers are waited for. */
  post(candidate: TestCandidate, body: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.app.url}/api/chat`, {
      method: 'POST',
      headers: candidate.headers,
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async requestsFor(candidate: TestCandidate): Promise<unknown> {
    return this.app.commit((tx) =>
      tx.query(
        `select count(*)::int as turns, coalesce(sum(message_count), 0)::int as messages,
           (select count(*)::int from llm_request r join turn u using (flush_id)
            where u.conversation_id = $1) as requests
         from turn where conversation_id = $1`,
        [candidate.conversationId],
      ),
    );
  }
}

interface SubmitOptions {
  readonly chatId?: string;
  readonly trigger?: 'submit-message' | 'regenerate-message';
}

/** Posts the chat to the process at `url`, as the SDK's client does. */
export function submitAt(
  url: string,
  candidate: TestCandidate,
  messages: UIMessage[],
  { chatId = candidate.conversationId, trigger = 'submit-message' }: SubmitOptions = {},
): Promise<ReadableStream<UIMessageChunk>> {
  return transportAt(url, candidate).sendMessages({
    trigger,
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
}

function transportAt(url: string, candidate: TestCandidate): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: `${url}/api/chat`,
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
