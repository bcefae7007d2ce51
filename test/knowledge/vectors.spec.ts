import { BATCH } from '../../src/knowledge/embedding-sweep';
import { withConstants } from '../support/constants';
import { Logger } from '@nestjs/common';
import { documentOf } from '../../src/knowledge/document-files';
import { ModelServer } from '../../tools/fake-model/model-server';
import { CALM, TestKnowledge } from './test-knowledge';

const DOCUMENTS = {
  'a.md':
    '# Time\n## Vacation\nTwenty-seven days.\n## Place\nA home is an office.\n## Pay\nMonthly.',
  'b.md': 'One.\n\nTwo.',
};
/** Has other dimensions, so that a comparison would fail. */
const OTHER_MODEL = `update knowledge_embedding
  set model = 'e-0', vector = vector || vector, dimensions = dimensions * 2`;
const QUESTION = 'How remote can I be?';

Logger.overrideLogger(false);

let server: ModelServer;
let setup: TestKnowledge;

beforeEach(async () => {
  server = await ModelServer.start();
  setup = await TestKnowledge.open({ baseUrl: server.baseUrl, embeddingModel: 'e-1' });
});

afterEach(async () => {
  await setup.close();
  await server.close();
});

async function ask(vacancyId: string, question = QUESTION) {
  const { passages, order } = await setup.search.search({ vacancyId, question, signal: CALM });
  return { order, texts: passages.map(({ text }) => text) };
}

interface Attempt {
  readonly subject: string;
  readonly n: number;
  readonly model: string;
  readonly outcome: string;
  readonly input_tokens: number | null;
}

function ledger(): Promise<Attempt[]> {
  return setup.commit((tx) =>
    tx.query(
      `select r.subject, r.n, a.model, a.outcome, a.input_tokens
       from llm_attempt a join llm_request r on r.id = a.request_id
       where r.purpose = 'embed' order by a.id`,
    ),
  );
}

describe('missing embeddings', () => {
  withConstants(BATCH, { passages: 4 });

  test('are requested once by the sweep, in batches, with the headings', async () => {
    await setup.vacancy(DOCUMENTS);
    await setup.vacancy({ 'a.md': '# A\nx\n# B\ny' }, 'cook');

    expect(await setup.sweep.run()).toBe(6);
    expect(await setup.sweep.run()).toBe(0);

    const inputs = server.embeddings.requests.map(({ body }) => body.input);
    expect(inputs.map(({ length }) => length)).toEqual([4, 2]);
    expect(inputs.flat()).toContain('Time\nVacation\n\nTwenty-seven days.');
    expect(await ledger()).toMatchObject([
      { model: 'e-1', outcome: 'ok', input_tokens: 28 },
      { model: 'e-1', outcome: 'ok', input_tokens: 14 },
    ]);
  });

  test('are requested once when two replicas sweep at the same time', async () => {
    await setup.vacancy(DOCUMENTS);

    const claimed = await setup.oneBehindTheOther((tx) =>
      setup.documents.claimUnembedded(tx, 'e-1', 10),
    );

    expect(claimed.map(({ length }) => length)).toEqual([4, 0]);
  });

  test('are retried with growing pauses until the server is back', async () => {
    await setup.vacancy(DOCUMENTS);
    await server.goDown();

    expect(await setup.sweep.run()).toBe(0);
    expect(await setup.sweep.run()).toBe(0);
    setup.clock.advance(60_000);
    expect(await setup.sweep.run()).toBe(0);
    await server.comeUp();
    setup.clock.advance(60_000);
    expect(await setup.sweep.run()).toBe(0);
    setup.clock.advance(60_000);

    expect(await setup.sweep.run()).toBe(4);
    expect((await ledger()).map(({ outcome }) => outcome)).toEqual([
      'unavailable',
      'unavailable',
      'ok',
    ]);
  });

  test('after an import are only those of changed passages', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    const changed = documentOf({ name: 'b.md', language: 'en', text: 'Three.' });
    const kept = documentOf({ name: 'a.md', language: 'en', text: DOCUMENTS['a.md'] });
    await setup.commit((tx) => setup.documents.replace(tx, id, [kept, changed]));

    expect(await setup.sweep.run()).toBe(1);
    expect(server.embeddings.requests.at(-1)?.body.input).toEqual(['Three.']);
  });

  test('of a document that was replaced meanwhile are dropped', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    const [claimed] = await setup.commit((tx) => setup.documents.claimUnembedded(tx, 'e-1', 1));
    await setup.commit((tx) => setup.documents.replace(tx, id, []));
    const vectors = [{ passageId: claimed?.id ?? '', vector: Buffer.alloc(4) }];

    await setup.commit((tx) => setup.documents.storeEmbeddings(tx, 'e-1', vectors));

    expect(await setup.commit((tx) => tx.query('select from knowledge_embedding'))).toEqual([]);
  });

  test('under way are aborted at a shutdown', async () => {
    await setup.vacancy(DOCUMENTS);
    server.embeddings.next({ kind: 'silent' });
    const sweeping = setup.sweep.runOnSchedule();
    const request = await server.embeddings.request(1);

    await setup.drain.begin();

    await sweeping;
    await request.closed;
    expect(await ledger()).toMatchObject([{ outcome: 'aborted' }]);
    await setup.sweep.runOnSchedule();
    expect(server.embeddings.requests).toHaveLength(1);
  });
});

