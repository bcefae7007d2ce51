/** What the team's stream says, and which queries of the page it concerns. */
import { Batch } from '../../../web/console/live/batch';
import { TEAM_EVENTS, interviewsIn, isAffected } from '../../../web/console/live/team-events';
import type { TeamChange } from '../../../web/console/live/team-events';
import { Timers } from '../fake-browser';

function change(kind: TeamChange['kind'], id: string, interviewId: string | null): TeamChange {
  return { type: 'changed', kind, id, interviewId };
}

test('reads the frames of the stream', () => {
  const data = JSON.stringify({ kind: 'vacancy', id: 'baker', interviewId: null });
  expect(TEAM_EVENTS.decode('changed', data)).toEqual(change('vacancy', 'baker', null));
  expect(TEAM_EVENTS.decode('resync', '{}')).toEqual({ type: 'resync' });
});

test.each([
  [change('interview', 'i', 'i'), ['interviews', 'waiting', null], true],
  [change('interview', 'i', 'i'), ['interview', 'i'], true],
  [change('interview', 'i', 'i'), ['interview', 'other'], false],
  [change('attention', '7', 'i'), ['attention', { state: 'open' }], true],
  [change('attention', '7', 'i'), ['interviews', 'waiting', null], true],
  [change('attention', '7', null), ['interviews'], false],
  [change('invitation', 'n', null), ['imports', 'n'], true],
  [change('vacancy', 'baker', null), ['vacancy', 'baker'], true],
  [change('judgement', 'i', 'i'), ['ratings', 'i'], true],
  [change('judgement', 'i', 'i'), ['ratings', 'other'], false],
])('%j concerns the query %j: %s', (one, queryKey, isMeant) => {
  expect(isAffected(queryKey, [one])).toBe(isMeant);
});

test('after something was missed every live query is read again, and no other', () => {
  expect(isAffected(['decisions', 'i'], null)).toBe(true);
  expect(isAffected(['session'], null)).toBe(false);
  expect(isAffected(['views'], null)).toBe(false);
});

test('names each interview whose row may have changed once', () => {
  const changes = [
    change('interview', 'a', 'a'),
    change('attention', '7', 'a'),
    change('vacancy', 'baker', null),
    change('judgement', 'b', 'b'),
  ];
  expect(interviewsIn(changes)).toEqual(['a', 'b']);
});

test('a burst is handed on after a moment, and what follows at most once in a while', () => {
  const timers = new Timers();
  const taken: number[][] = [];
  const batch = new Batch<number>(timers.wait, (items) => taken.push([...items]));

  batch.add(1);
  batch.add(2);
  expect(taken).toEqual([]);
  timers.fire(150);
  expect(taken).toEqual([[1, 2]]);
  batch.add(3);
  batch.add(4);
  // Nothing else would hand them on sooner.
  expect(timers.live().map(({ ms }) => ms)).toEqual([1500]);
  timers.fire(1500);
  expect(taken).toEqual([
    [1, 2],
    [3, 4],
  ]);
  timers.fire(1500);
  batch.add(5);
  batch.clear();
  expect(timers.live()).toEqual([]);
  expect(taken).toHaveLength(2);
});
