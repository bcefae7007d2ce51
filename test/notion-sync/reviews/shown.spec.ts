import { TestCandidate } from '../../support/candidate';
import { PUBLIC_URL, ReviewStage } from './review-stage';

describe('a finished interview', () => {
  let stage: ReviewStage;

  beforeEach(async () => {
    stage = await ReviewStage.open();
  });
  afterEach(() => stage.close());

  test('is one page on the board of its vacancy owner, with what a reviewer needs', async () => {
    const { conversationId } = await stage.finished();

    expect(stage.pages).toHaveLength(1);
    const values = ['Assignee', 'Candidate', 'Vacancy', 'Coverage', 'Transcript', 'Status'].map(
      (name) => stage.page.value(name),
    );
    expect(stage.page.title).toBe('Interview: Ada, Baker');
    expect(values).toEqual([
      [stage.owner.id],
      'Ada',
      'Baker',
      '2 of 2 must-ask questions asked, 2 answered',
      `${PUBLIC_URL}/console/transcripts/${conversationId}`,
      'Awaiting review',
    ]);
    expect(['Importance', 'Estimate'].map((name) => stage.page.value(name))).toEqual([5, 1]);
    expect(stage.notion.journal.violations).toEqual([]);
    expect(stage.notion.journal.refused()).toEqual([]);
  });

  test('causes a ranking of its owner board, and its page is stored with that owner', async () => {
    await stage.finished();

    const boards = await stage.rows(`select distinct key from job where queue = 'notion-sync'`);
    expect(boards).toEqual([{ key: stage.owner.id }]);
    const known = await stage.rows('select page_id, assignee_ids from notion_page');
    expect(known).toEqual([{ page_id: stage.page.id, assignee_ids: [stage.owner.id] }]);
  });

  test('gets no page before it is finished, nor if its candidate withdraws or asks for a person', async () => {
    const one = await TestCandidate.begin(stage.app);
    await stage.answer(one, 'a');
    await one.post('withdraw');
    const other = await TestCandidate.begin(stage.app);
    await stage.answer(other, 'a');
    await other.post('human');
    await stage.settle();

    expect(stage.calls).toEqual([]);
    expect(await stage.left()).toBe(0);
  });

  test('is corrected in place when the name of its candidate changes', async () => {
    const candidate = await stage.finished();
    const { id } = stage.page;

    await candidate.post('profile', { name: 'Ada Lovelace', contact: 'ada@example.org' });
    await stage.settle();

    expect(stage.page.id).toBe(id);
    expect(stage.page.title).toBe('Interview: Ada Lovelace, Baker');
    expect(stage.page.value('Candidate')).toBe('Ada Lovelace');
  });

  test('shows on the same page later messages and a later withdrawal of its candidate', async () => {
    const candidate = await stage.finished();

    await stage.answer(candidate, 'more', 'One more thing.');
    const added = stage.page.value('Coverage');
    await candidate.post('withdraw');
    await stage.settle();

    expect(added).toBe('2 of 2 must-ask questions asked, 2 answered; messages after the end: 1');
    expect(stage.page.value('Coverage')).toBe(
      `${String(added)}; the candidate withdrew afterwards`,
    );
  });

  test('keeps what people have changed on its page', async () => {
    const candidate = await stage.finished();
    const other = stage.notion.workspace.user('Other');
    const byPeople = { Status: 'Done', Importance: 9, Estimate: 3, Assignee: other };
    stage.page.edit(byPeople, stage.owner);

    await stage.answer(candidate, 'more', 'One more thing.');

    const values = ['Status', 'Importance', 'Estimate', 'Assignee'];
    expect(values.map((name) => stage.page.value(name))).toEqual(['Done', 9, 3, [other.id]]);
    expect(stage.page.value('Coverage')).toContain('messages after the end: 1');
  });

  test('causes no call when nothing on its page has changed', async () => {
    const candidate = await stage.finished();
    stage.notion.journal.clear();

    await candidate.post('profile', { name: 'Ada', contact: 'else@example.org' });
    await stage.settle();

    expect(stage.calls).toEqual([]);
  });

  test('is left in the trash if people put it there', async () => {
    const candidate = await stage.finished();
    stage.page.delete(stage.owner);

    await stage.answer(candidate, 'more', 'One more thing.');

    expect(stage.pages).toEqual([]);
    const dead = await stage.rows(`select 1 from job where state in ('dead', 'retry')`);
    expect(dead).toEqual([]);
  });
});

describe('without Notion', () => {
  test('a finished interview leaves no unused row', async () => {
    const stage = await ReviewStage.open({ env: { NOTION_TOKEN: '' } });
    try {
      await stage.finished();

      expect(await stage.left()).toBe(0);
      expect(stage.calls).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});
