/** Rows of the list that change, come and go while somebody has the list in hand. */
import { entriesOf } from '../../../web/console/interviews/entries';
import { outcomeOf, selectionOf } from '../../../web/console/interviews/outcome';
import { MOST_SELECTED, toggled } from '../../../web/console/interviews/selection';
import {
  NOTHING_HELD,
  heldCount,
  keptInPlace,
  patched,
  placedIn,
  released,
  shortened,
} from '../../../web/console/interviews/rows';
import type { Page } from '../../../web/console/interviews/rows';
import type { Interview } from '../../../web/console/api/calls';

function interview(id: string, state: Interview['state'] = 'started'): Interview {
  return {
    ...{ id, state, vacancy: 'baker', candidate: { id: `c${id}`, name: id, contact: null } },
    ...{ externalId: null, metadata: {}, language: 'en', channel: 'web' },
    openedAt: '2026-11-01T10:00:00.000Z',
    updatedAt: '2026-11-01T10:00:00.000Z',
    seenAt: null,
    waits: null,
    progress: { question: 1, of: 3, unanswered: [] },
  };
}

const PAGES: readonly Page[] = [
  { items: [interview('9'), interview('8')], cursor: '8' },
  { items: [interview('6'), interview('5')], cursor: '5' },
];

function idsOf(pages: readonly Page[]): string[] {
  return pages.flatMap(({ items }) => items.map(({ id }) => id));
}

test('a row changes in its place, and pages without it stay the same objects', () => {
  const fresh = [interview('8', 'finished')];
  const { pages, held } = patched(PAGES, NOTHING_HELD, { asked: ['8'], fresh });

  expect(pages[0]?.items[1]?.state).toBe('finished');
  expect(pages[1]).toBe(PAGES[1]);
  expect(heldCount(held, [])).toBe(0);
});

test('what comes and goes is held back, and shown in the order of the list when it may', () => {
  const fresh = [interview('a'), interview('7')];
  const first = patched(PAGES, NOTHING_HELD, { asked: ['a', '7', '6'], fresh });
  expect(idsOf(first.pages)).toEqual(['9', '8', '6', '5']);
  expect(first.held.arrived.map(({ id }) => id)).toEqual(['a', '7']);
  expect([...first.held.gone]).toEqual(['6']);

  expect(idsOf(released(first.pages, first.held))).toEqual(['a', '9', '8', '7', '5']);
});

test('what was held back and came with a page meanwhile is shown once', () => {
  const held = { arrived: [interview('8'), interview('a')], gone: new Set<string>() };
  expect(
    heldCount(
      held,
      PAGES.flatMap(({ items }) => items),
    ),
  ).toBe(1);
  expect(idsOf(released(PAGES, held))).toEqual(['a', '9', '8', '6', '5']);
});

test('an interview that is older than the last row comes with a later page', () => {
  const { held } = patched(PAGES, NOTHING_HELD, { asked: ['3'], fresh: [interview('3')] });
  expect(heldCount(held, [])).toBe(0);
  expect(placedIn(PAGES, ['3', '5', '7', '9'])).toEqual(['5', '7', '9']);
  const [first] = PAGES;
  if (first === undefined) throw new Error('no page');
  const last = [{ ...first, cursor: null }];
  const whole = patched(last, NOTHING_HELD, { asked: ['3'], fresh: [interview('3')] });
  expect(whole.held.arrived).toHaveLength(1);
});

test('what was held back and changes again is held back once, and what returns stays', () => {
  const first = patched(PAGES, NOTHING_HELD, { asked: ['a', '6'], fresh: [interview('a')] });
  const fresh = [interview('a', 'finished'), interview('6')];
  const second = patched(first.pages, first.held, { asked: ['a', '6'], fresh });

  expect(second.held.arrived.map(({ state }) => state)).toEqual(['finished']);
  expect(second.held.gone.size).toBe(0);
});

test('who waits stays where they are shown, with what is known of them now', () => {
  const shown = [interview('1', 'needs_person'), interview('2', 'needs_person')];
  const fresh = [interview('2', 'finished'), interview('3', 'needs_person')];

  const { rows, moved } = keptInPlace(shown, fresh);

  expect(rows.map((row) => [row.interview.id, row.interview.state, row.isGone])).toEqual([
    ['1', 'needs_person', true],
    ['2', 'finished', false],
  ]);
  expect(moved).toBe(2);
});

test('who waits stands on top, once, and the rest is shown when it is asked for', () => {
  const waiting = Array.from({ length: 8 }, (_, n) => {
    return { interview: interview(String(n)), isGone: false };
  });
  const rows = [interview('9'), interview('3')];
  const of = { waiting, waitingCount: 8, rows, gone: new Set<string>() };

  const short = entriesOf({ ...of, isExpanded: false });
  const whole = entriesOf({ ...of, isExpanded: true });

  expect(short.map(({ id }) => id)).toEqual([
    ...['waiting', '0', '1', '2', '3', '4', '5', 'more', 'others', '9'],
  ]);
  expect(short.find(({ kind }) => kind === 'more')).toMatchObject({ hidden: 2 });
  expect(whole).toHaveLength(short.length + 2);
  expect(entriesOf({ ...of, waiting: [], isExpanded: false }).map(({ kind }) => kind)).toEqual([
    ...['row', 'row'],
  ]);
});

test('a selection takes as many as one action does', () => {
  let selection = toggled(new Map(), interview('x'));
  expect([...selection.keys()]).toEqual(['x']);
  selection = toggled(selection, interview('x'));
  expect(selection.size).toBe(0);
  for (let n = 0; n <= MOST_SELECTED; n += 1) selection = toggled(selection, interview(String(n)));
  expect(selection.size).toBe(MOST_SELECTED);
});

describe('the outcome of an action', () => {
  const NOW = Date.parse('2026-11-01T10:00:00.000Z');
  const selection = new Map([
    ['a', 'Ada'],
    ['b', null],
  ]);
  const fate = { refusal: null, at: null, link: null };

  test('tells what was done and what was not, and takes back only what was done', () => {
    const refused = { ...fate, refusal: 'ended' } as const;
    const outcome = outcomeOf('close', selection, [fate, refused], NOW);

    expect(outcome.done.map(({ name }) => name)).toEqual(['Ada']);
    expect(outcome.refused.map(({ id }) => id)).toEqual(['b']);
    expect(outcome.undo?.action).toBe('reopen');
    expect([...selectionOf(outcome.done)]).toEqual([['a', 'Ada']]);
  });

  test('of reminders can be taken back until the last one goes', () => {
    const at = '2026-11-01T10:00:10.000Z';
    const outcome = outcomeOf('remind', selection, [{ ...fate, at }, fate], NOW);
    expect(outcome.undo?.untilMs).toBeLessThan(Date.parse(at));
    expect(outcome.undo?.untilMs).toBeGreaterThan(NOW + 5000);
  });

  test('that did nothing, or is a way back itself, is not taken back', () => {
    const refused = { ...fate, refusal: 'ended' } as const;
    expect(outcomeOf('close', selection, [refused, refused], NOW).undo).toBeNull();
    expect(outcomeOf('reopen', selection, [fate, fate], NOW).undo).toBeNull();
  });
});

test('a list that somebody has left keeps its first pages, with what was held back', () => {
  const held = { arrived: [interview('91')], gone: new Set(['8']) };

  expect(idsOf(shortened(PAGES, held, 1))).toEqual(['91', '9']);
});
