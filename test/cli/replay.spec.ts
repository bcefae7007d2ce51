import { CandidateRepository } from '../../src/candidates';
import { attentionRig } from '../support/attention';
import { SystemClock } from '../../src/common/clock';
import { DomainEvents } from '../../src/common/events';
import { newId } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { initialState } from '../../src/interview/plan/state';
import { textsOf } from '../../src/interview/texts/texts';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { runCli } from '../support/run-cli';
import { vacancyDraft } from '../support/vacancies';

const clock = new SystemClock();
const { attention } = attentionRig(clock);
let database: TestDatabase<SystemClock>;

beforeEach(async () => {
  database = await openTestDatabase(clock);
});

afterEach(async () => {
  await database.close();
});

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

/** An answer whose job died, and its item. */
async function deadAnswer(tx: Tx): Promise<{ itemId: string; jobId: string }> {
  const { vacancy } = await new VacancyRepository(clock, new DomainEvents()).upsert(
    tx,
    vacancyDraft(),
  );
  const { id: candidateId } = await new CandidateRepository(clock).create(tx);
  const conversationId = newId();
  await new ConversationRepository(clock, new DomainEvents()).create(tx, {
    id: conversationId,
    vacancyId: vacancy.id,
    candidateId,
    invitationId: null,
    language: 'en',
    plan: vacancy.plan,
    state: {},
  });
  const [job] = await tx.query<{ id: string }>(
    `insert into job (queue, key, state, first_at, failures, ended_at)
     values ('flush', $1, 'dead', clock_timestamp(), 3, clock_timestamp()) returning id`,
    [conversationId],
  );
  const jobId = job?.id ?? '';
  const subject = `job:${jobId}`;
  await attention.raise(tx, { kind: 'dead', subject, conversationId, jobId, reason: 'failed' });
  const [item] = await attention.list(tx);
  return { itemId: item?.id ?? '', jobId };
}

test('attention replay makes a dead answer due again and closes its item', async () => {
  const { itemId, jobId } = await inCommit(deadAnswer);

  const run = await runCli(['attention', 'replay', itemId, '--by', 'Nora'], {
    DATABASE_URL: database.url,
  });

  expect(run).toMatchObject({ code: 0, err: '' });
  const item = await inCommit((tx) => attention.get(tx, itemId));
  expect(item).toMatchObject({ closedBy: 'Nora', resolution: 'replayed' });
  const [job] = await inCommit((tx) =>
    tx.query<{ live: boolean }>('select due_at is not null as live from job where id = $1', [
      jobId,
    ]),
  );
  expect(job).toEqual({ live: true });
});

test('attention replay approves a board that the brake held back', async () => {
  const userId = newId();
  const id = await inCommit(async (tx) => {
    await attention.raise(tx, { kind: 'braked', subject: `board:${userId}`, reason: 'much' });
    return (await attention.list(tx))[0]?.id ?? '';
  });

  const run = await runCli(['attention', 'replay', id], { DATABASE_URL: database.url });

  expect(run).toMatchObject({ code: 0, err: '' });
  const due = await inCommit((tx) =>
    tx.query('select key from job join notion_board_approval on user_id = key where queue = $1', [
      'notion-sync',
    ]),
  );
  expect(due).toEqual([{ key: userId }]);
});

test('attention replay refuses what can only be closed', async () => {
  const id = await inCommit(async (tx) => {
    await attention.raise(tx, { kind: 'handed_over', subject: 'conversation:1', reason: 'asked' });
    return (await attention.list(tx))[0]?.id ?? '';
  });

  const run = await runCli(['attention', 'replay', id], { DATABASE_URL: database.url });

  expect(run).toEqual({ code: 1, out: '', err: 'an item "handed_over" can only be closed\n' });
});

test.each([
  ['with the token of the bot', '1:token'],
  ['without it, as the command sends nothing itself', ''],
])(
  'attention reply %s leaves a message for the bot, and return lets the interview go on',
  async (_how, token) => {
    const { itemId, conversationId } = await inCommit(async (tx) => {
      const { itemId: id } = await deadAnswer(tx);
      const { conversationId: of } = await attention.get(tx, id);
      await tx.query(
        `update conversation set state = $2, status = 'active', channel = 'telegram',
         consent_version = '1', consent_accepted = true, consent_at = now() where id = $1`,
        [of, JSON.stringify(initialState(vacancyDraft().plan))],
      );
      await tx.query(
        `insert into telegram_account (user_id, conversation_id, language) values (77, $1, 'en')`,
        [of],
      );
      return { itemId: id, conversationId: of };
    });
    const env = {
      DATABASE_URL: database.url,
      TELEGRAM_BOT_TOKEN: token,
      TELEGRAM_WEBHOOK_SECRET: '',
    };

    const run = await runCli(['attention', 'reply', itemId, '--text', 'Friday at ten?'], env);

    expect(run).toEqual({
      code: 0,
      out: `The message is stored, and the interview pauses until you return it:\n  ./colloquy attention return ${itemId} --by NAME\n`,
      err: '',
    });
    expect(
      await inCommit((tx) =>
        tx.query(
          `select d.chat, d.state, d.kind, coalesce(d.plain, d.text) as plain, c.owner, c.status
         from delivery d join conversation c on c.id = d.conversation_id
         where c.id = $1`,
          [conversationId],
        ),
      ),
    ).toEqual([
      {
        chat: '77',
        state: 'pending',
        kind: 'notice',
        plain: `${textsOf('en').fromPerson}\n\nFriday at ten?`,
        owner: 'person',
        status: 'handed_over',
      },
    ]);
    const by = ['--by', 'Nora'];
    const open = await runCli(['attention', 'return', itemId, ...by], env);
    expect(open).toEqual({
      code: 0,
      out: `The interview goes on; item ${itemId} stays open.\n`,
      err: '',
    });
    const handedOverId = await inCommit(async (tx) => {
      const subject = `conversation:${conversationId}`;
      await attention.raise(tx, { kind: 'handed_over', subject, conversationId, reason: 'asked' });
      return (await attention.list(tx)).at(-1)?.id ?? '';
    });
    const text = ['--text', 'And on Monday?', '--json'];
    const again = await runCli(['attention', 'reply', handedOverId, ...text], env);
    const closed = await runCli(['attention', 'return', handedOverId, ...by, '--json'], env);
    const twice = await runCli(['attention', 'return', handedOverId, ...by], env);
    const item = { id: handedOverId, conversationId, kind: 'handed_over' };
    expect(JSON.parse(again.out)).toMatchObject({ ...item, closedAt: null });
    expect(JSON.parse(closed.out)).toMatchObject({
      ...item,
      closedBy: 'Nora',
      resolution: 'returned by Nora',
    });
    expect(twice).toMatchObject({
      code: 1,
      err: 'The interviewer has this interview already: nothing is to be returned.\n',
    });
  },
);
