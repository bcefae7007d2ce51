import { Client } from 'pg';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock: new FakeClock(), isWorking: false });
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => app.close());

/** What is sent to PostgreSQL from now on, by its first words. */
function watchStatements(): string[] {
  const sent: string[] = [];
  const { query } = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    const [given] = args;
    const text = typeof given === 'string' ? given : (given as { text?: string }).text;
    sent.push((text ?? '').trim().split(/\s+/).slice(0, 2).join(' '));
    return query.apply(this, args);
  });
  return sent;
}

/** Without the notices that replicas get after a commit. */
function ofTheRequest(sent: readonly string[]): string[] {
  return sent.filter((text) => text !== 'select pg_notify($1,' && !text.includes('pg_notify'));
}

describe('POST /api/v1/conversation/messages', () => {
  test('is one statement, the first time and again', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.view();
    const sent = watchStatements();

    const first = await candidate.send('m1', 'Rye.');
    const again = await candidate.send('m1', 'Rye.');

    expect([first.status, again.status]).toEqual([202, 202]);
    expect(ofTheRequest(sent)).toEqual(['with taken', 'with taken']);
    expect(await again.json()).toEqual(await first.json());
  });

  test('is one statement also when the message is refused, and changes nothing', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.send('m1', 'Rye.');
    const before = await rowsOf(candidate);
    const sent = watchStatements();

    const reused = await candidate.send('m1', 'Wheat.');

    expect([reused.status, ((await reused.json()) as { code: string }).code]).toEqual([
      409,
      'message_id_reused',
    ]);
    expect(ofTheRequest(sent)).toEqual(['with taken']);
    jest.restoreAllMocks();
    expect(await rowsOf(candidate)).toEqual(before);
  });

  test('stores the open question and the channel of the candidate', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;
    const [plan] = app.vacancy.plan.questions;
    await app.commit((tx) =>
      tx.query(`update conversation set channel = 'telegram' where id = $1`, [conversationId]),
    );

    await candidate.send('m1', 'Rye.');

    const [row] = await app.commit((tx) =>
      tx.query(
        `select m.question_context, c.channel from message m join conversation c
         on c.id = m.conversation_id where m.conversation_id = $1 and m.role = 'user'`,
        [conversationId],
      ),
    );
    expect(row).toEqual({ question_context: plan?.id, channel: 'web' });
  });

  test.each([
    ['before consent', `consent_accepted = false, status = 'new'`, 'consent_required'],
    ['before it is known who they are', `status = 'new'`, 'profile_required'],
    ['after they declined', `status = 'declined'`, 'conversation_closed'],
    ['after they withdrew', `status = 'withdrawn'`, 'conversation_closed'],
  ])('stores nothing %s', async (_when, state, code) => {
    const candidate = await TestCandidate.begin(app);
    await app.commit((tx) =>
      tx.query(`update conversation set ${state} where id = $1`, [candidate.conversationId]),
    );
    const before = await rowsOf(candidate);

    const refused = await candidate.send('m1', 'Rye.');

    expect(((await refused.json()) as { code: string }).code).toBe(code);
    expect(await rowsOf(candidate)).toEqual(before);
  });
});

test('a message that is stored already is found after the end of the interview, and changes nothing', async () => {
  const candidate = await TestCandidate.begin(app);
  const { conversationId } = candidate;
  const stored: unknown = await (await candidate.send('m1', 'Rye.')).json();
  await app.commit((tx) =>
    tx.query(`update conversation set status = 'withdrawn', channel = 'telegram' where id = $1`, [
      conversationId,
    ]),
  );
  const before = await rowsOf(candidate);

  const again = await candidate.send('m1', 'Rye.');

  expect(again.status).toBe(202);
  expect(await again.json()).toEqual(stored);
  expect(await rowsOf(candidate)).toEqual(before);
});

/** Everything that an append writes. */
async function rowsOf({ conversationId }: TestCandidate): Promise<unknown> {
  return app.commit(async (tx) => ({
    conversation: await tx.query(
      `select last_seq, sent_messages, sent_chars, channel from conversation where id = $1`,
      [conversationId],
    ),
    messages: await tx.query(`select seq, text from message where conversation_id = $1`, [
      conversationId,
    ]),
    jobs: await tx.query(`select count, chars, due_at from job where key = $1::text`, [
      conversationId,
    ]),
  }));
}
