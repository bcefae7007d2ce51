import { DataSource } from 'typeorm';
import { CandidateUnknownError, PersonalDataService } from '../../src/privacy';
import { EventBus, OnEvent, type PayloadOf } from '../../src/common/events';
import type { Tx } from '../../src/common/uow';
import { type Person, PrivacyStage } from './privacy-stage';
import { startOther, live } from '../interview/interview-fixture';

let stage: PrivacyStage;

beforeAll(async () => {
  stage = await PrivacyStage.open();
});
afterEach(() => {
  stage.channel.forget();
});
afterAll(() => stage.close());

/** Fields that the record of an erasure may not hold. */
const WITHOUT_ERASURES = /^(?!(erasure|audit_event) )/;

async function livedThrough(): Promise<Person> {
  const person = await stage.person();
  for (const candidate of person.conversations) await stage.liveThrough(person, candidate);
  return person;
}

test('the export holds every word, name and address of the person, and no hash', async () => {
  const person = await livedThrough();
  const rows = (await stage.rows()).join('\n');

  const exported = JSON.stringify(await stage.export(person));

  const ids = [person.candidateId];
  const told = person.needles.filter((needle) => !ids.includes(needle));
  expect(told.length).toBeGreaterThan(20);
  // Text that an edit replaced is not stored anywhere.
  const stored = told.filter((needle) => rows.includes(needle));
  expect(stored.length).toBeGreaterThan(18);
  expect(stored.filter((needle) => !exported.includes(needle))).toEqual([]);
  const hashes = await stage.app.sql<{ hash: string }>(
    `select token_hash as hash from web_session union select token_hash from invitation
     union select pin_key from invitation where pin_key is not null`,
  );
  expect(hashes.filter(({ hash }) => exported.includes(hash))).toEqual([]);
});

test('the export holds what was stored, in fields with stable names', async () => {
  const person = await livedThrough();

  const exported = await stage.export(person);

  const [conversation] = exported.conversations;
  expect(Object.keys(exported)).toEqual([
    'exportedAt',
    'notes',
    'profile',
    'invitations',
    'conversations',
    'holders',
  ]);
  expect(conversation).toMatchObject({
    company: stage.app.vacancy.company,
    consent: { accepted: true },
    language: 'en',
    status: 'completed',
  });
  const roles = new Set(conversation?.transcript.map(({ role }) => role));
  expect(roles).toEqual(new Set(['user', 'assistant', 'system', 'event']));
  expect(conversation?.transcript.some(({ amendsSeq }) => amendsSeq !== null)).toBe(true);
  expect(conversation?.transcript.some(({ isPartial }) => isPartial)).toBe(true);
  expect(JSON.stringify(conversation?.transcript)).not.toContain('passages');
  expect(conversation?.turns.map(({ verdict }) => verdict)).toContain('question');
  expect(conversation?.modelRequests.map(({ purpose }) => purpose)).toContain('interview');
  expect(conversation?.deliveries.map(({ state }) => state)).toContain('dead');
  expect(conversation?.attention.map(({ kind }) => kind)).toContain('handed_over');
  expect(conversation?.sessions).toHaveLength(1);
  expect(exported.invitations).toHaveLength(1);
});

test('an erasure leaves no row that names or quotes the person', async () => {
  const person = await livedThrough();
  expect((await stage.leftOf(person)).length).toBeGreaterThan(50);

  const erased = await stage.erase(person);
  await stage.work();

  expect(erased).toMatchObject({ isFound: true, conversations: 1 });
  expect(await stage.leftOf(person)).toEqual([]);
});

test('an erasure deletes the model requests about the person', async () => {
  const person = await livedThrough();
  const ledger = (): Promise<{ id: string }[]> =>
    stage.app.sql(
      `select r.id from llm_request r left join llm_attempt a on a.request_id = r.id
       where flush_id = any($1::text[])`,
      [flushIds],
    );
  const flushIds = (await person.conversations[0]?.turns())?.map(({ flush_id }) => flush_id);
  expect((await ledger()).length).toBeGreaterThan(3);

  await stage.erase(person);

  expect(await ledger()).toEqual([]);
});

