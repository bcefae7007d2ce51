import type { Vacancy } from '../../src/vacancies';
import { storeDocuments } from '../interview/knowledge-turns';
import { DataSource } from 'typeorm';
import { CandidateUnknownError, PersonalDataService } from '../../src/privacy';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../../src/common/events';
import type { Tx } from '../../src/common/uow';
import { type Person, StoredPeople } from './stored-people';
import type { Interviewee } from '../interview/interviewee';
import { startOther, live } from '../interview/interviews';

let setup: StoredPeople;

beforeAll(async () => {
  setup = await StoredPeople.open();
});
afterEach(() => {
  setup.channel.forget();
});
afterAll(() => setup.close());

/** Fields that the record of an erasure may not hold. */
const WITHOUT_ERASURES = /^(?!(erasure|audit_event) )/;

async function livedThrough(): Promise<Person> {
  const person = await setup.person();
  for (const candidate of person.conversations) await setup.liveThrough(person, candidate);
  return person;
}

test('the export holds every word, name and address of the person, and no hash', async () => {
  const person = await livedThrough();
  const rows = (await setup.app.allRows()).join('\n');

  const exported = JSON.stringify(await setup.export(person));

  const ids = [person.candidateId];
  const told = person.needles.filter((needle) => !ids.includes(needle));
  expect(told.length).toBeGreaterThan(20);
  // Text that an edit replaced is not stored anywhere.
  const stored = told.filter((needle) => rows.includes(needle));
  expect(stored.length).toBeGreaterThan(18);
  expect(stored.filter((needle) => !exported.includes(needle))).toEqual([]);
  const hashes = await setup.app.sql<{ hash: string }>(
    `select token_hash as hash from web_session union select token_hash from invitation
     union select pin_key from invitation where pin_key is not null`,
  );
  expect(hashes.filter(({ hash }) => exported.includes(hash))).toEqual([]);
});

test('the export holds what was stored, in fields with stable names', async () => {
  const person = await livedThrough();

  const exported = await setup.export(person);

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
    company: setup.app.vacancy.company,
    consent: { accepted: true },
    language: 'en',
    status: 'completed',
  });
  const roles = new Set(conversation?.transcript.map(({ role }) => role));
  expect(roles).toEqual(new Set(['user', 'assistant', 'system', 'event']));
  expect(conversation?.transcript.some(({ amendsSeq }) => amendsSeq !== null)).toBe(true);
  expect(conversation?.transcript.some(({ isPartial }) => isPartial)).toBe(true);
  const withoutTurn = conversation?.transcript.filter(({ turn }) => turn === null) ?? [];
  expect(withoutTurn.map(({ role }) => role)).toContain('user');
  expect(withoutTurn.filter(({ beforeReply }) => beforeReply)).toEqual([]);
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
  expect((await setup.leftOf(person)).length).toBeGreaterThan(50);

  const erased = await setup.erase(person);
  await setup.work();

  expect(erased).toMatchObject({ isFound: true, conversations: 1 });
  expect(await setup.leftOf(person)).toEqual([]);
});

test('an erasure deletes the model requests about the person', async () => {
  const person = await livedThrough();
  const ledger = (): Promise<{ id: string }[]> =>
    setup.app.sql(
      `select r.id from llm_request r left join llm_attempt a on a.request_id = r.id
       where subject = any($1::text[])`,
      [subjects],
    );
  const turns = await person.conversations[0]?.turns();
  const subjects = turns?.map(({ answer_id }) => `flush:${answer_id}`);
  expect((await ledger()).length).toBeGreaterThan(3);

  await setup.erase(person);

  expect(await ledger()).toEqual([]);
});

test('a voice is exported with its transcript, and erased with its model request', async () => {
  const person = await livedThrough();
  const [line] = await setup.app.sql<{ id: string }>(
    `select id from message where conversation_id = $1 and role = 'user' limit 1`,
    [person.conversations[0]?.id],
  );
  await setup.app.sql(`update message set content_type = 'VOICE' where id = $1`, [line?.id]);
  await setup.app.sql(
    `insert into voice (message_id, state, mime_type, duration_s, size_bytes, bytes, transcript)
     values ($1, 'heard', 'audio/ogg', 2, 3, 'Ogg', 'My mother tongue is Dutch.')`,
    [line?.id],
  );
  const subject = `voice:${line?.id ?? ''}`;
  await setup.app.sql(
    `insert into llm_request (subject, purpose, n) values ($1, 'transcribe', 1)`,
    [subject],
  );

  const exported = await setup.export(person);
  await setup.erase(person);

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
  const left = await setup.app.sql(
    `select message_id::text from voice where message_id = $1
     union all select subject from llm_request where subject = $2`,
    [line?.id, subject],
  );
  expect(left).toEqual([]);
});

