import { PersonalDataService } from '../../src/privacy';
import { KnowledgeSearch } from '../../src/knowledge';
import { gate } from '../../tools/http-fake/gate';
import {
  SHIFTS,
  callSearch,
  eventsOf,
  fromPassage,
  requestsSince,
  storeDocuments,
} from './knowledge-turns';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  work,
  settled,
} from './interviews';
import { newCandidate } from './interviewee';
import type { TestApp } from '../support/app';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
  await storeDocuments(app, { 'shifts.en.md': SHIFTS });
});

afterAll(() => closeInterviews(app));

afterEach(() => jest.restoreAllMocks());

test('after a crash the next process continues after the stored search and stores nothing twice', async () => {
  const candidate = await newCandidate(app);
  const from = app.model.requests.length;
  app.model.next(callSearch('early shift'), {
    kind: 'hold',
    content: '{"verdict":"question","sources":"1","text":"From the first',
    rest: ' process."}',
  });
  await candidate.start(app, 'When does the early shift begin?');
  await app.model.request(from + 2);
  app.model.next(fromPassage('At four, the early shift.'));

  app.clock.advance(LEASE_MS);
  await work(other);

  expect((await candidate.replies())[0]).toMatch(/^At four, the early shift\./);
  const sent = requestsSince(app, from);
  expect(sent).toHaveLength(3);
  expect(sent[2]?.data).toEqual(sent[1]?.data);
  expect((await eventsOf(app, candidate)).map(({ type }) => type)).toEqual([
    'agent',
    'agent',
    'call',
    'result',
  ]);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
  app.model.release();
  await settled(app);
});

test('nothing of a candidate who is erased during a search is sent to a model any more', async () => {
  const many = Array.from({ length: 8 }, (_, n) => `# Part ${n}\nThe early shift, part ${n}.`);
  await storeDocuments(app, { 'shifts.en.md': many.join('\n') });
  const candidate = await newCandidate(app);
  const searching = gate();
  const erased = gate();
  const search = app.get(KnowledgeSearch);
  const real = search.search.bind(search);
  jest.spyOn(search, 'search').mockImplementationOnce(async (query) => {
    searching.open();
    await erased.opened;
    return real(query);
  });
  app.model.next(callSearch('early shift'));
  await candidate.start(app, 'When does the early shift begin?');
  await searching.opened;
  const { id } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [candidate.id],
  );
  const from = app.model.requests.length;

  // By the other replica, so that this one hears of it only with its next heartbeat.
  await other.commit((tx) => other.get(PersonalDataService).erase(tx, id));
  erased.open();
  await settled(app);

  expect(app.model.requests.slice(from)).toEqual([]);
  await storeDocuments(app, { 'shifts.en.md': SHIFTS });
});

test('a process that lost its lease during a search stores nothing of it', async () => {
  const candidate = await newCandidate(app);
  const searching = gate();
  const found = gate();
  const search = app.get(KnowledgeSearch);
  const real = search.search.bind(search);
  jest.spyOn(search, 'search').mockImplementationOnce(async (query) => {
    searching.open();
    await found.opened;
    return real(query);
  });
  app.model.next(callSearch('of the first'));
  await candidate.start(app, 'When does the early shift begin?');
  await searching.opened;
  app.model.next(callSearch('of the second'), fromPassage('At four.'));

  app.clock.advance(LEASE_MS);
  await work(other);
  const stored = await eventsOf(app, candidate);
  found.open();
  await settled(app);

  expect(await eventsOf(app, candidate)).toEqual(stored);
  const calls = stored.filter(({ type }) => type === 'call');
  expect(calls).toMatchObject([{ input: { query: 'of the second' } }]);
});

test('a stop during a search ends the reply without another request', async () => {
  const candidate = await newCandidate(app);
  const searching = gate();
  jest.spyOn(app.get(KnowledgeSearch), 'search').mockImplementationOnce(({ signal }) => {
    searching.open();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  });
  const from = app.model.requests.length;
  app.model.next(callSearch('shift'));
  await candidate.start(app, 'When?');
  await searching.opened;

  await candidate.stop();
  await settled(app);

  expect(app.model.requests).toHaveLength(from + 1);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  expect(await candidate.replies()).toEqual([]);
  expect(await candidate.attempts()).toEqual(['ok']);
});
