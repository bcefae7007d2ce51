import { AnswerStatusReader, type AwaitedReply } from '../../../src/interview';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { rowsOf } from '../../support/outside';

const LABEL = 'colloquy_uow_commits_total{label="answer.status",outcome="committed"}';

const OLDER = '00000000-0000-7000-8000-000000000001';
const MINE = '00000000-0000-7000-8000-000000000002';

/** Each status of an answer is made by statements: no model and no worker runs. */
describe('chat requests that wait for replies', () => {
  let app: TestApp;
  let statuses: AnswerStatusReader;

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
    statuses = app.get(AnswerStatusReader);
  });

  afterAll(() => app.close());

  async function waiting(): Promise<Required<AwaitedReply>> {
    const candidate = await TestCandidate.begin(app);
    await candidate.send('m1', 'Rye.');
    const { conversationId } = candidate;
    const [row] = await rowsOf<{ answerId: string }>(
      app.databaseUrl,
      `update message set chat_id = 'chat', request_id = $2
       where conversation_id = $1 and role = 'user' returning answer_id as "answerId"`,
      [conversationId, MINE],
    );
    const answerId = row?.answerId ?? '';
    return { conversationId, answerId, chatId: 'chat', requestId: MINE };
  }

  /** The answer's turn as `changes` say. */
  function turn(of: AwaitedReply, reply: { text: string | null; mergedInto?: string }) {
    return rowsOf<{ id: string }>(
      app.databaseUrl,
      `insert into turn (answer_id, conversation_id, interview_step, channel, state,
         message_count, reply_message_id, reply_text, started_at, merged_into)
       values ($1::bigint, $2, 0, 'web', $4, 1, gen_random_uuid(), $3, now(), $5)
       returning id`,
      [
        of.answerId,
        of.conversationId,
        reply.text,
        reply.mergedInto === undefined ? 'delivered' : 'merged',
        reply.mergedInto ?? null,
      ],
    );
  }

  function line(of: AwaitedReply, text: string) {
    return rowsOf(
      app.databaseUrl,
      `with numbered as (update conversation set last_seq = last_seq + 1 where id = $1
         returning last_seq)
       insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       select u.reply_message_id, $1, last_seq, 'assistant', 'code', 'reply', $2, now()
       from numbered, turn u where u.answer_id = $3`,
      [of.conversationId, text, of.answerId],
    );
  }

  async function commits(): Promise<number> {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const found = metrics.split('\n').find((one) => one.startsWith(LABEL));
    return Number(found?.split(' ').at(-1) ?? 0);
  }

  test('read the status of all their answers in one commit', async () => {
    const pending = await waiting();
    const replied = await waiting();
    const merged = await waiting();
    const stopped = await waiting();
    const newer = await waiting();
    const dead = await waiting();
    const [{ id } = { id: '' }] = await turn(replied, { text: 'Thanks.' });
    await line(replied, 'Thanks.');
    await turn(merged, { text: null, mergedInto: id });
    await turn(stopped, { text: '' });
    await rowsOf(app.databaseUrl, `update job set state = 'dead' where id = $1`, [dead.answerId]);
    const before = await commits();

    const told = await Promise.all(
      [
        pending,
        replied,
        merged,
        stopped,
        { ...newer, requestId: OLDER },
        { conversationId: newer.conversationId, answerId: newer.answerId },
        dead,
      ].map((answer) => statuses.readShared(answer)),
    );

    expect(told.map(({ kind }) => kind)).toEqual([
      'pending',
      'replied',
      'replied',
      'stopped',
      'superseded',
      'pending',
      'givenUp',
    ]);
    expect(told[2]).toMatchObject({ text: 'Thanks.', isPartial: false });
    expect((await commits()) - before).toBe(1);
  });
});
