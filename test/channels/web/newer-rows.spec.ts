import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';

const CHECKS = ['message_content_type_check', 'message_role_check'];

/** In a rolling update the database may hold rows of the next version, with more kinds of messages. */
describe('a message of a kind that this version does not know', () => {
  let app: TestApp;
  let checks: { readonly name: string; readonly text: string }[];

  beforeAll(async () => {
    app = await startTestApp({ clock: new FakeClock(), isWorking: false });
    checks = await app.commit((tx) =>
      tx.query(
        `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
         where conname = any($1::text[])`,
        [CHECKS],
      ),
    );
    await app.commit(async (tx) => {
      for (const { name } of checks) await tx.query(`alter table message drop constraint ${name}`);
    });
  });

  afterAll(async () => {
    await app.commit(async (tx) => {
      await tx.query('delete from message');
      for (const { name, text } of checks) {
        await tx.query(`alter table message add constraint ${name} ${text}`);
      }
    });
    await app.close();
  });

  async function leave(candidate: TestCandidate, kind: string, role: string): Promise<void> {
    await app.commit((tx) =>
      tx.query(
        `with numbered as (
           update conversation set last_seq = last_seq + 1 where id = $1 returning last_seq)
         insert into message (id, conversation_id, seq, role, channel, external_id, content_type,
           text, received_at)
         select gen_random_uuid(), $1, last_seq, $3, 'telegram', gen_random_uuid()::text, $2, '',
           now()
         from numbered`,
        [candidate.conversationId, kind, role],
      ),
    );
  }

  function kindsOf({ conversationId }: TestCandidate): Promise<{ kind: string; role: string }[]> {
    return app.commit((tx) =>
      tx.query(
        `select content_type as kind, role from message where conversation_id = $1 order by seq`,
        [conversationId],
      ),
    );
  }

  test('fails no read of its conversation and stays unchanged', async () => {
    expect(checks.map(({ name }) => name).sort()).toEqual([...CHECKS].sort());
    const candidate = await TestCandidate.begin(app);
    await leave(candidate, 'SKETCH', 'user');
    await leave(candidate, 'SKETCH', 'colleague');
    const before = await kindsOf(candidate);

    const { messages } = await candidate.view();
    const page = await candidate.get('/api/v1/conversation/messages?limit=2');
    const sent = await candidate.send('m1', 'Rye.');

    const neutral = [
      { role: 'user', contentType: 'TEXT', text: '' },
      { role: 'system', contentType: 'TEXT', text: '' },
    ];
    expect(messages.slice(-2)).toMatchObject(neutral);
    expect(((await page.json()) as { messages: object[] }).messages).toMatchObject(neutral);
    expect(sent.status).toBe(202);
    expect((await kindsOf(candidate)).slice(0, before.length)).toEqual(before);
  });
});
