import { TestCandidate } from '../support/candidate';
import { OtlpCollector, type ReceivedSpan } from '../support/otlp-collector';
import { until } from '../support/until';
import { Deployment } from './deployment';

jest.setTimeout(120_000);

const SAID = 'My secret garden is in Lisbon.';

let deployment: Deployment;
let collector: OtlpCollector;

beforeEach(async () => {
  [deployment, collector] = await Promise.all([Deployment.open('polling'), OtlpCollector.start()]);
});

afterEach(async () => {
  await deployment.close();
  await collector.stop();
});

/** The spans of the trace that a span belongs to. */
function traceOf({ traceId }: ReceivedSpan): ReceivedSpan[] {
  return collector.spans.filter((span) => span.traceId === traceId);
}

test('an answer is one trace from the update to the delivery, over two replicas', async () => {
  const first = await deployment.serveFirst(collector.env);
  const person = await deployment.person('Grace Kowalska');
  await person.sends(SAID);
  const update = await until('the spans of the update were received', () => {
    const [open] = collector.named('telegram update').slice(-1);
    return open?.attributes['colloquy.conversation.id'] === person.conversationId
      ? open
      : undefined;
  });
  first.server.signal('SIGKILL');
  await first.server.exited;
  await deployment.serve(collector.env);
  await person.endWindow();

  const spans = await until('the delivery was received', () => {
    const found = traceOf(update);
    return found.some(({ name }) => name === 'job deliver') ? found : undefined;
  });
  const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const replicaOf = (name: string) => spans.find((span) => span.name === name)?.replica;
  expect(spans.filter(({ parentSpanId }) => parentSpanId === '')).toMatchObject([
    { name: 'telegram update' },
  ]);
  expect(spans.every(({ parentSpanId: id }) => id === '' || nameOf.has(id))).toBe(true);
  expect([...nameOf.values()]).toEqual(
    expect.arrayContaining([
      'commit telegram.take',
      'job flush',
      'commit turn.open',
      'chat gpt-4.1-mini',
      'commit turn.close',
      'job deliver',
      'deliver telegram',
      'telegram sendMessage',
    ]),
  );
  expect(replicaOf('job flush')).toBe(replicaOf('job deliver'));
  expect(replicaOf('job flush')).not.toBe(replicaOf('telegram update'));
  const deliver = spans.find(({ name }) => name === 'job deliver');
  expect(deliver?.attributes).toMatchObject({
    'colloquy.conversation.id': person.conversationId,
    'colloquy.turn.id': spans.find(({ name }) => name === 'job flush')?.attributes[
      'colloquy.turn.id'
    ],
  });
});

test('spans hold no name, no words, no chat and no token; the log carries their ids', async () => {
  const first = await deployment.serveFirst(collector.env);
  const { server } = first;
  const person = await deployment.person('Grace Kowalska');
  const candidate = await TestCandidate.begin(server.host);
  deployment.model.next({ kind: 'status', status: 400, error: {} });
  await candidate.send('m1', SAID);
  await candidate.post('done');
  await person.answers(SAID);
  await until('both answers were replied to', async () => {
    const rows = await deployment.sql(`select 1 from turn where state = 'delivered'`);
    return rows.length >= 2;
  });
  const sent = await until('the request was received', () =>
    collector
      .named('POST /api/v1/conversation/messages')
      .find(({ attributes }) => attributes['http.response.status_code'] === '202'),
  );
  expect(await server.stop()).toBe(0);

  expect(sent.attributes['colloquy.conversation.id']).toBe(candidate.conversationId);
  expect(collector.named('job flush').length).toBeGreaterThanOrEqual(2);
  const secrets = [
    'Grace',
    'Kowalska',
    'Lisbon',
    `"${String(person.chatId)}"`,
    candidate.token,
    server.host.vacancy.openToken,
    deployment.telegram.token,
  ];
  for (const secret of secrets) expect(collector.received).not.toContain(secret);
  const warned = server.log.find(({ level, context }) => level === 40 && context === 'Jobs');
  const flush = collector
    .named('job flush')
    .find(({ attributes }) => attributes['error.type'] !== undefined);
  expect(warned).toMatchObject({
    trace: flush?.traceId,
    conversation: flush?.attributes['colloquy.conversation.id'],
    turn: flush?.attributes['colloquy.turn.id'],
  });
});

test('a collector that is away delays nothing and is reported once', async () => {
  await collector.stop();
  const { server } = await deployment.serveFirst(collector.env);
  const candidate = await TestCandidate.begin(server.host);
  await candidate.send('m1', SAID);
  await candidate.post('done');
  await candidate.waitFor(({ interviewStep, replying }) => interviewStep > 0 && !replying);
  await server.told('Spans could not be sent');

  expect(await server.stop()).toBe(0);
  expect(server.log.filter(({ msg }) => msg.includes('Spans could not be sent'))).toHaveLength(1);
});

test('without an endpoint the SDK of OpenTelemetry is not loaded', async () => {
  const { server } = await deployment.serveFirst({ NODE_DEBUG: 'module' });

  // `prom-client` loads `@opentelemetry/api` by itself.
  const loaded = ['prom-client', '@opentelemetry/sdk-'].map((name) => server.err.includes(name));
  expect(loaded).toEqual([true, false]);
  expect(await server.stop()).toBe(0);
});
