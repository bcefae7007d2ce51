/**
 * What a user would take instead: `streamText` of the AI SDK on Node's HTTP server with resumable
 * streams on Redis, as its documentation shows (docs/04-ai-sdk-ui/03-chatbot-resume-streams.mdx).
 * In its favour, chats are stored in memory, and one stream context serves all requests.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { convertToModelMessages, generateId, streamText } from 'ai';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createClient } from 'redis';
import { createResumableStreamContext } from 'resumable-stream';

const { profile } = createRequire(import.meta.url)('../lib/profile.ts');

const PROFILED_MS = 3000;
const { OPENAI_BASE_URL, REDIS_URL } = process.env;

const models = createOpenAICompatible({ name: 'bench', baseURL: OPENAI_BASE_URL });
const redis = [createClient({ url: REDIS_URL }), createClient({ url: REDIS_URL })];
await Promise.all(redis.map((client) => client.connect()));
const [publisher, subscriber] = redis;
const streams = createResumableStreamContext({ waitUntil: () => undefined, publisher, subscriber });
const chats = new Map();

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

const server = createServer(async (request, response) => {
  const { id, message } = await bodyOf(request);
  const messages = [...(chats.get(id)?.messages ?? []), message];
  chats.set(id, { messages, activeStreamId: null });
  const result = streamText({
    model: models('timed'),
    messages: await convertToModelMessages(messages),
  });
  result.pipeUIMessageStreamToResponse(response, {
    originalMessages: messages,
    generateMessageId: generateId,
    onFinish: ({ messages: all }) => chats.set(id, { messages: all, activeStreamId: null }),
    async consumeSseStream({ stream }) {
      const streamId = generateId();
      await streams.createNewResumableStream(streamId, () => stream);
      chats.set(id, { messages, activeStreamId: streamId });
    },
  });
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`ready ${JSON.stringify({ url })}\n`);
});
process.on('message', (question) => {
  if (question === 'profile') {
    const meanwhile = () => new Promise((end) => setTimeout(end, PROFILED_MS));
    void profile(meanwhile).then((shares) => process.send(shares));
  }
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
