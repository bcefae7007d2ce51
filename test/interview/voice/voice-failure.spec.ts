import { textsOf } from '../../../src/interview/texts/texts';
import { MAX_VOICE_BYTES } from '../../../src/interview/voice/voice.repository';
import { FakeChannel } from '../../delivery/fake-channel';
import type { TranscriptionReply } from '../../../tools/fake-model/transcription-endpoint';
import { VoiceMessages, audioOf, bytesOf, onTelegram } from './voice-messages';
import { WINDOW_MS, words, work, settled, live } from '../interviews';
import { newCandidate } from '../interviewee';
import { untilInProcess } from '../../support/until';

const EN = textsOf('en');
let setup: VoiceMessages;

beforeAll(async () => {
  setup = await VoiceMessages.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => setup.close());

test.each<[string, string, TranscriptionReply]>([
  ['refuses', 'refused', { kind: 'status', status: 400, error: {} }],
  ['filters', 'refused', { kind: 'status', status: 400, error: { code: 'content_filter' } }],
  ['hears nothing in', 'empty', { kind: 'text', text: '\u200b \n' }],
])(
  'requests once the transcript of a voice that the server %s, and keeps the audio',
  async (_, problem, reply) => {
    const candidate = await newCandidate(setup.app);
    setup.model.transcriptions.next(reply);
    await setup.send(candidate);
    await work(setup.app);

    expect(await setup.voices(candidate)).toMatchObject([{ kept: 'OggS' }]);
    expect(await setup.attempts(candidate)).toHaveLength(1);
    await setup.expectGivenUp(candidate, problem, EN.voiceNotHeard);
  },
);

test('shows a voice to a person when the server refuses its audio', async () => {
  const candidate = await newCandidate(setup.app);
  await setup.send(candidate, { audio: bytesOf('corrupt audio') });
  await work(setup.app);
  await setup.expectGivenUp(candidate, 'refused', EN.voiceNotHeard);
});

test('shows a voice to a person after three malformed responses', async () => {
  const candidate = await newCandidate(setup.app);
  const nonsense = { kind: 'body', contentType: 'application/json', body: '{}' } as const;
  setup.model.transcriptions.next(nonsense, nonsense, nonsense);
  await setup.send(candidate);
  await live(setup.app, 60_000, 2000);

  expect(await setup.attempts(candidate)).toEqual(['malformed', 'malformed', 'malformed']);
  expect(await setup.jobs(candidate)).toMatchObject([{ state: 'dead' }]);
  await setup.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
});

test('replies to text beside a voice that has no transcript', async () => {
  const candidate = await newCandidate(setup.app);
  const written = words();
  await candidate.say(written);
  setup.model.transcriptions.next({ kind: 'status', status: 400, error: {} });
  await setup.send(candidate);
  await work(setup.app);
  await live(setup.app, 2 * WINDOW_MS);

  expect(await candidate.turns()).toMatchObject([{ message_count: 1, state: 'delivered' }]);
  const users = (await candidate.talk()).filter(({ role }) => role === 'user');
  expect(users.map(({ text }) => text)).toEqual([written, EN.unheardVoice]);
});

test('counts no failure while the server is down, and transcribes every voice afterwards', async () => {
  const candidates = [await newCandidate(setup.app), await newCandidate(setup.app)];
  await setup.model.goDown();
  for (const candidate of candidates) await setup.send(candidate);
  await live(setup.app, 300_000, 5000);

  for (const candidate of candidates) {
    expect(await setup.voices(candidate)).toMatchObject([{ state: 'kept' }]);
    expect(await setup.jobs(candidate)).toMatchObject([{ failures: 0 }]);
    expect(new Set(await setup.attempts(candidate))).not.toContain('ok');
  }
  await setup.model.comeUp();
  await live(setup.app, 120_000, 5000);

  for (const candidate of candidates) {
    expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard' }]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.attention()).toEqual([]);
  }
});

test('shows a voice to a person when the server fails only for this voice', async () => {
  const [candidate, other] = [await newCandidate(setup.app), await newCandidate(setup.app)];
  const refusal: TranscriptionReply = { kind: 'status', status: 403, error: {} };
  const postpone = (hours: number): Promise<unknown> =>
    setup.app.commit((tx) =>
      tx.query(
        `update job set due_at = due_at + $1 * interval '1 hour'
         where queue = 'transcribe' and state = 'retry'`,
        [hours],
      ),
    );
  setup.model.transcriptions.next(refusal);
  await setup.send(candidate);
  await work(setup.app);
  expect(await setup.jobs(candidate)).toMatchObject([{ state: 'retry', failures: 0 }]);

  for (let tries = 2; tries <= 4; tries += 1) {
    await postpone(1);
    await setup.send(other);
    await live(setup.app, 10_000, 1000);
    expect((await setup.attempts(other)).at(-1)).toBe('ok');
    await postpone(-1);
    setup.model.transcriptions.next(refusal);
    for (let step = 0; step < 40; step += 1) {
      if ((await setup.attempts(candidate)).length === tries) break;
      await live(setup.app, 250, 250);
    }
    expect((await setup.attempts(candidate)).slice(1)).toHaveLength(tries - 1);
  }

  expect(await setup.jobs(candidate)).toMatchObject([{ state: 'dead', failures: 3 }]);
  await setup.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
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
    const candidate = await newCandidate(setup.app);
    setup.next(fetched);
    await setup.send(candidate, onTelegram());
    await work(setup.app);
    expect(await setup.attempts(candidate)).toEqual([]);
    await setup.expectGivenUp(candidate, problem, notice);
  });

  test('is not fetched when it is announced as too large', async () => {
    const candidate = await newCandidate(setup.app);
    await setup.send(candidate, onTelegram('huge', MAX_VOICE_BYTES + 1));
    await work(setup.app);
    expect(setup.fetched).not.toContain('huge');
    await setup.expectGivenUp(candidate, 'too_large', EN.voiceTooLarge);
  });

  test('waits while its channel does not respond, without a failure', async () => {
    const candidate = await newCandidate(setup.app);
    setup.next({ kind: 'unavailable' }, { kind: 'unavailable', retryAfterMs: 3000 });
    await setup.send(candidate, onTelegram());
    await live(setup.app, 60_000, 1000);
    expect(await setup.jobs(candidate)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard', kept: 'OggS' }]);
  });

  test('is fetched for at most a minute', async () => {
    const candidate = await newCandidate(setup.app);
    setup.next(new Promise<never>(() => undefined));
    await setup.send(candidate, onTelegram('slow'));
    await setup.app.worker.tick();
    await untilInProcess('the fetch has begun', () => setup.fetched.includes('slow'));
    await setup.liveOn(61_000);
    await settled(setup.app);
    expect(setup.signals.at(-1)?.aborted).toBe(true);
    // The job was given back and is claimed again when the queue's breaker allows it.
    await live(setup.app, 10_000, 1000);
    expect(await setup.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 2 }]);
    expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard' }]);
  });

  test('on a channel that hands out no audio is given up and shown to a person', async () => {
    const candidate = await newCandidate(setup.app);
    await setup.send(candidate, { ...onTelegram(), channel: 'web' });
    await live(setup.app, 60_000, 2000);
    await setup.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
  });
});

test('erases the audio with its conversation, and completes the job', async () => {
  const candidate = await newCandidate(setup.app);
  const { messageId } = await setup.send(candidate);
  await setup.app.sql('delete from message where id = $1', [messageId]);
  expect(await setup.voices(candidate)).toEqual([]);
  const [job] = await setup.app.sql<{ id: string }>(
    `select id from job where queue = 'transcribe' and key = $1`,
    [messageId],
  );
  await work(setup.app);
  expect(await setup.app.sql('select state from job where id = $1', [job?.id])).toEqual([
    { state: 'done' },
  ]);
});

describe('without a model for audio', () => {
  let plain: VoiceMessages;

  beforeAll(async () => {
    plain = await VoiceMessages.open({ env: { OPENAI_TRANSCRIPTION_MODEL: '' } });
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
