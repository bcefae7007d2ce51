import { textsOf } from '../../../src/interview/texts/texts';
import { FakeChannel } from '../../delivery/fake-channel';
import { VoiceStage, bytesOf, onTelegram } from './voice-stage';
import { WINDOW_MS, words, pause, work, settled } from '../interview-fixture';
import { type TurnCandidate, newCandidate, newStranger } from '../turn-candidate';
import { InterviewService } from '../../../src/interview';

const EN = textsOf('en');
let stage: VoiceStage;

beforeAll(async () => {
  stage = await VoiceStage.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => stage.close());

/** A voice whose transcript is pending. */
async function held(candidate: TurnCandidate) {
  const asked = stage.model.transcriptions.requests.length;
  stage.model.transcriptions.hold();
  const spoken = await stage.speak(candidate);
  await stage.app.worker.tick();
  await stage.model.transcriptions.request(asked + 1);
  return spoken;
}

async function release(): Promise<void> {
  stage.model.transcriptions.release();
  await settled(stage.app);
}

test('stores a voice, transcribes it once, replies to it, and records the request', async () => {
  const candidate = await newCandidate(stage.app);
  const { text } = await stage.speak(candidate);
  await work(stage.app);
  pause(stage.app);
  await work(stage.app);

  expect(await stage.voices(candidate)).toMatchObject([
    { state: 'heard', transcript: text, kept: 'OggS', mime_type: 'audio/webm', problem: null },
  ]);
  expect(await candidate.talk()).toMatchObject([{ role: 'user', text }, { role: 'assistant' }]);
  expect(stage.lastPrompt()).toContain(text);
  expect(await stage.attempts(candidate)).toEqual(['ok']);
  expect(await stage.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 1 }]);
  expect(await candidate.waiting()).toEqual([]);
});

test('holds the answer open during a transcription, and text sent meanwhile joins it', async () => {
  const candidate = await newCandidate(stage.app);
  const { text } = await held(candidate);
  const written = words();
  await candidate.say(written);
  await stage.liveOn(5 * WINDOW_MS);
  expect(await candidate.replies()).toEqual([]);

  await release();
  await work(stage.app);

  expect(await candidate.replies()).toHaveLength(1);
  expect(await candidate.turns()).toMatchObject([{ message_count: 2, state: 'delivered' }]);
  expect(stage.lastPrompt()).toContain(`${text}\\\\n\\\\n${written}`);
});

test('after the longest wait replies without the voice, which joins the next answer (CORE 15)', async () => {
  const candidate = await newCandidate(stage.app);
  const written = words();
  await candidate.say(written);
  const { text } = await held(candidate);
  await stage.liveOn(121_000);
  expect(await candidate.replies()).toHaveLength(1);
  expect(stage.lastPrompt()).toContain(written);

  await release();
  pause(stage.app);
  await work(stage.app);

  expect(await candidate.turns()).toMatchObject([{ message_count: 1 }, { message_count: 1 }]);
  expect((await candidate.talk()).map((line) => line.text)).toContain(text);
  expect(await candidate.waiting()).toEqual([]);
});