test('the export lists every model request about the person that an erasure deletes', async () => {
  const person = await setup.person();
  const [first] = person.conversations as [Interviewee];
  const second = await setup.conversation(person, await setup.app.addVacancy({ slug: 'second' }));
  await second.answer(setup.words(person, 'of the second interview'));
  await setup.liveThrough(person, first);
  const bob = await livedThrough();
  const turns: (string | null)[] = [];
  for (const { id } of [...person.conversations, ...bob.conversations]) {
    const { line, turn } = await setup.app.one<{ line: string; turn: string | null }>(
      `update message set content_type = 'VOICE' where id = (select id from message
         where conversation_id = $1 and role = 'user' and turn_id is not null limit 1)
       returning id as line, turn_id as turn`,
      [id],
    );
    turns.push(turn);
    await setup.app.sql(
      `with asked as (insert into llm_request (subject, purpose, n)
         values ($1, 'transcribe', 1), ($2, 'score', 1) returning id)
       insert into llm_attempt (request_id, epoch, model) select id, 1, 'a-model' from asked`,
      [`voice:${line}`, `score:${id}`],
    );
  }
  // The export has no ids of requests: here the name of the model tells them apart.
  await setup.app.sql(`update llm_attempt set model = request_id::text`);
  const requests = (): Promise<{ id: string }[]> =>
    setup.app.sql(`select id::text from llm_request order by id`);
  const before = await requests();

  const { conversations } = await setup.export(person);
  await setup.erase(person);

  const left = new Set((await requests()).map(({ id }) => id));
  const erased = before.map(({ id }) => id).filter((id) => !left.has(id));
  const listed = conversations.map(({ modelRequests }) => modelRequests);
  expect(listed).toHaveLength(2);
  expect(new Set(listed.flat().map(({ model }) => model))).toEqual(new Set(erased));
  expect(
    listed.map((all) =>
      all
        .filter(({ purpose }) => purpose === 'transcribe' || purpose === 'score')
        .map(({ purpose, turn }) => [purpose, turn]),
    ),
  ).toEqual(
    turns.slice(0, 2).map((turn) => [
      ['transcribe', turn],
      ['score', null],
    ]),
  );
  await setup.erase(bob);
});

test('the notes explain the learned quiet time, and scores, decisions and a hold in `holders`', async () => {
  const exported = await setup.export(await livedThrough());

  const [conversation] = exported.conversations;
  expect(conversation?.learnedQuietTime).toMatchObject({
    messages: expect.any(Number) as number,
    pauses: expect.any(Number) as number,
  });
  expect(exported.notes.learnedQuietTime).toMatch(/pause/);
  for (const held of ['scores', 'ratings', 'comments', 'decisions', 'legal hold']) {
    expect(exported.notes.holders).toContain(held);
  }
});

test('the record of an erasure says when it was and how much was erased, but not whose data', async () => {
  const person = await livedThrough();
  const [before] = await setup.app.sql<{ last: string }>(
    'select coalesce(max(id), 0) as last from erasure',
  );
  const [lines] = await setup.app.sql<{ count: number }>(
    'select count(*)::int as count from message where conversation_id = $1',
    [person.conversations[0]?.id],
  );

  await setup.erase(person);

  const left = await setup.app.sql('select * from erasure where id > $1', [before?.last]);
  expect(left).toMatchObject([
    {
      at: setup.app.clock.now(),
      vacancy_id: setup.app.vacancy.id,
      conversations: 1,
      messages: lines?.count,
    },
  ]);
});

test('the log says how much was erased, but not whose data', async () => {
  const person = await livedThrough();
  const from = setup.app.log.lines.length;

  await setup.erase(person);

  const logged = setup.app.log.lines.slice(from).join('\n');
  expect(logged).toMatch(/erased what was stored about one person: conversations 1, messages \d+/);
  expect(person.needles.filter((needle) => logged.includes(needle))).toEqual([]);
});

test('everything of a person who has two interviews is exported and erased at once', async () => {
  const person = await setup.person();
  await setup.conversation(person, await secondVacancy());
  for (const candidate of person.conversations) await setup.liveThrough(person, candidate);

  const exported = await setup.export(person);
  const erased = await setup.erase(person);

  expect(exported.conversations.map(({ id }) => id)).toEqual(
    person.conversations.map(({ id }) => id),
  );
  expect(erased.conversations).toBe(2);
  expect(await setup.leftOf(person)).toEqual([]);
  expect(await setup.app.sql('select 1 from erasure where conversations = 0')).toEqual([]);
});

test('erasing twice has the same effect as once, also at the same time', async () => {
  const person = await livedThrough();
  const other = await startOther(setup.app);

  const both = await Promise.all([setup.erase(person), setup.erase(person, other)]);
  const again = await setup.erase(person);

  expect(both.map(({ isFound }) => isFound).toSorted()).toEqual([false, true]);
  expect(again).toEqual({ isFound: false, conversations: 0, messages: 0 });
  expect(await setup.leftOf(person)).toEqual([]);
});

