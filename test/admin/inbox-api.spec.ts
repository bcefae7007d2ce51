import { AttentionRepository, CLAIM_QUIET_MS } from '../../src/attention';
import { PersonalDataService } from '../../src/privacy';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { type Item, LIST, WORDS, act, inbox, read } from './inbox';

const ANSWER = 'Two days a week are from home.';

const { waiting, asking, failed, newestItem, ownerOf, textsFromPeople, audited } = inbox(() => app);

let app: TestApp;
let nora: Colleague;
let omar: Colleague;

beforeAll(async () => {
  app = await startTestApp({ clock: 'fake', isWorking: false, env: { ADMIN_TOKEN } });
  nora = await colleague(app, { name: 'Nora', role: 'recruiter' });
  omar = await colleague(app, { name: 'Omar', role: 'recruiter' });
});

afterAll(() => app.close());

async function list(by: Colleague, query = ''): Promise<Item[]> {
  const response = await by.request('GET', `${LIST}?limit=200${query}`);
  return ((await response.json()) as { items: Item[] }).items;
}

async function holderOf(id: string): Promise<string | null> {
  return (await read(nora, id)).claim?.heldBy ?? null;
}

interface Outcome {
  readonly status: number;
  readonly body: Partial<Item> & Readonly<Record<string, unknown>>;
}

/** Of two who act at once: the one who succeeded, and the other. */
async function outcomesOf(responses: readonly Promise<Response>[]): Promise<[Outcome, Outcome]> {
  const ended = await Promise.all(
    (await Promise.all(responses)).map(async (one) => ({
      status: one.status,
      body: (await one.json()) as Outcome['body'],
    })),
  );
  const [won, lost] = ended.toSorted((a, b) => a.status - b.status);
  if (won === undefined || lost === undefined) throw new Error('there were not two');
  return [won, lost];
}

describe('the list', () => {
  test('names candidate, vacancy and the open question, and what the candidate has asked', async () => {
    const subject = await waiting();
    const question = await asking();

    const [first, second] = [await read(nora, subject.id), await read(nora, question.id)];

    const { slug, title, plan } = app.vacancy;
    const about = { candidate: 'Ada', vacancy: slug, vacancyTitle: title, channel: 'web' };
    const openQuestion = plan.questions[0]?.text;
    expect(first).toMatchObject({
      kind: 'handed_over',
      about: { ...about, owner: 'asked', openQuestion, candidateQuestion: null },
      claim: null,
    });
    expect(second).toMatchObject({
      kind: 'question',
      about: { ...about, owner: 'model', openQuestion, candidateQuestion: WORDS },
    });
  });

  test('notes in the audit that the words of a candidate were read, and nothing for other items', async () => {
    const [subject, question] = [await waiting(), await asking()];
    const ada = await colleague(app, { name: 'Ada', role: 'admin' });

    await list(ada);
    await list(ada);

    const read = 'user Ada: transcript.read';
    expect(await audited(question.candidate.conversationId)).toEqual([read]);
    expect(await audited(subject.candidate.conversationId)).not.toContain(read);
    app.clock.advance(3_600_000);
    await list(ada);
    expect(await audited(question.candidate.conversationId)).toEqual([read, read]);
  });

  test('shows neither names nor words to a key that may not read interviews', async () => {
    const { id } = await asking();
    const key = await makeKey(app, { scopes: ['attention:read'] });

    const response = await fetch(`${app.url}${LIST}/${id}`, { headers: bearer(key) });

    const { about } = (await response.json()) as Item;
    expect(about).toMatchObject({ candidate: null, candidateQuestion: null });
  });

  test('is filtered by kind and by vacancy', async () => {
    const smith = await app.addVacancy({ slug: 'smith' });
    const [here, there, question] = [await waiting(), await waiting(smith), await asking()];
    const job = await failed();
    const idsOf = async (query: string) => (await list(nora, query)).map(({ id }) => id);

    const ofSmith = await idsOf('&vacancy=smith');
    expect(ofSmith).toEqual([there.id]);
    const questions = await idsOf('&kind=question');
    expect(questions).toContain(question.id);
    expect(questions).not.toContain(here.id);
    expect(await idsOf('&kind=stalled')).toContain(job);
    expect(await idsOf('&vacancy=unknown')).toEqual([]);
  });

  test.each(['kind=everything', 'kind=', `vacancy=${'x'.repeat(201)}`])(
    'refuses the query %s',
    async (query) => {
      const response = await nora.request('GET', `${LIST}?${query}`);
      expect(await outcomeOf(response)).toBe('422 invalid_body');
    },
  );
});

