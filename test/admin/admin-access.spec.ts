import { randomUUID } from 'node:crypto';
import { hashToken } from '../../src/common/ids';
import { AuditSweep } from '../../src/privacy';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { FakeClock } from '../../tools/support/fake-clock';
import { runCli } from '../support/run-cli';
import { ADMIN_TOKEN } from '../support/secrets';

const NORA = 'noras-own-token-of-the-tests-0123456789';

describe('the admin API', () => {
  const clock = new FakeClock();
  let app: TestApp;

  beforeAll(async () => {
    const env = { ADMIN_TOKEN, ADMIN_TOKENS: `nora:${NORA},marina:${'m'.repeat(32)}` };
    app = await startTestApp({ clock, isWorking: false, env });
  });

  afterAll(() => app.close());

  function admin(path: string, token: string, method = 'GET'): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${app.url}/api/v1/admin/${path}`, { method, headers });
  }

  /** The audit rows of this subject, oldest first. */
  async function audited(subjectId: string): Promise<string[]> {
    const rows = await app.commit((tx) =>
      tx.query<{ said: string }>(
        `select actor || ': ' || action as said from audit_event
         where subject_hash = $1 order by id`,
        [hashToken(subjectId)],
      ),
    );
    return rows.map(({ said }) => said);
  }

  async function candidateIdOf(candidate: TestCandidate): Promise<string> {
    const [row] = await app.commit((tx) =>
      tx.query<{ id: string }>('select candidate_id as id from conversation where id = $1', [
        candidate.conversationId,
      ]),
    );
    return row?.id ?? '';
  }

  test('old audit rows are deleted, a bounded number in one run', async () => {
    const sweep = app.get(AuditSweep);
    const note = (count: number, days: string) =>
      app.commit((tx) =>
        tx.query(
          `insert into audit_event (at, actor, action, subject_hash)
           select $1::timestamptz - $2::interval, 'nora', 'file.read', $3
           from generate_series(1, $4)`,
          [clock.now(), days, hashToken(days), count],
        ),
      );
    await note(20_500, '400 days 1 second');
    await note(1, '399 days 23 hours');

    const passes = [await sweep.run(), await sweep.run(), await sweep.run()];

    expect(passes).toEqual([20_000, 500, 0]);
    expect(await audited('399 days 23 hours')).toEqual(['nora: file.read']);
  });

  test('notes who read an interview, by the name of the token', async () => {
    const candidate = await TestCandidate.arrive(app);
    const { conversationId: id } = candidate;

    await admin(`conversations/${id}/transcript`, NORA);
    await admin(`conversations/${id}/voices`, ADMIN_TOKEN);
    const watching = await admin(`conversations/${id}/events`, NORA);
    await watching.body?.cancel();
    const run = await runCli(['transcript', id], { DATABASE_URL: app.databaseUrl });

    expect(run.err).toBe('');
    expect(await audited(id)).toEqual([
      'nora: transcript.read',
      'ADMIN_TOKEN: recording.list',
      'nora: transcript.watch',
      'command line: transcript.read',
    ]);
  });

  test('notes nothing where nothing was read', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';

    const responses = [
      await admin(`conversations/${unknown}/transcript`, NORA),
      await admin(`conversations/${unknown}/events`, NORA),
    ];

    expect(responses.map(({ status }) => status)).toEqual([404, 404]);
    expect(await audited(unknown)).toEqual([]);
  });

  test("notes who erased, without the person's name or words", async () => {
    const [byNora, byCommand, byThemselves] = [
      await TestCandidate.begin(app),
      await TestCandidate.begin(app),
      await TestCandidate.begin(app),
    ];
    const ids = [
      await candidateIdOf(byNora),
      await candidateIdOf(byCommand),
      await candidateIdOf(byThemselves),
    ] as const;

    await admin(`candidates/${ids[0]}/erase`, NORA, 'POST');
    const run = await runCli(['candidate', 'erase', ids[1], '--yes'], {
      DATABASE_URL: app.databaseUrl,
    });
    await byThemselves.post('forget', { confirm: 'erase' });

    expect(run.code).toBe(0);
    expect(await Promise.all(ids.map((id) => audited(id)))).toEqual([
      ['nora: candidate.erase'],
      ['command line: candidate.erase'],
      ['candidate: candidate.erase'],
    ]);
    const rows = await app.commit((tx) => tx.query('select * from audit_event'));
    for (const needle of [...ids, 'Ada', 'ada@example.org']) {
      expect(JSON.stringify(rows)).not.toContain(needle);
    }
  });

  test('notes who wrote to a candidate and who returned the interview, without the text', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId: id } = candidate;
    await candidate.post('human');
    const [row] = await app.commit((tx) =>
      tx.query<{ id: string }>('select id from attention where conversation_id = $1', [id]),
    );
    const item = row?.id ?? '';
    const act = async (what: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${NORA}`, 'content-type': 'application/json' };
      const url = `${app.url}/api/v1/admin/attention/${item}/${what}`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    const env = { DATABASE_URL: app.databaseUrl };
    const text = 'Shall we talk on Friday?';

    const byNora = [await act('reply', { text }), await act('return', { by: 'Nora Lind' })];
    const refused = await act('return', { by: 'Nora Lind' });
    const command = ['attention', 'reply', item, '--text', text];
    const replied = await runCli(command, env);
    const returned = await runCli(['attention', 'return', item, '--by', 'Nora Lind'], env);

    expect([...byNora, refused, replied.code, returned.code]).toEqual([200, 200, 409, 0, 0]);
    expect(await audited(id)).toEqual([
      'nora: attention.reply',
      'nora: attention.return',
      'command line: attention.reply',
      'command line: attention.return',
    ]);
    const rows = await app.commit((tx) => tx.query('select * from audit_event'));
    for (const needle of [id, text, 'Nora Lind'])
      expect(JSON.stringify(rows)).not.toContain(needle);
    const messageId = randomUUID();
    await act('reply', { text, id: messageId });
    await runCli([...command, '--message-id', messageId], env);
    const sent = await app.sql(
      `select 1 from message where conversation_id = $1 and external_id = $2`,
      [id, `person:${messageId}`],
    );
    const all = await app.sql(`select 1 from message where conversation_id = $1 and from_person`, [
      id,
    ]);
    expect([sent.length, all.length]).toEqual([1, 3]);
  });

  test('refuses an address that sends ten wrong tokens in a minute, and never logs one', async () => {
    const other = await startTestApp({ clock, isWorking: false, env: { ADMIN_TOKEN } });
    try {
      const guess = async (token: string): Promise<number> => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${other.url}/api/v1/admin/attention`, { headers })).status;
      };
      const statuses: number[] = [];
      for (let n = 0; n < 11; n += 1) statuses.push(await guess(`guessed-${String(n)}`));

      expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
      expect(await guess(ADMIN_TOKEN)).toBe(429);
      clock.advance(60_000);
      expect(await guess(ADMIN_TOKEN)).toBe(200);
      expect(other.log.lines.filter((line) => line.includes('wrong secret'))).toHaveLength(1);
      expect(other.log.lines.join('\n')).not.toContain('guessed');
    } finally {
      await other.close();
    }
  });
});
