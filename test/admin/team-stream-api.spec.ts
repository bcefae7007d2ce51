import { randomUUID } from 'node:crypto';
import { AttentionService } from '../../src/attention';
import { DomainEvents } from '../../src/common/events';
import { TeamPresence } from '../../src/streams';
import { TeamFeed } from '../../src/streams/team-feed';
import { PersonalDataService } from '../../src/privacy';
import { SignalConnection } from '../../src/persistence';
import { VacancyRepository } from '../../src/vacancies';
import { FakeClock } from '../../tools/support/fake-clock';
import { EventSourceReader } from '../channels/web/event-source';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { type TestUser, makeUser, signIn } from '../support/users';

const clock = new FakeClock();
const readers: EventSourceReader[] = [];
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  const options = { clock, isWorking: false, env: { ADMIN_TOKEN } };
  app = await startTestApp(options);
  other = await startReplica(app, options);
  for (const one of [app, other]) {
    await one.stopSweeps();
    await new Promise<void>((onConnected) => {
      one.get(SignalConnection).listen({ onSignal: () => undefined, onConnected });
    });
  }
});

afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
  // What was told is told again in the next test.
  clock.advance(10_000);
});

afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;

async function watch(at: TestApp, headers: Headers): Promise<EventSourceReader> {
  const reader = await EventSourceReader.open(`${at.url}/api/v1/team/events`, headers);
  readers.push(reader);
  return reader.until(({ frames }) => frames.length > 0);
}

async function watchAs(at: TestApp, user: TestUser): Promise<EventSourceReader> {
  return watch(at, await signIn(at, user));
}

/** The next frame about this id, while time passes. */
async function toldOf(reader: EventSourceReader, id: string, from = 0): Promise<object> {
  const isIt = ({ data }: (typeof reader.frames)[number]) =>
    data['id'] === id || data['interviewId'] === id;
  const found = () => reader.frames.slice(from).find(isIt);
  await app.until(`${id} is told`, () => found() !== undefined);
  return found() ?? {};
}

