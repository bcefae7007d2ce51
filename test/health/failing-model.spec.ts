import { AttentionAlerts } from '../../src/attention';
import { FailingModel, commonFailure, succeedsAgain } from '../../src/health/failing-model';
import type { RecentOutcome } from '../../src/llm';
import type { ModelReply } from '../../tools/fake-model/model-server';
import { Receiver } from '../../tools/http-fake/receiver';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { closeInterviews, live, startInterviews, startOther, words } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';
import { ADMIN_TOKEN } from '../support/secrets';
import { probe } from './probe';

function of(outcome: RecentOutcome['outcome'], count: number, answers = count): RecentOutcome {
  return { outcome, count, answers, detail: null };
}

describe('most of the newest requests failed for one reason', () => {
  test.each<[string, RecentOutcome[], string | null]>([
    ['all, of two answers', [of('malformed', 6, 2)], '6 of 6'],
    ['more than half', [of('cut', 7), of('ok', 6)], '7 of 13'],
    ['half of them', [of('cut', 7), of('ok', 7)], null],
    ['two reasons, neither of which is most', [of('cut', 5), of('malformed', 5)], null],
    ['two reasons, one of which is most', [of('bad_request', 6), of('malformed', 5)], '6 of 11'],
    ['too few to tell', [of('malformed', 4)], null],
    ['many of one answer alone', [of('malformed', 6, 1)], null],
    ['success', [of('ok', 20)], null],
    ['nothing at all', [], null],
  ])('%s', (_, outcomes, expected) => {
    const failure = commonFailure(outcomes);
    const said = failure === null ? null : `${String(failure.count)} of ${String(failure.of)}`;
    expect(said).toBe(expected);
  });

  test.each<[string, RecentOutcome[], boolean]>([
    ['one success and nothing else', [of('ok', 1)], true],
    ['as many successes as failures', [of('ok', 5), of('cut', 5)], true],
    ['fewer successes', [of('ok', 4), of('cut', 5)], false],
    ['silence', [], false],
  ])('it is over after %s', (_, outcomes, isOver) => {
    expect(succeedsAgain(outcomes)).toBe(isOver);
  });
});

/** The reply that any reader refuses. */
const BROKEN: ModelReply = { kind: 'completion', content: '{"verdict": answered' };
const WELL: ModelReply = {
  kind: 'completion',
  content: '{"verdict":"answered","sources":"","text":"Thanks."}',
};
const REASON = 'ended with malformed';

