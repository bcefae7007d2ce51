import { textsOf } from '../../../src/interview/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { ADMIN_TOKEN } from '../../support/secrets';

interface Exported {
  readonly notes: Record<string, string>;
  readonly conversations: readonly {
    readonly owner: string;
    readonly transcript: readonly { readonly text: string; readonly isFromPerson: boolean }[];
  }[];
}

/** A candidate can always ask for a person (I10), whatever they have agreed to. */
describe('POST /api/v1/conversation/human', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      clock: new FakeClock(),
      isWorking: false,
      env: { ADMIN_TOKEN },
    });
  });

  afterAll(() => app.close());

  async function consent(candidate: TestCandidate, accepted: boolean): Promise<void> {
    const { disclosure } = await candidate.view();
    await candidate.post('consent', { version: disclosure.version, accepted });
  }

  function items(candidate: TestCandidate): Promise<{ reason: string }[]> {
    return app.commit((tx) =>
      tx.query(`select reason from attention where kind = 'handed_over' and conversation_id = $1`, [
        candidate.conversationId,
      ]),
    );
  }

  async function said(candidate: TestCandidate): Promise<string[]> {
    const { messages } = await candidate.view();
    return messages.filter(({ role }) => role === 'system').map(({ text }) => text);
  }

  test('hands over a conversation whose candidate has declined, once, and tells a recruiter', async () => {
    const candidate = await TestCandidate.arrive(app);
    await consent(candidate, false);

    const statuses = [await candidate.post('human'), await candidate.post('human')];

    expect(statuses.map(({ status }) => status)).toEqual([202, 202]);
    expect((await candidate.view()).status).toBe('handed_over');
    expect(await said(candidate)).toEqual([textsOf('en').handedOverWithoutConsent]);
    const reason = 'the candidate declined the interview and asked for a person';
    expect(await items(candidate)).toEqual([{ reason }]);
  });

  test('hands over before any answer to the disclosure as well', async () => {
    const candidate = await TestCandidate.arrive(app);

    await candidate.post('human');

    expect((await candidate.view()).status).toBe('handed_over');
    expect(await said(candidate)).toEqual([textsOf('en').handedOverWithoutConsent]);
    expect(await items(candidate)).toEqual([{ reason: 'the candidate asked for a person' }]);
  });

  test('tells a candidate who has agreed that their messages are kept', async () => {
    const candidate = await TestCandidate.begin(app);

    await candidate.post('human');

    expect(await said(candidate)).toEqual([textsOf('en').handedOver]);
  });

  test('changes nothing once the candidate has withdrawn', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('withdraw');

    await candidate.post('human');

    expect((await candidate.view()).status).toBe('withdrawn');
    expect(await items(candidate)).toEqual([]);
  });

  async function act(candidate: TestCandidate, what: string, body: object): Promise<Response> {
    const [item] = await app.commit((tx) =>
      tx.query<{ id: string }>(`select id from attention where conversation_id = $1`, [
        candidate.conversationId,
      ]),
    );
    return fetch(`${app.url}/api/v1/admin/attention/${item?.id ?? ''}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  test('lets the team reply, shown as from a person, and return the interview', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('human');

    const replied = await act(candidate, 'reply', { text: 'Shall we talk on Friday?' });
    const { status, messages } = await candidate.view();
    const returned = await act(candidate, 'return', { by: 'Nora' });
    const again = await act(candidate, 'return', { by: 'Nora' });

    expect([replied.status, returned.status, again.status]).toEqual([200, 200, 409]);
    expect(status).toBe('handed_over');
    expect(messages.at(-1)).toMatchObject({ text: 'Shall we talk on Friday?', fromPerson: true });
    expect(await returned.json()).toMatchObject({ closedBy: 'Nora' });
    expect((await candidate.view()).status).toBe('active');
  });

  test('shows at every step who replies', async () => {
    const candidate = await TestCandidate.begin(app);
    const steps = [
      () => candidate.post('human'),
      () => act(candidate, 'reply', { text: 'Shall we talk on Friday?' }),
      () => act(candidate, 'return', { by: 'Nora' }),
    ];
    const owners = [(await candidate.view()).owner];

    for (const step of steps) {
      await step();
      owners.push((await candidate.view()).owner);
    }

    expect(owners).toEqual(['model', 'asked', 'person', 'model']);
  });

  test('tells the event stream who replies, also when the status stays the same', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('human');
    const stop = new AbortController();
    const events = await candidate.get('/api/v1/conversation/events', {}, stop.signal);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';

    await act(candidate, 'reply', { text: 'Shall we talk on Friday?' });
    while (!/event: state\ndata: .*"owner":"person"/.test(seen)) {
      const { value, done } = (await reader?.read()) ?? { value: '', done: true };
      if (done) break;
      seen += value;
    }
    stop.abort();

    expect(seen).toMatch(/event: hello\ndata: .*"owner":"asked"/);
    expect(seen).toMatch(/event: message\ndata: .*"fromPerson":true/);
    expect(seen).toMatch(/event: state\ndata: .*"status":"handed_over".*"owner":"person"/);
  });

  test("is in the candidate's export, with the author of each line", async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('human');
    await act(candidate, 'reply', { text: 'Shall we talk on Friday?' });

    const response = await candidate.get('/api/v1/conversation/mydata');
    const { notes, conversations } = (await response.json()) as Exported;

    expect(conversations[0]?.owner).toBe('person');
    const fromPerson = conversations[0]?.transcript.filter(({ isFromPerson }) => isFromPerson);
    expect(fromPerson?.map(({ text }) => text)).toEqual(['Shall we talk on Friday?']);
    expect(conversations[0]?.transcript.length).toBeGreaterThan(1);
    expect(Object.keys(notes)).toEqual(expect.arrayContaining(['owner', 'isFromPerson']));
  });

  test('cannot be taken back once a person has written', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('human');
    await act(candidate, 'reply', { text: 'Shall we talk on Friday?' });

    const refused = await candidate.post('resume');

    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: 'conversation_with_person' });
  });

  test('can be taken back until a person has written', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.post('human');

    const taken = await candidate.post('resume');

    expect(taken.status).toBe(202);
    expect((await candidate.view()).status).toBe('active');
  });
});
