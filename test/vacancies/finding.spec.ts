import { resolve } from 'node:path';
import { CandidateRepository } from '../../src/candidates';
import type { Tx } from '../../src/common/uow';
import {
  InvitationRepository,
  PinHasher,
  VacancyRepository,
  type Vacancy,
  readVacancyFile,
  withInvitationSecrets,
} from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { gate } from '../../tools/http-fake/gate';
import { until } from '../support/postgres/processes';
import { vacancyDraft } from '../support/vacancies';

const DAY_MS = 24 * 3_600_000;
const EXAMPLES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'];

let database: TestDatabase;
let vacancies: VacancyRepository;
let invitations: InvitationRepository;
let pinKeys: PinHasher;

beforeEach(async () => {
  database = await openTestDatabase();
  vacancies = new VacancyRepository(database.clock);
  invitations = new InvitationRepository(database.clock, vacancies);
  pinKeys = new PinHasher(database.units);
});

afterEach(async () => {
  await database.close();
});

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

function newCandidate(known: { telegramUsername?: string } = {}): Promise<string> {
  return inCommit(
    async (tx) => (await new CandidateRepository(database.clock).create(tx, known)).id,
  );
}

async function importVacancy(slug = 'baker'): Promise<Vacancy> {
  return (await inCommit((tx) => vacancies.upsert(tx, vacancyDraft({ slug })))).vacancy;
}

function issue(vacancy: Vacancy, candidateId: string): Promise<string> {
  return withInvitationSecrets(pinKeys, async (secrets) => {
    const input = { vacancyId: vacancy.id, candidateId, secrets };
    return (await inCommit((tx) => invitations.issue(tx, input))).id;
  });
}

function bind(id: string, account: string): Promise<'bound' | 'taken'> {
  return inCommit((tx) => invitations.bind(tx, id, account));
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
    await expect(inCommit((tx) => invitations.findForUsername(tx, 'bo'))).resolves.toMatchObject([
      { invitation: { id, boundTo: 'telegram:1' } },
    ]);
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

    const first = inCommit(async (tx) => {
      await invitations.bind(tx, id, 'telegram:1');
      isBound.open();
      await mayCommit.opened;
    });
    await isBound.opened;
    const second = bind(id, 'telegram:2');
    await until('the second account waits', doesAnybodyWait);
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
      const found = await inCommit((tx) => invitations.findForUsername(tx, typed));
      expect(found.map(({ invitation }) => invitation.id)).toEqual([second, first]);
      expect(found.map(({ vacancy }) => vacancy.slug)).toEqual(['miller', 'baker']);
    }
  });

  test('finds no expired or revoked invitation, and none for an unknown name', async () => {
    const vacancy = await importVacancy();
    const candidate = await newCandidate({ telegramUsername: 'bo' });
    await issue(vacancy, candidate);
    const again = await issue(vacancy, candidate);
    const find = (name: string) => inCommit((tx) => invitations.findForUsername(tx, name));

    await expect(find('bo')).resolves.toMatchObject([{ invitation: { id: again } }]);
    await expect(find('')).resolves.toEqual([]);
    await expect(find('b%')).resolves.toEqual([]);
    database.clock.advance(14 * DAY_MS);
    await expect(find('bo')).resolves.toEqual([]);
  });
});

describe('a search for a vacancy', () => {
  beforeEach(async () => {
    for (const file of EXAMPLES) {
      const draft = await readVacancyFile(resolve(__dirname, '../../examples', file));
      await inCommit((tx) => vacancies.upsert(tx, draft));
    }
  });

  async function search(query: string, limit = 10): Promise<string[]> {
    const found = await inCommit((tx) => vacancies.search(tx, query, { limit }));
    return found.map(({ slug }) => slug);
  }

  test.each([
    ['backend engineer', ['backend-engineer']],
    ['BACKEND', ['backend-engineer']],
    ['back-end engineers', ['backend-engineer']],
    ['payment', ['backend-engineer']],
    ['job at harbourline', ['backend-engineer']],
    ['Harbour', ['backend-engineer']],
    ['руководитель', ['support-lead']],
    ['РУКОВОДИТЕЛЯ группы', ['support-lead']],
    ['поддержка', ['support-lead']],
    ['поддержку', ['support-lead']],
    ['в Тихую гавань', ['support-lead']],
    ['support-lead', ['support-lead']],
    ['lead engineer', ['backend-engineer', 'support-lead']],
    ['повар', []],
    ['100%', []],
    ["'; drop table vacancy; --", []],
  ])('finds by %j: %j', async (query, slugs) => {
    await expect(search(query)).resolves.toEqual(slugs);
  });

  test('treats ё as е, and ignores accents', async () => {
    await inCommit((tx) => vacancies.upsert(tx, vacancyDraft({ slug: 'a', title: 'Учётчик' })));
    await inCommit((tx) => vacancies.upsert(tx, vacancyDraft({ slug: 'b', title: 'Café' })));

    expect([await search('учетчик'), await search('УЧЁТЧИКА')]).toEqual([['a'], ['a']]);
    expect([await search('cafe'), await search('кафе')]).toEqual([['b'], []]);
  });

  test('returns the closest first', async () => {
    for (const [slug, title] of [
      ['a', 'Engineer of supportive structures'],
      ['b', 'Support engineer'],
    ] as const) {
      await inCommit((tx) => vacancies.upsert(tx, vacancyDraft({ slug, title })));
    }

    await expect(search('support engineer')).resolves.toEqual([
      'b',
      'a',
      'backend-engineer',
      'support-lead',
    ]);
    await expect(search('support engineer', 2)).resolves.toEqual(['b', 'a']);
  });

  test.each(['', '  ', '?!', '\u200b'])('finds all by a query without words: %j', async (query) => {
    await expect(search(query)).resolves.toEqual(['support-lead', 'backend-engineer'].reverse());
  });

  test('returns vacancies with their open links', async () => {
    const [found] = await inCommit((tx) => vacancies.search(tx, 'backend', { limit: 1 }));

    const stored = await inCommit((tx) => vacancies.findBySlug(tx, 'backend-engineer'));
    expect(found).toEqual(stored);
  });
});

/** Whether a session waits for a lock. Each look is a commit, because one transaction sees one state of the server. */
async function doesAnybodyWait(): Promise<boolean> {
  const waiting = await inCommit((tx) =>
    tx.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    ),
  );
  return waiting.length > 0;
}
