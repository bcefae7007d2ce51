import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { type Colleague, colleague } from '../../support/colleague';
import { outcomeOf } from '../../support/keys';
import { closeReaders, readEvents, watchEvents } from './event-source';
import { STREAMS, beginMidReply, withManyReaders } from './mid-reply';

withManyReaders();

const PERSON = 'Nora here: shall we talk on Friday?';

let app: TestApp;
let other: TestApp;
let nora: Colleague;

beforeAll(async () => {
  app = await startTestApp(STREAMS);
  other = await startReplica(app, { isWorking: false });
  nora = await colleague(other, { name: 'Nora', role: 'recruiter' });
});

afterEach(() => {
  closeReaders();
  app.model.release();
});

afterAll(() => app.close());

/** At the replica that writes no replies. Returns the id of the item. */
async function takeOver({ conversationId }: TestCandidate): Promise<string> {
  const place = `/api/v1/interviews/${conversationId}/take-over`;
  const response = await nora.request('POST', place, { body: {} });
  return ((await response.json()) as { id: string }).id;
}

function write(itemId: string): Promise<Response> {
  return nora.request('POST', `/api/v1/admin/attention/${itemId}/reply`, {
    body: { text: PERSON },
  });
}

describe('while the model writes a reply', () => {
  test('a person takes over and writes: nothing of the model comes after their message', async () => {
    const { candidate } = await beginMidReply(app);
    const asked = (await candidate.view()).messages.length;

    const itemId = await takeOver(candidate);
    expect(await outcomeOf(await write(itemId))).toBe('200');
    app.model.release();

    const { messages, owner } = await candidate.waitFor(({ replying }) => !replying);
    expect(owner).toBe('person');
    expect(messages.slice(asked).map(({ text }) => text)).toEqual([PERSON]);
  });

  test('a person takes over without a word: the reply is stopped and not stored', async () => {
    const { candidate } = await beginMidReply(app);
    const asked = (await candidate.view()).messages.length;

    await takeOver(candidate);
    app.model.release();

    const { messages } = await candidate.waitFor(({ replying }) => !replying);
    expect(messages.slice(asked)).toEqual([]);
  });

  test('a person takes over and hands back before the reply has ended: it is dropped all the same', async () => {
    const { candidate } = await beginMidReply(app);
    const asked = (await candidate.view()).messages.length;

    const itemId = await takeOver(candidate);
    await nora.request('POST', `/api/v1/admin/attention/${itemId}/return`, { body: {} });
    app.model.release();

    const { messages } = await candidate.waitFor(({ replying }) => !replying);
    const [goingOn, ...more] = messages.slice(asked);
    expect(goingOn?.text).toContain(app.vacancy.plan.questions[0]?.text);
    expect(more).toEqual([]);
  });
});

describe('whoever types', () => {
  test('is shown to the other side on either replica, and a candidate not to themselves', async () => {
    const candidate = await TestCandidate.begin(app);
    const itemId = await takeOver(candidate);
    const own = await readEvents(candidate);
    const watchers = [await watchEvents(app, candidate), await watchEvents(other, candidate)];
    for (const one of [own, ...watchers]) await one.until(({ names }) => names.includes('hello'));

    const typing = `/api/v1/admin/attention/${itemId}/typing`;
    await candidate.post('activity', { type: 'typing' });
    for (const one of watchers) {
      await one.until((told) => told.of('typing').some(({ data }) => data.from === 'candidate'));
    }
    expect(await outcomeOf(await nora.request('POST', typing))).toBe('204');
    await own.until((told) => told.of('typing').length > 0);

    expect(own.of('typing').map(({ data }) => data.from)).toEqual(['team']);
  });

  test('is not shown when somebody else has the interview', async () => {
    const candidate = await TestCandidate.begin(app);
    const itemId = await takeOver(candidate);
    const omar = await colleague(other, { name: 'Omar', role: 'recruiter' });
    const own = await readEvents(candidate);
    await own.until(({ names }) => names.includes('hello'));
    const typing = `/api/v1/admin/attention/${itemId}/typing`;

    expect(await outcomeOf(await omar.request('POST', typing))).toBe('204');
    await write(itemId);
    await own.until((told) => told.of('message').length > 0);

    expect(own.of('typing')).toEqual([]);
  });
});
