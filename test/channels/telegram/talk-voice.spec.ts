import { Poller } from '../../../src/channels/telegram/intake/poller';
import { textsOf } from '../../../src/interview/texts/texts';
import { TestCandidate } from '../../support/candidate';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import { JPG } from '../../support/sent-files';
import { CORRUPT } from '../../../tools/fake-model/transcription-endpoint';
import { EN, type Person, TalkStage, WINDOW_MS, talkWithModel } from './talk-stage';

const OGG = Buffer.from('OggS and what was said');
const TEXTS = textsOf('en');

describe('voice messages', () => {
  let stage: TalkStage;
  let model: ModelServer;

  talkWithModel((opened) => {
    ({ stage, model } = opened);
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
    const rows = await stage.rows<{ problem: string | null }>(
      `select v.problem from voice v join message m on m.id = v.message_id
       where m.conversation_id = $1 order by m.seq`,
      [await person.conversationId()],
    );
    return rows.map(({ problem }) => problem);
  }

  test('is fetched, transcribed under an ending that servers take, and read back', async () => {
    const ada = await stage.begun();

    await speaks(ada, 'I bake rye.');

    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    const request = model.transcriptions.requests.at(-1);
    expect(request).toMatchObject({ fileName: 'voice.ogg', fileType: 'audio/ogg', audio: OGG });
    await stage.pass(WINDOW_MS);
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
  ])('%s is a voice', async (_, fileType, fileName, send) => {
    const ada = await stage.begun();
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

    await ada.does(() => send(ada));

    expect(await ada.said()).toEqual(['I bake rye.']);
    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    const request = model.transcriptions.requests.at(-1);
    expect(request).toMatchObject({ fileType, fileName, audio: JPG });
    expect(await stage.rows('select 1 from file')).toEqual([]);
    await stage.pass(WINDOW_MS);
    expect(lastPrompt()).toContain('I bake rye.');
  });

  test('a reply to what was read back corrects it', async () => {
    const ada = await stage.begun();
    await speaks(ada, 'I bake rice.');

    await ada.writes('I bake rye.', ada.idOf('I bake rice.'));
    await stage.pass(WINDOW_MS);

    expect(ada.heard).toContain(EN.corrected);
    expect(await ada.said()).toEqual(['I bake rye.']);
    expect(lastPrompt()).not.toContain('rice');
  });

  test('a plain message after it joins the answer', async () => {
    const ada = await stage.begun();
    await speaks(ada, 'I bake rye.');

    await ada.writes('And wheat.');
    await stage.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rye.', 'And wheat.']);
    expect((await ada.conversation()).interviewStep).toBe(1);
  });

  test('a correction after the reply is an amendment', async () => {
    const ada = await stage.begun();
    await speaks(ada, 'I bake rice.');
    await stage.pass(WINDOW_MS);

    await ada.writes('I bake rye.', ada.idOf('I bake rice.'));
    await stage.pass(WINDOW_MS);

    expect((await ada.lines()).filter(({ isAmendment }) => isAmendment)).toMatchObject([
      { text: 'I bake rye.' },
    ]);
  });

  test('what is written below it counts, and its edit too', async () => {
    const ada = await stage.begun();
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    const { message_id: id } = ada.user.sendsVoice(OGG, { caption: 'and wheet' });
    await stage.settle();

    await ada.does((user) => user.edits(id, 'and wheat'));
    await stage.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rye.', 'and wheat']);
  });

  test('holds its answer until it has been heard, also past Done', async () => {
    const ada = await stage.begun();
    model.transcriptions.hold();
    ada.user.sendsVoice(OGG);
    await stage.settle('transcribe');
    ada.user.writes('/done');
    await stage.settle('transcribe');
    stage.clock.advance(WINDOW_MS);
    await stage.settle('transcribe');
    expect((await ada.conversation()).interviewStep).toBe(0);

    model.transcriptions.release();
    await stage.settle();
    await stage.pass(1000);

    expect((await ada.conversation()).interviewStep).toBe(1);
  });

  test('of 21 MB is not fetched; a shorter one is asked for, and a reply to that is an answer', async () => {
    const ada = await stage.begun();
    const fetched = stage.telegram.journal.calls('downloadFile').length;

    await ada.does((user) => user.sendsVoice(OGG, { sizeBytes: 21 * 1024 * 1024 }));

    expect(ada.heard).toEqual([TEXTS.voiceTooLarge]);
    expect(stage.telegram.journal.calls('downloadFile')).toHaveLength(fetched);
    expect(await problems(ada)).toEqual(['too_large']);
    await ada.writes('In short: rye.', ada.idOf(TEXTS.voiceTooLarge));
    await stage.pass(WINDOW_MS);
    expect(ada.heard).not.toContain(EN.corrected);
    expect(lastPrompt()).toContain('In short: rye.');
  });

  test('that no server can read is kept for a person, and text is asked for', async () => {
    const ada = await stage.begun();

    await ada.does((user) => user.sendsVoice(Buffer.from(`${CORRUPT} audio`)));

    expect(ada.heard).toEqual([TEXTS.voiceNotHeard]);
    expect(await problems(ada)).toEqual(['refused']);
    const [kept] = await stage.rows<{ bytes: Buffer }>(
      `select v.bytes from voice v join message m on m.id = v.message_id
       where m.conversation_id = $1`,
      [await ada.conversationId()],
    );
    expect(kept?.bytes.toString()).toBe(`${CORRUPT} audio`);
  });

  test('whose file Telegram does not have any more is asked for as text', async () => {
    const ada = await stage.begun();
    stage.telegram.faults.on('getFile', {
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
  ] as const)('is fetched later when %s fails: %j', async (method, fault) => {
    const ada = await stage.begun();
    stage.telegram.faults.on(method, fault);
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

    await ada.does((user) => user.sendsVoice(OGG));
    for (let wait = 0; wait < 6 && ada.heard.length === 0; wait += 1) await stage.pass(5000);

    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
    expect(await problems(ada)).toEqual([null]);
  });

  test('is not asked for while the bot is paused, and its own 429 pauses the whole bot', async () => {
    const ada = await stage.begun();
    const before = stage.telegram.journal.calls('getFile').length;
    stage.telegram.faults.on('getFile', { kind: 'status', code: 429, retryAfterS: 40 });
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    await ada.does((user) => user.sendsVoice(OGG));
    expect(await stage.rows(`select channel from channel_limiter`)).toEqual([
      { channel: 'telegram' },
    ]);

    // Somebody else's 429 makes it longer.
    await stage.rows(`update channel_limiter
      set paused_until = paused_until + interval '60 s' returning 1`);
    await stage.pass(90_000);
    expect(stage.telegram.journal.calls('getFile')).toHaveLength(before + 1);
    for (let wait = 0; wait < 12 && ada.heard.length === 0; wait += 1) await stage.pass(5000);
    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
  });

  test('of the page is heard while Telegram hands out no files, and its own follow when it does', async () => {
    const [ada, bob] = [await stage.begun(), await TestCandidate.begin(stage.app)];
    const away = { kind: 'status', code: 500 } as const;
    stage.telegram.faults.on('downloadFile', away, { times: Infinity });
    await ada.does((user) => user.sendsVoice(OGG));
    await stage.pass(60_000);
    expect(ada.heard).toEqual([]);

    model.transcriptions.next({ kind: 'text', text: 'I bake wheat.' });
    await bob.speak('voice-1', new Uint8Array(Buffer.from('webm')));
    await stage.settle();
    expect((await bob.view()).messages.at(-1)?.text).toBe('I bake wheat.');

    stage.telegram.faults.clear();
    model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });
    for (let wait = 0; wait < 12 && ada.heard.length === 0; wait += 1) await stage.pass(5000);
    expect(ada.heard[0]).toBe(readBack('I bake rye.'));
    const blamed = await stage.rows(
      `select failures from job where queue = 'transcribe' and failures > 0`,
    );
    expect(blamed).toEqual([]);
  });

  test('is nobody’s before consent: nothing of it is asked for or kept', async () => {
    const ada = stage.person();
    await ada.starts(stage.app.vacancy.openToken);
    const before = stage.telegram.journal.calls('getFile').length;

    await ada.does((user) => user.sendsVoice(OGG));
    await ada.agrees();
    await stage.pass(60_000);

    expect(stage.telegram.journal.calls('getFile')).toHaveLength(before);
    expect(await ada.lines()).toHaveLength(2);
  });

  test('and wrong PINs count on a second replica as on the first, once it polls', async () => {
    const [ada, bob] = [await stage.begun(), stage.person()];
    await bob.starts();
    await bob.presses(EN.havePinButton);
    for (const n of [1, 2, 3]) await bob.writes(`0000-0000-000${String(n)}`);
    await stage.another();
    await stage.app.nest.get(Poller, { strict: false }).stop();

    await speaks(ada, 'I bake rye.');
    for (const n of [4, 5]) await bob.writes(`0000-0000-000${String(n)}`);

    expect(ada.heard).toEqual([readBack('I bake rye.')]);
    expect(stage.telegram.journal.calls('getUpdates').length).toBeGreaterThan(0);
    expect(bob.lastHeard).toBe(EN.pinLocked(15));
  });
});

describe('voice messages without a model that listens', () => {
  test('are kept for a person, and text is asked for', async () => {
    const stage = await TalkStage.open();
    try {
      const ada = await stage.begun();

      await ada.does((user) => user.sendsVoice(OGG));

      expect(ada.heard).toEqual([TEXTS.voiceNotTaken]);
      const kept = await stage.rows<{ bytes: Buffer }>('select bytes from voice');
      expect(kept.map(({ bytes }) => bytes.toString())).toEqual([OGG.toString()]);
    } finally {
      await stage.close();
    }
  });
});
