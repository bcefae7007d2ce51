import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import {
  InvitationRepository,
  type InvitationSecrets,
  PinHasher,
  VacancyRepository,
  type Vacancy,
  withInvitationSecrets,
} from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let invitations: InvitationRepository;
let pinKeys: PinHasher;
let vacancy: Vacancy;
let candidateId: string;

beforeEach(async () => {
  database = await openTestDatabase();
  const vacancies = new VacancyRepository(database.clock, new DomainEvents());
  invitations = new InvitationRepository(database.clock, vacancies);
  pinKeys = new PinHasher(database.units);
  await database.commit(async (tx) => {
    ({ vacancy } = await vacancies.upsert(tx, vacancyDraft()));
    ({ id: candidateId } = await new CandidateRepository(database.clock).create(tx, {
      name: 'Bo',
    }));
  });
});

afterEach(async () => {
  await database.close();
});

interface Given {
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Another one than of the other tests. */
  readonly candidateId?: string;
}

function issue(expiresAt?: Date, given: Given = {}): Promise<InvitationSecrets> {
  const input = { vacancyId: vacancy.id, candidateId, ...given };
  return withInvitationSecrets(pinKeys, async (secrets) => {
    await database.commit((tx) =>
      invitations.issue(tx, {
        ...input,
        secrets,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }),
    );
    return secrets;
  });
}

function find(token: string) {
  return database.commit((tx) => invitations.findByToken(tx, token));
}

describe('a personal invitation', () => {
  test('leads to its vacancy and its candidate', async () => {
    const { token } = await issue();

    const found = await find(token);

    expect(found).toMatchObject({ state: 'ok', kind: 'personal', vacancy });
    expect(found).toMatchObject({ invitation: { candidateId, vacancyId: vacancy.id } });
  });

  test('is valid for 14 days and has expired afterwards', async () => {
    const { token } = await issue();

    database.clock.advance(14 * DAY_MS - 1);
    await expect(find(token)).resolves.toMatchObject({ state: 'ok' });
    database.clock.advance(1);
    await expect(find(token)).resolves.toMatchObject({ state: 'expired', kind: 'personal' });
  });

  test('is valid until the requested date', async () => {
    const { token } = await issue(new Date(database.clock.now().getTime() + DAY_MS));

    database.clock.advance(DAY_MS);

    await expect(find(token)).resolves.toMatchObject({ state: 'expired' });
  });

  test('replaces the one that the candidate had for the vacancy', async () => {
    const lost = await issue();

    const replacement = await issue();

    await expect(find(lost.token)).resolves.toMatchObject({ state: 'expired' });
    await expect(find(replacement.token)).resolves.toMatchObject({ state: 'ok' });
  });

  test('is stored without its token and without its PIN', async () => {
    const { token, pin } = await issue();

    const rows = await database.commit((tx) => tx.query('select * from invitation'));

    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(pin);
  });
});

describe('the external id of an invitation', () => {
  const metadata = { source: 'careers page', tags: ['a', 1] };

  async function another(): Promise<string> {
    const candidates = new CandidateRepository(database.clock);
    return (await database.commit((tx) => candidates.create(tx))).id;
  }

  test('is returned with the metadata', async () => {
    const { token } = await issue(undefined, { externalId: 'crm-17', metadata });

    expect(await find(token)).toMatchObject({ invitation: { externalId: 'crm-17', metadata } });
  });

  test('stays with the metadata when the invitation is issued again, unless others are given', async () => {
    await issue(undefined, { externalId: 'crm-17', metadata });
    const again = await find((await issue()).token);
    const changed = await find((await issue(undefined, { metadata: {} })).token);

    expect(again).toMatchObject({ invitation: { externalId: 'crm-17', metadata } });
    expect(changed).toMatchObject({ invitation: { externalId: 'crm-17', metadata: {} } });
  });

  test('is that of one live invitation of the vacancy, and nothing is stored for a second', async () => {
    await issue(undefined, { externalId: 'crm-17' });
    const second = issue(undefined, { externalId: 'crm-17', candidateId: await another() });

    await expect(second).rejects.toMatchObject({ code: 'external_id_taken' });
    const rows = await database.commit((tx) => tx.query('select from invitation'));
    expect(rows).toHaveLength(1);
  });

  test('is told apart from those that are free', async () => {
    await issue(undefined, { externalId: 'crm-17' });

    const taken = await database.commit((tx) =>
      invitations.takenExternalIds(tx, vacancy.id, ['crm-16', 'crm-17']),
    );

    expect([...taken]).toEqual(['crm-17']);
  });

  test('is found by the candidate and the vacancy, for the transcript of the interview', async () => {
    const of = { candidateId, vacancyId: vacancy.id };
    const read = () => database.commit((tx) => invitations.callersFieldsOf(tx, of));
    const before = await read();
    await issue(undefined, { externalId: 'crm-17', metadata });

    expect(before).toEqual({ externalId: null, metadata: {} });
    expect(await read()).toEqual({ externalId: 'crm-17', metadata });
  });

  test('is absent where none was given', async () => {
    expect(await find((await issue()).token)).toMatchObject({
      invitation: { externalId: null, metadata: {} },
    });
  });
});

describe('an open link', () => {
  test('leads to its vacancy and does not end', async () => {
    database.clock.advance(1000 * DAY_MS);

    await expect(find(vacancy.openToken)).resolves.toEqual({ state: 'ok', kind: 'open', vacancy });
  });
});

describe('an unknown token', () => {
  test.each([
    '',
    'x',
    'a'.repeat(32),
    `${'a'.repeat(20)}'; --`,
    'a\0'.repeat(16),
    'a'.repeat(99_999),
  ])('is unknown: %#', async (token) => {
    await expect(find(token)).resolves.toEqual({ state: 'unknown' });
  });
});
