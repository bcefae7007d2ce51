import { DomainEvents } from '../../../src/common/events';
import { AttentionService } from '../../../src/attention';
import { REVIEW_COLUMNS, ReviewedInterviews } from './reviewed-interviews';

const STRANGER = '5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911';

async function on(
  options: Parameters<typeof ReviewedInterviews.start>[0],
  work: (setup: ReviewedInterviews) => Promise<void>,
): Promise<void> {
  const setup = await ReviewedInterviews.start(options);
  try {
    await work(setup);
    const stuck = await setup.rows(`select last_error from job where state in ('retry', 'dead')`);
    expect(stuck).toEqual([]);
    expect(setup.app.log.lines.join('\n')).not.toContain('Ada');
  } finally {
    await setup.close();
  }
}

describe('a board that lacks properties of a review', () => {
  test('shows the other properties, and each missing one is logged once', async () => {
    await on({ board: { without: ['Estimate'] } }, async (setup) => {
      await setup.finished();
      await setup.finished();

      expect(setup.pages.map(({ title }) => title)).toEqual([
        'Interview: Ada, Baker',
        'Interview: Ada, Baker',
      ]);
      expect(setup.page0('Assignee')).toEqual([setup.owner.id]);
      const told = ['Candidate', 'Vacancy', 'Coverage', 'Transcript', 'Estimate', 'Status'];
      for (const name of told) {
        expect(
          setup.app.log.warningsOf('NotionReviews').filter((line) => line.includes(`"${name}"`)),
        ).toHaveLength(1);
      }
      expect(setup.app.log.warningsOf('NotionReviews')).toHaveLength(told.length);
      expect(setup.page0('Status')).toBeNull();
    });
  });

  test('gets no log line about properties that the settings switch off', async () => {
    const env = {
      NOTION_PROPERTY_CANDIDATE: '-',
      NOTION_PROPERTY_VACANCY: '-',
      NOTION_PROPERTY_COVERAGE: '-',
      NOTION_PROPERTY_TRANSCRIPT: '-',
      NOTION_REVIEW_STATUS: '-',
    };
    await on({ board: {}, env }, async (setup) => {
      await setup.finished();

      expect(setup.pages).toHaveLength(1);
      expect(setup.app.log.warningsOf('NotionReviews')).toEqual([]);
    });
  });

  test('may have other names for them', async () => {
    const { Candidate: _c, Coverage: _v, Transcript: _t, ...columns } = REVIEW_COLUMNS;
    const env = {
      NOTION_PROPERTY_CANDIDATE: 'Кандидат',
      NOTION_PROPERTY_COVERAGE: 'Покрытие',
      NOTION_PROPERTY_TRANSCRIPT: 'Запись',
      NOTION_REVIEW_STATUS: 'In progress',
      NOTION_REVIEW_IMPORTANCE: '7.5',
      NOTION_REVIEW_ESTIMATE: '0',
    };
    const named = {
      ...columns,
      Кандидат: 'rich_text',
      Покрытие: 'rich_text',
      Запись: 'url',
    } as const;
    await on({ board: { columns: named }, env }, async (setup) => {
      const { conversationId } = await setup.finished();

      expect(setup.page.value('Кандидат')).toBe('Ada');
      expect(setup.page.value('Покрытие')).toContain('2 of 2');
      expect(setup.page.value('Запись')).toContain(conversationId);
      expect(setup.page.value('Status')).toBe('In progress');
      expect(setup.page.value('Importance')).toBe(7.5);
      expect(setup.page.value('Estimate')).toBeNull();
    });
  });

  test('keeps a property of another type unchanged', async () => {
    await on({ board: { columns: { ...REVIEW_COLUMNS, Coverage: 'number' } } }, async (setup) => {
      await setup.finished();

      expect(setup.page.value('Coverage')).toBeNull();
      expect(setup.app.log.warningsOf('NotionReviews')).toEqual([
        'The property "Coverage" is of type number, not rich_text: finished interviews are shown without it. Add it as rich_text, or set NOTION_PROPERTY_COVERAGE.',
      ]);
    });
  });

  test('gets a page without an assignee if the owner is not in the workspace', async () => {
    await on({ writtenAs: () => STRANGER }, async (setup) => {
      await setup.finished();

      expect(setup.page.value('Assignee')).toEqual([]);
      expect(setup.page.value('Status')).toBe('Awaiting review');
      expect(setup.app.log.warningsOf('NotionReviews').at(-1)).toContain('owner.notionUserId');
      expect(await setup.rows(`select 1 from job where queue = 'notion-sync'`)).toEqual([]);
    });
  });

  test('gets a page without an assignee if the vacancy names no Notion user', async () => {
    await on({ writtenAs: () => null }, async (setup) => {
      await setup.finished();

      expect(setup.page.value('Assignee')).toEqual([]);
      expect(setup.page.value('Status')).toBe('Awaiting review');
      expect(setup.app.log.warningsOf('NotionReviews').at(-1)).toContain('no owner.notionUserId');
    });
  });

  test('is found by the id of its owner in any spelling of the vacancy file', async () => {
    const writtenAs = (id: string): string => id.replaceAll('-', '').toUpperCase();
    await on({ writtenAs }, async (setup) => {
      await setup.finished();

      expect(setup.page.value('Assignee')).toEqual([setup.owner.id]);
      const boards = await setup.rows(`select key from job where queue = 'notion-sync'`);
      expect(boards).toEqual([{ key: setup.owner.id }]);
    });
  });

  test('shows no link if the transcript has no address, and this is logged once', async () => {
    await on({ env: { ADMIN_TOKEN: '' } }, async (setup) => {
      await setup.finished();
      await setup.finished();

      expect(setup.page0('Transcript')).toBeNull();
      const told = setup.app.log
        .warningsOf('NotionReviews')
        .filter((line) => line.includes('ADMIN_TOKEN'));
      expect(told).toHaveLength(1);
    });
  });
});

