import { DataSource, type QueryRunner } from 'typeorm';
import { TurnOpening } from '../../src/interview/turn/turn-opening';
import { TurnRepository } from '../../src/interview/turn/turn.repository';
import { until } from '../support/model-calls';
import type { InterviewProcess } from './interview-process';
import { LEASE_MS, TurnFixture, words } from './turn-fixture';

/** The one lock order of a turn's commits, and their fence. */

let fixture: TurnFixture;
let other: InterviewProcess;
let holder: QueryRunner;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
});
beforeEach(() => {
  holder = fixture.main.get(DataSource).createQueryRunner();
});
afterEach(async () => {
  jest.restoreAllMocks();
  fixture.model.release();
  await fixture.main.settled();
  if (holder.isTransactionActive) await holder.rollbackTransaction();
  await holder.release();
});
afterAll(() => fixture.close());

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half',
  rest: ' and the rest."}',
} as const;

async function holdConversation(id: string): Promise<void> {
  await holder.startTransaction();
  await holder.query('select 1 from conversation where id = $1 for no key update', [id]);
}

async function untilSomebodyWaits(): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    const waiting = await fixture.sql(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
  }
  throw new Error('nobody waits for a lock');
}

/** Whether nobody holds the row of the conversation's job. */
async function isJobFree(id: string): Promise<boolean> {
  const rows = await fixture.sql(
    `select 1 from job where queue = 'flush' and key = $1 for update skip locked`,
    [id],
  );
  return rows.length === 1;
}

/** Whether the job stays free while `work` waits for the conversation, which is held. */
async function isJobFreeDuring(id: string, work: () => Promise<unknown>): Promise<boolean> {
  await holdConversation(id);
  const done = work();
  await untilSomebodyWaits();
  const isFree = await isJobFree(id);
  await holder.rollbackTransaction();
  await done;
  return isFree;
}

describe('takes the conversation first and the job second:', () => {
  test('turn.open', async () => {
    const candidate = await fixture.candidate();
    await candidate.say(words());
    fixture.pause();

    expect(await isJobFreeDuring(candidate.id, () => fixture.main.work())).toBe(true);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }]);
  });

  test('turn.close', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === 'Half');
    const close = (): Promise<void> => {
      fixture.model.release();
      return fixture.main.settled();
    };

    expect(await isJobFreeDuring(candidate.id, close)).toBe(true);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  });

  test('the death of an answer', async () => {
    const candidate = await fixture.candidate();
    const bufferId = await candidate.say(words());
    await fixture.sql(
      `update job set state = 'running', claim_no = 1, failures = 5, due_at = $2 where id = $1`,
      [bufferId, fixture.clock.now()],
    );

    expect(await isJobFreeDuring(candidate.id, () => fixture.main.work())).toBe(true);

    expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  });

  test.each(['stop', 'withdraw', 'askForPerson'] as const)('%s', async (what) => {
    const candidate = await fixture.candidate();
    await candidate.say(words());

    expect(await isJobFreeDuring(candidate.id, () => candidate[what]())).toBe(true);

    fixture.pause();
    await fixture.main.work();
  });
});

test('a withdrawal that commits while turn.open waits for it is seen: nobody is asked', async () => {
  const candidate = await fixture.candidate();
  const asked = fixture.model.requests.length;
  await candidate.say(words());
  fixture.pause();
  await holdConversation(candidate.id);
  await holder.query(`update conversation set status = 'withdrawn' where id = $1`, [candidate.id]);

  await fixture.main.pass();
  await untilSomebodyWaits();
  await holder.commitTransaction();
  await fixture.main.settled();

  expect(fixture.model.requests).toHaveLength(asked);
  expect(await candidate.replies()).toEqual([]);
});

describe('a claim that another one follows', () => {
  test('before turn.open opens nothing and asks nobody', async () => {
    const candidate = await fixture.candidate();
    const asked = fixture.model.requests.length;
    await candidate.say(words());
    fixture.pause();
    const opening = fixture.main.get(TurnOpening);
    const open = opening.open.bind(opening);
    jest.spyOn(opening, 'open').mockImplementationOnce(async (tx, flush) => {
      await fixture.sql('update job set claim_no = claim_no + 1 where id = $1', [flush.bufferId]);
      return open(tx, flush);
    });

    await fixture.main.work();

    expect(await candidate.turns()).toEqual([]);
    expect(fixture.model.requests).toHaveLength(asked);
  });

  test('between turn.open and the call asks nobody', async () => {
    const candidate = await fixture.candidate();
    const asked = fixture.model.requests.length;
    await candidate.say(words());
    fixture.pause();
    const { live } = fixture.main;
    const begin = live.begin.bind(live);
    jest.spyOn(live, 'begin').mockImplementationOnce((origin, claim) => {
      fixture.clock.advance(LEASE_MS);
      return begin(origin, claim);
    });

    await fixture.main.work();
    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.attempts()).toEqual(['aborted']);

    await other.work();
    expect(await candidate.replies()).toHaveLength(1);
  });

  test('cannot take it during turn.close', async () => {
    const candidate = await fixture.candidate();
    const turns = fixture.main.get(TurnRepository);
    const answer = turns.answer.bind(turns);
    const free: boolean[] = [];
    jest.spyOn(turns, 'answer').mockImplementationOnce(async (...of) => {
      free.push(await isJobFree(candidate.id));
      return answer(...of);
    });

    await candidate.answer(words());

    expect(free).toEqual([false]);
  });
});

test('a turn has the step at which it was opened, not that at which its message was written', async () => {
  const candidate = await fixture.candidate();
  fixture.model.next({
    kind: 'hold',
    content: '{"verdict":"answered","text":"Thank',
    rest: ' you."}',
  });
  await candidate.start(fixture.main, words());
  await candidate.say(words());
  fixture.model.release();
  await fixture.main.settled();

  fixture.pause();
  await fixture.main.work();

  expect(await candidate.turns()).toMatchObject([{ interview_step: 0 }, { interview_step: 1 }]);
});
