import { CandidateRepository, WebSessionRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import { newId } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { vacancyDraft } from '../support/vacancies';

let database: TestDatabase;
let candidates: CandidateRepository;
let sessions: WebSessionRepository;

beforeEach(async () => {
  database = await openTestDatabase();
  candidates = new CandidateRepository(database.clock);
  sessions = new WebSessionRepository(database.clock, settingsForTests());
});

afterEach(async () => {
  await database.close();
});

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

async function newConversation(tx: Tx): Promise<string> {
  const { vacancy } = await new VacancyRepository(database.clock, new DomainEvents()).upsert(
    tx,
    vacancyDraft(),
  );
  const { id: candidateId } = await candidates.create(tx);
  const id = newId();
  await new ConversationRepository(database.clock, new DomainEvents()).create(tx, {
    id,
    vacancyId: vacancy.id,
    candidateId,
    invitationId: null,
    language: 'en',
    plan: vacancy.plan,
    state: {},
  });
  return id;
}

describe('a candidate', () => {
  test('has what is known, and null for the rest', async () => {
    const created = await inCommit((tx) => candidates.create(tx, { telegramUsername: 'bo' }));

    const found = await inCommit((tx) => candidates.find(tx, created.id));

    expect(found).toEqual({ id: created.id, name: null, contact: null, telegramUsername: 'bo' });
  });

  test('keeps the fields that an update leaves out', async () => {
    const { id } = await inCommit((tx) => candidates.create(tx, { name: 'Bo' }));

    const updated = await inCommit((tx) =>
      candidates.update(tx, id, { contact: 'bo@example.com' }),
    );

    expect(updated).toMatchObject({ name: 'Bo', contact: 'bo@example.com' });
    await expect(inCommit((tx) => candidates.find(tx, id))).resolves.toEqual(updated);
  });

  test('that does not exist is not found and not created by an update', async () => {
    const id = newId();

    await expect(inCommit((tx) => candidates.update(tx, id, { name: 'Bo' }))).resolves.toBeNull();
    await expect(inCommit((tx) => candidates.find(tx, id))).resolves.toBeNull();
  });
});

describe('a web session', () => {
  test('leads to its own conversation only', async () => {
    const [first, second] = await inCommit(async (tx) => [
      await newConversation(tx),
      await newConversation(tx),
    ]);
    const [a, b] = await inCommit(async (tx) => [
      await sessions.create(tx, first),
      await sessions.create(tx, second),
    ]);

    const resolved = await inCommit(async (tx) => [
      await sessions.resolve(tx, a.sessionToken),
      await sessions.resolve(tx, b.sessionToken),
    ]);

    expect(resolved).toEqual([first, second]);
  });

  test('is stored without its token', async () => {
    const { sessionToken } = await inCommit(async (tx) =>
      sessions.create(tx, await newConversation(tx)),
    );

    const rows = await inCommit((tx) => tx.query('select * from web_session'));

    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(sessionToken);
  });

  test.each(['', 'nobody', 'a'.repeat(32), 'a\0'.repeat(16)])(
    'with an unknown token leads nowhere: %#',
    async (token) => {
      await expect(inCommit((tx) => sessions.resolve(tx, token))).resolves.toBeNull();
    },
  );
});