test("another person's data stays the same, byte for byte", async () => {
  const bob = await livedThrough();
  const ada = await livedThrough();
  const before = await setup.app.allRows();
  const told = await setup.export(bob);

  await setup.erase(ada);

  const after = await setup.app.allRows();
  const added = after.filter((row) => !before.includes(row) && WITHOUT_ERASURES.test(row));
  const removed = before.filter((row) => !after.includes(row));
  expect(added).toEqual([]);
  expect(removed.length).toBeGreaterThan(50);
  expect(removed.filter((row) => bob.needles.some((needle) => row.includes(needle)))).toEqual([]);
  expect(await setup.export(bob)).toEqual({
    ...told,
    exportedAt: setup.app.clock.now().toISOString(),
  });
});

test('a chat shared with another person keeps what it has to send', async () => {
  const [ada, bob] = [await setup.person(), await setup.person()];
  const [ofAda, ofBob] = [ada.conversations[0], bob.conversations[0]];
  if (ofAda === undefined || ofBob === undefined) throw new Error('nobody there');
  for (const { id } of [ofAda, ofBob]) setup.channel.chats.set(id, 'the same chat');
  setup.channel.next({ kind: 'paused', forMs: 60_000 });
  await setup.onChannel(ada, ofAda);
  await setup.onChannel(bob, ofBob);
  await setup.work();

  await setup.erase(ada);
  // After a pause of a minute, chats resume within a quarter of a minute.
  await live(setup.app, 80_000, 5000);

  expect(setup.channel.texts.slice(1)).toEqual(await ofBob.replies());
  expect(await setup.leftOf(ada)).toEqual([]);
  await setup.erase(bob);
});

test('two handlers may not export under one name', async () => {
  const { app } = setup;
  const person = await setup.person();
  let data: string | undefined = 'something';
  class One {
    @DomainEventHandler('candidate.exported')
    export() {
      return { name: 'taken', data };
    }
  }
  class Other {
    @DomainEventHandler('candidate.exported')
    export() {
      return { name: 'taken', data };
    }
  }
  for (const handler of [new One(), new Other()]) app.get(DomainEvents).register(handler);

  await expect(setup.export(person)).rejects.toThrow(
    'two handlers export data under the name "taken"',
  );

  data = undefined;
  expect((await setup.export(person)).holders).toEqual({});
  await setup.erase(person);
});

test('handlers of other rooms export and erase what they keep, in the same commit', async () => {
  const { app } = setup;
  await app.sql('create table held (conversation uuid, words text)');
  const person = await setup.person();
  const words = setup.words(person, 'held');
  const [id] = person.conversations.map((candidate) => candidate.id);
  await app.sql('insert into held values ($1, $2)', [id, words]);
  const failing = { isOn: true };
  class Holder {
    @DomainEventHandler('candidate.exported')
    async export(tx: Tx, { conversationIds }: PayloadOf<'candidate.exported'>) {
      const data: unknown = await tx.query(
        'select words from held where conversation = any($1::uuid[])',
        [conversationIds],
      );
      return { name: 'test', data };
    }

    @DomainEventHandler('conversation.erased')
    async erase(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>) {
      await tx.query('delete from held where conversation = any($1::uuid[])', [conversationIds]);
      if (failing.isOn) throw new Error('the test broke it');
    }
  }
  app.get(DomainEvents).register(new Holder());
  expect((await setup.export(person)).holders).toEqual({ test: [{ words }] });

  await expect(setup.erase(person)).rejects.toThrow('the test broke it');
  expect((await setup.export(person)).holders).toEqual({ test: [{ words }] });
  failing.isOn = false;
  await setup.erase(person);

  expect(await setup.leftOf(person)).toEqual([]);
  await app.get(DataSource).query('drop table held');
});

test('nothing is exported or erased for an unknown candidate', async () => {
  const { app } = setup;
  const personal = app.get(PersonalDataService);
  for (const id of ['0196f3a0-0000-7000-8000-000000000000', 'nobody', "'; drop table candidate"]) {
    const exporting = personal.exportOf((_label, work) => app.commit(work), id);
    await expect(exporting).rejects.toThrow(CandidateUnknownError);
    expect(await app.commit((tx) => personal.erase(tx, id))).toMatchObject({ isFound: false });
  }
});

/** With a document that answers what is asked in `liveThrough`. */
async function secondVacancy(): Promise<Vacancy> {
  const vacancy = await setup.app.addVacancy({ slug: 'second' });
  await storeDocuments(setup.app, { 'shifts.md': 'Shifts begin at four.' }, vacancy);
  return vacancy;
}
