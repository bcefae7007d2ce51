import { randomUUID } from 'node:crypto';
import { KnowledgeRepository } from '../../src/knowledge';
import { TeamFeed } from '../../src/streams/team-feed';
import { type TestApp, startTestApp } from '../support/app';
import { type Colleague, colleague } from '../support/colleague';
import { outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { type Item, act, inbox, read } from './inbox';

const ANSWER = 'Two days a week are from home.';

const { waiting, asking, questionOf, ownerOf, textsFromPeople, audited } = inbox(() => app);

let app: TestApp;
let nora: Colleague;
let omar: Colleague;

beforeAll(async () => {
  app = await startTestApp({ clock: 'fake', isWorking: false, env: { ADMIN_TOKEN } });
  nora = await colleague(app, { name: 'Nora', role: 'recruiter' });
  omar = await colleague(app, { name: 'Omar', role: 'recruiter' });
});

afterAll(() => app.close());

/** The file of a small vacancy, without documents. */
function smallFile(slug: string): object {
  const question = { id: 'last', text: 'What did you bake last?', rubric: 'A bread.' };
  const texts = { greeting: 'Hello.', closing: 'Thank you.', questions: [question] };
  return {
    slug,
    language: 'en',
    title: 'Cook',
    company: 'Crumb',
    owner: { name: 'Ada' },
    ...texts,
  };
}

async function holderOf(id: string): Promise<string | null> {
  return (await read(nora, id)).claim?.heldBy ?? null;
}

describe('an answer', () => {
  const DOCUMENT = 'questions-and-answers.en.md';

  function documents({ id } = app.vacancy) {
    return app.commit((tx) => app.get(KnowledgeRepository).chunksOf(tx, id, DOCUMENT));
  }

  test('reaches the candidate, closes the item, and is kept under a question in other words', async () => {
    const subject = await asking();
    const question = 'How many days can one work from home?';

    const response = await act(nora, subject.id, 'answer', { text: ANSWER, question });

    expect((await response.json()) as Item).toMatchObject({ closedBy: 'Nora', claim: null });
    expect(await textsFromPeople(subject)).toEqual([ANSWER]);
    expect(await documents()).toEqual([
      { headings: ['Questions and answers', question], text: ANSWER },
    ]);
    expect(await audited(app.vacancy.id)).toEqual(['user Nora: vacancy.document']);
    expect(await ownerOf(subject)).toBe('model');
  });

  test('is told to the pages of the team that show the documents of the vacancy', async () => {
    const vacancy = await app.addVacancy({ slug: 'told' });
    const told = jest.spyOn(app.get(TeamFeed), 'changed');

    await act(nora, (await asking(vacancy)).id, 'answer', { text: ANSWER, question: 'Home?' });

    const { slug } = vacancy;
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ kind: 'vacancy', id: slug }));
    told.mockRestore();
  });

  test('leaves the item open that stands for an interview with a person', async () => {
    const subject = await waiting();

    const first = await act(nora, subject.id, 'answer', { text: ANSWER });
    await act(nora, subject.id, 'take-over');
    const second = await act(nora, subject.id, 'answer', { text: 'And one in spring.' });

    for (const response of [first, second]) {
      expect((await response.json()) as Item).toMatchObject({ closedAt: null });
    }
    expect(await textsFromPeople(subject)).toEqual([ANSWER, 'And one in spring.']);
    expect([await ownerOf(subject), await holderOf(subject.id)]).toEqual(['person', 'user Nora']);
  });

  test('that is sent again under its id returns the closed item, and changes nothing', async () => {
    const vacancy = await app.addVacancy({ slug: 'repeats' });
    const subject = await asking(vacancy);
    const body = { text: ANSWER, id: randomUUID(), question: 'Once?' };
    await act(nora, subject.id, 'answer', body);
    const before = [await documents(vacancy), await audited(subject.candidate.conversationId)];
    await act(omar, (await questionOf(subject)).id, 'claim');

    const again = await act(nora, subject.id, 'answer', body);

    expect(again.status).toBe(200);
    expect((await again.json()) as Item).toMatchObject({ id: subject.id, closedBy: 'Nora' });
    expect(await textsFromPeople(subject)).toEqual([ANSWER]);
    expect(await documents(vacancy)).toEqual(before[0]);
    const lines = await audited(subject.candidate.conversationId);
    expect(lines.filter((line) => !line.startsWith('user Omar'))).toEqual(before[1]);
    expect(await holderOf(subject.id)).toBe('user Omar');
  });

  test('to the same question again takes the place of the earlier one', async () => {
    const question = 'How many days can one work from home?';

    for (const text of ['One day.', 'Three days.']) {
      await act(nora, (await asking()).id, 'answer', { text, question });
    }
    await act(nora, (await asking()).id, 'answer', { text: 'In spring.', question: 'When?' });

    expect((await documents()).map(({ text }) => text)).toEqual(['Three days.', 'In spring.']);
  });

  test('is neither sent nor kept when it cannot be kept', async () => {
    const subject = await asking();
    const lena = await colleague(app, { name: 'Lea', role: 'interviewer' });
    const before = await documents();

    const outcome = await outcomeOf(
      await act(lena, subject.id, 'answer', { text: ANSWER, question: 'Home?' }),
    );

    expect(outcome).toBe('403 scope_missing');
    expect([await textsFromPeople(subject), await documents()]).toEqual([[], before]);
    expect(await outcomeOf(await act(lena, subject.id, 'answer', { text: ANSWER }))).toBe('200');
  });

  test('stays when the file of the vacancy is imported or replaced without it', async () => {
    const vacancy = await app.addVacancy({ slug: 'answers' });
    await act(nora, (await asking(vacancy)).id, 'answer', { text: ANSWER, question: 'Home?' });
    const kept = await documents(vacancy);
    const place = `/api/v1/vacancies/${vacancy.slug}/file`;
    const file = await nora.request('GET', place);
    expect(await file.text()).not.toContain(DOCUMENT);

    const replaced = await nora.request('PUT', place, {
      body: smallFile(vacancy.slug),
      headers: { 'if-match': file.headers.get('etag') ?? '' },
    });
    await app.commit((tx) => app.get(KnowledgeRepository).replace(tx, vacancy.id, []));

    expect(await outcomeOf(replaced)).toBe('200');
    expect(await documents(vacancy)).toEqual(kept);
    expect(kept).toHaveLength(1);
  });

  test.each([
    { text: ' ' },
    { text: ANSWER, question: ' ' },
    { text: ANSWER, question: 'x'.repeat(161) },
    { text: ANSWER, question: 'a\0' },
    { text: ANSWER, id: 'x' },
    { text: 'x'.repeat(4001) },
  ])('is refused: %j', async (body) => {
    const { id } = await asking();
    expect(await outcomeOf(await act(nora, id, 'answer', body))).toBe('422 invalid_body');
  });
});
