/** What a tab forgets of a candidate who is erased, and of a person who has signed out. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { forgetInterviews, openAnew } from '../../../web/console/forget';
import { keepDraft, keptDraft } from '../../../web/console/inbox/drafts';
import { hasDrafts, markDrafts, textDrafts } from '../../../web/console/reading/drafts';
import { keepList, keptList } from '../../../web/console/reading/kept-list';
import { LeaveGuard, leaveGuard } from '../../../web/console/shell/leave-guard';

const DRAFT = { text: 'Dear Ann', question: null, messageId: 'm', tried: null };

/** As a browser's, which node has not without a file. */
function sessionStorageOf(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => {
      kept.clear();
    },
  };
}

let queries: QueryClient;

beforeEach(() => {
  Object.defineProperty(globalThis, 'sessionStorage', {
    value: sessionStorageOf(),
    configurable: true,
    writable: true,
  });
  queries = new QueryClient();
  for (const id of ['gone', 'stays']) {
    for (const room of ['interview', 'transcript', 'ratings', 'comments', 'report']) {
      queries.setQueryData([room, id], 'words');
    }
    markDrafts.keep(`${id}/q`, { craft: { note: 'Ann is right.' } });
    textDrafts.keep(`${id}/comment/`, 'Ann again');
    keepDraft('ada', { id: `item ${id}`, conversationId: id }, DRAFT);
  }
  queries.setQueryData(['interviews', 'list', {}], 'rows');
  queries.setQueryData(['held rows', 'interviews', 'list', {}], 'rows');
  queries.setQueryData(['session'], 'Ada');
  keepList('/console/interviews?state=finished&text=Ann', ['gone', 'stays']);
});

afterEach(() => {
  queries.clear();
});

const keysOf = () =>
  queries
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey.slice(0, 2).join(' '));

test('of an erased candidate nothing stays: no answer, no draft, no row, no name in an address', () => {
  forgetInterviews(queries, ['gone']);

  expect(keysOf().sort()).toEqual(
    [
      ...['comments', 'interview', 'ratings', 'report', 'transcript'].map(
        (room) => `${room} stays`,
      ),
      'session',
    ].sort(),
  );
  expect([markDrafts.get('gone/q'), textDrafts.get('gone/comment/')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(markDrafts.get('stays/q')).toBeDefined();
  expect(keptDraft('ada', 'item gone').text).toBe('');
  expect(keptDraft('ada', 'item stays').text).toBe('Dear Ann');
  expect(keptList()).toEqual({ address: '/console/interviews?state=finished', ids: ['stays'] });
});

test('a list that is shown is read again', async () => {
  const read = jest.fn(() => Promise.resolve('new rows'));
  const options = { queryKey: ['attention', 'count'], queryFn: read, staleTime: Infinity };
  queries.setQueryData(options.queryKey, 'rows');
  const stop = new QueryObserver(queries, options).subscribe(() => undefined);

  forgetInterviews(queries, ['gone']);
  await Promise.resolve();

  expect(read).toHaveBeenCalledTimes(1);
  stop();
});

test('of somebody who leaves nothing stays, and nothing stops the page from opening anew', () => {
  // Rows for an import, for one: they go with the page.
  const end = leaveGuard.add(() => true);
  expect(leaveGuard.hasUnsaved).toBe(true);
  let asks: boolean | null = null;

  openAnew(queries, () => {
    asks = leaveGuard.hasUnsaved;
  });

  expect(asks).toBe(false);
  expect(keysOf()).toEqual([]);
  expect(hasDrafts()).toBe(false);
  expect(keptDraft('ada', 'item stays').text).toBe('');
  expect(sessionStorage).toHaveLength(0);
  end();
});

test('the browser asks while any place has something unsaved, and not after the page was let go', () => {
  const guard = new LeaveGuard();
  let isUnsaved = true;
  guard.add(() => false);
  const end = guard.add(() => isUnsaved);

  expect(guard.hasUnsaved).toBe(true);
  isUnsaved = false;
  expect(guard.hasUnsaved).toBe(false);
  isUnsaved = true;
  guard.letGo();
  expect(guard.hasUnsaved).toBe(false);
  end();
});
