import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { OPENAI_API_KEY: '', INTERVIEW_SCRIPTED_PACE: '25' } });
});

afterAll(() => fixture.close());

test('without a key no model is asked, and the plan is asked to its end', async () => {
  const { questions, closing } = fixture.vacancy.plan;
  const candidate = await fixture.candidate();

  for (const _ of questions) {
    await candidate.say(words());
    fixture.pause();
    await fixture.main.pass();
    await fixture.inTime(fixture.main.settled(), 5);
  }

  const replies = await candidate.replies();
  for (const [index, { text }] of questions.slice(1).entries()) {
    expect(replies[index]).toContain(text);
  }
  expect(replies.at(-1)).toContain(closing);
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  expect(fixture.model.requests).toEqual([]);
  expect(await candidate.requests()).toBe(0);
});

test('a reply of code comes word by word, and a stop keeps the words that were said', async () => {
  const candidate = await fixture.candidate();
  await candidate.say(words());
  fixture.pause();
  await fixture.main.pass();
  while (fixture.main.visible(candidate.id).split(' ').length < 3) {
    fixture.clock.advance(5);
    await fixture.aMoment();
  }
  const said = fixture.main.visible(candidate.id);

  await candidate.stop();
  await fixture.inTime(fixture.main.settled(), 5);

  expect(await candidate.replies()).toEqual([said]);
  expect(await candidate.turns()).toMatchObject([{ partial: true, verdict: null }]);
});