test('does not reply to a lone voice before it is transcribed', async () => {
  const candidate = await newCandidate(stage.app);
  const { text } = await held(candidate);
  await stage.liveOn(121_000);
  expect(await candidate.turns()).toEqual([]);

  await release();
  pause(stage.app);
  await work(stage.app);

  expect(await candidate.replies()).toHaveLength(1);
  expect(stage.lastPrompt()).toContain(text);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

test('tells a candidate once that a voice waits for its transcript', async () => {
  const candidate = await newCandidate(stage.app);
  await held(candidate);
  expect(await stage.notifyWaiting()).toBe(0);
  await stage.liveOn(121_000);

  expect(await stage.notifyWaiting()).toBe(1);
  expect(await stage.notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([EN.voiceWaits]);
  await release();
  pause(stage.app);
  await work(stage.app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('a redelivery of a voice changes nothing', async () => {
  const candidate = await newCandidate(stage.app);
  const first = await stage.speak(candidate, { externalId: 'a' });
  const again = await stage.send(candidate, { externalId: 'a' });
  const other = stage.send(candidate, { externalId: 'a', audio: bytesOf('OggX') });
  await expect(other).rejects.toMatchObject({ code: 'message_id_reused' });
  const fetched = await stage.send(candidate, { ...onTelegram('f'), externalId: 'b' });
  const fetchedAgain = await stage.send(candidate, { ...onTelegram('g'), externalId: 'b' });

  expect([again.messageId, fetchedAgain.messageId]).toEqual([first.messageId, fetched.messageId]);
  expect([again.isNew, fetchedAgain.isNew]).toEqual([false, false]);
  expect(await stage.voices(candidate)).toHaveLength(2);
  expect(await stage.jobs(candidate)).toHaveLength(2);
  await work(stage.app);
  const late = await stage.send(candidate, { externalId: 'a' });
  expect(late.isNew).toBe(false);
  await work(stage.app);
  expect(await stage.attempts(candidate)).toEqual(['ok', 'ok']);
});

test('refuses a voice under the id of a text, and a text under the id of a voice', async () => {
  const candidate = await newCandidate(stage.app);
  const { app } = stage;
  await stage.speak(candidate, { externalId: 'a' });
  const write = (externalId: string) =>
    app.commit((tx) =>
      app.get(InterviewService).receive(tx, {
        conversationId: candidate.id,
        channel: 'web',
        externalId,
        text: 'bread',
      }),
    );

  await expect(write('a')).rejects.toMatchObject({ code: 'message_id_reused' });
  await write('b');
  const spoken = stage.send(candidate, { externalId: 'b' });
  await expect(spoken).rejects.toMatchObject({ code: 'message_id_reused' });
  expect(await stage.voices(candidate)).toHaveLength(1);
  await work(app);
});

test('refuses a voice before consent, and sends no voice of an earlier consent to a model', async () => {
  const stranger = await newStranger(stage.app);
  await expect(stage.send(stranger)).rejects.toMatchObject({ code: 'consent_required' });

  const candidate = await newCandidate(stage.app);
  await stage.send(candidate);
  await stage.app.sql('update conversation set consent_accepted = false where id = $1', [
    candidate.id,
  ]);
  await work(stage.app);

  expect(await stage.attempts(candidate)).toEqual([]);
  expect(await stage.voices(candidate)).toMatchObject([
    { state: 'unheard', problem: 'no_consent' },
  ]);
  expect(await candidate.notices()).toEqual([EN.consentFirst]);
});

test('stores no transcript after a withdrawal', async () => {
  const before = await newCandidate(stage.app);
  await stage.send(before);
  await before.withdraw();
  await work(stage.app);
  const during = await newCandidate(stage.app);
  await held(during);
  await during.withdraw();
  await release();
  await work(stage.app);

  for (const candidate of [before, during]) {
    expect(await stage.voices(candidate)).toMatchObject([
      { state: 'unheard', problem: 'withdrawn', transcript: null },
    ]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await candidate.notices()).toHaveLength(1);
    expect(await candidate.attention()).toEqual([]);
    expect(await candidate.turns()).toEqual([]);
  }
  expect(await stage.attempts(before)).toEqual([]);
});

test('uses the beginning of a transcript that is longer than a message, and stores all of it', async () => {
  const candidate = await newCandidate(stage.app);
  const long = 'bread 🍞 '.repeat(2500);
  stage.model.transcriptions.next({ kind: 'text', text: long });
  await stage.send(candidate);
  await work(stage.app);

  const [line] = await candidate.talk();
  expect(line?.text.length).toBeGreaterThan(15_990);
  expect(line?.text.length).toBeLessThanOrEqual(16_000);
  expect(long.startsWith(line?.text ?? 'nothing')).toBe(true);
  expect(await stage.voices(candidate)).toMatchObject([{ transcript: long.trim() }]);
  expect(await candidate.notices()).toEqual([EN.heardInPart]);
  pause(stage.app);
  await work(stage.app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('waits for the transcript of a voice that fills its answer', async () => {
  const candidate = await newCandidate(stage.app);
  const { text } = await held(candidate);
  await candidate.say(...Array.from({ length: 49 }, () => words()));
  await stage.liveOn(2 * WINDOW_MS);
  expect(await candidate.turns()).toEqual([]);

  await release();
  await work(stage.app);

  expect(await candidate.turns()).toMatchObject([{ message_count: 50 }]);
  expect(stage.lastPrompt()).toContain(text);
});

describe('on a channel that pushes its messages', () => {
  const channel = new FakeChannel();

  beforeAll(() => {
    stage.telegram.sender = channel;
  });

  test('fetches and stores the audio, and repeats the transcript on its channel', async () => {
    const candidate = await newCandidate(stage.app);
    const { text } = await stage.speak(candidate, onTelegram('file-9'));
    await work(stage.app);

    expect(stage.fetched).toContain('file-9');
    expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard', kept: 'OggS' }]);
    expect(stage.model.transcriptions.requests.at(-1)).toMatchObject({ fileName: 'voice.ogg' });
    const [notice] = await candidate.notices();
    expect(notice).toBe(`${EN.heard[0]}${text}${EN.heard[1]}`);
    const rows = await stage.app.sql(
      'select kind, turn_id from delivery where conversation_id = $1',
      [candidate.id],
    );
    expect(rows).toEqual([{ kind: 'notice', turn_id: null }]);
  });
});

test('counts how voices ended, how long requests took, and how many wait', async () => {
  const { app } = stage;
  expect(await app.metrics('voices_total', { outcome: 'heard' })).toBeGreaterThan(5);
  expect(await app.metrics('transcriptions_total', { outcome: 'ok' })).toBeGreaterThan(5);
  expect(await app.metrics('transcription_seconds_count')).toBeGreaterThan(5);
  expect(await app.metrics('voices_waiting')).toBe(0);
  const candidate = await newCandidate(stage.app);
  await stage.speak(candidate);
  expect(await app.metrics('voices_waiting')).toBe(1);
  await work(app);
});