describe('a data source that is not shared with the integration', () => {
  test('adds an attention item that can be replayed', async () => {
    const setup = await ReviewedInterviews.start();
    try {
      setup.board.unshare();
      const { conversationId } = await setup.finished();
      for (let tries = 0; tries < 6; tries += 1) await setup.pass(120_000);
      const open = await setup.rows<{ id: string; reason: string }>(
        'select id, kind, conversation_id, reason from attention where closed_at is null',
      );
      expect(open).toMatchObject([{ kind: 'dead', conversation_id: conversationId }]);
      expect(open[0]?.reason).toContain('not shared with the integration');

      setup.board.share();
      await replay(setup, open[0]?.id ?? '');
      await setup.settle();

      expect(setup.page.title).toBe('Interview: Ada, Baker');
    } finally {
      await setup.close();
    }
  });

  test('has an item that is closed when a later job shows the interview', async () => {
    const setup = await ReviewedInterviews.start();
    try {
      setup.board.unshare();
      const { conversationId } = await setup.finished();
      for (let tries = 0; tries < 6; tries += 1) await setup.pass(120_000);

      setup.board.share();
      const { app } = setup;
      await app.commit((tx) =>
        app
          .get(DomainEvents)
          .publish(tx, 'interview.changed', { conversationIds: [conversationId] }),
      );
      await setup.settle();

      expect(setup.page.title).toBe('Interview: Ada, Baker');
      expect(await setup.rows('select kind, closed_by from attention')).toEqual([
        { kind: 'dead', closed_by: expect.anything() as unknown },
      ]);
    } finally {
      await setup.close();
    }
  });
});

/** Replays an attention item, as a recruiter does. */
async function replay({ app }: ReviewedInterviews, itemId: string): Promise<void> {
  const attention = app.get(AttentionService);
  await app.commit((tx) => attention.replay(tx, itemId, 'test'));
}
