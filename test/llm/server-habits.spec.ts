import { FakeClock } from '../support/clock';
import type { ModelFailure } from '../../src/llm';
import { ask, clientOf, kindOf } from '../support/model-calls';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';

let server: ModelServer;
const clock = new FakeClock();

beforeAll(async () => {
  server = await ModelServer.start();
});

afterAll(async () => {
  await server.close();
});

describe('how a server wants to be asked', () => {
  const rejectFormat: ModelReply = {
    kind: 'status',
    status: 400,
    error: { message: "'response_format.type' is not supported", param: 'response_format' },
  };

  test('a rejected format fails the attempt, and the next one asks for JSON in words', async () => {
    const client = clientOf(server, clock);
    const { error } = await ask(server, rejectFormat, client);
    expect(error).toMatchObject({ kind: 'bad_request', isAdjusted: true, retryable: true });
    expect(kindOf(await ask(server, replyWith('answered', 'Hi'), client))).toBe('ok');
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toBeUndefined();
    expect(body.messages[0]?.content).toContain('JSON schema');
  });

  test('a server that never answers with JSON is asked for plain text in the end', async () => {
    const client = clientOf(server, clock);
    for (let n = 1; n <= 4; n += 1) {
      expect(kindOf(await ask(server, { kind: 'answer', content: 'Thanks a lot.' }, client))).toBe(
        'ok',
      );
    }
    await ask(server, { kind: 'answer', content: 'Thanks a lot.' }, client);
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toBeUndefined();
    expect(body.messages[0]?.content).toContain('no JSON');
  });

  test('one answer without JSON lowers nothing', async () => {
    const client = clientOf(server, clock);
    await ask(server, { kind: 'answer', content: 'Thanks a lot.' }, client);
    await ask(server, replyWith('answered', 'Hi'), client);
    await ask(server, { kind: 'answer', content: 'Thanks a lot.' }, client);
    await ask(server, replyWith('answered', 'Hi'), client);
    const { body } = await server.request(server.requests.length);
    expect(body.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('a rejected name of the token limit is exchanged, a rejected wish for usage is dropped', async () => {
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

  test('learning ends: a server that rejects everything is a plain bad request in the end', async () => {
    const client = clientOf(server, clock);
    const adjusted: boolean[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const { error } = await ask(server, { kind: 'status', status: 400 }, client);
      adjusted.push((error as ModelFailure).isAdjusted);
    }
    expect(adjusted).toEqual([true, true, true, false, false, false]);
  });
});
