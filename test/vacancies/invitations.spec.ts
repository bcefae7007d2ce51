import { CandidateRepository } from '../../src/candidates';
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
  const vacancies = new VacancyRepository(database.clock);
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

function issue(expiresAt?: Date): Promise<InvitationSecrets> {
  const input = { vacancyId: vacancy.id, candidateId };
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
