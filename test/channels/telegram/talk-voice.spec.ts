import { Poller } from '../../../src/channels/telegram/intake/poller';
import { textsOf } from '../../../src/interview/texts/texts';
import { TestCandidate } from '../../support/candidate';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import { JPG } from '../../support/sent-files';
import { CORRUPT } from '../../../tools/fake-model/transcription-endpoint';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import {
  EN,
  type Person,
  BOT,
  WINDOW_MS,
  begunPerson,
  newPerson,
  withBotAndModel,
} from './telegram-person';

const OGG = Buffer.from('OggS and what was said');
const TEXTS = textsOf('en');

describe('voice messages', () => {
  let app: TestApp;
  let model: ModelServer;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  async function speaks(person: Person, heard: string, caption?: string): Promise<void> {
    model.transcriptions.next({ kind: 'text', text: heard });
    const said = caption === undefined ? {} : { caption };
    await person.does((user) => user.sendsVoice(OGG, said));
  }

  const readBack = (heard: string) => `${TEXTS.heard[0]}${heard}${TEXTS.heard[1]}`;

  function lastPrompt(): string {
    return JSON.stringify(model.requests.at(-1)?.body.messages);
  }

  async function problems(person: Person): Promise<(string | null)[]> {
    const rows = await app.sql<{ problem: string | null }>(
      `select v.problem from voice v join message m on m.id = v.message_id
       where m.conversation_id = $1 order by m.seq`,
      [await person.conversationId()],
    );
    return rows.map(({ problem }) => problem);
  }

  test('are fetched, transcribed under a file name that servers accept, and read back', async () => {
    const ada = await begunPerson(app);

    await speaks(ada, 'I bake rye.');

    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    const request = model.transcriptions.requests.at(-1);
    expect(request).toMatchObject({ fileName: 'voice.ogg', fileType: 'audio/ogg', audio: OGG });
    await app.pass(WINDOW_MS);
    expect(lastPrompt()).toContain('I bake rye.');
  });

  test.each([
    ['an audio file', 'audio/mpeg', 'voice.mp3', (p: Person) => p.user.sendsAudio(JPG)],
    [
      'an audio file of another type',
      'audio/x-m4a',
      'voice.m4a',
      (p: Person) => p.user.sendsAudio(JPG, { mimeType: 'audio/x-m4a' }),
    ],
    [
      'a document that is audio',
      'audio/flac',
      'voice.flac',
      (p: Person) => p.user.sendsDocument(JPG, { name: 'my answer.flac', mimeType: 'audio/flac' }),
    ],
    ['a video note', 'video/mp4', 'voice.mp4', (p: Person) => p.user.sendsVideoNote(JPG)],
  ])('%s counts as a voice message', async (_, fileType, fileName, send) => {
    const ada = await begunPerson(app);
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

    await ada.does(() => send(ada));

    expect(await ada.said()).toEqual(['I bake rye.']);
    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    const request = model.transcriptions.requests.at(-1);
    expect(request).toMatchObject({ fileType, fileName, audio: JPG });
    expect(await app.sql('select 1 from file')).toEqual([]);
    await app.pass(WINDOW_MS);
    expect(lastPrompt()).toContain('I bake rye.');
  });

  test('a reply to the transcription corrects it', async () => {
    const ada = await begunPerson(app);
    await speaks(ada, 'I bake rice.');

    await ada.writes('I bake rye.', ada.idOf('I bake rice.'));
    await app.pass(WINDOW_MS);

    expect(ada.heard).toContain(EN.corrected);
    expect(await ada.said()).toEqual(['I bake rye.']);
    expect(lastPrompt()).not.toContain('rice');
  });

  test('a text message after a voice message joins the answer', async () => {
    const ada = await begunPerson(app);
    await speaks(ada, 'I bake rye.');

    await ada.writes('And wheat.');
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rye.', 'And wheat.']);
    expect((await ada.conversation()).interviewStep).toBe(1);
  });

  test('a correction after the reply is an amendment', async () => {
    const ada = await begunPerson(app);
    await speaks(ada, 'I bake rice.');
    await app.pass(WINDOW_MS);

    await ada.writes('I bake rye.', ada.idOf('I bake rice.'));
    await app.pass(WINDOW_MS);

    expect((await ada.lines()).filter(({ isAmendment }) => isAmendment)).toMatchObject([
      { text: 'I bake rye.' },
    ]);
  });

  test('a caption is part of the answer, and its edit changes it', async () => {
    const ada = await begunPerson(app);
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    const { message_id: id } = ada.user.sendsVoice(OGG, { caption: 'and wheet' });
    await app.settle();

    await ada.does((user) => user.edits(id, 'and wheat'));
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rye.', 'and wheat']);
  });

  test('hold their answer until they are transcribed, even after Done', async () => {
    const ada = await begunPerson(app);
    model.transcriptions.hold();
    ada.user.sendsVoice(OGG);
    await app.settle('transcribe');
    ada.user.writes('/done');
    await app.settle('transcribe');
    app.clock.advance(WINDOW_MS);
    await app.settle('transcribe');
    expect((await ada.conversation()).interviewStep).toBe(0);

    model.transcriptions.release();
    await app.settle();
    await app.pass(1000);

    expect((await ada.conversation()).interviewStep).toBe(1);
  });

  test('are not fetched at 21 MB: the bot asks for a shorter one, and a reply to that is an answer', async () => {
    const ada = await begunPerson(app);
    const fetched = app.telegram.journal.calls('downloadFile').length;

    await ada.does((user) => user.sendsVoice(OGG, { sizeBytes: 21 * 1024 * 1024 }));

    expect(ada.heard).toEqual([TEXTS.voiceTooLarge]);
    expect(app.telegram.journal.calls('downloadFile')).toHaveLength(fetched);
    expect(await problems(ada)).toEqual(['too_large']);
    await ada.writes('In short: rye.', ada.idOf(TEXTS.voiceTooLarge));
    await app.pass(WINDOW_MS);
    expect(ada.heard).not.toContain(EN.corrected);
    expect(lastPrompt()).toContain('In short: rye.');
  });

  test('that cannot be transcribed are kept for a person, and the bot asks for text', async () => {
    const ada = await begunPerson(app);

    await ada.does((user) => user.sendsVoice(Buffer.from(`${CORRUPT} audio`)));

    expect(ada.heard).toEqual([TEXTS.voiceNotHeard]);
    expect(await problems(ada)).toEqual(['refused']);
    const [kept] = await app.sql<{ bytes: Buffer }>(
      `select v.bytes from voice v join message m on m.id = v.message_id
       where m.conversation_id = $1`,
      [await ada.conversationId()],
    );
    expect(kept?.bytes.toString()).toBe(`${CORRUPT} audio`);
  });

  test('whose file Telegram no longer has make the bot ask for text', async () => {
    const ada = await begunPerson(app);
    app.telegram.faults.on('getFile', {
      kind: 'status',
      code: 400,
      description: 'Bad Request: wrong file_id or the file is temporarily unavailable',
    });

    await ada.does((user) => user.sendsVoice(OGG));

    expect(ada.heard).toEqual([TEXTS.voiceLost]);
    expect(await problems(ada)).toEqual(['gone']);
  });

  test.each([
    ['getFile', { kind: 'drop' }],
    ['getFile', { kind: 'status', code: 502 }],
    ['getFile', { kind: 'status', code: 429, retryAfterS: 3 }],
    ['downloadFile', { kind: 'drop' }],
    ['downloadFile', { kind: 'status', code: 500 }],
    ['downloadFile', { kind: 'status', code: 429, retryAfterS: 3 }],
  ] as const)('are fetched later when %s fails: %j', async (method, fault) => {
    const ada = await begunPerson(app);
    app.telegram.faults.on(method, fault);
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

    await ada.does((user) => user.sendsVoice(OGG));
    for (let wait = 0; wait < 6 && ada.heard.length === 0; wait += 1) await app.pass(5000);

    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
    expect(await problems(ada)).toEqual([null]);
  });

  test('are not fetched while the bot is paused, and a 429 of their fetch pauses the whole bot', async () => {
    const ada = await begunPerson(app);
    const before = app.telegram.journal.calls('getFile').length;
    app.telegram.faults.on('getFile', { kind: 'status', code: 429, retryAfterS: 40 });
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    await ada.does((user) => user.sendsVoice(OGG));
    expect(await app.sql(`select channel from channel_limiter`)).toEqual([{ channel: 'telegram' }]);

    // A 429 of another call makes the pause longer.
    await app.sql(`update channel_limiter
      set paused_until = paused_until + interval '60 s' returning 1`);
    await app.pass(90_000);
    expect(app.telegram.journal.calls('getFile')).toHaveLength(before + 1);
    for (let wait = 0; wait < 12 && ada.heard.length === 0; wait += 1) await app.pass(5000);
    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
  });

  test('of the page are transcribed while Telegram sends no files; those of Telegram follow later', async () => {
    const [ada, bob] = [await begunPerson(app), await TestCandidate.begin(app)];
    const away = { kind: 'status', code: 500 } as const;
    app.telegram.faults.on('downloadFile', away, { times: Infinity });
    await ada.does((user) => user.sendsVoice(OGG));
    await app.pass(60_000);
    expect(ada.heard).toEqual([]);

    model.transcriptions.next({ kind: 'text', text: 'I bake wheat.' });
    await bob.speak('voice-1', new Uint8Array(Buffer.from('webm')));
    await app.settle();
    expect((await bob.view()).messages.at(-1)?.text).toBe('I bake wheat.');

    app.telegram.faults.clear();
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    for (let wait = 0; wait < 12 && ada.heard.length === 0; wait += 1) await app.pass(5000);
    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
    const blamed = await app.sql(
      `select failures from job where queue = 'transcribe' and failures > 0`,
    );
    expect(blamed).toEqual([]);
  });

  test('are neither fetched nor kept before consent', async () => {
    const ada = newPerson(app);
    await ada.starts(app.vacancy.openToken);
    const before = app.telegram.journal.calls('getFile').length;

    await ada.does((user) => user.sendsVoice(OGG));
    await ada.agrees();
    await app.pass(60_000);

    expect(app.telegram.journal.calls('getFile')).toHaveLength(before);
    expect(await ada.lines()).toHaveLength(2);
  });

  test('and wrong PINs are handled in the same way by a second replica that takes over polling', async () => {
    const [ada, bob] = [await begunPerson(app), newPerson(app)];
    await bob.starts();
    await bob.presses(EN.havePinButton);
    for (const n of [1, 2, 3]) await bob.writes(`0000-0000-000${String(n)}`);
    await startReplica(app);
    await app.get(Poller).stop();

    await speaks(ada, 'I bake rye.');
    for (const n of [4, 5]) await bob.writes(`0000-0000-000${String(n)}`);

    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    expect(app.telegram.journal.calls('getUpdates').length).toBeGreaterThan(0);
    expect(bob.lastHeard).toBe(EN.pinLocked(15));
  });
});

describe('voice messages without a model for audio', () => {
  test('are kept for a person, and the bot asks for text', async () => {
    const app = await startTestApp(BOT);
    try {
      const ada = await begunPerson(app);

      await ada.does((user) => user.sendsVoice(OGG));

      expect(ada.heard).toEqual([TEXTS.voiceNotTaken]);
      const kept = await app.sql<{ bytes: Buffer }>('select bytes from voice');
      expect(kept.map(({ bytes }) => bytes.toString())).toEqual([OGG.toString()]);
    } finally {
      await app.close();
    }
  });
});
