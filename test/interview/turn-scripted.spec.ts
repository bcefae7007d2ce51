import { textsOf } from '../../src/interview/texts/texts';
import {
  startInterviews,
  startOther,
  closeInterviews,
  words,
  pause,
  work,
  settled,
  visible,
} from './interviews';
import { newCandidate } from './interviewee';
import { SHIFTS, storeDocuments } from './knowledge-turns';
import type { TestApp } from '../support/app';
import { turnOfLoop, untilInProcess } from '../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({ env: { OPENAI_API_KEY: '' } });
});

afterAll(() => closeInterviews(app));

test('asks all questions of the plan without a model when there is no API key', async () => {
  const { questions, closing } = app.vacancy.plan;
  const candidate = await newCandidate(app);

  for (const _ of questions) await candidate.answer(words());

  const replies = await candidate.replies();
  for (const [index, { text }] of questions.slice(1).entries()) {
    expect(replies[index]).toContain(text);
  }
  expect(replies.at(-1)).toContain(closing);
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  expect(app.model.requests).toEqual([]);
  expect(await candidate.requests()).toBe(0);
});

test('repeats the question, skips it and stops when asked to, without a model', async () => {
  const { questions } = app.vacancy.plan;
  const candidate = await newCandidate(app);
  const { questionAgain, declined, confirmLeave, withdrawn } = textsOf('en');

  await candidate.answer('Could you repeat the question?');
  await candidate.answer('Skip this question');
  await candidate.answer('Stop');
  await candidate.answer('Yes');

  const replies = await candidate.replies();
  expect(replies[0]).toBe(`${questionAgain}\n\n${questions[0]?.text ?? ''}`);
  expect(replies[1]).toBe(`${declined[1] ?? ''}\n\n${questions[1]?.text ?? ''}`);
  const nothing = { hasAnswers: false };
  expect(replies[2]?.startsWith(`${confirmLeave(nothing)}\n\n`)).toBe(true);
  expect(replies.slice(3)).toEqual([withdrawn(nothing)]);
  expect(await candidate.state()).toMatchObject({ status: 'withdrawn' });
});

test("passes a candidate's question on to a person when there is no model", async () => {
  const candidate = await newCandidate(app);
  await candidate.answer('Is the office open at night?');

  expect((await candidate.replies())[0]).toContain(textsOf('en').noSource);
  const items = await app.sql(
    `select kind from attention where conversation_id = $1 and closed_at is null`,
    [candidate.id],
  );
  expect(items).toEqual([{ kind: 'question' }]);
});

test('an answer that ends in a question is an answer, and a person hears of the question', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer(`${words()}. By the way, is the job remote?`);

  const { acknowledgements, noSourceToo } = textsOf('en');
  const next = app.vacancy.plan.questions[1]?.text ?? '';
  expect(await candidate.replies()).toEqual([
    [acknowledgements[0], noSourceToo, next].join('\n\n'),
  ]);
  expect(await candidate.attention()).toMatchObject([{ kind: 'question', closed: false }]);
});

test('passes a wish for an adjustment on without a model, and presses nobody to go on', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer('I have dyslexia; could somebody read the questions to me?');

  expect(await candidate.replies()).toEqual([textsOf('en').adjustmentNoted]);
  expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  const items = await app.sql(
    `select kind, split_part(subject, ':', 1) as subject from attention where conversation_id = $1`,
    [candidate.id],
  );
  expect(items).toEqual([{ kind: 'question', subject: 'adjustment' }]);
});

test('quotes the documents to a question that they cover, without a model', async () => {
  await storeDocuments(app, { 'shifts.en.md': `# Shifts\n\n${SHIFTS}` });
  const candidate = await newCandidate(app);

  await candidate.answer('When does the early shift begin?');
  await candidate.answer('Is there a night shift?');

  const { quoted, questionAbove, noSource } = textsOf('en');
  const [first = '', second = ''] = await candidate.replies();
  expect(first.startsWith(`${quoted('Shifts', SHIFTS)}\n\n`)).toBe(true);
  expect(questionAbove.some((one) => first.endsWith(one))).toBe(true);
  expect(second).toContain(noSource);
  expect(await candidate.state()).toMatchObject({ question: 0 });
  expect(await candidate.attention()).toMatchObject([{ kind: 'question' }]);
});

