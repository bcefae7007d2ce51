import { textsOf } from '../../../src/interview/texts/texts';
import { FakeChannel } from '../../delivery/fake-channel';
import { VoiceMessages, bytesOf, onTelegram } from './voice-messages';
import { WINDOW_MS, words, pause, work, settled } from '../interviews';
import { type Interviewee, newCandidate, newStranger } from '../interviewee';
import { BufferService } from '../../../src/buffer';

const EN = textsOf('en');
let setup: VoiceMessages;

beforeAll(async () => {
  setup = await VoiceMessages.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => setup.close());

/** A voice whose transcript is pending. */
async function held(candidate: Interviewee) {
  const asked = setup.model.transcriptions.requests.length;
  setup.model.transcriptions.hold();
  const spoken = await setup.speak(candidate);
  await setup.app.worker.tick();
  await setup.model.transcriptions.request(asked + 1);
  return spoken;
}

async function release(): Promise<void> {
  setup.model.transcriptions.release();
  await settled(setup.app);
}

test('stores a voice, transcribes it once, replies to it, and records the request', async () => {
  const candidate = await newCandidate(setup.app);
  const { text } = await setup.speak(candidate);
  await work(setup.app);
  pause(setup.app);
  await work(setup.app);

  expect(await setup.voices(candidate)).toMatchObject([
    { state: 'heard', transcript: text, kept: 'OggS', mime_type: 'audio/ogg', problem: null },
  ]);
  expect(await candidate.talk()).toMatchObject([{ role: 'user', text }, { role: 'assistant' }]);
  expect(setup.lastPrompt()).toContain(text);
  expect(await setup.attempts(candidate)).toEqual(['ok']);
  expect(await setup.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 1 }]);
  expect(await candidate.waiting()).toEqual([]);
});

test('holds the answer open during a transcription, and text sent meanwhile joins it', async () => {
  const candidate = await newCandidate(setup.app);
  const { text } = await held(candidate);
  const written = words();
  await candidate.say(written);
  await setup.liveOn(5 * WINDOW_MS);
  expect(await candidate.replies()).toEqual([]);

  await release();
  await work(setup.app);

  expect(await candidate.replies()).toHaveLength(1);
  expect(await candidate.turns()).toMatchObject([{ message_count: 2, state: 'delivered' }]);
  expect(setup.model.dataWith(written).answer).toBe(`${text}\n\n${written}`);
});

test('alone in its answer, and heard only after the reply to another one, is an answer of its own', async () => {
  const candidate = await newCandidate(setup.app);
  await held(candidate);
  await setup.liveOn(121_000);
  expect(await candidate.replies()).toEqual([]);
  await candidate.say(words());
  await setup.liveOn(5 * WINDOW_MS);
  expect(await candidate.state()).toMatchObject({ question: 1 });

  await release();
  pause(setup.app);
  await work(setup.app);

  expect(await candidate.replies()).toHaveLength(2);
  expect(await candidate.state()).toMatchObject({ question: 2 });
});

test('after the longest wait replies without the voice, which joins the next answer', async () => {
  const candidate = await newCandidate(setup.app);
  const written = words();
  await candidate.say(written);
  const { text } = await held(candidate);
  await setup.liveOn(121_000);
  expect(await candidate.replies()).toHaveLength(1);
  expect(setup.lastPrompt()).toContain(written);

  await release();
  pause(setup.app);
  await work(setup.app);

  expect(await candidate.turns()).toMatchObject([{ message_count: 1 }, { message_count: 1 }]);
  expect((await candidate.talk()).map((line) => line.text)).toContain(text);
  expect(await candidate.waiting()).toEqual([]);
});

