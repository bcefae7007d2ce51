import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';

const clock = new FakeClock();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false });
});

afterAll(() => app.close());

async function dueInMs(candidate: TestCandidate, body?: object): Promise<number> {
  const response = await candidate.post('done', body);
  expect(response.status).toBe(202);
  const { dueAt } = (await response.json()) as { dueAt: string };
  return new Date(dueAt).getTime() - clock.now().getTime();
}

describe('POST /api/v1/conversation/done', () => {
  test('makes the answer due in 200 ms when it names the last message', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.send('m1', 'Rye.');
    await candidate.send('m2', 'And wheat.');

    expect(await dueInMs(candidate, { lastMessageId: 'm2' })).toBe(200);
  });

  test.each([
    ['names no message', {}],
    ['names an older message', { lastMessageId: 'm1' }],
    ['names a message that has not arrived', { lastMessageId: 'm3' }],
  ])('makes the answer due in a second when it %s', async (_, body) => {
    const candidate = await TestCandidate.begin(app);
    await candidate.send('m1', 'Rye.');
    await candidate.send('m2', 'And wheat.');

    expect(await dueInMs(candidate, body)).toBe(1000);
  });

  test('refuses an id that is no text', async () => {
    const candidate = await TestCandidate.begin(app);

    const response = await candidate.post('done', { lastMessageId: 7 });

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'invalid_body' });
  });
});

describe('GET /api/v1/conversation', () => {
  test('says how long the answer still waits, and null without one', async () => {
    const candidate = await TestCandidate.begin(app);
    expect(await candidate.view()).toMatchObject({ dueAt: null, dueInMs: null });
    await candidate.send('m1', 'Rye.');
    const first = await candidate.view();
    const dueInMs = new Date(first.dueAt ?? '').getTime() - clock.now().getTime();
    clock.advance(10);

    expect(first).toMatchObject({ hasBuffer: true, dueInMs });
    expect(await candidate.view()).toMatchObject({ dueInMs: dueInMs - 10 });
  });
});
