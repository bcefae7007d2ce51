import { TestCandidate } from '../../support/candidate';
import { PUBLIC_URL, ReviewedInterviews } from './reviewed-interviews';

describe('a finished interview', () => {
  let setup: ReviewedInterviews;

  beforeEach(async () => {
    setup = await ReviewedInterviews.start();
  });
  afterEach(() => setup.close());

  test('is one page on the board of its vacancy owner, with what a reviewer needs', async () => {
    const { conversationId } = await setup.finished();

    expect(setup.pages).toHaveLength(1);
    const values = ['Assignee', 'Candidate', 'Vacancy', 'Coverage', 'Transcript', 'Status'].map(
      (name) => setup.page.value(name),
    );
    expect(setup.page.title).toBe('Interview: Ada, Baker');
    expect(values).toEqual([
      [setup.owner.id],
      'Ada',
      'Baker',
      '2 of 2 must-ask questions asked, 2 answered',
      `${PUBLIC_URL}/console/transcripts/${conversationId}`,
      'Awaiting review',
    ]);
    expect(['Importance', 'Estimate'].map((name) => setup.page.value(name))).toEqual([5, 1]);
    expect(setup.notion.journal.violations).toEqual([]);
    expect(setup.notion.journal.refused()).toEqual([]);
  });

  test('causes a ranking of its owner board, and its page is stored with that owner', async () => {
    await setup.finished();

    const boards = await setup.rows(`select distinct key from job where queue = 'notion-sync'`);
    expect(boards).toEqual([{ key: setup.owner.id }]);
    const known = await setup.rows('select page_id, assignee_ids from notion_page');
    expect(known).toEqual([{ page_id: setup.page.id, assignee_ids: [setup.owner.id] }]);
  });

  test('gets no page before it is finished, nor if its candidate withdraws or asks for a person', async () => {
    const one = await TestCandidate.begin(setup.app);
    await setup.answer(one, 'a');
    await one.post('withdraw');
    const other = await TestCandidate.begin(setup.app);
    await setup.answer(other, 'a');
    await other.post('human');
    await setup.settle();

    expect(setup.calls).toEqual([]);
    expect(await setup.left()).toBe(0);
  });

  test('is corrected in place when the name of its candidate changes', async () => {
    const candidate = await setup.finished();
    const { id } = setup.page;

    await candidate.post('profile', { name: 'Ada Lovelace', contact: 'ada@example.org' });
    await setup.settle();

    expect(setup.page.id).toBe(id);
    expect(setup.page.title).toBe('Interview: Ada Lovelace, Baker');
    expect(setup.page.value('Candidate')).toBe('Ada Lovelace');
  });

  test('shows on the same page later messages and a later withdrawal of its candidate', async () => {
    const candidate = await setup.finished();

    await setup.answer(candidate, 'more', 'One more thing.');
    const added = setup.page.value('Coverage');
    await candidate.post('withdraw');
    await setup.settle();

    expect(added).toBe('2 of 2 must-ask questions asked, 2 answered; messages after the end: 1');
    expect(setup.page.value('Coverage')).toBe(
      `${String(added)}; the candidate withdrew afterwards`,
    );
  });

  test('keeps what people have changed on its page', async () => {
    const candidate = await setup.finished();
    const other = setup.notion.workspace.user('Other');
    const byPeople = { Status: 'Done', Importance: 9, Estimate: 3, Assignee: other };
    setup.page.edit(byPeople, setup.owner);

    await setup.answer(candidate, 'more', 'One more thing.');

    const values = ['Status', 'Importance', 'Estimate', 'Assignee'];
    expect(values.map((name) => setup.page.value(name))).toEqual(['Done', 9, 3, [other.id]]);
    expect(setup.page.value('Coverage')).toContain('messages after the end: 1');
  });

  test('causes no call when nothing on its page has changed', async () => {
    const candidate = await setup.finished();
    setup.notion.journal.clear();

    await candidate.post('profile', { name: 'Ada', contact: 'else@example.org' });
    await setup.settle();

    expect(setup.calls).toEqual([]);
  });

  test('is left in the trash if people put it there', async () => {
    const candidate = await setup.finished();
    setup.page.delete(setup.owner);

    await setup.answer(candidate, 'more', 'One more thing.');

    expect(setup.pages).toEqual([]);
    const dead = await setup.rows(`select 1 from job where state in ('dead', 'retry')`);
    expect(dead).toEqual([]);
  });
});

describe('without Notion', () => {
  test('a finished interview leaves no unused row', async () => {
    const setup = await ReviewedInterviews.start({ env: { NOTION_TOKEN: '' } });
    try {
      await setup.finished();

      expect(await setup.left()).toBe(0);
      expect(setup.calls).toEqual([]);
    } finally {
      await setup.close();
    }
  });
});
