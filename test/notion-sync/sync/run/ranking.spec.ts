import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';

const setup = new RankedBoard();

function task(said: Parameters<typeof setup.board.task>[0]): NotionPage {
  return setup.board.task({ Assignee: [setup.ada], ...said });
}

test('by importance: other properties do not count', async () => {
  const low = task({ Name: 'Low', Importance: 1, Due: '2026-03-02' });
  const high = task({ Name: 'High', Importance: 2, 'Blocked By': [low] });
  const none = task({ Name: 'None' });
  await setup.colloquy.run(setup.ada);

  expect(ranksOf([high, low, none])).toEqual([1, 2, 3]);
});

test('weighted: a due task comes before a slightly more important one, and its blocker before both', async () => {
  const later = task({ Name: 'Later', Importance: 4 });
  const blocker = task({ Name: 'Blocker', Importance: 0 });
  const due = task({ Name: 'Due', Importance: 3, Due: '2026-03-02', 'Blocked By': [blocker] });
  const colloquy = setup.runs.process(setup.board, { NOTION_RANKING: 'weighted' });
  await colloquy.run(setup.ada);

  expect(ranksOf([blocker, due, later])).toEqual([1, 2, 3]);
});

test('closed blockers and parents, and those of other people, do not count', async () => {
  const done = task({ Name: 'Done', Status: 'Done' });
  const bobs = setup.board.task({ Name: "Bob's", Assignee: [setup.notion.workspace.user('Bob')] });
  const first = task({ Name: 'First', Importance: 9, 'Blocked By': [done, bobs] });
  const second = task({ Name: 'Second', Importance: 1, 'Parent Task': [bobs] });
  const colloquy = setup.runs.process(setup.board, { NOTION_RANKING: 'weighted' });

  expect(await colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked', counts: { updated: 2 } });
  expect(ranksOf([first, second, done, bobs])).toEqual([1, 2, null, null]);
});

test('the projected completion skips weekends and holidays of the place, in its time zone', async () => {
  const { clock } = setup.runs;
  const midnightMs = Date.parse('2026-03-04T21:00:00Z');
  clock.advance(midnightMs - clock.now().getTime());
  // In Auckland it is Thursday, the 5th of March.
  const today = task({ Name: 'A day', Importance: 9, Estimate: 1, Due: '2026-03-04' });
  const child = task({ Name: 'Child', Importance: 8, Estimate: 1 });
  const parent = task({ Name: 'Parent', Importance: 1, Estimate: 0.5 });
  child.edit({ 'Parent Task': [parent] });
  const easter = task({
    Name: 'Over Easter',
    Importance: 0,
    Estimate: 2,
    'Task Started Date': '2026-04-02',
  });
  const open = task({ Name: 'No estimate' });
  const colloquy = setup.runs.process(setup.board, {
    NOTION_COUNTRY: 'NZ',
    NOTION_TIME_ZONE: 'Pacific/Auckland',
    NOTION_ESTIMATE_UNIT: 'days',
    NOTION_HOURS_A_DAY: '6',
  });
  await colloquy.run(setup.ada);

  const shown = [today, parent, child, easter, open].map((page) => [
    page.value('Projected Completion'),
    page.value('At risk'),
  ]);
  expect(shown).toEqual([
    ['2026-03-05', true],
    ['2026-03-06', false],
    ['2026-03-09', false],
    // Good Friday, the weekend and Easter Monday lie between.
    ['2026-04-07', false],
    [null, false],
  ]);
});

test('tasks that block each other in a circle are ranked, and logged by their ids only', async () => {
  const one = task({ Name: 'Call Ada Lovelace', Importance: 2 });
  const two = task({ Name: 'Two', Importance: 1, 'Blocked By': [one] });
  one.edit({ 'Blocked By': [two] });
  await setup.colloquy.run(setup.ada);

  expect(ranksOf([one, two])).toEqual([1, 2]);
  const told = setup.runs.log.lines.filter((line) => line.includes('circle'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(one.id);
  expect(told[0]).not.toContain('Lovelace');
});
