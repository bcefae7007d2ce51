import { LONG_ANSWER } from '../../src/buffer/answer-pace';
import { Client } from 'pg';
import { textsOf } from '../../src/interview/texts/texts';
import { TestCandidate } from '../support/candidate';
import { flushJob, makeDue, repliesOf, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { until } from '../support/until';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

const LONG_CHARS = LONG_ANSWER.chars;
/** Any number that nothing else locks. */
const GATE = 1_700_001;
/** Holds the commit of the sign while somebody holds the lock. */
const GATES = `
create function wait_at_gate() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${String(GATE)});
  return new;
end $$;
create trigger gate before insert on message for each row
  when (new.external_id like 'reading:%') execute function wait_at_gate();`;

let databaseUrl: string;
let gate: Client;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  gate = new Client({ connectionString: databaseUrl, application_name: 'colloquy-test-gate' });
  await gate.connect();
});

afterAll(async () => {
  await ServerProcess.killAll();
  await gate.end();
  await drop();
});

function jobsOf({ conversationId }: TestCandidate): Promise<{ state: string }[]> {
  return rowsOf(
    databaseUrl,
    `select state from job where queue = 'long-answer' and key = $1 order by id`,
    [conversationId],
  );
}

async function signsOf(candidate: TestCandidate): Promise<number> {
  const { messages } = await candidate.view();
  return messages.filter(({ text }) => text === textsOf('en').readingAlong).length;
}

test('after kill -9 between a long answer and its sign, the next process sends the sign once', async () => {
  const env = {
    DATABASE_URL: databaseUrl,
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '60',
  };
  const killed = await ServerProcess.serve(env);
  const candidate = await TestCandidate.begin(killed.host);
  await gate.query(GATES);
  await gate.query('select pg_advisory_lock($1)', [GATE]);

  const sent = await candidate.send('a', 'I bake bread. '.repeat(LONG_CHARS / 10));
  await until('the process is about to store the sign', async () => {
    const waiting = await rowsOf(
      databaseUrl,
      `select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    );
    return waiting.length > 0;
  });
  killed.signal('SIGKILL');
  expect(await killed.exited).toBe('SIGKILL');
  await gate.query('select pg_advisory_unlock_all()');
  const jobsAtKill = await jobsOf(candidate);

  const survivor = await ServerProcess.serve(env);
  const returned = candidate.at(survivor.host);
  await until('the sign is sent', async () => (await signsOf(returned)) > 0);
  await returned.send('b', 'And rye on Sundays.');
  await until('no job of a sign is left', async () =>
    (await jobsOf(candidate)).every(({ state }) => state === 'done'),
  );

  expect(sent.status).toBe(202);
  expect(jobsAtKill).toEqual([{ state: 'running' }]);
  expect(await flushJob(databaseUrl, candidate.conversationId)).toMatchObject({ state: 'open' });
  await makeDue(databaseUrl);
  await returned.waitFor((view) => view.interviewStep === 1 && !view.replying);
  expect(await signsOf(returned)).toBe(1);
  expect(await repliesOf(databaseUrl, candidate.conversationId)).toHaveLength(1);
  expect(await survivor.stop()).toBe(0);
  expect(survivor.err).toBe('');
});