describe('a claim', () => {
  test('is given to one of two who claim at once, and the other is told who has it', async () => {
    const { id } = await waiting();

    const [won, lost] = await outcomesOf([act(nora, id, 'claim'), act(omar, id, 'claim')]);

    const { heldBy } = won.body.claim ?? {};
    expect([won.status, lost.status]).toEqual([200, 409]);
    expect(lost.body).toMatchObject({ code: 'attention_held', details: { heldBy } });
    expect(String(lost.body['title'])).toMatch(
      /^(Nora|Omar) has it since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    );
    expect(await holderOf(id)).toBe(heldBy);
  });

  test('holds for everything about the same interview', async () => {
    const { candidate, id } = await asking();
    await candidate.post('human');
    const other = await newestItem();
    await act(nora, id, 'claim');

    expect(await outcomeOf(await act(omar, other, 'claim'))).toBe('409 attention_held');
    expect(await holderOf(other)).toBe('user Nora');
  });

  test('of something without an interview holds for this alone', async () => {
    const [one, other] = [await failed(), await failed()];
    await act(nora, one, 'claim');

    expect(await outcomeOf(await act(omar, one, 'claim'))).toBe('409 attention_held');
    expect(await outcomeOf(await act(omar, other, 'claim'))).toBe('200');
  });

  test('ends by itself after a while without an act, and an act keeps it', async () => {
    const { id } = await waiting();
    await act(nora, id, 'claim');
    app.clock.advance(CLAIM_QUIET_MS - 1000);
    await act(nora, id, 'typing');
    app.clock.advance(CLAIM_QUIET_MS - 1000);

    expect(await outcomeOf(await act(omar, id, 'claim'))).toBe('409 attention_held');
    app.clock.advance(1000);

    expect(await holderOf(id)).toBeNull();
    expect(await outcomeOf(await act(omar, id, 'claim'))).toBe('200');
    expect(await holderOf(id)).toBe('user Omar');
  });

  test('is taken from whoever is named, and not from somebody who took it meanwhile', async () => {
    const { id } = await waiting();
    const ines = await colleague(app, { name: 'Ines', role: 'recruiter' });
    await act(nora, id, 'claim');

    expect(await outcomeOf(await act(omar, id, 'claim', { from: 'user Nora' }))).toBe('200');
    expect(await outcomeOf(await act(ines, id, 'claim', { from: 'user Nora' }))).toBe(
      '409 attention_held',
    );
    expect(await holderOf(id)).toBe('user Omar');
  });

  test('is released by whoever has it, and by nobody else', async () => {
    const { id } = await waiting();
    await act(nora, id, 'claim');

    expect(await outcomeOf(await act(omar, id, 'release'))).toBe('409 attention_held');
    expect(await outcomeOf(await act(nora, id, 'release'))).toBe('200');
    expect(await outcomeOf(await act(nora, id, 'release'))).toBe('200');

    expect(await holderOf(id)).toBeNull();
  });

  test('of a closed item is refused', async () => {
    const id = await failed();
    await act(nora, id, 'close', { resolution: 'Restarted.' });

    expect(await outcomeOf(await act(omar, id, 'claim'))).toBe('409 attention_closed');
  });

  test('is in the audit with the name of the person', async () => {
    const { candidate, id } = await waiting();

    await act(nora, id, 'claim');
    await act(nora, id, 'release');

    const lines = await audited(candidate.conversationId);
    expect(lines).toEqual(['user Nora: attention.claim', 'user Nora: attention.release']);
  });
});

