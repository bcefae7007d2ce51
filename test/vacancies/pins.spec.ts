import fc from 'fast-check';
import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import {
  InvitationRepository,
  type InvitationSecrets,
  type Pin,
  PinHasher,
  VacancyRepository,
  type Vacancy,
  maskedPin,
  readPin,
  shownPin,
  withInvitationSecrets,
} from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

const DAY_MS = 24 * 3_600_000;

function pin(typed: string): Pin {
  const read = readPin(typed);
  if (read === null) throw new Error(`no PIN: ${typed}`);
  return read;
}

describe('a PIN as it is typed', () => {
  /** The ten digits of keyboards that candidates have. */
  const alphabets = ['0123456789', '０１２３４５６７８９', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹'];
  const betweens = ['', '-', ' ', '\u00a0', '–', '—', '‑', '−', '－', '\u200b', '\u200f', '\n'];
  const digit = fc.record({
    value: fc.nat(9),
    alphabet: fc.constantFrom(...alphabets),
    before: fc.array(fc.constantFrom(...betweens), { maxLength: 3 }),
  });

  test('is read in any digits and with any separators', () => {
    fc.assert(
      fc.property(fc.array(digit, { minLength: 12, maxLength: 12 }), (digits) => {
        const typed = digits
          .map(({ value, alphabet, before }) => before.join('') + (alphabet[value] ?? ''))
          .join('');
        expect(readPin(typed)).toBe(digits.map(({ value }) => value).join(''));
      }),
      { numRuns: 1000 },
    );
  });

  test('is not read with another number of digits, or with other characters', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 160 });
    fc.assert(
      fc.property(text, (typed) => {
        const read = readPin(typed);
        expect(read === null || /^\d{12}$/.test(read)).toBe(true);
      }),
    );
    for (const typed of [
      '',
      '12345678901',
      '12345678',
      '1234567890123',
      '1234-5678-901a',
      '1234.5678.9012',
      `1${' '.repeat(199)}`,
    ]) {
      expect(readPin(typed)).toBeNull();
    }
  });

  test('is read from its displayed form, and not from its masked form', () => {
    const any = fc.bigInt(0n, 10n ** 12n - 1n).map((n) => pin(String(n).padStart(12, '0')));
    fc.assert(
      fc.property(any, (one) => {
        expect(readPin(shownPin(one))).toBe(one);
        expect(maskedPin(one)).toBe(`••••-••${one.slice(-2)}`);
      }),
    );
    expect(shownPin(pin('001234567890'))).toBe('0012-3456-7890');
  });
});

describe('the PIN of an invitation', () => {
  let database: TestDatabase;
  let invitations: InvitationRepository;
  let pinKeys: PinHasher;
  let vacancy: Vacancy;

  beforeEach(async () => {
    database = await openTestDatabase();
    const vacancies = new VacancyRepository(database.clock, new DomainEvents());
    invitations = new InvitationRepository(database.clock, vacancies);
    pinKeys = new PinHasher(database.units);
    ({ vacancy } = await database.commit((tx) => vacancies.upsert(tx, vacancyDraft())));
  });

  afterEach(async () => {
    await database.close();
  });

  async function newCandidate(): Promise<string> {
    return (await database.commit((tx) => new CandidateRepository(database.clock).create(tx))).id;
  }

  async function issue(
    candidateId: string,
    makePin?: () => Pin,
  ): Promise<InvitationSecrets & { id: string }> {
    const store = async (secrets: InvitationSecrets) => {
      const input = { vacancyId: vacancy.id, candidateId, secrets };
      return { ...secrets, ...(await database.commit((tx) => invitations.issue(tx, input))) };
    };
    return withInvitationSecrets(pinKeys, store, makePin);
  }

  async function find(typed: string) {
    const key = await pinKeys.keyOf(pin(typed));
    return database.commit((tx) => invitations.findByPin(tx, key));
  }

  test('finds it, however it is typed and on every replica', async () => {
    const issued = await issue(await newCandidate());

    const found = await find(` ${shownPin(issued.pin).replaceAll('-', ' – ')}\n`);
    const otherReplica = await new PinHasher(database.units).keyOf(issued.pin);

    expect(found).toMatchObject({ state: 'ok', kind: 'personal', invitation: { id: issued.id } });
    expect(otherReplica).toBe(issued.pinKey);
  });

  test('finds nothing when no invitation has it', async () => {
    const issued = await issue(await newCandidate(), () => pin('123456781234'));

    await expect(find('123456781235')).resolves.toEqual({ state: 'unknown' });
    expect(issued.pin).toBe('123456781234');
  });

  test('has expired with the invitation', async () => {
    const issued = await issue(await newCandidate());

    database.clock.advance(14 * DAY_MS);

    await expect(find(issued.pin)).resolves.toMatchObject({ state: 'expired' });
  });

  test('is free when the invitation was issued again, and another may get it', async () => {
    const candidate = await newCandidate();
    const first = await issue(candidate, () => pin('111111111111'));
    await issue(candidate);
    const gone = await find(first.pin);

    const other = await issue(await newCandidate(), () => pin('111111111111'));

    expect(gone).toEqual({ state: 'unknown' });
    await expect(find('1111-1111-1111')).resolves.toMatchObject({
      invitation: { id: other.id },
    });
  });

  test('is made again when another live invitation has it', async () => {
    const first = await issue(await newCandidate(), () => pin('111111111111'));
    const pins = ['111111111111', '111111111111', '222222222222'];

    const second = await issue(await newCandidate(), () => pin(pins.shift() ?? ''));

    expect([second.pin, pins]).toEqual(['222222222222', []]);
    await expect(find(first.pin)).resolves.toMatchObject({ invitation: { id: first.id } });
    await expect(find(second.pin)).resolves.toMatchObject({ invitation: { id: second.id } });
  });

  test('goes to one of two at once, and the other gives up after five tries', async () => {
    const candidates = [await newCandidate(), await newCandidate()];

    const both = await Promise.allSettled(
      candidates.map((id) => issue(id, () => pin('111111111111'))),
    );

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'pin_taken' },
    });
    const rows = await database.commit((tx) => tx.query('select 1 from invitation'));
    expect(rows).toHaveLength(1);
  });

  test('has one salt, also when two replicas make it at once', async () => {
    const keys = await Promise.all(
      Array.from({ length: 4 }, () => new PinHasher(database.units).keyOf(pin('123456781234'))),
    );

    expect(new Set(keys).size).toBe(1);
  });

  test('is never hashed inside a commit', async () => {
    await expect(database.commit(() => pinKeys.keyOf(pin('123456781234')))).rejects.toMatchObject({
      name: 'RemoteCallInCommitError',
    });
  });
});
