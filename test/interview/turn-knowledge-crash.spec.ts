import { KnowledgeSearch } from '../../src/knowledge';
import { gate } from '../../tools/http-fake/gate';
import type { InterviewProcess } from './interview-process';
import {
  SHIFTS,
  callSearch,
  eventsOf,
  fromPassage,
  requestsSince,
  storeDocuments,
} from './knowledge-turns';
import { LEASE_MS, TurnFixture } from './turn-fixture';

let fixture: TurnFixture;
let other: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
  await storeDocuments(fixture, { 'shifts.en.md': SHIFTS });
});

afterAll(() => fixture.close());

afterEach(() => jest.restoreAllMocks());

test('a restart in the middle of the tool loop goes on after the search, with nothing lost or doubled', async () => {
  const candidate = await fixture.candidate();
  const from = fixture.model.requests.length;
  fixture.model.next(callSearch('early shift'), {
    kind: 'hold',
    content: '{"verdict":"question","sources":"1","text":"From the first',
    rest: ' process."}',
  });
  await candidate.start(fixture.main, 'When does the early shift begin?');
  await fixture.model.request(from + 2);
  fixture.model.next(fromPassage('At four, says the second.'));

  fixture.clock.advance(LEASE_MS);
  await other.work();

  expect((await candidate.replies())[0]).toMatch(/^At four, says the second\./);
  const sent = requestsSince(fixture, from);
  expect(sent).toHaveLength(3);
  expect(sent[2]?.data).toEqual(sent[1]?.data);
  expect((await eventsOf(fixture, candidate)).map(({ type }) => type)).toEqual([
    'agent',
    'agent',
    'call',
    'result',
  ]);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
  fixture.model.release();
  await fixture.main.settled();
});

test('a process that lost its lease while it searched stores nothing of it', async () => {
  const candidate = await fixture.candidate();
  const searching = gate();
  const found = gate();
  const search = fixture.main.get(KnowledgeSearch);
  const real = search.search.bind(search);
  jest.spyOn(search, 'search').mockImplementationOnce(async (query) => {
    searching.open();
    await found.opened;
    return real(query);
  });
  fixture.model.next(callSearch('of the first'));
  await candidate.start(fixture.main, 'When does the early shift begin?');
  await searching.opened;
  fixture.model.next(callSearch('of the second'), fromPassage('At four.'));

  fixture.clock.advance(LEASE_MS);
  await other.work();
  const stored = await eventsOf(fixture, candidate);
  found.open();
  await fixture.main.settled();

  expect(await eventsOf(fixture, candidate)).toEqual(stored);
  const calls = stored.filter(({ type }) => type === 'call');
  expect(calls).toMatchObject([{ input: { query: 'of the second' } }]);
});

test('Stop during a search ends the reply; no request follows', async () => {
  const candidate = await fixture.candidate();
  const searching = gate();
  jest.spyOn(fixture.main.get(KnowledgeSearch), 'search').mockImplementationOnce(({ signal }) => {
    searching.open();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  });
  const from = fixture.model.requests.length;
  fixture.model.next(callSearch('shift'));
  await candidate.start(fixture.main, 'When?');
  await searching.opened;

  await candidate.stop();
  await fixture.main.settled();

  expect(fixture.model.requests).toHaveLength(from + 1);
  expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  expect(await candidate.replies()).toEqual([]);
  expect(await candidate.attempts()).toEqual(['ok']);
});