describe('two people', () => {
  test('who write at once: the candidate hears one, and the other is told who has it', async () => {
    const subject = await waiting();
    const write = (by: Colleague) => act(by, subject.id, 'reply', { text: `Here is ${by.name}.` });

    const [won, lost] = await outcomesOf([write(nora), write(omar)]);

    expect([won.status, lost.status]).toEqual([200, 409]);
    expect(lost.body).toMatchObject({ code: 'attention_held' });
    const name = String(won.body.claim?.heldBy).replace('user ', '');
    expect(await textsFromPeople(subject)).toEqual([`Here is ${name}.`]);
  });

  test('who answer the same question at once: the candidate gets one answer', async () => {
    const subject = await asking();

    const [won, lost] = await outcomesOf([
      act(nora, subject.id, 'answer', { text: ANSWER }),
      act(omar, subject.id, 'answer', { text: 'Never.' }),
    ]);

    expect([won.status, lost.status]).toEqual([200, 409]);
    expect(lost.body).toMatchObject({ code: 'attention_closed' });
    expect(await textsFromPeople(subject)).toHaveLength(1);
  });

  test('who close at once: one reason is kept, under the name of the session', async () => {
    const id = await failed();

    const [won, lost] = await outcomesOf([
      act(nora, id, 'close', { resolution: 'Restarted.', by: 'Somebody else' }),
      act(omar, id, 'close', { resolution: 'Ignored.' }),
    ]);

    expect([won.status, lost.status]).toEqual([200, 409]);
    expect(['Nora', 'Omar']).toContain(won.body.closedBy);
    expect((await read(nora, id)).closedBy).toBe(won.body.closedBy);
  });

  test('of whom one has taken over: the other neither writes, hands back nor closes', async () => {
    const subject = await waiting();
    await act(nora, subject.id, 'take-over');

    const outcomes = [];
    for (const [action, body] of [
      ['reply', { text: 'Hello.' }],
      ['return', {}],
      ['close', { resolution: 'Done.' }],
      ['take-over', {}],
      ['answer', { text: ANSWER }],
    ] as const) {
      outcomes.push(await outcomeOf(await act(omar, subject.id, action, body)));
    }

    expect(new Set(outcomes)).toEqual(new Set(['409 attention_held']));
    expect([await ownerOf(subject), await textsFromPeople(subject)]).toEqual(['person', []]);
  });
});