test('a voice is exported with its transcript, and erased with its model request', async () => {
  const person = await livedThrough();
  const [line] = await stage.app.sql<{ id: string }>(
    `select id from message where conversation_id = $1 and role = 'user' limit 1`,
    [person.conversations[0]?.id],
  );
  await stage.app.sql(`update message set content_type = 'VOICE' where id = $1`, [line?.id]);
  await stage.app.sql(
    `insert into voice (message_id, state, mime_type, duration_s, size_bytes, bytes, transcript)
     values ($1, 'heard', 'audio/ogg', 2, 3, 'Ogg', 'My mother tongue is Dutch.')`,
    [line?.id],
  );
  const flushId = `voice:${line?.id ?? ''}`;
  await stage.app.sql(
    `insert into llm_request (flush_id, purpose, n) values ($1, 'transcribe', 1)`,
    [flushId],
  );

  const exported = await stage.export(person);
  await stage.erase(person);

  expect(exported.conversations[0]?.transcript.filter(({ voice }) => voice !== null)).toMatchObject(
    [
      {
        voice: {
          type: 'audio/ogg',
          seconds: 2,
          bytes: 3,
          heard: 'My mother tongue is Dutch.',
          recording: Buffer.from('Ogg').toString('base64'),
        },
      },
    ],
  );
  const left = await stage.app.sql(
    `select message_id::text from voice where message_id = $1
     union all select flush_id from llm_request where flush_id = $2`,
    [line?.id, flushId],
  );
  expect(left).toEqual([]);
});

test('the record of an erasure says when it was and how much was erased, but not whose data', async () => {
  const person = await livedThrough();
  const [before] = await stage.app.sql<{ last: string }>(
    'select coalesce(max(id), 0) as last from erasure',
  );
  const [lines] = await stage.app.sql<{ count: number }>(
    'select count(*)::int as count from message where conversation_id = $1',
    [person.conversations[0]?.id],
  );

  await stage.erase(person);

  const left = await stage.app.sql('select * from erasure where id > $1', [before?.last]);
  expect(left).toMatchObject([
    {
      at: stage.app.clock.now(),
      vacancy_id: stage.app.vacancy.id,
      conversations: 1,
      messages: lines?.count,
    },
  ]);
});

test('the log says how much was erased, but not whose data', async () => {
  const person = await livedThrough();
  const from = stage.app.log.lines.length;

  await stage.erase(person);

  const logged = stage.app.log.lines.slice(from).join('\n');
  expect(logged).toMatch(/erased what was stored about one person: conversations 1, messages \d+/);
  expect(person.needles.filter((needle) => logged.includes(needle))).toEqual([]);
});

test('everything of a person who has two interviews is exported and erased at once', async () => {
  const person = await stage.person();
  await stage.conversation(person, await stage.secondVacancy());
  for (const candidate of person.conversations) await stage.liveThrough(person, candidate);

  const exported = await stage.export(person);
  const erased = await stage.erase(person);

  expect(exported.conversations.map(({ id }) => id)).toEqual(
    person.conversations.map(({ id }) => id),
  );
  expect(erased.conversations).toBe(2);
  expect(await stage.leftOf(person)).toEqual([]);
  expect(await stage.app.sql('select 1 from erasure where conversations = 0')).toEqual([]);
});

test('erasing twice has the same effect as once, also at the same time', async () => {
  const person = await livedThrough();
  const other = await startOther(stage.app);

  const both = await Promise.all([stage.erase(person), stage.erase(person, other)]);
  const again = await stage.erase(person);

  expect(both.map(({ isFound }) => isFound).toSorted()).toEqual([false, true]);
  expect(again).toEqual({ isFound: false, conversations: 0, messages: 0 });
  expect(await stage.leftOf(person)).toEqual([]);
});

