import { AttentionService, type AttentionItem } from '../../src/attention';
import { DomainEvents } from '../../src/common/events';
import { DatabaseUnavailableError } from '../../src/common/uow';
import { LimiterHealth } from '../../src/notion-sync/api/limiter/limiter-health';
import { BoardRunner } from '../../src/notion-sync/sync/board-runner';
import { gate } from '../../tools/http-fake/gate';
import { type TestApp, startTestApp } from '../support/app';
import { until } from '../support/until';

const ADA = '6f1c6f0e-8d54-4a2b-9a58-6f7f0c1f2a11';
/** No server listens at this address: no test here calls Notion. */
const NOTION = {
  NOTION_TOKEN: 'ntn_1',
  NOTION_DATA_SOURCE_ID: ADA,
  NOTION_API_URL: 'http://127.0.0.1:9',
};

describe('with a token', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startTestApp({ env: NOTION, isWorking: false });
  });
  afterEach(() => app.close());

  /** Replays an item about Ada's board; the item is closed then. */
  async function replay(kind: 'braked' | 'dead'): Promise<void> {
    const attention = app.get(AttentionService);
    const item = { kind, subject: `board:${ADA}`, reason: 'a reason' };
    await app.commit((tx) => attention.raise(tx, item));
    const [raised] = await app.commit((tx) => attention.list(tx));
    await app.commit((tx) => attention.replay(tx, raised?.id ?? '', 'Nora'));
    expect(await app.commit((tx) => attention.list(tx))).toEqual([]);
  }

  const marked = (): Promise<unknown[]> =>
    app.commit((tx) => tx.query(`select key, state from job where queue = 'notion-sync'`));
  const passes = (): Promise<unknown[]> =>
    app.commit((tx) => tx.query('select user_id from notion_board_approval'));

  test('the runs of boards and the replays of their attention items are wired', () => {
    expect(app.get(BoardRunner)).toBeInstanceOf(BoardRunner);
    expect(app.get(DomainEvents).handles('attention.replayed', 'board')).toBe(true);
  });

  test('several missed starts in a row add an attention item, which closes at the next start in time', async () => {
    const attention = app.get(AttentionService);
    const condition = app.get(LimiterHealth);
    const open = (): Promise<AttentionItem[]> => app.commit((tx) => attention.list(tx));
    for (let missed = 0; missed < 6; missed += 1) condition.missed();
    await until('the attention list changes', async () => (await open()).length > 0);

    expect(await open()).toMatchObject([
      { kind: 'stalled', subject: 'notion:limiter', conversationId: null },
    ]);
    const ready = await fetch(`${app.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      details: { notion_limiter: { condition: 'degraded' } },
    });

    condition.onTime();
    await until('the attention list changes', async () => (await open()).length === 0);
    expect(await open()).toEqual([]);
  });

  test('the first start in time closes the attention item that an earlier process left', async () => {
    const attention = app.get(AttentionService);
    const open = (): Promise<AttentionItem[]> => app.commit((tx) => attention.list(tx));
    await app.commit((tx) =>
      attention.raise(tx, { kind: 'stalled', subject: 'notion:limiter', reason: 'calls are late' }),
    );
    expect(await open()).toHaveLength(1);

    app.get(LimiterHealth).onTime();

    await until('the attention list changes', async () => (await open()).length === 0);
  });

  test('an attention item whose closing could not be stored closes at the next start in time', async () => {
    const condition = app.get(LimiterHealth);
    const isOpen = async (): Promise<boolean> => {
      const items = await app.commit((tx) => app.get(AttentionService).list(tx));
      return items.length > 0;
    };
    for (let missed = 0; missed < 6; missed += 1) condition.missed();
    await app.until('the item is open', isOpen);
    const failing = jest
      .spyOn(app.get(DomainEvents), 'publish')
      .mockRejectedValue(new DatabaseUnavailableError('the database cannot be reached'));

    condition.onTime();
    await app.until('the closing has failed', () =>
      app.log.lines.some((line) => line.includes('missed starts could not be stored')),
    );
    failing.mockRestore();
    expect(await isOpen()).toBe(true);
    condition.onTime();

    await app.until('the item is closed', async () => !(await isOpen()));
  });

  test('reports of missed starts are stored one at a time, in their order', async () => {
    const condition = app.get(LimiterHealth);
    const bus = app.get(DomainEvents);
    const publish = bus.publish.bind(bus);
    const published: string[] = [];
    const first = gate();
    const slow = jest.spyOn(bus, 'publish').mockImplementation(async (tx, name, event) => {
      published.push(name);
      if (published.length === 1) await first.opened;
      return publish(tx, name, event);
    });

    for (let missed = 0; missed < 6; missed += 1) condition.missed();
    await app.until('the first report is being stored', () => published.length > 0);
    condition.onTime();
    await app.sql('select 1');
    await app.sql('select 1');
    expect(published).toEqual(['attention.needed']);
    first.open();

    // A busy machine may report more.
    await app.until('the second report is stored', () => published.length >= 2);
    const list = (): Promise<AttentionItem[]> =>
      app.commit((tx) => app.get(AttentionService).list(tx));
    await app.until('the item is closed', async () => (await list()).length === 0);
    slow.mockRestore();
  });

  test('replaying a braked board approves it: it gets a pass and is ranked soon', async () => {
    await replay('braked');

    expect(await passes()).toEqual([{ user_id: ADA }]);
    expect(await marked()).toEqual([{ key: ADA, state: 'open' }]);
  });

  test('replaying a board that was given up ranks it again with the brake on', async () => {
    await replay('dead');

    expect(await passes()).toEqual([]);
    expect(await marked()).toEqual([{ key: ADA, state: 'open' }]);
  });
});

test('without a token there are neither runs nor replays of boards', async () => {
  const app = await startTestApp({ isWorking: false });
  try {
    expect(app.get(DomainEvents).handles('attention.replayed', 'board')).toBe(false);
    expect(() => app.get<unknown>(BoardRunner)).toThrow();
  } finally {
    await app.close();
  }
});
