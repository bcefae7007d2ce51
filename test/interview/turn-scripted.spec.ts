import { textsOf } from '../../src/interview/texts/texts';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { OPENAI_API_KEY: '' } });
});

afterAll(() => fixture.close());

test('without a key no model is asked, and the plan is asked to its end', async () => {
  const { questions, closing } = fixture.vacancy.plan;
  const candidate = await fixture.candidate();

  for (const _ of questions) await candidate.answer(words());

  const replies = await candidate.replies();
  for (const [index, { text }] of questions.slice(1).entries()) {
    expect(replies[index]).toContain(text);
  }
  expect(replies.at(-1)).toContain(closing);
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  expect(fixture.model.requests).toEqual([]);
  expect(await candidate.requests()).toBe(0);
});

test('an edit of an answer that has its reply is thanked for and settles no question', async () => {
  const candidate = await fixture.candidate();
  await candidate.answer(words());

  await candidate.edit(words());
  fixture.pause(10_000);
  await fixture.main.work();

  const { corrected, questionStillOpen } = textsOf('en');
  expect((await candidate.replies())[1]).toBe(`${corrected[1]}\n\n${questionStillOpen}`);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

test('a reply of code comes word by word, and a stop keeps the words that were said', async () => {
  const paced = await fixture.another({ env: { INTERVIEW_SCRIPTED_PACE: '25' } });
  const candidate = await fixture.candidate();
  await candidate.say(words());
  fixture.pause();
  await paced.pass();
  const said: string[] = [];
  for (let word = 0; word < 3; word += 1) {
    while (paced.visible(candidate.id) === (said.at(-1) ?? '')) await fixture.aMoment();
    said.push(paced.visible(candidate.id));
    await fixture.aMoment();
    if (word < 2) fixture.clock.advance(25);
  }

  await candidate.stop(paced);
  await paced.settled();

  expect(said.map((text) => text.trim().split(/\s+/).length)).toEqual([1, 2, 3]);
  expect(await candidate.replies()).toEqual([said.at(-1)]);
  expect(await candidate.turns()).toMatchObject([{ partial: true, verdict: null }]);
});
