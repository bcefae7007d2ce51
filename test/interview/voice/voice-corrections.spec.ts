import { VoiceStage } from './voice-stage';
import { WINDOW_MS, words, work, live } from '../interview-fixture';
import { newCandidate } from '../turn-candidate';

let stage: VoiceStage;

beforeAll(async () => {
  stage = await VoiceStage.open();
});

afterAll(() => stage.close());

test('a correction before the reply changes the text that the model reads', async () => {
  const candidate = await newCandidate(stage.app);
  const { messageId, text } = await stage.speak(candidate);
  await work(stage.app);
  const right = words('rye');

  expect(await stage.correct(candidate, messageId, right)).toBe('edited');
  await live(stage.app, 3 * WINDOW_MS);

  expect(stage.lastPrompt()).toContain(right);
  expect(stage.lastPrompt()).not.toContain(text);
  expect(await stage.voices(candidate)).toMatchObject([{ transcript: text }]);
});

test('a correction after the reply is stored once as an amendment', async () => {
  const candidate = await newCandidate(stage.app);
  const { text, bufferId: _ } = await stage.speak(candidate, { externalId: 'mine' });
  await live(stage.app, 2 * WINDOW_MS);
  const right = words('rye');

  expect(await stage.correct(candidate, 'mine', right)).toBe('amendment');
  expect(await stage.correct(candidate, 'mine', right)).toBe('amendment');

  const texts = (await candidate.talk()).filter(({ role }) => role === 'user');
  expect(texts.map((line) => line.text)).toEqual([text, right]);
  await live(stage.app, 2 * WINDOW_MS);
  expect(await candidate.replies()).toHaveLength(2);
});

test("refuses to correct what is no voice, or another candidate's voice", async () => {
  const candidate = await newCandidate(stage.app);
  const other = await newCandidate(stage.app);
  const { messageId } = await stage.speak(other);
  await work(stage.app);
  await candidate.say(words());
  const [line] = await stage.app.sql<{ id: string }>(
    `select id from message where conversation_id = $1 and role = 'user'`,
    [candidate.id],
  );
  for (const id of [messageId, line?.id ?? '', 'no id']) {
    const correction = stage.correct(candidate, id, 'x');
    await expect(correction).rejects.toMatchObject({ code: 'message_unknown' });
  }
});
