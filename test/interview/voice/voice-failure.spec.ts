import { textsOf } from '../../../src/interview/texts/texts';
import { MAX_VOICE_BYTES } from '../../../src/interview/voice/voice';
import { FakeChannel } from '../../delivery/fake-channel';
import type { TranscriptionReply } from '../../../tools/fake-model/transcription-endpoint';
import { VoiceStage, audioOf, bytesOf, onTelegram } from './voice-stage';
import { WINDOW_MS, words, work, settled, live } from '../interview-fixture';
import { newCandidate } from '../turn-candidate';
import { turnOfLoop } from '../../support/model-calls';

const EN = textsOf('en');
let stage: VoiceStage;

beforeAll(async () => {
  stage = await VoiceStage.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => stage.close());

test.each<[string, string, TranscriptionReply]>([
  ['refuses', 'refused', { kind: 'status', status: 400, error: {} }],
  ['filters', 'refused', { kind: 'status', status: 400, error: { code: 'content_filter' } }],
  ['hears nothing in', 'empty', { kind: 'text', text: '\u200b \n' }],
])(
  'requests once the transcript of a voice that the server %s, and keeps the audio',
  async (_, problem, reply) => {
    const candidate = await newCandidate(stage.app);
    stage.model.transcriptions.next(reply);
    await stage.send(candidate);
    await work(stage.app);

    expect(await stage.voices(candidate)).toMatchObject([{ kept: 'OggS' }]);
    expect(await stage.attempts(candidate)).toHaveLength(1);
    await stage.expectGivenUp(candidate, problem, EN.voiceNotHeard);
  },
);

test('shows a voice to a person when the server refuses its audio', async () => {
  const candidate = await newCandidate(stage.app);
  await stage.send(candidate, { audio: bytesOf('corrupt audio') });
  await work(stage.app);
  await stage.expectGivenUp(candidate, 'refused', EN.voiceNotHeard);
});

test('shows a voice to a person after three malformed responses', async () => {
  const candidate = await newCandidate(stage.app);
  const nonsense = { kind: 'body', contentType: 'application/json', body: '{}' } as const;
  stage.model.transcriptions.next(nonsense, nonsense, nonsense);
  await stage.send(candidate);
  await live(stage.app, 60_000, 2000);

  expect(await stage.attempts(candidate)).toEqual(['malformed', 'malformed', 'malformed']);
  expect(await stage.jobs(candidate)).toMatchObject([{ state: 'dead' }]);
  await stage.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
});

test('replies to text beside a voice that has no transcript', async () => {
  const candidate = await newCandidate(stage.app);
  const written = words();
  await candidate.say(written);
  stage.model.transcriptions.next({ kind: 'status', status: 400, error: {} });
  await stage.send(candidate);
  await work(stage.app);
  await live(stage.app, 2 * WINDOW_MS);

  expect(await candidate.turns()).toMatchObject([{ message_count: 1, state: 'delivered' }]);
  const users = (await candidate.talk()).filter(({ role }) => role === 'user');
  expect(users.map(({ text }) => text)).toEqual([written, EN.unheardVoice]);
});

test('counts no failure while the server is down, and transcribes every voice afterwards', async () => {
  const candidates = [await newCandidate(stage.app), await newCandidate(stage.app)];
  await stage.model.goDown();
  for (const candidate of candidates) await stage.send(candidate);
  await live(stage.app, 300_000, 5000);

  for (const candidate of candidates) {
    expect(await stage.voices(candidate)).toMatchObject([{ state: 'kept' }]);
    expect(await stage.jobs(candidate)).toMatchObject([{ failures: 0 }]);
    expect(new Set(await stage.attempts(candidate))).not.toContain('ok');
  }
  await stage.model.comeUp();
  await live(stage.app, 120_000, 5000);

  for (const candidate of candidates) {
    expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard' }]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.attention()).toEqual([]);
  }
});

test('shows a voice to a person when the server fails only for this voice', async () => {
  const [candidate, other] = [await newCandidate(stage.app), await newCandidate(stage.app)];
  const refusal: TranscriptionReply = { kind: 'status', status: 403, error: {} };
  const postpone = (hours: number): Promise<unknown> =>
    stage.app.commit((tx) =>
      tx.query(
        `update job set due_at = due_at + $1 * interval '1 hour'
         where queue = 'transcribe' and state = 'retry'`,
        [hours],
      ),
    );
  stage.model.transcriptions.next(refusal);
  await stage.send(candidate);
  await work(stage.app);
  expect(await stage.jobs(candidate)).toMatchObject([{ state: 'retry', failures: 0 }]);

  for (let tries = 2; tries <= 4; tries += 1) {
    await postpone(1);
    await stage.send(other);
    await live(stage.app, 10_000, 1000);
    expect((await stage.attempts(other)).at(-1)).toBe('ok');
    await postpone(-1);
    stage.model.transcriptions.next(refusal);
    for (let step = 0; step < 40; step += 1) {
      if ((await stage.attempts(candidate)).length === tries) break;
      await live(stage.app, 250, 250);
    }
    expect((await stage.attempts(candidate)).slice(1)).toHaveLength(tries - 1);
  }

  expect(await stage.jobs(candidate)).toMatchObject([{ state: 'dead', failures: 3 }]);
  await stage.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
});

describe('an audio held by its channel', () => {
  test.each([
    ['is too large for its channel', { kind: 'too_large' }, 'too_large', EN.voiceTooLarge],
    [
      'is larger than announced',
      audioOf('x'.repeat(MAX_VOICE_BYTES + 1)),
      'too_large',
      EN.voiceTooLarge,
    ],
    ['is gone', { kind: 'gone' }, 'gone', EN.voiceLost],
    ['is empty', audioOf(''), 'empty', EN.voiceNotHeard],
  ] as const)('%s: the candidate is asked for text', async (_, fetched, problem, notice) => {
    const candidate = await newCandidate(stage.app);
    stage.next(fetched);
    await stage.send(candidate, onTelegram());
    await work(stage.app);
    expect(await stage.attempts(candidate)).toEqual([]);
    await stage.expectGivenUp(candidate, problem, notice);
  });

  test('is not fetched when it is announced as too large', async () => {
    const candidate = await newCandidate(stage.app);
    await stage.send(candidate, onTelegram('huge', MAX_VOICE_BYTES + 1));
    await work(stage.app);
    expect(stage.fetched).not.toContain('huge');
    await stage.expectGivenUp(candidate, 'too_large', EN.voiceTooLarge);
  });

  test('waits while its channel does not respond, without a failure', async () => {
    const candidate = await newCandidate(stage.app);
    stage.next({ kind: 'unavailable' }, { kind: 'unavailable', retryAfterMs: 3000 });
    await stage.send(candidate, onTelegram());
    await live(stage.app, 60_000, 1000);
    expect(await stage.jobs(candidate)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard', kept: 'OggS' }]);
  });

  test('is fetched for at most a minute', async () => {
    const candidate = await newCandidate(stage.app);
    stage.next(new Promise<never>(() => undefined));
    await stage.send(candidate, onTelegram('slow'));
    await stage.app.worker.tick();
    while (!stage.fetched.includes('slow')) await turnOfLoop();
    await stage.liveOn(61_000);
    await settled(stage.app);
    expect(stage.signals.at(-1)?.aborted).toBe(true);
    // The job was given back and is claimed again when the queue's breaker allows it.
    await live(stage.app, 10_000, 1000);
    expect(await stage.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 2 }]);
    expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard' }]);
  });

  test('on a channel that hands out no audio is given up and shown to a person', async () => {
    const candidate = await newCandidate(stage.app);
    await stage.send(candidate, { ...onTelegram(), channel: 'web' });
    await live(stage.app, 60_000, 2000);
    await stage.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
  });
});