describe('a person', () => {
  test('takes over, writes, and hands back, each in one step', async () => {
    const subject = await waiting();

    const steps = [
      await act(nora, subject.id, 'take-over'),
      await act(nora, subject.id, 'reply', { text: 'Hello, this is Nora.' }),
      await act(nora, subject.id, 'return'),
    ];

    expect(await Promise.all(steps.map(outcomeOf))).toEqual(['200', '200', '200']);
    expect(await textsFromPeople(subject)).toEqual(['Hello, this is Nora.']);
    expect(await ownerOf(subject)).toBe('model');
    const { closedBy, claim } = await read(nora, subject.id);
    expect([closedBy, claim]).toEqual(['Nora', null]);
    expect((await audited(subject.candidate.conversationId)).slice(-3)).toEqual([
      'user Nora: attention.take_over',
      'user Nora: attention.reply',
      'user Nora: attention.return',
    ]);
  });

  test('who takes over raises one item, once', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    const added = jest.spyOn(app.get(AttentionRepository), 'add');
    const place = `/api/v1/interviews/${conversationId}/take-over`;

    const first = await nora.request('POST', place, { body: {} });
    expect(added).toHaveBeenCalledTimes(1);
    const { id } = (await first.json()) as Item;
    await act(nora, id, 'close', { resolution: 'Later.' });
    const second = await nora.request('POST', place, { body: {} });

    // It was closed while a person had the interview.
    expect((await second.json()) as Item).toMatchObject({ kind: 'handed_over', closedAt: null });
    added.mockRestore();
  });

  test('takes over a running interview without an item, and it has one then, of which nobody is alerted', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;

    const response = await nora.request('POST', `/api/v1/interviews/${conversationId}/take-over`, {
      body: {},
    });

    const item = (await response.json()) as Item;
    expect(item).toMatchObject({
      kind: 'handed_over',
      conversationId,
      about: { owner: 'person', status: 'handed_over' },
      claim: { heldBy: 'user Nora' },
    });
    const { alerted } = await app.one<{ alerted: boolean }>(
      'select alerted_at is not null as alerted from attention where id = $1',
      [item.id],
    );
    expect(alerted).toBe(true);
    await act(nora, item.id, 'return');
    expect((await candidate.view()).status).toBe('active');
  });

  test('who answers a question about an interview that they have keeps the interview', async () => {
    const subject = await asking();
    await act(nora, subject.id, 'take-over');
    const takenOver = await newestItem();

    await act(nora, subject.id, 'answer', { text: ANSWER });

    expect((await read(nora, subject.id)).closedBy).toBe('Nora');
    expect(await holderOf(takenOver)).toBe('user Nora');
    expect(await ownerOf(subject)).toBe('person');
  });

  test('of another vacancy, and one who only reads, take nothing', async () => {
    const { candidate, id } = await waiting();
    const smith = await app.addVacancy({ slug: 'other-smith' });
    const lena = await colleague(app, {
      name: 'Lena',
      role: 'interviewer',
      vacancyIds: [smith.id],
    });
    const vera = await colleague(app, { name: 'Vera', role: 'viewer' });
    const place = `/api/v1/interviews/${candidate.conversationId}/take-over`;

    const outcomes = [];
    for (const by of [lena, vera]) {
      outcomes.push(await outcomeOf(await act(by, id, 'claim')));
      outcomes.push(await outcomeOf(await act(by, id, 'typing')));
      outcomes.push(await outcomeOf(await by.request('POST', place, { body: {} })));
    }

    expect(outcomes).toEqual([
      '404 attention_unknown',
      '404 attention_unknown',
      '404 conversation_unknown',
      '403 scope_missing',
      '403 scope_missing',
      '403 scope_missing',
    ]);
    expect(await holderOf(id)).toBeNull();
  });

  test('who reads while the candidate is erased is told so, and nothing of the claim is left', async () => {
    const { candidate, id } = await waiting();
    await act(nora, id, 'take-over');
    const { candidateId } = await app.one<{ candidateId: string }>(
      'select candidate_id as "candidateId" from conversation where id = $1',
      [candidate.conversationId],
    );

    const [outcome] = await Promise.all([
      act(nora, id, 'reply', { text: 'Hello.' }).then(outcomeOf),
      app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId)),
    ]);

    expect(['200', '404 attention_unknown', '404 conversation_unknown']).toContain(outcome);
    expect(await outcomeOf(await act(nora, id, 'reply', { text: 'Hello?' }))).toBe(
      '404 attention_unknown',
    );
    expect(await outcomeOf(await nora.request('GET', `${LIST}/${id}`))).toBe(
      '404 attention_unknown',
    );
    const left = await app.sql('select 1 from attention_claim where conversation_id = $1', [
      candidate.conversationId,
    ]);
    expect(left).toEqual([]);
  });
});

test('a key keeps its contract: it acts without a claim, and says whose act it is', async () => {
  const { id } = await waiting();
  await act(nora, id, 'claim');
  const call = (action: string, body: object) =>
    fetch(`${app.url}${LIST}/${id}/${action}`, {
      method: 'POST',
      headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  expect(await outcomeOf(await call('reply', { text: 'Hello.' }))).toBe('200');
  expect(await outcomeOf(await call('close', { resolution: 'Done.' }))).toBe('422 invalid_body');
  expect(await outcomeOf(await call('return', {}))).toBe('422 invalid_body');
  const closed = await call('close', { by: 'Vera', resolution: 'Done.' });
  expect(((await closed.json()) as Item).closedBy).toBe('Vera');
});
