import { VoiceService } from '../../../src/interview';
import type { Interviewee } from '../interviewee';
import { VoiceMessages } from './voice-messages';
import { WINDOW_MS, words, work, live } from '../interviews';
import { newCandidate } from '../interviewee';

let setup: VoiceMessages;

beforeAll(async () => {
  setup = await VoiceMessages.open();
});

afterAll(() => setup.close());

test('a correction before the reply changes the text that the model reads', async () => {
  const candidate = await newCandidate(setup.app);
  const { messageId, text } = await setup.speak(candidate);
  await work(setup.app);
  const right = words('rye');

  expect(await correct(candidate, messageId, right)).toBe('edited');
  await live(setup.app, 3 * WINDOW_MS);

  expect(setup.lastPrompt()).toContain(right);
  expect(setup.lastPrompt()).not.toContain(text);
  expect(await setup.voices(candidate)).toMatchObject([{ transcript: text }]);
});

test('a correction after the reply is stored once as an amendment', async () => {
  const candidate = await newCandidate(setup.app);
  const { text, answerId: _ } = await setup.speak(candidate, { externalId: 'mine' });
  await live(setup.app, 2 * WINDOW_MS);
  const right = words('rye');

  expect(await correct(candidate, 'mine', right)).toBe('amendment');
  expect(await correct(candidate, 'mine', right)).toBe('amendment');

  const texts = (await candidate.talk()).filter(({ role }) => role === 'user');
  expect(texts.map((line) => line.text)).toEqual([text, right]);
  await live(setup.app, 2 * WINDOW_MS);
  expect(await candidate.replies()).toHaveLength(2);
});

test("refuses to correct what is no voice, or another candidate's voice", async () => {
  const candidate = await newCandidate(setup.app);
  const other = await newCandidate(setup.app);
  const { messageId } = await setup.speak(other);
  await work(setup.app);
  await candidate.say(words());
  const [line] = await setup.app.sql<{ id: string }>(
    `select id from message where conversation_id = $1 and role = 'user'`,
    [candidate.id],
  );
  for (const id of [messageId, line?.id ?? '', 'no id']) {
    const correction = correct(candidate, id, 'x');
    await expect(correction).rejects.toMatchObject({ code: 'message_unknown' });
  }
});

async function correct(candidate: Interviewee, messageId: string, text: string) {
  const { app } = setup;
  return app.commit((tx) =>
    app
      .get(VoiceService)
      .correct(tx, { conversationId: candidate.id, channel: 'web', id: messageId, text }),
  );
}
