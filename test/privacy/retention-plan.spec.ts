import type { Tx } from '../../src/common/uow';
import { RetentionRepository } from '../../src/privacy';
import { blocksReadBy } from '../support/blocks-read';
import { startTestApp, type TestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';

const MESSAGES = 5000;
const CANDIDATES = 5000;
/** Triggers run for each: all in one statement would take too long on a busy machine. */
const PIECE = 1000;

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
  for (let added = 0; added < CANDIDATES; added += PIECE) {
    await app.sql(
      `with person as (
         insert into candidate (id, name) select gen_random_uuid(), 'Ada'
         from generate_series(1, ${String(PIECE)}) returning id)
       insert into conversation (id, vacancy_id, candidate_id, language, plan, state, consent_accepted)
       select gen_random_uuid(), c.vacancy_id, p.id, c.language, c.plan, c.state, true
       from person p, conversation c where c.id = $1`,
      [conversationId],
    );
  }
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

test('candidates who agreed are not read to find those who never did', async () => {
  await TestCandidate.arrive(app);
  await app.sql(`update candidate set created_at = now() - interval '40 days'`);
  await app.sql('vacuum analyze candidate, conversation');
  const of = { keptDays: 30, limit: 50 };

  const blocks = await blocksReadBy(
    (text, values) => app.sql(text, values),
    (tx) => app.get(RetentionRepository).listCandidates(tx, 'not_started', of),
  );

  expect(await app.sql('select 1 from candidate where not has_agreed')).toHaveLength(1);
  expect(blocks).toBeLessThan(50);
});

test('a candidate has agreed as long as one of their interviews has', async () => {
  const { conversationId } = await TestCandidate.begin(app);
  const other = await TestCandidate.begin(app);
  const agreed = async (id: string): Promise<unknown> =>
    app.sql(
      `select c.has_agreed as "hasAgreed" from candidate c join conversation v on v.candidate_id = c.id
       where v.id = $1`,
      [id],
    );
  expect(await agreed(conversationId)).toEqual([{ hasAgreed: true }]);

  await app.sql(
    `update conversation set candidate_id = (select candidate_id from conversation where id = $1)
     where id = $2`,
    [other.conversationId, conversationId],
  );
  await app.sql('update conversation set consent_accepted = false where id = $1', [conversationId]);
  expect(await agreed(other.conversationId)).toEqual([{ hasAgreed: true }]);

  await app.sql('update conversation set consent_accepted = false where id = $1', [
    other.conversationId,
  ]);
  expect(await agreed(other.conversationId)).toEqual([{ hasAgreed: false }]);
  expect(
    await app.sql('select 1 from candidate where has_agreed and name = $1', ['Ada']),
  ).toHaveLength(CANDIDATES + 1);
});