test("another person's data stays the same, byte for byte", async () => {
  const bob = await livedThrough();
  const ada = await livedThrough();
  const before = await stage.rows();
  const told = await stage.export(bob);

  await stage.erase(ada);

  const after = await stage.rows();
  const added = after.filter((row) => !before.includes(row) && WITHOUT_ERASURES.test(row));
  const removed = before.filter((row) => !after.includes(row));
  expect(added).toEqual([]);
  expect(removed.length).toBeGreaterThan(50);
  expect(removed.filter((row) => bob.needles.some((needle) => row.includes(needle)))).toEqual([]);
  expect(await stage.export(bob)).toEqual({
    ...told,
    exportedAt: stage.app.clock.now().toISOString(),
  });
});

test('a chat shared with another person keeps what it has to send', async () => {
  const [ada, bob] = [await stage.person(), await stage.person()];
  const [ofAda, ofBob] = [ada.conversations[0], bob.conversations[0]];
  if (ofAda === undefined || ofBob === undefined) throw new Error('nobody there');
  for (const { id } of [ofAda, ofBob]) stage.channel.chats.set(id, 'the same chat');
  stage.channel.next({ kind: 'paused', forMs: 60_000 });
  await stage.onChannel(ada, ofAda);
  await stage.onChannel(bob, ofBob);
  await stage.work();

  await stage.erase(ada);
  // After a pause of a minute, chats resume within a quarter of a minute.
  await live(stage.app, 80_000, 5000);

  expect(stage.channel.texts.slice(1)).toEqual(await ofBob.replies());
  expect(await stage.leftOf(ada)).toEqual([]);
  await stage.erase(bob);
});

test('two handlers may not export under one name', async () => {
  const { app } = stage;
  const person = await stage.person();
  let data: string | undefined = 'something';
  class One {
    @OnEvent('candidate.exported')
    export() {
      return { name: 'taken', data };
    }
  }
  class Other {
    @OnEvent('candidate.exported')
    export() {
      return { name: 'taken', data };
    }
  }
  for (const handler of [new One(), new Other()]) app.get(EventBus).register(handler);

  await expect(stage.export(person)).rejects.toThrow(
    'two handlers export data under the name "taken"',
  );

  data = undefined;
  expect((await stage.export(person)).holders).toEqual({});
  await stage.erase(person);
});

test('handlers of other rooms export and erase what they keep, in the same commit', async () => {
  const { app } = stage;
  await app.sql('create table held (conversation uuid, words text)');
  const person = await stage.person();
  const words = stage.words(person, 'held');
  const [id] = person.conversations.map((candidate) => candidate.id);
  await app.sql('insert into held values ($1, $2)', [id, words]);
  const failing = { isOn: true };
  class Holder {
    @OnEvent('candidate.exported')
    async export(tx: Tx, { conversationIds }: PayloadOf<'candidate.exported'>) {
      const data: unknown = await tx.query(
        'select words from held where conversation = any($1::uuid[])',
        [conversationIds],
      );
      return { name: 'test', data };
    }

    @OnEvent('conversation.erased')
    async erase(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>) {
      await tx.query('delete from held where conversation = any($1::uuid[])', [conversationIds]);
      if (failing.isOn) throw new Error('the test broke it');
    }
  }
  app.get(EventBus).register(new Holder());
  expect((await stage.export(person)).holders).toEqual({ test: [{ words }] });

  await expect(stage.erase(person)).rejects.toThrow('the test broke it');
  expect((await stage.export(person)).holders).toEqual({ test: [{ words }] });
  failing.isOn = false;
  await stage.erase(person);

  expect(await stage.leftOf(person)).toEqual([]);
  await app.get(DataSource).query('drop table held');
});

test('nothing is exported or erased for an unknown candidate', async () => {
  const { app } = stage;
  const personal = app.get(PersonalDataService);
  for (const id of ['0196f3a0-0000-7000-8000-000000000000', 'nobody', "'; drop table candidate"]) {
    const exporting = personal.exportOf((_label, work) => app.commit(work), id);
    await expect(exporting).rejects.toThrow(CandidateUnknownError);
    expect(await app.commit((tx) => personal.erase(tx, id))).toMatchObject({ isFound: false });
  }
});