describe('a question searched by its vector', () => {
  test('finds a passage of the same meaning without a common word', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();

    const found = await ask(id);

    expect(found.order).toBe('vectors');
    expect(found.texts[0]).toBe('A home is an office.');
  });

  test('is recorded in the ledger under its flush', async () => {
    const vacancyId = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    const query = { vacancyId, question: QUESTION, signal: CALM, subject: 'flush:7' };

    await setup.search.search(query);
    await setup.search.search(query);

    expect((await ledger()).slice(1)).toMatchObject([
      { subject: 'flush:7', n: 1, outcome: 'ok', input_tokens: 7 },
      { subject: 'flush:7', n: 2, outcome: 'ok', input_tokens: 7 },
    ]);
  });

  test.each(['status', 'body'] as const)(
    'that is not embedded (%s) is searched by words',
    async (kind) => {
      const id = await setup.vacancy(DOCUMENTS);
      await setup.sweep.run();
      server.embeddings.next(
        kind === 'status'
          ? { kind, status: 500, error: {} }
          : { kind, contentType: 'application/json', body: '{"data":[{"embedding":["x"]}]}' },
      );

      expect(await ask(id, 'vacation')).toEqual({
        order: 'full_text',
        texts: ['Twenty-seven days.'],
      });
    },
  );

  test('is searched by words when it is not embedded in time', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    server.embeddings.next({ kind: 'silent' });
    const asking = ask(id, 'vacation');
    await server.embeddings.request(2);

    setup.clock.advance(5000);

    expect(await asking).toEqual({ order: 'full_text', texts: ['Twenty-seven days.'] });
  });

  test('is searched by words, without a request, until every passage has a vector', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.commit((tx) => setup.documents.claimUnembedded(tx, 'e-1', 1));
    await setup.sweep.run();
    const sent = server.embeddings.requests.length;

    expect((await ask(id, 'vacation')).order).toBe('full_text');
    expect(server.embeddings.requests).toHaveLength(sent);
  });

  test('is never compared with vectors of another model', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    await setup.commit((tx) => tx.query(OTHER_MODEL));

    expect((await ask(id, 'vacation')).order).toBe('full_text');
    expect(await setup.sweep.run()).toBe(4);
    expect((await ask(id, 'vacation')).order).toBe('vectors');
  });

  test('is searched by words when its dimensions differ from the passages', async () => {
    const id = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    server.embeddings.vectorOf = () => [1, 2];

    expect((await ask(id, 'vacation')).order).toBe('full_text');
  });

  test('ends when the caller aborts meanwhile', async () => {
    const vacancyId = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    server.embeddings.next({ kind: 'silent' });
    const caller = new AbortController();
    const asking = setup.search
      .search({ vacancyId, question: QUESTION, signal: caller.signal })
      .catch((error: unknown) => error);
    await server.embeddings.request(2);

    caller.abort(new Error('gone'));

    expect(await asking).toMatchObject({ message: 'gone' });
  });
});

describe('a search whose candidate may be gone', () => {
  test('sends no question for a vector when it is not admitted, and records nothing', async () => {
    const vacancyId = await setup.vacancy(DOCUMENTS);
    await setup.sweep.run();
    const before = server.embeddings.requests.length;
    const gone = new Error('the candidate is gone');
    const admit = () => Promise.reject(gone);
    const asked = { vacancyId, question: QUESTION, signal: CALM, admit };
    const recorded = (await ledger()).length;

    await expect(setup.search.search(asked)).rejects.toBe(gone);

    expect(server.embeddings.requests).toHaveLength(before);
    expect(await ledger()).toHaveLength(recorded);
  });
});
