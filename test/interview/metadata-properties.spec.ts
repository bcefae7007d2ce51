import fc from 'fast-check';
import type { MetadataUpdates } from '../../src/interview/metadata/metadata';
import { TestMetadata } from './test-metadata';

/** M1 to M4 of the conversation's metadata, against PostgreSQL. */

const RUNS = { numRuns: 100 };

let setup: TestMetadata;
beforeAll(async () => {
  setup = await TestMetadata.open();
});
afterAll(() => setup.close());

function check<T>(arbitrary: fc.Arbitrary<T>, claim: (value: T) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    setup.forget();
    await claim(value);
  });
  return fc.assert(property, RUNS);
}

/** Text that jsonb can store. */
const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((s) => !/\0|\p{Cs}/u.test(s));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const knownUpdates = fc.record(
  {
    identifiedBy: maybe(
      fc.constantFrom('link', 'web_link', 'pin', 'search', 'username', 'continuation'),
    ),
    pinCode: maybe(fc.nat(89).map((n) => `••••-••${n + 10}`)),
    searchQuery: maybe(text),
    awaitingPin: maybe(fc.boolean()),
    interviewStarted: fc.boolean(),
    questionAnswers: fc.array(fc.record({ questionId: text, turnId: text }), { maxLength: 3 }),
    lastQuestionAsked: maybe(text),
    interviewCompleted: fc.boolean(),
    completedAt: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
);
/** Keys without a definition, among them `__proto__` and `constructor`. */
const otherUpdates = fc.dictionary(
  fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')).filter(isOther),
  json,
  { maxKeys: 4 },
);
const updates = fc
  .tuple(otherUpdates, knownUpdates)
  .map(([other, known]): MetadataUpdates => merged(other, known));

function isOther(key: string): boolean {
  return key !== 'unreadable';
}

/** Merges objects; later keys win, and each key becomes an own property. */
function merged(...parts: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** One concurrent writer: the value of its own key, its retries, and whether it also appends. */
const writer = fc.record({
  value: json,
  maxRetries: fc.integer({ min: 0, max: 3 }),
  appends: fc.boolean(),
});

let [written, refused] = [0, 0];

test('M1: of concurrent updates, those that returned true are stored; the others are not, and are logged', async () => {
  await check(
    fc.tuple(updates, fc.array(writer, { minLength: 2, maxLength: 8 })),
    async ([before, writers]) => {
      const id = await setup.conversation(before);
      const first = before.questionAnswers ?? [];

      const results = await Promise.all(
        writers.map(({ value, maxRetries, appends }, n) => {
          const own = { [`writer ${n}`]: value };
          const answer = { questionId: `q${n}`, turnId: 't' };
          return setup.store.updateConversationMetadata(
            id,
            appends
              ? ({ questionAnswers }) => ({
                  ...own,
                  questionAnswers: [...(questionAnswers ?? []), answer],
                })
              : own,
            { maxRetries },
          );
        }),
      );

      const { metadata, version } = await setup.stored(id);
      const { questionAnswers, ...rest } = metadata as MetadataUpdates;
      const won = writers.flatMap((one, n) => (results[n] === true ? [{ ...one, n }] : []));
      const { questionAnswers: _, ...untouched } = before;
      const theirs = won.map(({ n, value }) => ({ [`writer ${n}`]: value }));
      expect(rest).toEqual(merged(untouched, ...theirs));
      const appended = won.filter(({ appends }) => appends).map(({ n }) => `q${n}`);
      const kept = (questionAnswers ?? []).map(({ questionId }) => questionId);
      expect(kept.slice(0, first.length)).toEqual(first.map(({ questionId }) => questionId));
      expect(kept.slice(first.length).sort()).toEqual(appended.sort());
      expect(version).toBe(won.length);
      expect(setup.log.warnings).toHaveLength(writers.length - won.length);
      written += won.length;
      refused += writers.length - won.length;
    },
  );
  // Both results occurred often enough for the claim to mean something.
  expect(Math.min(written, refused)).toBeGreaterThan(20);
});

test('M2: N successful updates of any form raise the version by N', () =>
  check(
    fc.tuple(
      fc.nat(1_000_000),
      fc.array(fc.tuple(updates, fc.integer({ min: 0, max: 2 })), { maxLength: 6 }),
    ),
    async ([from, schedule]) => {
      const id = await setup.conversation();
      await setup.sql('update conversation set metadata_version = $2 where id = $1', [id, from]);
      let expected = {};

      for (const [changes, form] of schedule) {
        expected = merged(expected, changes);
        if (form === 0) await setup.store.updateConversationMetadata(id, changes);
        if (form === 1) await setup.store.updateConversationMetadata(id, () => changes);
        if (form === 2) await setup.commit((tx) => setup.store.update(tx, id, changes));
      }

      expect(await setup.stored(id)).toEqual({
        metadata: expected,
        version: from + schedule.length,
      });
    },
  ));

test('M3: a conflict is retried on fresh data with growing pauses, up to the allowed number', () =>
  check(
    fc.record({
      conflicts: fc.integer({ min: 0, max: 9 }),
      maxRetries: fc.integer({ min: 0, max: 9 }),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    async ({ conflicts, maxRetries, chance }) => {
      const id = await setup.conversation({ round: 0 });
      const seen: unknown[] = [];
      let round = 0;
      setup.chance = () => chance;
      setup.rows.afterRead = async () => {
        if (round >= conflicts) return;
        round += 1;
        await setup.overwrite(id, { round });
      };

      const isStored = await setup.store.updateConversationMetadata(
        id,
        (current) => {
          seen.push(current['round']);
          return { mine: current['round'] };
        },
        { maxRetries },
      );

      const tries = Math.min(conflicts, maxRetries) + 1;
      expect(isStored).toBe(conflicts <= maxRetries);
      expect(seen).toEqual(Array.from({ length: tries }, (_, n) => n));
      expect(setup.waits.slept).toEqual(
        Array.from({ length: tries - 1 }, (_, n) => Math.min(1000, 20 * 2 ** n) * chance),
      );
      const metadata = isStored ? { round: conflicts, mine: conflicts } : { round };
      expect(await setup.stored(id)).toEqual({ metadata, version: round + (isStored ? 1 : 0) });
      // A busy machine also warns of a slow commit.
      const ofTries = setup.log.warnings.filter((line) => line.includes(' tries; '));
      expect(ofTries).toEqual(
        isStored ? [] : [expect.stringMatching(`${id} .* ${tries} of ${tries} tries; keys: mine$`)],
      );
    },
  ));

test('M4: a call with an object and no options merges it into the metadata and returns true', () =>
  check(fc.tuple(updates, updates), async ([before, changes]) => {
    const id = await setup.conversation(before);

    const isStored = await setup.store.updateConversationMetadata(id, changes);

    expect(isStored).toBe(true);
    const expected = merged(before, changes);
    expect(await setup.stored(id)).toEqual({ metadata: expected, version: 1 });
    expect(await setup.commit((tx) => setup.store.read(tx, id))).toEqual(expected);
  }));

const WRONG_FIELDS = ['pinCode', 'awaitingPin', 'questionAnswers', 'completedAt'] as const;
/** Ways to damage the stored metadata. `mark` and the old metadata stay within it. */
const damage = fc.oneof(
  fc.constantFrom(...WRONG_FIELDS).map((field) => (stored: object, mark: string) => ({
    ...stored,
    [field]: { mark, was: (stored as Record<string, unknown>)[field] },
  })),
  fc.constant((stored: object, mark: string) => ({ ...stored, unreadable: { mark, stored } })),
  fc.constant((stored: object, mark: string) => [mark, stored]),
  fc.constant((stored: object, mark: string) => `${mark} ${JSON.stringify(stored)}`),
);

test('unreadable metadata counts as absent and is kept, however often it is damaged', () =>
  check(
    fc.tuple(
      fc.array(fc.tuple(damage, knownUpdates), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
    ),
    async ([rounds, isLocked]) => {
      const id = await setup.conversation({ other: 'mark -1' });

      for (const [n, [damaged, changes]] of rounds.entries()) {
        const { metadata } = await setup.stored(id);
        await setup.overwrite(id, damaged(metadata as object, `mark ${n}`));
        const before = await setup.commit((tx) => setup.store.read(tx, id));
        if (isLocked) await setup.commit((tx) => setup.store.update(tx, id, changes));
        else expect(await setup.store.updateConversationMetadata(id, changes)).toBe(true);

        expect(JSON.stringify(before)).not.toContain(`mark ${n}`);
        const after = await setup.commit((tx) => setup.store.read(tx, id));
        expect(after).toEqual({ ...before, ...changes });
        const stored = await setup.stored(id);
        for (let mark = -1; mark <= n; mark += 1) {
          expect(JSON.stringify(stored.metadata)).toContain(`mark ${mark}`);
        }
        expect(stored.version).toBe(2 * (n + 1));
      }
    },
  ));