describe('a model server that never keeps the form', () => {
  let app: TestApp;
  let receiver: Receiver;
  let candidates: Interviewee[];

  beforeAll(async () => {
    receiver = await Receiver.start();
    app = await startInterviews({ env: { ADMIN_TOKEN, ALERT_WEBHOOK_URL: receiver.url } });
  });

  afterAll(async () => {
    await closeInterviews(app);
    await receiver.stop();
  });

  async function sweep(replica = app): Promise<void> {
    await replica.get(FailingModel).sweep();
    await app.get(AttentionAlerts).sweep();
  }

  async function fail(count: number): Promise<Interviewee[]> {
    app.model.always(BROKEN);
    const failing: Interviewee[] = [];
    for (let n = 0; n < count; n += 1) {
      const candidate = await newCandidate(app);
      await candidate.answer(words());
      failing.push(candidate);
    }
    await live(app, 20_000);
    for (const candidate of failing) {
      expect(await candidate.attempts()).toEqual(['malformed', 'malformed', 'malformed']);
    }
    return failing;
  }

  async function succeed(count: number): Promise<void> {
    app.model.always(WELL);
    for (let n = 0; n < count; n += 1) await (await newCandidate(app)).answer(words());
  }

  interface Item {
    readonly id: string;
    readonly kind: string;
    readonly subject: string;
    readonly reason: string;
    readonly conversationId: string | null;
    readonly under: string | null;
    readonly itemCount: number;
    readonly closedBy: string | null;
  }

  async function api(path: string, method = 'GET'): Promise<Response> {
    return fetch(`${app.url}/api/v1/admin/attention${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify({ by: 'Nora', resolution: 'seen' }) }),
    });
  }

  async function listed(query = ''): Promise<Item[]> {
    return ((await (await api(query)).json()) as { items: Item[] }).items;
  }

  test('one broken answer is an item of its own, and the model is not degraded', async () => {
    const [alone] = await fail(1);
    await sweep();

    expect((await probe(app, 'ready')).body.details?.['model']).toEqual({
      status: 'up',
      condition: 'ok',
    });
    expect(await listed()).toMatchObject([
      { kind: 'unanalysed', conversationId: alone?.id, under: 'model:malformed' },
    ]);
    expect(receiver.requests.all).toHaveLength(1);
    candidates = alone === undefined ? [] : [alone];
  });

  test('is degraded on every replica, with the reason and its value', async () => {
    candidates.push(...(await fail(3)));
    const other = await startOther(app);
    await sweep();
    await sweep(other);

    for (const replica of [app, other]) {
      const { status, body } = await probe(replica, 'ready');
      expect(status).toBe(200);
      expect(body.details?.['model']).toMatchObject({ status: 'up', condition: 'degraded' });
      expect(body.details?.['model']?.trouble).toMatch(
        /^12 of the last 12 requests to the model in 5 minutes ended with malformed\. .*colloquy doctor/,
      );
    }
    expect(await app.metrics('model_failing', { reason: 'malformed' })).toBe(1);
  });

  test('is one item with its conversations under it, also those from before', async () => {
    const items = await listed();

    expect(items).toMatchObject([{ kind: 'model', subject: 'model:malformed', itemCount: 4 }]);
    const under = await listed(`?under=${items[0]?.id ?? ''}`);
    expect(under.map(({ conversationId }) => conversationId).sort()).toEqual(
      candidates.map(({ id }) => id).sort(),
    );
    const env = { DATABASE_URL: app.databaseUrl };
    const { out } = await runCli(['attention'], env, '');
    expect(out.split('\n')[0]).toMatch(/^\d+ .* model {2}model:malformed {2}12 of the last 12/);
    for (const { id } of candidates) {
      expect(out).toMatch(new RegExp(`^ {2}\\d+ .* unanalysed .* conversation ${id}$`, 'm'));
    }
    expect((await runCli(['attention', 'show', items[0]?.id ?? ''], env, '')).out).toContain(
      'Under it, 4 open:',
    );
  });

  test('what fails meanwhile comes under it without an alert of its own', async () => {
    const before = receiver.requests.all.length;
    candidates.push(...(await fail(2)));
    await sweep();

    expect(await listed()).toMatchObject([{ kind: 'model', itemCount: 6 }]);
    expect(receiver.requests.all).toHaveLength(before);
  });

  test('an item under it is closed by itself; the others stay', async () => {
    const [item] = await listed();
    const [first] = await listed(`?under=${item?.id ?? ''}`);

    expect((await api(`/${first?.id ?? ''}/close`, 'POST')).status).toBe(200);

    expect(await listed()).toMatchObject([{ id: item?.id, itemCount: 5 }]);
  });

  test('stays while no requests are made, because silence repairs nothing', async () => {
    app.clock.advance(3_600_000);
    await app.worker.tick();
    await sweep();

    expect(await listed()).toHaveLength(1);
    expect((await probe(app, 'ready')).body.details?.['model']?.trouble).toContain(REASON);
    expect(await app.metrics('model_failing', { reason: 'malformed' })).toBe(0);
  });

  test('closes by itself when requests succeed, and its conversations are in the list', async () => {
    await succeed(1);
    await sweep();

    const items = await listed();
    expect(items.map(({ kind }) => kind)).toEqual(Array(5).fill('unanalysed'));
    expect(await listed('?state=closed')).toContainEqual(
      expect.objectContaining({ kind: 'model', closedBy: 'colloquy', itemCount: 0 }),
    );
    expect((await probe(app, 'ready')).body.details?.['model']).toEqual({
      status: 'up',
      condition: 'ok',
    });
  });

  test('is not opened again at once when a person has closed it', async () => {
    await fail(3);
    await sweep();
    const [item] = (await listed()).filter(({ kind }) => kind === 'model');
    await api(`/${item?.id ?? ''}/close`, 'POST');
    await sweep();
    expect((await listed()).filter(({ kind }) => kind === 'model')).toEqual([]);

    app.clock.advance(3_700_000);
    await fail(3);
    await sweep();

    expect((await listed()).filter(({ kind }) => kind === 'model')).toHaveLength(1);
  });

  test('an answer that failed for another reason stays an item of its own', async () => {
    const candidate = await newCandidate(app);
    app.model.next({ kind: 'refusal', refusal: 'I will not.' });
    await candidate.answer(words());
    await live(app, 20_000);

    const items = await listed();
    expect(items).toContainEqual(
      expect.objectContaining({ conversationId: candidate.id, under: 'model:refused' }),
    );
  });
});

test('a rejection is shown with what the server says of it, and no words of its text', async () => {
  const app = await startInterviews();
  try {
    app.model.always({
      kind: 'status',
      status: 400,
      error: { code: 'context_length_exceeded', message: 'your secret prompt is too long' },
    });
    for (let n = 0; n < 5; n += 1) await (await newCandidate(app)).answer(words());
    await live(app, 20_000);

    await app.get(FailingModel).sweep();

    const trouble = (await probe(app, 'ready')).body.details?.['model']?.trouble ?? '';
    expect(trouble).toContain('ended with bad_request (400 context_length_exceeded)');
    expect(trouble).not.toContain('secret');
  } finally {
    await closeInterviews(app);
  }
});

test('an outage is one item for the answers that wait or expire, and is not shown twice', async () => {
  const app = await startInterviews({ env: { INTERVIEW_BUFFER_TTL: '3600' } });
  try {
    await app.model.goDown();
    for (let n = 0; n < 4; n += 1) await (await newCandidate(app)).say(words());
    await live(app, 1_000_000, 10_000);

    await app.get(FailingModel).sweep();

    const { trouble } = (await probe(app, 'ready')).body.details?.['model'] ?? {};
    expect(trouble).toContain('the model cannot be reached');
    expect(trouble).not.toContain('unavailable');
    const rows = await app.sql<{ kind: string }>('select kind from attention');
    expect(rows).toEqual([{ kind: 'model' }]);
  } finally {
    await closeInterviews(app);
  }
});