function reading(at: TestApp, headers: Headers, body: object): Promise<Response> {
  return fetch(`${at.url}/api/v1/team/reading`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('begins with resync, and tells on every replica what changes, by ids', async () => {
  const user = await makeUser(app, { role: 'recruiter' });
  const streams = [await watchAs(app, user), await watchAs(other, user)];
  for (const { frames } of streams) expect(frames[0]).toEqual({ event: 'resync', data: {} });

  const { conversationId: id } = await TestCandidate.begin(app);
  const item = await app.commit(async (tx) => {
    const attention = app.get(AttentionService);
    const about = { subject: `conversation:${id}`, conversationId: id, reason: 'A test.' };
    await attention.raise(tx, { kind: 'question', ...about });
    return (await attention.openOf(tx, id))[0];
  });
  const { slug } = app.vacancy;
  await app.commit((tx) => app.get(VacancyRepository).setClosed(tx, slug, true));
  await app.commit((tx) => app.get(VacancyRepository).setClosed(tx, slug, false));
  await app.commit((tx) =>
    app.get(DomainEvents).publish(tx, 'team.changed', {
      ...{ kind: 'judgement', id, interviewId: id, vacancyId: null },
    }),
  );

  for (const stream of streams) {
    const changed = (kind: string, of: string, interviewId: string | null = id) => {
      return { event: 'changed', data: { kind, id: of, interviewId } };
    };
    expect(await toldOf(stream, item?.id ?? '')).toEqual(changed('attention', item?.id ?? ''));
    expect(await toldOf(stream, slug)).toEqual(changed('vacancy', slug, null));
    await stream.until(({ frames }) => frames.some(({ data }) => data['kind'] === 'judgement'));
    expect(stream.frames).toContainEqual(changed('interview', id));
    expect(JSON.stringify(stream.frames)).not.toContain('Ada');
  }
});

test('tells of an invitation, and of its interview when it is opened', async () => {
  const stream = await watchAs(other, await makeUser(app, { role: 'recruiter' }));
  const made = await fetch(`${app.url}/api/v1/vacancies/${app.vacancy.slug}/invitations`, {
    method: 'POST',
    headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Grace' }),
  });
  const { id, link } = (await made.json()) as { id: string; link: { web: string } };
  expect(await toldOf(stream, id)).toMatchObject({ data: { kind: 'invitation' } });
  const seen = stream.frames.length;
  clock.advance(1000);

  const { conversationId } = await TestCandidate.arrive(app, link.web.split('/').at(-1));

  const data = { kind: 'invitation', id, interviewId: conversationId };
  expect(await toldOf(stream, id, seen)).toEqual({ event: 'changed', data });
  expect(await toldOf(stream, conversationId, seen)).toBeDefined();
});

test('tells only what the person reaches', async () => {
  const { id: elsewhereId } = await app.addVacancy({ slug: 'elsewhere' });
  const interviewer = await watchAs(
    other,
    await makeUser(app, { role: 'interviewer', vacancyIds: [elsewhereId] }),
  );
  const own = await watchAs(other, await makeUser(app, { role: 'interviewer' }));
  const viewer = await watchAs(app, await makeUser(app, { role: 'viewer' }));

  const candidate = await TestCandidate.begin(app);
  await candidate.post('human');
  await toldOf(own, candidate.conversationId);
  await own.until(({ frames }) => frames.some(({ data }) => data['kind'] === 'attention'));
  await toldOf(viewer, candidate.conversationId);
  const { conversationId } = await TestCandidate.arrive(
    app,
    (await app.addVacancy({ slug: 'elsewhere' })).openToken,
  );
  await toldOf(interviewer, conversationId);

  expect(interviewer.frames.map(({ data }) => data['interviewId'] ?? null)).not.toContain(
    candidate.conversationId,
  );
  // A viewer may not see the attention list.
  expect(viewer.frames.map(({ data }) => data['kind'])).not.toContain('attention');
  expect(own.frames.map(({ data }) => data['id'])).not.toContain(conversationId);
});

test('the erasure of an interview is told to whoever reaches its vacancy', async () => {
  const own = await watchAs(other, await makeUser(app, { role: 'interviewer' }));
  const { conversationId: id } = await TestCandidate.begin(app);
  await toldOf(own, id);
  clock.advance(5000);
  const seen = own.frames.length;
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [id],
  );

  await app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId, 'the tests'));

  expect(await toldOf(own, id, seen)).toMatchObject({ data: { kind: 'interview' } });
});

test('after a break of the signals every reader is told to read again', async () => {
  const stream = await watchAs(app, await makeUser(app, { role: 'viewer' }));
  const resyncs = () => stream.of('resync').length;
  expect(resyncs()).toBe(1);

  app.get(TeamFeed).onConnected();

  await app.until('resync is told', () => resyncs() === 2);
});

test('ends with the session, and a person has a bounded number of streams', async () => {
  const user = await makeUser(app, { role: 'viewer' });
  const headers = await signIn(app, user);
  const first = await watch(app, headers);
  for (let n = 0; n < 11; n += 1) await watch(app, headers);
  const refused = await fetch(`${app.url}/api/v1/team/events`, { headers });
  expect(await outcomeOf(refused)).toBe('429 too_many_streams');

  await fetch(`${app.url}/api/v1/team/session`, { method: 'DELETE', headers });

  expect(await first.ended()).toBe('ended');
  expect(first.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'session_ended' } });
});

test('is for people only', async () => {
  const key = await makeKey(app);
  const place = `${app.url}/api/v1/team/events`;
  expect(await outcomeOf(await fetch(place, { headers: bearer(key) }))).toBe('403 user_needed');
  expect(await outcomeOf(await fetch(place))).toBe('401 sign_in_needed');
});