test('erases the audio with its conversation, and completes the job', async () => {
  const candidate = await newCandidate(stage.app);
  const { messageId } = await stage.send(candidate);
  await stage.app.sql('delete from message where id = $1', [messageId]);
  expect(await stage.voices(candidate)).toEqual([]);
  const [job] = await stage.app.sql<{ id: string }>(
    `select id from job where queue = 'transcribe' and key = $1`,
    [messageId],
  );
  await work(stage.app);
  expect(await stage.app.sql('select state from job where id = $1', [job?.id])).toEqual([
    { state: 'done' },
  ]);
});

describe('without a model for audio', () => {
  let plain: VoiceStage;

  beforeAll(async () => {
    plain = await VoiceStage.open({ env: { OPENAI_TRANSCRIPTION_MODEL: '' } });
    plain.telegram.sender = new FakeChannel();
  });

  afterAll(() => plain.close());

  test.each([
    ['web', {}],
    ['telegram', onTelegram()],
  ])('stores a voice from %s and asks the candidate for text at once', async (_, voice) => {
    const candidate = await newCandidate(plain.app);
    await plain.send(candidate, voice);
    await work(plain.app);

    expect(await plain.voices(candidate)).toMatchObject([
      { state: 'unheard', problem: 'no_endpoint', kept: 'OggS' },
    ]);
    expect(await candidate.notices()).toEqual([EN.voiceNotTaken]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed' }]);
    await live(plain.app, 2 * WINDOW_MS);
    expect(await candidate.turns()).toEqual([]);
    await candidate.answer(words());
    expect(await candidate.state()).toMatchObject({ question: 1 });
  });
});
