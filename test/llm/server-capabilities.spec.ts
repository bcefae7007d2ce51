import { FakeClock } from '../../tools/support/fake-clock';
import type { ModelFailure } from '../../src/llm';
import type { OpenAiClient } from '../../src/llm/openai-client';
import { ask, clientOf, kindOf, readAll, REQUEST } from '../support/model-calls';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';

let server: ModelServer;
const clock = new FakeClock();

beforeAll(async () => {
  server = await ModelServer.start();
});

afterAll(async () => {
  await server.close();
});

/** Sends another prompt and returns the body of its request. */
async function sendOther(client: OpenAiClient) {
  const messages = [{ role: 'user' as const, content: 'another one' }];
  server.next(replyWith('answered', 'Hi'));
  await readAll(client, undefined, undefined, { ...REQUEST, messages });
  return (await server.request(server.requests.length)).body;
}

describe('the capabilities of a server', () => {
  const rejectFormat: ModelReply = {
    kind: 'status',
    status: 400,
    error: { message: "'response_format.type' is not supported", param: 'response_format' },
  };

  test('after a rejected format the next attempt requests JSON in the instructions', async () => {
    const client = clientOf(server, clock);
    const { error } = await ask(server, rejectFormat, client);
    expect(error).toMatchObject({ kind: 'bad_request', isAdjusted: true, retryable: true });
    expect(kindOf(await ask(server, replyWith('answered', 'Hi'), client))).toBe('ok');
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toBeUndefined();
    expect(body.messages[0]?.content).toContain('JSON schema');
  });

  const prose: ModelReply = { kind: 'completion', content: 'Thanks a lot.' };

  test('after two completions without JSON request it in the instructions, for this prompt', async () => {
    const client = clientOf(server, clock);
    await ask(server, prose, client);
    await ask(server, prose, client);
    await ask(server, prose, client);
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toBeUndefined();
    expect(body.messages[0]?.content).toContain('JSON schema');
    expect((await sendOther(client)).response_format).toBeDefined();
  });

  test('give up the format for all prompts when the same prompt has an object without it', async () => {
    const client = clientOf(server, clock);
    await ask(server, prose, client);
    await ask(server, prose, client);
    await ask(server, replyWith('answered', 'Hi'), client);
    expect((await sendOther(client)).response_format).toBeUndefined();
  });

  test('do not change after one completion without JSON', async () => {
    const client = clientOf(server, clock);
    await ask(server, { kind: 'completion', content: 'Thanks a lot.' }, client);
    await ask(server, replyWith('answered', 'Hi'), client);
    await ask(server, { kind: 'completion', content: 'Thanks a lot.' }, client);
    await ask(server, replyWith('answered', 'Hi'), client);
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('change the rejected name of the token limit, and stop requesting usage that is rejected', async () => {
    const client = clientOf(server, clock);
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const limit = await ask(server, { kind: 'status', status: 400, error: { message } }, client);
    const usage = await ask(
      server,
      { kind: 'status', status: 422, error: { message: 'stream_options: extra field' } },
      client,
    );
    expect([limit.error, usage.error]).toMatchObject([{ isAdjusted: true }, { isAdjusted: true }]);
    await ask(server, replyWith('answered', 'Hi'), client);
    const { body } = await server.request(server.requests.length);
    expect(body).toMatchObject({ max_completion_tokens: 400 });
    expect(body.stream_options).toBeUndefined();
    expect(body.response_format).toBeDefined();
  });

  test('count for a request that was sent before they were learned', async () => {
    const client = clientOf(server, clock);
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const rejected: ModelReply = { kind: 'status', status: 400, error: { message } };
    server.next(rejected, rejected);
    const both = await Promise.all([readAll(client), readAll(client)]);
    expect(both.map(({ error }) => error)).toMatchObject([
      { isAdjusted: true },
      { isAdjusted: true },
    ]);
  });

  test('stop changing: a server that rejects everything ends as a bad request', async () => {
    const client = clientOf(server, clock);
    const adjusted: boolean[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const { error } = await ask(server, { kind: 'status', status: 400 }, client);
      adjusted.push((error as ModelFailure).isAdjusted);
    }
    expect(adjusted).toEqual([true, true, true, false, false, false]);
  });
});
