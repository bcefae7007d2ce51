import { withConstants } from '../../support/constants';
import { STREAM_LIMITS } from '../../../src/channels/web/events/sse-response';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import {
  type PostResult,
  BODIES,
  CHAT,
  CONSENT,
  LONE_SURROGATE,
  MESSAGES,
  PROFILE,
  post,
  problemOf,
} from './raw-posts';

describe('invalid requests of candidates', () => {
  let app: TestApp;

  withConstants(STREAM_LIMITS, { perSession: 10_000 });

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
  });

  afterAll(() => app.close());

  const send = (candidate: TestCandidate, body: unknown): Promise<PostResult> =>
    post(candidate, MESSAGES, JSON.stringify(body));

  async function everythingOf(candidate: TestCandidate): Promise<unknown> {
    const { conversationId } = candidate;
    return app.commit((tx) =>
      tx.query(
        `select c.status, c.last_seq, c.consent_accepted, c.consent_version, p.name, p.contact,
           (select count(*) from message m where m.conversation_id = c.id) as messages,
           (select count(*) from job t where t.key = c.id::text) as jobs
         from conversation c join candidate p on p.id = c.candidate_id where c.id = $1`,
        [conversationId],
      ),
    );
  }

  test.each(BODIES)('%s: a body that is not JSON is malformed_json', async (path) => {
    const candidate = await TestCandidate.begin(app);

    for (const body of ['{"id":', 'x', '{"a":1}}', '{"__proto__":{"x":1}}']) {
      expect([body, (await post(candidate, path, body)).status]).toEqual([body, 400]);
    }

    expect(await post(candidate, path, '{"id":')).toEqual({ status: 400, code: 'malformed_json' });
  });

  test.each(BODIES)('%s: JSON of another shape is invalid_body', async (path) => {
    const candidate = await TestCandidate.begin(app);
    const before = await everythingOf(candidate);

    for (const body of ['null', '5', '"text"', '[]', '{}', '{"id":[],"text":{}}', '']) {
      const refused = { status: 422, code: 'invalid_body' };
      // A profile without fields is valid.
      const isFine = path === PROFILE && body.startsWith('{');
      if (!isFine) expect([body, await post(candidate, path, body)]).toEqual([body, refused]);
    }

    expect(await everythingOf(candidate)).toEqual(before);
  });

  test.each(BODIES)('%s: another content type is refused', async (path) => {
    const candidate = await TestCandidate.begin(app);
    const refused = { status: 415, code: 'unsupported_media_type' };

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      expect([type, await post(candidate, path, '{}', type)]).toEqual([type, refused]);
    }
  });

  test.each(BODIES)('%s: a body over its limit is refused before it is read', async (path) => {
    const candidate = await TestCandidate.begin(app);
    const limit = path === CHAT ? 4 * 1024 * 1024 : 256 * 1024;
    const body = JSON.stringify({ padding: 'x'.repeat(limit) });

    expect(await post(candidate, path, body)).toEqual({ status: 413, code: 'body_too_large' });
  });

  test('accepts a chat history of more than 256 kB', async () => {
    const candidate = await TestCandidate.begin(app);
    const old = {
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'text', text: 'x'.repeat(900_000) }],
    };
    const said = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Rye.' }] };

    const response = await post(
      candidate,
      CHAT,
      JSON.stringify({ id: 'c', messages: [old, said] }),
    );

    expect(response.status).toBe(200);
  });

  test.each([
    ['NUL', 'Ry\0e', 'invalid_text'],
    ['half a surrogate pair', `Rye ${LONE_SURROGATE}`, 'invalid_text'],
    ['16,001 characters', 'x'.repeat(16_001), 'message_too_long'],
    ['nothing', '', 'blank_message'],
    ['nothing to see', ' \n\t\u200b', 'blank_message'],
  ])('a message of %s is refused and leaves nothing behind', async (_, text, code) => {
    const candidate = await TestCandidate.begin(app);
    const before = await everythingOf(candidate);

    expect(await send(candidate, { id: 'm1', text })).toEqual({ status: 422, code });
    const said = { id: 'm1', role: 'user', parts: [{ type: 'text', text }] };
    const chat = JSON.stringify({ id: 'c', messages: [said] });
    expect(await post(candidate, CHAT, chat)).toEqual({ status: 422, code });

    expect(await everythingOf(candidate)).toEqual(before);
  });

  test('accepts 16,000 characters of any kind that can be stored', async () => {
    const candidate = await TestCandidate.begin(app);
    const text = `${'x'.repeat(15_994)}\u0001👩\u2028<`;

    expect((await send(candidate, { id: 'm1', text })).status).toBe(202);

    expect((await candidate.view()).messages.at(-1)?.text).toBe(text);
  });

  test.each([
    ['', 'Rye.'],
    [' ', 'Rye.'],
    ['x'.repeat(129), 'Rye.'],
    ['a\0b', 'Rye.'],
    [LONE_SURROGATE, 'Rye.'],
    [7, 'Rye.'],
    ['m1', 7],
    ['m1', null],
  ])('the message %j with the text %j is refused', async (id, text) => {
    const candidate = await TestCandidate.begin(app);

    expect(await send(candidate, { id, text })).toEqual({ status: 422, code: 'invalid_body' });
  });

  test('stores all messages of a chat request or none', async () => {
    const candidate = await TestCandidate.begin(app);
    const before = await everythingOf(candidate);
    const good = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Rye.' }] };
    const bad = { id: 'm2', role: 'user', parts: [{ type: 'text', text: '\0' }] };

    const response = await post(
      candidate,
      CHAT,
      JSON.stringify({ id: 'c', messages: [good, bad] }),
    );

    expect(response).toEqual({ status: 422, code: 'invalid_text' });
    expect(await everythingOf(candidate)).toEqual(before);
  });

  test('refuses fifty-one new messages at once', async () => {
    const candidate = await TestCandidate.begin(app);
    const messages = Array.from({ length: 51 }, (_, n) => ({
      id: `m${n}`,
      role: 'user',
      parts: [{ type: 'text', text: 'Rye.' }],
    }));

    const response = await post(candidate, CHAT, JSON.stringify({ id: 'c', messages }));

    expect(response).toEqual({ status: 422, code: 'too_many_messages' });
  });

  test('a repeated id gives the same 202 for the same text and 409 for another', async () => {
    const candidate = await TestCandidate.begin(app);
    const id = ' an id with spaces ';
    const first = await candidate.send(id, 'Rye.');
    const again = await candidate.send(id, 'Rye.');

    expect([first.status, again.status]).toEqual([202, 202]);
    expect(await again.json()).toEqual(await first.json());
    expect(await send(candidate, { id, text: 'Wheat.' })).toEqual({
      status: 409,
      code: 'message_id_reused',
    });
    const lines = (await candidate.view()).messages.slice(2) as unknown[];
    expect(lines).toEqual([expect.objectContaining({ clientId: id, text: 'Rye.' })]);
  });

  test('stores a message that is sent six times at once only once', async () => {
    const candidate = await TestCandidate.begin(app);

    const sent = await Promise.all(Array.from({ length: 6 }, () => candidate.send('m1', 'Rye.')));

    expect(new Set(await Promise.all(sent.map((one) => one.text()))).size).toBe(1);
    expect((await candidate.view()).messages).toHaveLength(3);
  });

  test('a message before consent, before the profile and after the end has its own refusal', async () => {
    const candidate = await TestCandidate.arrive(app);
    const { disclosure } = await candidate.view();
    const version = disclosure.version;
    const message = { id: 'm1', text: 'Rye.' };

    expect(await send(candidate, message)).toEqual({ status: 409, code: 'consent_required' });
    await candidate.post('consent', { version, accepted: false });
    expect(await send(candidate, message)).toEqual({ status: 409, code: 'conversation_closed' });
    await candidate.post('consent', { version, accepted: true });
    expect(await send(candidate, message)).toEqual({ status: 409, code: 'profile_required' });
    await candidate.post('profile', { name: 'Ada', contact: 'ada@example.org' });
    expect((await send(candidate, message)).status).toBe(202);
    await candidate.post('withdraw');
    const late = { id: 'm2', text: 'Wait.' };
    expect(await send(candidate, late)).toEqual({ status: 409, code: 'conversation_closed' });
    expect((await candidate.view()).messages.map(({ text }) => text)).not.toContain('Wait.');
  });

  test('a begun interview is not declined: the refusal names how to withdraw, and nothing changes', async () => {
    const candidate = await TestCandidate.begin(app);
    const { version } = (await candidate.view()).disclosure;
    const before = await everythingOf(candidate);

    for (const shown of [version, '2020-01']) {
      const response = await candidate.post('consent', { version: shown, accepted: false });
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({
        code: 'consent_given',
        title: expect.stringContaining('withdraw') as string,
      });
    }
    expect(await everythingOf(candidate)).toEqual(before);
    await candidate.post('withdraw');
    const repeated = await candidate.post('consent', { version, accepted: false });
    expect(await repeated.json()).toMatchObject({ status: 'withdrawn' });
  });

  test('an outdated disclosure cannot be accepted', async () => {
    const candidate = await TestCandidate.arrive(app);

    const response = await post(candidate, CONSENT, '{"version":"2020-01","accepted":true}');

    expect(response).toEqual({ status: 409, code: 'disclosure_outdated' });
    expect((await candidate.view()) as unknown).toMatchObject({ consent: null, status: 'new' });
  });

  test.each([
    { name: ' ' },
    { name: 'x'.repeat(121) },
    { contact: 'x'.repeat(201) },
    { name: 'A\0' },
    { contact: LONE_SURROGATE },
    { name: null },
  ])('the profile %j is refused', async (profile) => {
    const candidate = await TestCandidate.arrive(app);
    const before = await everythingOf(candidate);

    const response = await post(candidate, PROFILE, JSON.stringify(profile));

    expect(response).toEqual({ status: 422, code: 'invalid_body' });
    expect(await everythingOf(candidate)).toEqual(before);
  });

  test("reaches nobody else's conversation by its id", async () => {
    const [ada, bob] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    const before = await everythingOf(bob);
    const refused = { status: 404, code: 'conversation_unknown' };
    const said = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Rye.' }] };
    const chat = JSON.stringify({ id: bob.conversationId, messages: [said] });

    expect(await post(ada, CHAT, chat)).toEqual(refused);
    expect(await post(ada, `${CHAT}/${bob.conversationId}/stop`, undefined, null)).toEqual(refused);
    const resumed = await ada.get(`${CHAT}/${bob.conversationId}/stream`);
    expect([resumed.status, (await problemOf(resumed)).code]).toEqual([404, refused.code]);

    expect(await everythingOf(bob)).toEqual(before);
    expect((await ada.view()).messages).toHaveLength(2);
  });

  test.each([
    ['/api/v1/nothing', 404, 'not_found'],
    ['/api/v1/conversation/done', 404, 'not_found'],
    ['/nothing.html', 404, 'not_found'],
    ['/%zz', 400, 'malformed_request'],
    [`/api/v1/invites/${'x'.repeat(300)}`, 414, 'uri_too_long'],
  ])('GET %s gets %i %s', async (path, status, code) => {
    const response = await fetch(`${app.url}${path}`);

    expect(response.status).toBe(status);
    expect((await problemOf(response)).code).toBe(code);
  });

  test('accepts a request without a body that declares JSON', async () => {
    const candidate = await TestCandidate.begin(app);

    for (const action of ['done', 'stop']) {
      const response = await post(candidate, `/api/v1/conversation/${action}`, undefined);
      expect(response.status).toBe(202);
    }
  });
});
