import { textsOf } from '../../src/interview/texts/texts';
import { replyWith } from '../../tools/fake-model/model-server';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open();
});

afterAll(() => fixture.close());

const TEXTS = textsOf('en');

interface Prompt {
  readonly answer: string;
  readonly corrections?: readonly string[];
  readonly transcript: readonly { text: string }[];
}

function lastInstructions(): string {
  return fixture.model.requests.at(-1)?.body.messages[0]?.content ?? '';
}

function lastPrompt(): Prompt {
  const { messages } = fixture.model.requests.at(-1)?.body ?? { messages: [] };
  return JSON.parse(messages.at(-1)?.content ?? '{}') as Prompt;
}

describe('an edit of an answer that has its reply', () => {
  test('adds to that answer: the waiting question is not settled, and the prompt says so', async () => {
    const candidate = await fixture.candidate();
    await candidate.answer(words('rey'));
    const [edited, again] = [words('rye'), words('wheat')];

    for (const text of [edited, again, edited]) await candidate.edit(text);
    fixture.model.next(replyWith('vague', 'Noted.'));
    fixture.pause(10_000);
    await fixture.main.work();

    expect(lastPrompt().answer).toBe(edited);
    expect(lastInstructions()).toContain('the candidate edited earlier messages');
    expect(await candidate.state()).toMatchObject({ question: 1, pushedBack: false });
    expect((await candidate.replies())[1]).toContain(TEXTS.questionStillOpen);
    expect((await candidate.state()).metadata['questionAnswers']).toHaveLength(1);
    expect(await candidate.turns()).toHaveLength(2);
  });

  test('together with a new message is named as a correction, and the message is the answer', async () => {
    const candidate = await fixture.candidate();
    await candidate.answer(words('rey'));
    const [edited, next] = [words('rye'), words('next')];
    await candidate.edit(edited);

    fixture.pause(1000);
    await candidate.say(next);
    fixture.pause(10_000);
    await fixture.main.work();

    expect(lastPrompt()).toMatchObject({ answer: next, corrections: [edited] });
    expect(lastInstructions()).toContain('not part of the answer');
    expect(await candidate.state()).toMatchObject({ question: 2 });

    await candidate.answer(words('third'));
    expect(lastPrompt().transcript).toContainEqual({
      role: 'candidate',
      text: edited,
      isCorrection: true,
    });
  });

  test('does not confirm that the candidate wants to stop', async () => {
    const candidate = await fixture.candidate();
    await candidate.answer(words('rey'));
    for (const text of [words('stop'), words('stop it')]) {
      fixture.model.next(replyWith('leave', ''));
      await candidate.edit(text);
      fixture.pause(10_000);
      await fixture.main.work();
    }

    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
  });
});
