import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';

describe('an interview by the scripted interviewer', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  test('greets and asks the first question after consent and profile, by code', async () => {
    const candidate = await TestCandidate.begin(app);

    const { status, messages, progress } = await candidate.view();

    expect(status).toBe('active');
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'assistant']);
    expect(messages.map(({ text }) => text)).toEqual([
      app.vacancy.plan.greeting,
      app.vacancy.plan.questions[0]?.text,
    ]);
    const of = app.vacancy.plan.questions.length;
    expect(progress).toEqual({ question: 1, of, unanswered: [] });
  });

  test('gives three messages one reply that ends with the next question', async () => {
    const candidate = await TestCandidate.begin(app);

    for (const id of ['a', 'b', 'c']) await candidate.send(id, `part ${id}`);
    const view = await candidate.waitFor(({ interviewStep }) => interviewStep === 1);

    const replies = view.messages.slice(2).filter(({ role }) => role === 'assistant');
    expect(replies).toHaveLength(1);
    expect(replies[0]?.text).toContain(app.vacancy.plan.questions[1]?.text);
    const turns = await app.commit((tx) =>
      tx.query('select message_count, state from turn where conversation_id = $1', [
        candidate.conversationId,
      ]),
    );
    expect(turns).toEqual([{ message_count: 3, state: 'delivered' }]);
  });

  test('asks every question in order, closes, and still takes additions', async () => {
    const candidate = await TestCandidate.begin(app);
    const { questions, closing } = app.vacancy.plan;

    for (const [index] of questions.entries()) await candidate.answer(`m${index}`, 'An answer.');
    const done = await candidate.view();
    const added = await candidate.answer('more', 'One more thing.');

    const asked = done.messages.filter(({ role }) => role === 'assistant').map(({ text }) => text);
    for (const [index, { text }] of questions.entries()) expect(asked[index + 1]).toContain(text);
    expect(asked.at(-1)).toContain(closing);
    expect(done.status).toBe('completed');
    expect(added.messages.at(-1)?.role).toBe('assistant');
    expect(added.status).toBe('completed');
  });
});