test('does not reply to a lone voice before it is transcribed', async () => {
  const candidate = await newCandidate(setup.app);
  const { text } = await held(candidate);
  await setup.liveOn(121_000);
  expect(await candidate.turns()).toEqual([]);

  await release();
  pause(setup.app);
  await work(setup.app);

  expect(await candidate.replies()).toHaveLength(1);
  expect(setup.lastPrompt()).toContain(text);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

test('tells a candidate once that a voice waits for its transcript', async () => {
  const candidate = await newCandidate(setup.app);
  await held(candidate);
  expect(await setup.notifyWaiting()).toBe(0);
  await setup.liveOn(121_000);

  expect(await setup.notifyWaiting()).toBe(1);
  expect(await setup.notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([EN.voiceWaits]);
  await release();
  pause(setup.app);
  await work(setup.app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('says nothing of a voice that waits for its transcript once its candidate has withdrawn', async () => {
  const candidate = await newCandidate(setup.app);
  await held(candidate);
  await candidate.withdraw();
  await setup.liveOn(121_000);

  expect(await setup.notifyWaiting()).toBe(0);

  await release();
  expect(await candidate.notices()).toEqual([EN.withdrawn({ hasAnswers: false })]);
  expect(await setup.voices(candidate)).toMatchObject([{ state: 'unheard', problem: 'withdrawn' }]);
  expect(await candidate.replies()).toEqual([]);
});

test('a redelivery of a voice changes nothing', async () => {
  const candidate = await newCandidate(setup.app);
  const first = await setup.speak(candidate, { externalId: 'a' });
  const again = await setup.send(candidate, { externalId: 'a' });
  const other = setup.send(candidate, { externalId: 'a', audio: bytesOf('OggX') });
  await expect(other).rejects.toMatchObject({ code: 'message_id_reused' });
  const fetched = await setup.send(candidate, { ...onTelegram('f'), externalId: 'b' });
  const fetchedAgain = await setup.send(candidate, { ...onTelegram('g'), externalId: 'b' });

  expect([again.messageId, fetchedAgain.messageId]).toEqual([first.messageId, fetched.messageId]);
  expect([again.isNew, fetchedAgain.isNew]).toEqual([false, false]);
  expect(await setup.voices(candidate)).toHaveLength(2);
  expect(await setup.jobs(candidate)).toHaveLength(2);
  await work(setup.app);
  const late = await setup.send(candidate, { externalId: 'a' });
  expect(late.isNew).toBe(false);
  await work(setup.app);
  expect(await setup.attempts(candidate)).toEqual(['ok', 'ok']);
});

test('refuses a voice under the id of a text, and a text under the id of a voice', async () => {
  const candidate = await newCandidate(setup.app);
  const { app } = setup;
  await setup.speak(candidate, { externalId: 'a' });
  const write = (externalId: string) =>
    app.commit((tx) =>
      app.get(BufferService).append(tx, {
        conversationId: candidate.id,
        channel: 'web',
        externalId,
        text: 'bread',
      }),
    );

  await expect(write('a')).rejects.toMatchObject({ code: 'message_id_reused' });
  await write('b');
  const spoken = setup.send(candidate, { externalId: 'b' });
  await expect(spoken).rejects.toMatchObject({ code: 'message_id_reused' });
  expect(await setup.voices(candidate)).toHaveLength(1);
  await work(app);
});

test('refuses a voice before consent, and sends no voice of an earlier consent to a model', async () => {
  const stranger = await newStranger(setup.app);
  await expect(setup.send(stranger)).rejects.toMatchObject({ code: 'consent_required' });

  const candidate = await newCandidate(setup.app);
  await setup.send(candidate);
  await setup.app.sql('update conversation set consent_accepted = false where id = $1', [
    candidate.id,
  ]);
  await work(setup.app);

  expect(await setup.attempts(candidate)).toEqual([]);
  expect(await setup.voices(candidate)).toMatchObject([
    { state: 'unheard', problem: 'no_consent' },
  ]);
  expect(await candidate.notices()).toEqual([EN.consentFirst]);
});

test('stores no transcript after a withdrawal', async () => {
  const before = await newCandidate(setup.app);
  await setup.send(before);
  await before.withdraw();
  await work(setup.app);
  const during = await newCandidate(setup.app);
  await held(during);
  await during.withdraw();
  await release();
  await work(setup.app);

  for (const candidate of [before, during]) {
    expect(await setup.voices(candidate)).toMatchObject([
      { state: 'unheard', problem: 'withdrawn', transcript: null },
    ]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await candidate.notices()).toHaveLength(1);
    expect(await candidate.attention()).toEqual([]);
    expect(await candidate.turns()).toEqual([]);
  }
  expect(await setup.attempts(before)).toEqual([]);
});

test('uses the beginning of a transcript that is longer than a message, and stores all of it', async () => {
  const candidate = await newCandidate(setup.app);
  const long = 'bread 🍞 '.repeat(2500);
  setup.model.transcriptions.next({ kind: 'text', text: long });
  await setup.send(candidate);
  await work(setup.app);

  const [line] = await candidate.talk();
  expect(line?.text.length).toBeGreaterThan(15_990);
  expect(line?.text.length).toBeLessThanOrEqual(16_000);
  expect(long.startsWith(line?.text ?? 'nothing')).toBe(true);
  expect(await setup.voices(candidate)).toMatchObject([{ transcript: long.trim() }]);
  expect(await candidate.notices()).toEqual([EN.heardInPart]);
  pause(setup.app);
  await work(setup.app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('waits for the transcript of a voice that fills its answer', async () => {
  const candidate = await newCandidate(setup.app);
  const { text } = await held(candidate);
  await candidate.say(...Array.from({ length: 49 }, () => words()));
  await setup.liveOn(2 * WINDOW_MS);
  expect(await candidate.turns()).toEqual([]);

  await release();
  await work(setup.app);

  expect(await candidate.turns()).toMatchObject([{ message_count: 50 }]);
  expect(setup.lastPrompt()).toContain(text);
});

describe('on a channel that pushes its messages', () => {
  const channel = new FakeChannel();

  beforeAll(() => {
    setup.telegram.sender = channel;
  });

  test('fetches and stores the audio, and repeats the transcript on its channel', async () => {
    const candidate = await newCandidate(setup.app);
    const { text } = await setup.speak(candidate, onTelegram('file-9'));
    await work(setup.app);

    expect(setup.fetched).toContain('file-9');
    expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard', kept: 'OggS' }]);
    expect(setup.model.transcriptions.requests.at(-1)).toMatchObject({ fileName: 'voice.ogg' });
    const [notice] = await candidate.notices();
    expect(notice).toBe(`${EN.heard[0]}${text}${EN.heard[1]}`);
    const rows = await setup.app.sql(
      'select kind, turn_id from delivery where conversation_id = $1',
      [candidate.id],
    );
    expect(rows).toEqual([{ kind: 'notice', turn_id: null }]);
  });
});

test('counts how many voices wait for their transcripts', async () => {
  const { app } = setup;
  expect(await app.metrics('voices_waiting')).toBe(0);
  const candidate = await newCandidate(setup.app);
  await setup.speak(candidate);
  expect(await app.metrics('voices_waiting')).toBe(1);
  await work(app);
});
