/** What the page of invitations reads: how far each one is, and refusals in the reader's language. */
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { outcomeOf } from '../support/keys';

interface InvitationJson {
  readonly id: string;
  readonly state: string;
  readonly interviewId: string | null;
  readonly interviewState: string | null;
  readonly isLatest: boolean;
  readonly candidate: { readonly name: string | null; readonly contact: string | null };
  readonly link: { readonly web: string };
}

let app: TestApp;
let recruiter: Colleague;

beforeAll(async () => {
  app = await startTestApp({ isWorking: false });
  recruiter = await colleague(app, { name: 'Rita', role: 'recruiter' });
});

afterAll(() => app.close());

async function invite(body: object): Promise<InvitationJson> {
  const response = await recruiter.request('POST', '/api/v1/vacancies/baker/invitations', { body });
  expect(response.status).toBe(201);
  return (await response.json()) as InvitationJson;
}

async function read(id: string): Promise<InvitationJson> {
  return (await (
    await recruiter.request('GET', `/api/v1/invitations/${id}`)
  ).json()) as InvitationJson;
}

describe('how far an invitation is', () => {
  test('without an interview it has no state of one', async () => {
    const { id } = await invite({ name: 'Not Yet', email: 'not-yet@example.org' });

    expect(await read(id)).toMatchObject({
      ...{ state: 'invited', interviewId: null, interviewState: null, isLatest: true },
      candidate: { name: 'Not Yet', contact: 'not-yet@example.org' },
    });
  });

  test.each([
    ['new', 'opened'],
    ['active', 'begun'],
    ['handed_over', 'begun'],
    ['completed', 'ended'],
    ['declined', 'ended'],
    ['withdrawn', 'ended'],
    ['expired', 'ended'],
  ])('with an interview that is %s it is %s, in the list too', async (status, expected) => {
    const { id, link } = await invite({ name: `Stage ${status}` });
    const { conversationId } = await TestCandidate.arrive(app, link.web.split('/').at(-1));
    await app.sql('update conversation set status = $2 where id = $1 returning id', [
      conversationId,
      status,
    ]);

    const text = encodeURIComponent(`stage ${status.replace('_', ' ')}`);
    const list = await recruiter.request('GET', `/api/v1/invitations?text=${text}`);
    const { items } = (await list.json()) as { items: readonly InvitationJson[] };

    const wanted = { id, state: 'opened', interviewId: conversationId, interviewState: expected };
    expect(await read(id)).toMatchObject(wanted);
    expect(items.find((one) => one.id === id)).toMatchObject(wanted);
  });

  test('a replaced invitation says that it is not the latest, and keeps the interview in sight', async () => {
    const first = await invite({ name: 'Replaced' });
    await TestCandidate.arrive(app, first.link.web.split('/').at(-1));
    const response = await recruiter.request('POST', `/api/v1/invitations/${first.id}/reissue`, {
      body: {},
    });
    const second = (await response.json()) as InvitationJson;

    expect(await read(first.id)).toMatchObject({ state: 'revoked', isLatest: false });
    expect(second).toMatchObject({ state: 'opened', interviewState: 'opened', isLatest: true });
  });

  test('two colleagues who issue one again at once: the second is told, and one link works', async () => {
    const other = await colleague(app, { name: 'Olga', role: 'recruiter' });
    const { id } = await invite({ name: 'Both' });

    const path = `/api/v1/invitations/${id}/reissue`;
    const responses = await Promise.all(
      [recruiter, other].map((one) => one.request('POST', path, { body: {} })),
    );

    const outcomes = await Promise.all(responses.map(outcomeOf));
    expect(outcomes.toSorted()).toEqual(['201', '409 invitation_revoked']);
  });
});

describe('rights', () => {
  test.each(['interviewer', 'viewer'] as const)('an %s reads no invitations', async (role) => {
    const other = await colleague(app, { name: `Some ${role}`, role });

    expect(await outcomeOf(await other.request('GET', '/api/v1/invitations'))).toBe(
      '403 scope_missing',
    );
  });
});

describe('a refusal is told in the language of the reader', () => {
  const titleOf = async (response: Response): Promise<string> =>
    ((await response.json()) as { title: string }).title;

  test.each([
    ['ru', /«email» — не один адрес/],
    ['en', /"email" is not one e-mail address/],
  ])('of a new invitation (%s)', async (language, words) => {
    const response = await recruiter.request('POST', '/api/v1/vacancies/baker/invitations', {
      body: { name: 'Ann', email: 'nowhere' },
      headers: { 'accept-language': language },
    });

    expect(response.status).toBe(422);
    expect(await titleOf(response)).toMatch(words);
  });

  test('of a date when one is issued again', async () => {
    const { id } = await invite({ name: 'Dated' });
    const response = await recruiter.request('POST', `/api/v1/invitations/${id}/reissue`, {
      body: { validUntil: '2001-01-01' },
      headers: { 'accept-language': 'ru' },
    });

    expect(response.status).toBe(422);
    expect(await titleOf(response)).toMatch('«validUntil» уже прошло');
  });
});

test('a vacancy says how long its interview takes', async () => {
  const response = await recruiter.request('GET', '/api/v1/vacancies');
  const { items } = (await response.json()) as { items: readonly { minutes: number }[] };

  expect(items.every(({ minutes }) => Number.isInteger(minutes) && minutes >= 1)).toBe(true);
});
