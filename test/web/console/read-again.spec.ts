/** What is read again when the team's stream tells of a change. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { IS_PATCHED, readAgain } from '../../../web/console/live/read-again';
import type { TeamChange } from '../../../web/console/live/team-events';

const CHANGE: TeamChange = { type: 'changed', kind: 'interview', id: 'i', interviewId: 'i' };
const LIST = ['interviews', 'list', {}];

/** Lets the requests and what follows them happen: timers without a delay run one after the other. */
async function soon(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

let queries: QueryClient;

beforeEach(() => {
  queries = new QueryClient();
});

afterEach(() => {
  queries.clear();
});

test('a list whose rows are changed one by one is read again only where nobody does that', async () => {
  const read = jest.fn(() => Promise.resolve('rows'));
  queries.setQueryData(LIST, 'rows');
  const options = { queryKey: LIST, queryFn: read, staleTime: Infinity, meta: IS_PATCHED };
  const stop = new QueryObserver(queries, options).subscribe(() => undefined);

  readAgain(queries, [CHANGE]);
  await soon();
  expect(read).toHaveBeenCalledTimes(0);
  stop();
  readAgain(queries, null);
  await soon();
  // Nobody sees it: it is read when somebody comes back.
  expect(read).toHaveBeenCalledTimes(0);
  const stopAgain = new QueryObserver(queries, options).subscribe(() => undefined);
  await soon();

  expect(read).toHaveBeenCalledTimes(1);
  stopAgain();
});

test('a read that is under way ends, however many changes come, and is repeated once', async () => {
  const responses: ((rows: string) => void)[] = [];
  let cancelled = 0;
  const queryFn = ({ signal }: { signal: AbortSignal }): Promise<string> => {
    signal.addEventListener('abort', () => (cancelled += 1));
    return new Promise((resolve) => responses.push(resolve));
  };
  const queryKey = ['attention', 'list'];
  const change: TeamChange = { ...CHANGE, kind: 'attention' };
  const stop = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  for (let n = 0; n < 3; n += 1) readAgain(queries, [change]);
  await soon();
  expect(responses).toHaveLength(1);

  responses[0]?.('before');
  await soon();
  expect(responses).toHaveLength(2);
  responses[1]?.('after');
  await soon();

  expect([queries.getQueryData(queryKey), responses.length, cancelled]).toEqual(['after', 2, 0]);
  stop();
});

test('what the change does not concern is left alone', async () => {
  const read = jest.fn(() => Promise.resolve('words'));
  queries.setQueryData(['transcript', 'other'], 'words');
  const options = { queryKey: ['transcript', 'other'], queryFn: read, staleTime: Infinity };
  const stop = new QueryObserver(queries, options).subscribe(() => undefined);

  readAgain(queries, [CHANGE]);
  await soon();

  expect(read).toHaveBeenCalledTimes(0);
  stop();
});
