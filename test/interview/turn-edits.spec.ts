import { textsOf } from '../../src/interview/texts/texts';
import { replyWith } from '../../tools/fake-model/model-server';
import { type ReplyData, replyDataOf } from '../../tools/fake-model/reply-data';
import { startInterviews, closeInterviews, words, pause, work } from './interviews';
import { newCandidate } from './interviewee';
import type { TestApp } from '../support/app';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
});

afterAll(() => closeInterviews(app));

const TEXTS = textsOf('en');

function lastPrompt(): ReplyData {
  const { messages } = app.model.requests.at(-1)?.body ?? { messages: [] };
  return replyDataOf(messages.at(-1)?.content);
}

describe('an edit of an answer that has its reply', () => {
  test('adds to that answer: the open question stays open, and the prompt says so', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words('rey'));
    const [edited, again] = [words('rye'), words('wheat')];

    for (const text of [edited, again, edited]) await candidate.edit(text);
    app.model.next(replyWith('vague', 'Noted.'));
    pause(app, 10_000);
    await work(app);

    expect(lastPrompt().answer).toBe(edited);
    expect(lastPrompt().now.join()).toContain('the candidate edited earlier messages');
    expect(await candidate.state()).toMatchObject({ question: 1, pushedBack: false });
    const reply = (await candidate.replies())[1] ?? '';
    expect(TEXTS.questionAbove.some((one) => reply.endsWith(one))).toBe(true);
    expect((await candidate.state()).metadata['questionAnswers']).toHaveLength(1);
    expect(await candidate.turns()).toHaveLength(2);
  });

  test('together with a new message is a correction in the prompt, and the message is the answer', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words('rey'));
    const [edited, next] = [words('rye'), words('next')];
    await candidate.edit(edited);

    pause(app, 1000);
    await candidate.say(next);
    pause(app, 10_000);
    await work(app);

    expect(lastPrompt()).toMatchObject({ answer: next, corrections: [edited] });
    expect(lastPrompt().now.join()).not.toContain('edited');
    expect(await candidate.state()).toMatchObject({ question: 2 });

    await candidate.answer(words('third'));
    expect(lastPrompt().transcript).toContainEqual(
      expect.objectContaining({
        role: 'candidate',
        text: edited,
        isCorrection: true,
      }),
    );
  });

  test('does not confirm that the candidate wants to stop', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words('rey'));
    for (const text of [words('stop'), words('stop it')]) {
      app.model.next(replyWith('leave', ''));
      await candidate.edit(text);
      pause(app, 10_000);
      await work(app);
    }

    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
  });
});
