import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import {
  InvitationRepository,
  PinHasher,
  VacancyRepository,
  type Vacancy,
  withInvitationSecrets,
} from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { gate } from '../../tools/http-fake/gate';
import { vacancyDraft } from '../support/vacancies';

const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let vacancies: VacancyRepository;
let invitations: InvitationRepository;
let pinKeys: PinHasher;

beforeEach(async () => {
  database = await openTestDatabase();
  vacancies = new VacancyRepository(database.clock, new DomainEvents());
  invitations = new InvitationRepository(database.clock, vacancies);
  pinKeys = new PinHasher(database.units);
});

afterEach(async () => {
  await database.close();
});

function newCandidate(known: { telegramUsername?: string } = {}): Promise<string> {
  return database.commit(
    async (tx) => (await new CandidateRepository(database.clock).create(tx, known)).id,
  );
}

async function importVacancy(slug = 'baker'): Promise<Vacancy> {
  return (await database.commit((tx) => vacancies.upsert(tx, vacancyDraft({ slug })))).vacancy;
}

function issue(vacancy: Vacancy, candidateId: string): Promise<string> {
  return withInvitationSecrets(pinKeys, async (secrets) => {
    const input = { vacancyId: vacancy.id, candidateId, secrets };
    return (await database.commit((tx) => invitations.issue(tx, input))).id;
  });
}

function bind(id: string, account: string): Promise<'bound' | 'taken'> {
  return database.commit((tx) => invitations.bind(tx, id, account));
}

describe('an invitation on a channel with accounts', () => {
  test('is bound to the account that used it first, also when it uses it again', async () => {
    const id = await issue(await importVacancy(), await newCandidate({ telegramUsername: 'bo' }));

    const bindings = [
      await bind(id, 'telegram:1'),
      await bind(id, 'telegram:1'),
      await bind(id, 'telegram:2'),
    ];

    expect(bindings).toEqual(['bound', 'bound', 'taken']);
    await expect(
      database.commit((tx) => invitations.findForUsername(tx, 'bo')),
    ).resolves.toMatchObject([{ invitation: { id, boundTo: 'telegram:1' } }]);
  });

  test('is bound to exactly one of two accounts at once', async () => {
    const vacancy = await importVacancy();
    for (let race = 0; race < 10; race += 1) {
      const id = await issue(vacancy, await newCandidate());

      const bindings = await Promise.all(
        ['telegram:1', 'telegram:2', 'telegram:3', 'telegram:4'].map((one) => bind(id, one)),
      );

      expect(bindings.sort()).toEqual(['bound', 'taken', 'taken', 'taken']);
    }
  });

  test('makes the second account wait for the first one’s commit', async () => {
    const id = await issue(await importVacancy(), await newCandidate());
    const isBound = gate();
    const mayCommit = gate();

    const first = database.commit(async (tx) => {
      await invitations.bind(tx, id, 'telegram:1');
      isBound.open();
      await mayCommit.opened;
    });
    await isBound.opened;
    const second = bind(id, 'telegram:2');
    await database.untilLockWait();
    mayCommit.open();

    await first;
    await expect(second).resolves.toBe('taken');
  });

  test('is unbound when it is issued again', async () => {
    const vacancy = await importVacancy();
    const candidate = await newCandidate();
    await bind(await issue(vacancy, candidate), 'telegram:1');

    const again = await issue(vacancy, candidate);

    await expect(bind(again, 'telegram:2')).resolves.toBe('bound');
  });
});

describe('a known user name', () => {
  test('finds the live invitations of its candidate, the newest first', async () => {
    const [baker, miller] = [await importVacancy('baker'), await importVacancy('miller')];
    const candidate = await newCandidate({ telegramUsername: 'bo_baker' });
    const first = await issue(baker, candidate);
    database.clock.advance(DAY_MS);
    const second = await issue(miller, candidate);
    await issue(baker, await newCandidate({ telegramUsername: 'bo' }));
    await issue(baker, await newCandidate());

    for (const typed of ['bo_baker', '@Bo_Baker', 'BO_BAKER']) {
      const found = await database.commit((tx) => invitations.findForUsername(tx, typed));
      expect(found.map(({ invitation }) => invitation.id)).toEqual([second, first]);
      expect(found.map(({ vacancy }) => vacancy.slug)).toEqual(['miller', 'baker']);
    }
  });

  test('finds no expired or revoked invitation, and none for an unknown name', async () => {
    const vacancy = await importVacancy();
    const candidate = await newCandidate({ telegramUsername: 'bo' });
    await issue(vacancy, candidate);
    const again = await issue(vacancy, candidate);
    const find = (name: string) => database.commit((tx) => invitations.findForUsername(tx, name));

    await expect(find('bo')).resolves.toMatchObject([{ invitation: { id: again } }]);
    await expect(find('')).resolves.toEqual([]);
    await expect(find('b%')).resolves.toEqual([]);
    database.clock.advance(14 * DAY_MS);
    await expect(find('bo')).resolves.toEqual([]);
  });
});
