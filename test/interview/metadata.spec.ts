import { randomUUID } from 'node:crypto';
import { UnitOfWorkBusyError } from '../../src/common/uow';
import { ConversationUnknownError } from '../../src/buffer';
import { InvalidMetadataError, type MetadataUpdates } from '../../src/interview/metadata/metadata';
import { TestMetadata } from './test-metadata';

let setup: TestMetadata;
beforeAll(async () => {
  setup = await TestMetadata.open();
});
beforeEach(() => {
  setup.forget();
});
afterAll(() => setup.close());

/** Calls the service as untyped code would. */
function update(id: string, updates: unknown, maxRetries = 3): Promise<boolean> {
  const given = updates as MetadataUpdates;
  return setup.store.updateConversationMetadata(id, given, { maxRetries });
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

describe('many writers at once', () => {
  // Each conflict is another writer's success, so no writer has more than 49 conflicts.
  test('50 concurrent writers with enough retries lose no update', async () => {
    const id = await setup.conversation();

    const results = await Promise.all(numbers(50).map((n) => update(id, { [`k${n}`]: n }, 49)));

    expect(results).toEqual(numbers(50).map(() => true));
    const { metadata, version } = await setup.stored(id);
    expect(metadata).toEqual(Object.fromEntries(numbers(50).map((n) => [`k${n}`, n])));
    expect(version).toBe(50);
    expect(setup.waits.slept.length).toBeGreaterThan(0);
  });

  test('50 concurrent updaters that append to one list keep all entries', async () => {
    const id = await setup.conversation();

    await Promise.all(
      numbers(50).map((n) =>
        setup.store.updateConversationMetadata(
          id,
          ({ questionAnswers = [] }) => ({
            questionAnswers: [...(questionAnswers ?? []), { questionId: `q${n}`, turnId: 't' }],
          }),
          { maxRetries: 49 },
        ),
      ),
    );

    const { questionAnswers } = await setup.commit((tx) => setup.store.read(tx, id));
    const ids = (questionAnswers ?? []).map(({ questionId }) => Number(questionId.slice(1)));
    expect(ids.sort((a, b) => a - b)).toEqual(numbers(50));
  });

  test('writers with and without the lock lose no update of each other', async () => {
    const id = await setup.conversation();

    await Promise.all([
      ...numbers(20).map((n) => update(id, { [`free${n}`]: n }, 40)),
      ...numbers(20).map((n) =>
        setup.commit((tx) => setup.store.update(tx, id, { [`locked${n}`]: n })),
      ),
    ]);

    const { metadata, version } = await setup.stored(id);
    expect(Object.keys(metadata as object)).toHaveLength(40);
    expect(version).toBe(40);
  });
});

describe('what an update changes', () => {
  test('undefined keeps a field, null marks it as unknown', async () => {
    const id = await setup.conversation({ pinCode: '••••-••45', searchQuery: 'ada' });

    await update(id, { pinCode: null, searchQuery: undefined, nested: { gone: undefined } });

    const { metadata } = await setup.stored(id);
    expect(metadata).toEqual({ pinCode: null, searchQuery: 'ada', nested: {} });
  });

  test('a date is stored in ISO 8601', async () => {
    const id = await setup.conversation();

    await update(id, { completedAt: new Date(0) });

    expect((await setup.stored(id)).metadata).toEqual({
      completedAt: '1970-01-01T00:00:00.000Z',
    });
  });

  test('keeps a number that is too long for JavaScript, also in the list under "unreadable"', async () => {
    const id = await setup.conversation();
    const stored = '{"other": 12345678901234567890.5, "pinCode": 98765432109876543210.5}';
    await setup.sql('update conversation set metadata = $2 where id = $1', [id, stored]);

    await update(id, { awaitingPin: true });

    const [row] = await setup.sql<{ text: string }>(
      'select metadata::text as text from conversation where id = $1',
      [id],
    );
    expect(row?.text).toContain('"other": 12345678901234567890.5');
    expect(row?.text).toContain('{"field": "pinCode", "value": 98765432109876543210.5}');
  });

  test("an updater gets the database's time and only the readable fields", async () => {
    const id = await setup.conversation({ awaitingPin: 'yes', pinCode: '••••-••01', mine: 2 });
    const given: unknown[] = [];

    await setup.store.updateConversationMetadata(id, (current, at) => {
      given.push(current, at);
      return {};
    });

    expect(given).toEqual([{ pinCode: '••••-••01', mine: 2 }, expect.any(Date)]);
  });
});

describe('unreadable metadata', () => {
  test('is moved to the list under "unreadable" by the next write, not by a read', async () => {
    const id = await setup.conversation(['all wrong']);

    expect(await setup.commit((tx) => setup.store.read(tx, id))).toEqual({});
    expect(await setup.stored(id)).toEqual({ metadata: ['all wrong'], version: 0 });
    await update(id, { pinCode: '••••-••01' });
    await setup.overwrite(id, {
      ...((await setup.stored(id)).metadata as object),
      pinCode: 2,
      questionAnswers: ['?'],
    });
    await update(id, { pinCode: '••••-••03' });

    expect(await setup.stored(id)).toEqual({
      version: 3,
      metadata: {
        pinCode: '••••-••03',
        unreadable: [
          { field: null, value: ['all wrong'] },
          { field: 'pinCode', value: 2 },
          { field: 'questionAnswers', value: ['?'] },
        ],
      },
    });
  });

  test.each([['null'], ['"text"'], ['17'], ['[{"pinCode": "1"}]']])(
    'that is no object (%s) is kept, and the update is stored',
    async (json) => {
      const id = await setup.conversation(JSON.parse(json));

      expect(await update(id, { awaitingPin: true })).toBe(true);

      expect((await setup.stored(id)).metadata).toEqual({
        awaitingPin: true,
        unreadable: [{ field: null, value: JSON.parse(json) as unknown }],
      });
    },
  );

  test('is logged by its field, without its value', async () => {
    const id = await setup.conversation({ awaitingPin: 'a secret' });

    await update(id, { pinCode: '••••-••99' });

    expect(setup.log.warnings).toEqual([expect.stringMatching(`${id} .*: awaitingPin; `)]);
  });
});

describe('an update that cannot be stored', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const circle: Record<string, unknown> = {};
  circle['a'] = circle['b'] = circle;

  test.each([
    ['NUL in a value', { searchQuery: 'a\0b' }],
    ['NUL in a key', { 'a\0b': 1 }],
    ['a lone surrogate in a value', { searchQuery: 'a\ud800' }],
    ['a lone surrogate in a nested key', { other: { '\udc00': 1 } }],
    ['a known field of another form', { awaitingPin: 'yes' }],
    ['an object in place of a list', { questionAnswers: { questionId: 'q1', turnId: 't' } }],
    ['text in place of a time', { completedAt: 'soon' }],
    ['NaN', { other: Number.NaN }],
    ['a bigint', { other: 1n }],
    ['a function', { other: () => 1 }],
    ['a Map', { other: new Map() }],
    ['a hole in a list', { other: [1, undefined] }],
    ['an invalid date', { other: new Date(Number.NaN) }],
    ['a value that is nested too deeply', { other: deep(40) }],
    ['a value that contains itself', { other: circle }],
    ['a value that is too large', { other: 'x'.repeat(1_000_001) }],
    ['the reserved key "unreadable"', { unreadable: [] }],
    ['a list of updates', [{ pinCode: '••••-••01' }]],
    ['no updates', null],
    ['a promise of updates', Promise.resolve({ pinCode: '••••-••01' })],
  ])('is refused with a clear error: %s', async (_, updates) => {
    const id = await setup.conversation({ pinCode: '••••-••00' });

    await expect(update(id, updates)).rejects.toBeInstanceOf(InvalidMetadataError);
    await expect(
      setup.commit((tx) => setup.store.update(tx, id, updates as MetadataUpdates)),
    ).rejects.toBeInstanceOf(InvalidMetadataError);

    expect(await setup.stored(id)).toEqual({ metadata: { pinCode: '••••-••00' }, version: 0 });
  });

  test('names the field in the error, but not its value', async () => {
    const id = await setup.conversation();

    const error = await update(id, { searchQuery: 'secret\0' }).catch((e: unknown) => e);

    expect(error).toMatchObject({ code: 'invalid_metadata', fields: { field: 'searchQuery' } });
    expect(String(error)).not.toContain('secret');
  });

  test('is refused when the number of retries is invalid', async () => {
    const id = await setup.conversation();

    for (const maxRetries of [-1, 1.5, Number.NaN, 1001]) {
      await expect(update(id, {}, maxRetries)).rejects.toBeInstanceOf(InvalidMetadataError);
    }
  });

  test('is logged without its values when all tries fail', async () => {
    const id = await setup.conversation();
    setup.rows.afterRead = () => setup.overwrite(id, {});

    expect(await update(id, { searchQuery: 'a secret', other: 'another' })).toBe(false);

    expect(setup.log.warnings).toEqual([
      `metadata of conversation ${id} was not updated: other writers were faster in 4 of 4 tries; ` +
        'keys: searchQuery, other',
    ]);
  });
});