test('thanks for an edit of an answer that has its reply, and settles no question', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer(words());

  await candidate.edit(words());
  pause(app, 10_000);
  await work(app);

  const { corrected, questionAbove } = textsOf('en');
  expect((await candidate.replies())[1]).toBe(`${corrected[1]}\n\n${questionAbove[1]}`);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

test('greets back, and the greeting is no answer', async () => {
  const candidate = await newCandidate(app);

  await candidate.answer('Hello!');
  await candidate.answer('One second, please');

  const { asides } = textsOf('en');
  expect(await candidate.replies()).toEqual([asides.greeting[0], asides.wait[1]]);
  expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  expect(await candidate.turns()).toMatchObject([{ verdict: 'aside' }, { verdict: 'aside' }]);
  const labels = await app.sql(
    `select l.label from message_label l join message m on m.id = l.message_id
     where m.conversation_id = $1`,
    [candidate.id],
  );
  expect(labels).toEqual([{ label: 'aside' }, { label: 'aside' }]);
});

test('asks a must-ask question that was left open once more, and stores its answer', async () => {
  const { questions, closing } = app.vacancy.plan;
  const candidate = await newCandidate(app);
  const { onceMore } = textsOf('en');

  for (let n = 0; n < 7; n += 1) await candidate.answer('Hello!');
  for (const _ of questions.slice(1)) await candidate.answer(words());
  const answer = words();
  await candidate.answer(answer);

  const replies = await candidate.replies();
  const asked = questions[0]?.text ?? '';
  expect(onceMore.map((text) => `${text}\n\n${asked}`)).toContain(
    replies.at(-2)?.split('\n\n').slice(-2).join('\n\n'),
  );
  expect(replies.at(-1)).toContain(closing);
  const { status, metadata } = await candidate.state();
  expect(status).toBe('completed');
  expect(metadata['questionAnswers']).toMatchObject(
    [...questions.slice(1), questions[0]].map((one) => ({ questionId: one?.id })),
  );
  const [line] = await app.sql(
    `select l.label, l.question_id as question from message_label l
     join message m on m.id = l.message_id where m.conversation_id = $1 and m.text = $2`,
    [candidate.id, answer],
  );
  expect(line).toEqual({ label: 'answer', question: questions[0]?.id });
});

test('changes to the language of the candidate with the second answer in it', async () => {
  const candidate = await newCandidate(app);

  await candidate.answer('Вчера испекла ржаной хлеб на закваске');
  await candidate.answer('Мне нравится, что он долго не черствеет');

  const [first, second] = await candidate.replies();
  expect(first).toContain(textsOf('en').acknowledgements[0]);
  expect(second).toContain(textsOf('ru').acknowledgements[1]);
});

test('shows a scripted reply word by word, and a stop keeps the shown words', async () => {
  const paced = await startOther(app, { env: { INTERVIEW_SCRIPTED_PACE: '25' } });
  const candidate = await newCandidate(app);
  await candidate.say(words());
  pause(app);
  await paced.worker.tick();
  const said: string[] = [];
  for (let word = 0; word < 3; word += 1) {
    await untilInProcess('another word is visible', () => {
      return visible(paced, candidate.id) !== (said.at(-1) ?? '');
    });
    said.push(visible(paced, candidate.id));
    await turnOfLoop();
    if (word < 2) app.clock.advance(25);
  }

  await candidate.stop(paced);
  await settled(paced);

  expect(said.map((text) => text.trim().split(/\s+/).length)).toEqual([1, 2, 3]);
  expect(await candidate.replies()).toEqual([said.at(-1)]);
  expect(await candidate.turns()).toMatchObject([{ partial: true, verdict: null }]);
});