test('a preview is told to nobody, and nobody reads it', async () => {
  const user = await makeUser(app, { role: 'recruiter' });
  const limited = await watchAs(other, await makeUser(app, { role: 'interviewer' }));
  const stream = await watchAs(app, user);
  const headers = await signIn(app, user);
  const { conversationId: real } = await TestCandidate.begin(app);
  const opened = await fetch(`${app.url}/api/v1/vacancies/${app.vacancy.slug}/preview`, {
    method: 'POST',
    headers,
  });
  const { link } = (await opened.json()) as { link: string };

  const { conversationId: id } = await TestCandidate.arrive(app, link.split('/').at(-1));
  const read = await reading(app, headers, { tab: randomUUID(), interviewId: id });
  const { conversationId: after } = await TestCandidate.begin(app);

  for (const reader of [stream, limited]) {
    await toldOf(reader, real);
    await toldOf(reader, after);
  }
  expect(await outcomeOf(read)).toBe('404 conversation_unknown');
  expect(limited.frames.map(({ data }) => data['id'])).not.toContain(id);
});

describe('who reads an interview', () => {
  test('is told once to whoever connects, however many are read', async () => {
    const places = Array.from({ length: 700 }, () => {
      return { interviewId: randomUUID(), vacancyId: app.vacancy.id };
    });
    const read = jest.spyOn(app.get(TeamPresence), 'read').mockReturnValue(places);

    const stream = await watchAs(app, await makeUser(app, { role: 'recruiter' }));
    await stream.until(() => stream.of('readers').length >= places.length);

    expect(stream.of('resync')).toHaveLength(1);
    expect(stream.of('readers')).toHaveLength(places.length);
    read.mockRestore();
  });

  test('is told on every replica to those who reach it, and ends by itself', async () => {
    const reader = await makeUser(app, { role: 'recruiter', name: 'Nora Lindqvist' });
    const stream = await watchAs(other, await makeUser(app, { role: 'interviewer' }));
    const { id: elsewhereId } = await app.addVacancy({ slug: 'not-here' });
    const stranger = await watchAs(
      other,
      await makeUser(app, { role: 'interviewer', vacancyIds: [elsewhereId] }),
    );
    const { conversationId: interviewId } = await TestCandidate.begin(app);
    const headers = await signIn(app, reader);
    const readersNow = () => stream.of('readers').at(-1)?.data;

    const response = await reading(app, headers, { tab: randomUUID(), interviewId });
    expect(response.status).toBe(204);

    await app.until('Nora is told', () => readersNow() !== undefined);
    const nora = { id: reader.id, name: 'Nora Lindqvist' };
    expect(readersNow()).toEqual({ interviewId, readers: [nora] });
    const late = await watchAs(other, await makeUser(app, { role: 'viewer' }));
    await late.until(({ frames }) => frames.some(({ event }) => event === 'readers'));

    clock.advance(61_000);
    other.get(TeamPresence).tend();
    await app.until('nobody reads', () => JSON.stringify(readersNow()).includes('[]'));
    expect(stranger.of('readers')).toEqual([]);
  });

  test('ends when the page says so, and two tabs of a person are one reader', async () => {
    const user = await makeUser(app, { role: 'viewer' });
    const headers = await signIn(app, user);
    const { conversationId: interviewId } = await TestCandidate.begin(app);
    const tabs = [randomUUID(), randomUUID()];
    for (const tab of tabs) await reading(app, headers, { tab, interviewId });
    const own = () => app.get(TeamPresence).readersOf(interviewId);
    expect(own()).toHaveLength(1);

    await reading(app, headers, { tab: tabs[0], interviewId: null });
    expect(own()).toHaveLength(1);
    await reading(app, headers, { tab: tabs[1], interviewId: null });
    expect(own()).toEqual([]);
  });

  test('is taken of no interview that the person does not reach, and of no bad body', async () => {
    const { id: elsewhereId } = await app.addVacancy({ slug: 'far-away' });
    const user = await makeUser(app, { role: 'interviewer', vacancyIds: [elsewhereId] });
    const headers = await signIn(app, user);
    const { conversationId } = await TestCandidate.begin(app);
    const tab = randomUUID();
    const outcomes = [];
    for (const body of [
      { tab, interviewId: conversationId },
      { tab, interviewId: randomUUID() },
      { tab: 'x'.repeat(5000), interviewId: null },
      { tab },
    ]) {
      outcomes.push(await outcomeOf(await reading(app, headers, body)));
    }

    expect(outcomes.map((one) => one.slice(0, 3))).toEqual(['404', '404', '422', '422']);
    expect(app.get(TeamPresence).readersOf(conversationId)).toEqual([]);
  });
});