describe('errors', () => {
  test.each([
    ['with an unused id', randomUUID()],
    ['with a malformed id', "' or true"],
  ])('a conversation %s is unknown', async (_, id) => {
    await expect(update(id, { pinCode: '••••-••01' })).rejects.toBeInstanceOf(
      ConversationUnknownError,
    );
    for (const work of ['read', 'update'] as const) {
      const doing = setup.commit(async (tx) => {
        await setup.store[work](tx, id, {});
      });
      await expect(doing).rejects.toBeInstanceOf(ConversationUnknownError);
    }
  });

  test('an error of the updater is thrown, and nothing is stored', async () => {
    const id = await setup.conversation({ pinCode: '••••-••00' });
    const failing = setup.store.updateConversationMetadata(id, () => {
      throw new Error('from the updater');
    });

    await expect(failing).rejects.toThrow('from the updater');
    expect(await setup.stored(id)).toEqual({ metadata: { pinCode: '••••-••00' }, version: 0 });
    expect(setup.units.openUnits).toBe(0);
  });

  test('a later failure in the same commit rolls the update back', async () => {
    const id = await setup.conversation();
    const failing = setup.commit(async (tx) => {
      await setup.store.update(tx, id, { pinCode: '••••-••01' });
      throw new Error('after the update');
    });

    await expect(failing).rejects.toThrow('after the update');
    expect(await setup.stored(id)).toEqual({ metadata: {}, version: 0 });
  });

  test('updateConversationMetadata is refused inside a commit', async () => {
    const id = await setup.conversation();
    const nested = setup.commit(() => update(id, { pinCode: '••••-••01' }));

    await expect(nested).rejects.toBeInstanceOf(UnitOfWorkBusyError);
  });

  test('the metrics count each failed try as a rolled back commit', async () => {
    const id = await setup.conversation();
    const before = await outcomes();
    setup.rows.afterRead = () => setup.overwrite(id, {});
    await update(id, { pinCode: '••••-••01' }, 2);

    expect(await outcomes()).toBe(before + 3);
  });

  function outcomes(): Promise<number> {
    const rolledBack = { label: 'metadata.update', outcome: 'rolled_back' };
    return setup.metrics('uow_commits_total', rolledBack);
  }
});
