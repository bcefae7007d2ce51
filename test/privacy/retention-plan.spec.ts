import type { Tx } from '../../src/common/uow';
import { RetentionRepository } from '../../src/privacy';
import { startTestApp, type TestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';

const MESSAGES = 5000;
const CANDIDATES = 5000;

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp({ isWorking: false });
  const { conversationId } = await TestCandidate.begin(app);
  await app.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
     select gen_random_uuid(), $1, 1000 + n, 'user', 'web', 'n' || n, 'Rye.', now() - interval '90 days'
     from generate_series(1, ${String(MESSAGES)}) n`,
    [conversationId],
  );
  await app.sql(
    `with person as (
       insert into candidate (id, name) select gen_random_uuid(), 'Ada'
       from generate_series(1, ${String(CANDIDATES)}) returning id)
     insert into conversation (id, vacancy_id, candidate_id, language, plan, state, consent_accepted)
     select gen_random_uuid(), c.vacancy_id, p.id, c.language, c.plan, c.state, true
     from person p, conversation c where c.id = $1`,
    [conversationId],
  );
  await app.sql(
    `insert into voice (message_id, state, mime_type, size_bytes, bytes)
     select id, 'heard', 'audio/ogg', 3, 'abc' from message where external_id in ('n7', 'n8')`,
  );
  await app.sql('analyze message, voice, file, candidate, conversation');
});
afterEach(() => app.close());

/** The plan of the statement that counts what is due. */
async function planOf(
  due: 'media' | 'transcript' | 'not_started',
  keptDays: number,
): Promise<string> {
  let plan = '';
  const explaining = {
    async query(text: string, values: unknown[]) {
      const rows = await app.sql<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    },
  } as unknown as Tx;
  await app.get(RetentionRepository).count(explaining, due, keptDays);
  return plan;
}

test('old recordings are found without reading all messages', async () => {
  const plan = await planOf('media', 60);

  expect(plan).toContain('voice');
  expect(plan).not.toMatch(/Seq Scan on message\b/);
});

test('old interviews are found without reading all candidates', async () => {
  const plan = await planOf('transcript', 180);

  expect(plan).toContain('candidate_created');
  expect(plan).not.toMatch(/Seq Scan on candidate\b/);
});

test('the last messages of candidates who agreed are not read to find those who never did', async () => {
  await app.sql(`update candidate set created_at = now() - interval '40 days'`);
  await app.sql('analyze candidate');

  const plan = await planOf('not_started', 30);

  // The condition on the last message is checked above the join that leaves those candidates out.
  const [lastMessage, agreed] = [plan.indexOf('Filter: (due.at <'), plan.indexOf('Anti Join')];
  expect(lastMessage).toBeGreaterThan(-1);
  expect(agreed).toBeGreaterThan(lastMessage);
});
