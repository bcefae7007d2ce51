import { type ModelServer, replyWith } from '../../../tools/fake-model/model-server';
import { JPG, PDF } from '../../support/sent-files';
import type { TestApp } from '../../support/app';
import { EN, WINDOW_MS, begunPerson, withBotAndModel, words } from './telegram-person';

const QUESTION = 'What did you bake last?';

/** The stored data of a person: sent to them in a file, and erased when they ask for it. */
describe('/mydata and /forget', () => {
  let app: TestApp;
  let model: ModelServer;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  test('/mydata asks first, then sends one file with all messages, documents and pictures', async () => {
    const ada = await begunPerson(app, { first_name: 'Adelaide', username: 'adelaide' });
    const said = [words(), words()] as const;
    await ada.writes(said[0]);
    await ada.does((user) => user.sendsDocument(PDF, { name: 'my-cv.pdf' }));
    await ada.does((user) => user.sendsPhoto(JPG, { caption: said[1] }));
    await app.pass(WINDOW_MS);
    await ada.writes('/mydata');
    expect(ada.lastHeard).toBe(EN.myDataQuestion);
    expect(app.telegram.journal.calls('sendDocument')).toHaveLength(0);

    await ada.presses(EN.myDataButton);

    expect(ada.lastHeard).toBe(EN.myDataCaption);
    const data = ada.sentFile();
    expect(data.profile).toMatchObject({ name: 'Adelaide', contact: '@adelaide' });
    const transcript = data.conversations[0]?.transcript ?? [];
    expect(transcript.filter(({ role }) => role === 'user')).toMatchObject([
      { text: said[0], attachment: null, file: null },
      { file: { name: 'my-cv.pdf', type: 'application/pdf', content: PDF.toString('base64') } },
      { text: said[1] },
      { file: { name: 'photo.jpg', type: 'image/jpeg', content: JPG.toString('base64') } },
    ]);
    expect(data.holders.telegram).toMatchObject([{ userId: String(ada.id), language: 'en' }]);
  });

  test('/mydata contains voice recordings as they were sent', async () => {
    const ada = await begunPerson(app);
    const audio = Buffer.from(Array.from({ length: 3000 }, (_, n) => n % 256));
    await ada.does((user) => user.sendsVoice(audio));
    await ada.writes('/mydata');

    await ada.presses(EN.myDataButton);

    const [line] = (ada.sentFile().conversations[0]?.transcript ?? []).filter(
      ({ role }) => role === 'user',
    );
    expect(line?.voice).toMatchObject({ type: 'audio/ogg', bytes: 3000 });
    expect(Buffer.from(line?.voice?.recording ?? '', 'base64').equals(audio)).toBe(true);
  });

  test('/forget keeps everything after “no”', async () => {
    const ada = await begunPerson(app);
    await ada.writes(words());
    await ada.writes('/forget');

    await ada.presses(EN.keepButton);

    expect(ada.lastHeard).toBe(EN.kept);
    expect(await ada.said()).toHaveLength(1);
  });

  test('/forget erases everything after “yes”, and the person may begin again', async () => {
    const ada = await begunPerson(app, { first_name: `N-${words()}`, username: 'forget_me_5' });
    const conversationId = (await ada.conversationId()) ?? '';
    const said = [words(), words(), words()] as const;
    await ada.writes(said[0]);
    await ada.does((user) => user.sendsDocument(PDF, { name: `${said[1]}.pdf` }));
    model.transcriptions.next({ kind: 'text', text: said[2] });
    await ada.does((user) => user.sendsVoice(Buffer.from('OggS')));
    await app.pass(WINDOW_MS);
    await ada.writes(words());
    const needles = [...said, ada.user.user.first_name, 'forget_me_5', conversationId];
    expect((await app.rowsWith(needles)).length).toBeGreaterThan(5);
    await ada.writes('/forget');
    expect(ada.lastHeard).toBe(EN.forgetQuestion);

    await ada.presses(EN.forgetButton);

    expect(ada.lastHeard).toBe(EN.forgotten);
    expect(ada.chat.keyboard).toEqual([]);
    expect(await app.rowsWith(needles)).toEqual([]);
    expect(await app.rowsWith([String(ada.id)])).toEqual([]);

    await ada.starts(app.vacancy.openToken);
    await ada.agrees();
    expect(ada.lastHeard).toBe(QUESTION);
    expect(await ada.said()).toEqual([]);
  });

  test('/forget ends a reply that is being written: nothing of it is stored or sent', async () => {
    const ada = await begunPerson(app);
    const said = words();
    await app.pass(WINDOW_MS);
    await ada.writes(said);
    const begun = model.requests.length;
    model.next({ kind: 'hold', content: '{"verdict":"answered","text":"You said', rest: ' it."}' });
    app.clock.advance(WINDOW_MS);
    await app.until('the model has begun its reply', () => model.requests.length > begun);
    const request = await model.request(begun + 1);

    ada.user.writes('/forget');
    await app.settle('flush');
    ada.forgetsTheChat();

    ada.user.presses(EN.forgetButton);
    await app.settle();

    await request.closed;

    model.release();
    await app.pass(60_000);
    expect(ada.heard).toEqual([EN.forgotten]);
    expect(await app.rowsWith([said])).toEqual([]);
  });

  test('/forget deletes waiting updates and replies', async () => {
    const ada = await begunPerson(app);
    const { message_id: id } = ada.user.writes('/forget');
    await app.settle();
    const said = words();
    await ada.leavesWaiting(said);
    expect(id).toBeGreaterThan(0);

    await ada.presses(EN.forgetButton);

    expect(await app.rowsWith([said])).toEqual([]);
  });

  test('the button of an older question erases nothing', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/forget');
    const question = ada.idOf(EN.forgetQuestion);
    await ada.presses(EN.forgetButton);

    await ada.presses(EN.forgetButton, question);

    expect(ada.heard.filter((text) => text === EN.forgotten).length).toBeLessThanOrEqual(2);
    model.always(replyWith('answered', 'Thanks.'));
  });
});
