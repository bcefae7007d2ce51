import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { migrate } from '../../src/persistence';
import { MIGRATIONS } from '../../src/persistence/data-source';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

/** Columns that triggers set for lists (functions/note_listed_facts.sql), against what the other tables say. */

const DIFFERENT = `
select 'conversation' as row from conversation c
where is_scored <> exists (select from score_run where conversation_id = c.id and state = 'done')
  or is_decided <> exists (select from decision where candidate_id = c.candidate_id)
union all
select 'invitation' from invitation i
where is_opened <> exists (select from conversation
  where candidate_id = i.candidate_id and vacancy_id = i.vacancy_id)`;

const VACANCY = randomUUID();
const OTHER_VACANCY = randomUUID();
const PEOPLE = [randomUUID(), randomUUID(), randomUUID()];

let url: string;
let drop: () => Promise<void>;
let one: Client;
let two: Client;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  [one, two] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await Promise.all([one.connect(), two.connect()]);
});
afterEach(async () => {
  await Promise.all([one.end(), two.end()]);
  await drop();
});

async function fill(client: Client): Promise<void> {
  await client.query('truncate vacancy, candidate cascade');
  for (const [id, slug] of [
    [VACANCY, 'one'],
    [OTHER_VACANCY, 'two'],
  ]) {
    await client.query(
      `insert into vacancy (id, slug, title, language, company, owner, plan, open_token)
       values ($1, $2, $2, 'en', 'Acme', '{}', '{}', $2)`,
      [id, slug],
    );
  }
  for (const id of PEOPLE) await client.query('insert into candidate (id) values ($1)', [id]);
}

const INTERVIEW = `insert into conversation (id, vacancy_id, candidate_id, language, plan, state)
  values (gen_random_uuid(), $1, $2, 'en', '{}', '{}')`;
const INVITATION = `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
  values (gen_random_uuid(), $1, $2, gen_random_uuid(), now())`;
const DECISION = `insert into decision (candidate_id, decided_by, reason, decided_at)
  values ($1, 'Nora', 'A reason.', now())`;
const RUN = `insert into score_run (id, conversation_id, state, started_at)
  select gen_random_uuid(), id, $2, now() from conversation where candidate_id = $1
  and not exists (select from score_run where conversation_id = conversation.id and state = 'running')`;
const OF_PERSON = '(select id from conversation where candidate_id = $1)';

/** What happens to a person: a statement, whose first parameter is the person unless it says more. */
const STEPS: readonly { text: string; values?: (person: string) => unknown[] }[] = [
  { text: INTERVIEW, values: (person) => [VACANCY, person] },
  { text: INTERVIEW, values: (person) => [OTHER_VACANCY, person] },
  { text: INVITATION, values: (person) => [VACANCY, person] },
  { text: INVITATION, values: (person) => [OTHER_VACANCY, person] },
  { text: DECISION },
  { text: 'delete from decision where candidate_id = $1' },
  { text: RUN, values: (person) => [person, 'running'] },
  { text: RUN, values: (person) => [person, 'done'] },
  { text: `update score_run set state = 'done' where conversation_id in ${OF_PERSON}` },
  { text: `update score_run set state = 'failed' where conversation_id in ${OF_PERSON}` },
  { text: `delete from score_run where conversation_id in ${OF_PERSON}` },
  {
    text: `update conversation set candidate_id = $2 where candidate_id = $1`,
    values: (person) => [person, PEOPLE[0]],
  },
];

test('say what the other tables say, whatever happens in whatever order', async () => {
  const step = fc.record({
    step: fc.constantFrom(...STEPS),
    person: fc.constantFrom(...PEOPLE),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      await fill(one);
      for (const {
        step: { text, values = (of: string) => [of] },
        person,
      } of steps) {
        await one.query(text, values(person));
        expect([text, (await one.query(DIFFERENT)).rows]).toEqual([text, []]);
      }
    }),
    { numRuns: 30 },
  );
});

const [PERSON = ''] = PEOPLE;

const RACES: readonly [string, readonly [string, unknown[]], readonly [string, unknown[]]][] = [
  ['a decision, while an interview begins', [DECISION, [PERSON]], [INTERVIEW, [VACANCY, PERSON]]],
  ['an interview begins, during a decision', [INTERVIEW, [VACANCY, PERSON]], [DECISION, [PERSON]]],
  [
    'a new invitation, while the interview begins',
    [INVITATION, [VACANCY, PERSON]],
    [INTERVIEW, [VACANCY, PERSON]],
  ],
  [
    'an interview begins, while the invitation is issued again',
    [INTERVIEW, [VACANCY, PERSON]],
    [INVITATION, [VACANCY, PERSON]],
  ],
  [
    'scores are deleted, while others are made',
    [`delete from score_run where conversation_id in ${OF_PERSON}`, [PERSON]],
    [RUN, [PERSON, 'done']],
  ],
];

test.each(RACES)('hold in a race: %s', async (_name, first, second) => {
  await fill(one);
  if (second[0] === RUN) {
    await one.query(INTERVIEW, [VACANCY, PERSON]);
    await one.query(RUN, [PERSON, 'done']);
  }
  await one.query('begin');
  await one.query(...asArguments(first));
  const [{ pid } = { pid: 0 }] = (
    await two.query<{ pid: number }>('select pg_backend_pid() as pid')
  ).rows;
  const later = two.query(...asArguments(second));
  // It waits for the first one, or is done with it.
  for (let isWaiting = false; !isWaiting;) {
    const [row] = await rowsOf<{ isWaiting: boolean }>(
      url,
      `select state = 'idle' or wait_event_type = 'Lock' as "isWaiting" from pg_stat_activity where pid = $1`,
      [pid],
    );
    isWaiting = row?.isWaiting === true;
  }
  await one.query('commit');
  await later;

  expect((await one.query(DIFFERENT)).rows).toEqual([]);
});

function asArguments([text, values]: readonly [string, unknown[]]): [string, unknown[]] {
  return [text, values];
}

test('are right for rows of before', async () => {
  const at = MIGRATIONS.findIndex(({ name }) => name.startsWith('ListedFacts'));
  await rowsOf(url, 'drop schema public cascade; create schema public');
  await migrate(url, { migrations: MIGRATIONS.slice(0, at) });
  await fill(one);
  for (const person of PEOPLE.slice(1)) {
    await one.query(INVITATION, [VACANCY, person]);
    await one.query(INVITATION, [OTHER_VACANCY, person]);
    await one.query(INTERVIEW, [VACANCY, person]);
  }
  await one.query(DECISION, [PEOPLE[1]]);
  await one.query(RUN, [PEOPLE[2], 'done']);

  await migrate(url);

  expect((await one.query(DIFFERENT)).rows).toEqual([]);
  expect(
    (await one.query('select is_scored, is_decided from conversation order by 1')).rows,
  ).toEqual([
    { is_scored: false, is_decided: true },
    { is_scored: true, is_decided: false },
  ]);
});
