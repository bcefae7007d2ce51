import type { PersonalDataExport } from '../../../src/privacy';
import { ModelServer, replyWith } from '../../support/model-server';
import { TestCandidate } from '../../support/candidate';
import { JPG, PDF } from '../../support/sent-files';
import { EN, type Person, TalkStage, WINDOW_MS } from './talk-stage';

const QUESTION = 'What did you bake last?';

/** What is stored of a person: told to them in a file, and erased at their word. */
describe('/mydata and /forget', () => {
  let stage: TalkStage;
  let model: ModelServer;

  beforeAll(async () => {
    model = await ModelServer.start();
    stage = await TalkStage.open({
      env: {
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_TRANSCRIPTION_MODEL: 'w-1',
      },
    });
  });

  afterAll(async () => {
    await stage.close();
    await model.close();
  });

  /** Words that nobody else says. */
  let count = 0;
  function words(): string {
    count += 1;
    return `unheard-of-${String(count)}-words`;
  }

  /** Tables and rows in which one of these is. */
  async function rowsWith(needles: readonly string[]): Promise<string[]> {
    const tables = await stage.rows<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await stage.rows<{ row: string }>(`select t::text as row from ${name} t`);
      const hits = rows.filter(({ row }) => needles.some((needle) => row.includes(needle)));
      found.push(...hits.map(({ row }) => `${name}: ${row}`));
    }
    return found;
  }

  function sentFile(person: Person): PersonalDataExport {
    const { document } = person.chat.messages.findLast(({ fromBot }) => fromBot)?.message ?? {};
    const file = stage.telegram.file(document?.file_id ?? '');
    if (file === null) throw new Error('no file was sent');
    return JSON.parse(file.bytes.toString()) as PersonalDataExport;
  }

  it('/mydata asks first, then sends one file with everything, also what came beside text', async () => {
    const ada = await stage.begun({ first_name: 'Adelaide', username: 'adelaide' });
    const said = [words(), words()] as const;
    await ada.writes(said[0]);
    await ada.does((user) => user.sendsDocument(PDF, { name: 'my-cv.pdf' }));
    await ada.does((user) => user.sendsPhoto(JPG, { caption: said[1] }));
    await stage.pass(WINDOW_MS);
    await ada.writes('/mydata');
    expect(ada.lastHeard).toBe(EN.myDataQuestion);
    expect(stage.telegram.journal.calls('sendDocument')).toHaveLength(0);

    await ada.presses(EN.myDataButton);

    expect(ada.lastHeard).toBe(EN.myDataCaption);
    const data = sentFile(ada);
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

  it('/mydata holds what was recorded, as it was sent', async () => {
    const ada = await stage.begun();
    const audio = Buffer.from(Array.from({ length: 3000 }, (_, n) => n % 256));
    await ada.does((user) => user.sendsVoice(audio));
    await ada.writes('/mydata');

    await ada.presses(EN.myDataButton);

    const [line] = (sentFile(ada).conversations[0]?.transcript ?? []).filter(
      ({ role }) => role === 'user',
    );
    expect(line?.voice).toMatchObject({ type: 'audio/ogg', bytes: 3000 });
    expect(Buffer.from(line?.voice?.recording ?? '', 'base64').equals(audio)).toBe(true);
  });

  it('/forget keeps everything at the word “no”', async () => {
    const ada = await stage.begun();
    await ada.writes(words());
    await ada.writes('/forget');

    await ada.presses(EN.keepButton);

    expect(ada.lastHeard).toBe(EN.kept);
    expect(await ada.said()).toHaveLength(1);
  });

  it('/forget erases all of it at the word “yes”, and the person may begin anew', async () => {
    const ada = await stage.begun({ first_name: `N-${words()}`, username: 'forget_me_5' });
    const conversationId = (await ada.conversationId()) ?? '';
    const said = [words(), words(), words()] as const;
    await ada.writes(said[0]);
    await ada.does((user) => user.sendsDocument(PDF, { name: `${said[1]}.pdf` }));
    model.transcriptions.next({ kind: 'text', text: said[2] });
    await ada.does((user) => user.sendsVoice(Buffer.from('OggS')));
    await stage.pass(WINDOW_MS);
    await ada.writes(words());
    const needles = [...said, ada.user.user.first_name, 'forget_me_5', conversationId];
    expect((await rowsWith(needles)).length).toBeGreaterThan(5);
    await ada.writes('/forget');
    expect(ada.lastHeard).toBe(EN.forgetQuestion);

    await ada.presses(EN.forgetButton);

    expect(ada.lastHeard).toBe(EN.forgotten);
    expect(ada.chat.keyboard).toEqual([]);
    expect(await rowsWith(needles)).toEqual([]);
    expect(await rowsWith([String(ada.id)])).toEqual([]);

    await ada.starts(stage.app.vacancy.openToken);
    await ada.agrees();
    expect(ada.lastHeard).toBe(QUESTION);
    expect(await ada.said()).toEqual([]);
  });

  it('/forget ends a reply that is being written: nothing of it is stored or sent', async () => {
    const ada = await stage.begun();
    const said = words();
    await stage.pass(WINDOW_MS);
    await ada.writes(said);
    const begun = model.requests.length;
    model.next({ kind: 'hold', content: '{"verdict":"answered","text":"You said', rest: ' it."}' });
    stage.clock.advance(WINDOW_MS);
    // The workers look again when a little more time has passed.
    while (model.requests.length === begun) await stage.settle('flush');
    const request = await model.request(begun + 1);

    ada.user.writes('/forget');
    await stage.settle('flush');
    ada.forgetsTheChat();

    ada.user.presses(EN.forgetButton);
    await stage.settle();

    await request.closed;

    model.release();
    await stage.pass(60_000);
    expect(ada.heard).toEqual([EN.forgotten]);
    expect(await rowsWith([said])).toEqual([]);
  });

  /** An update that could not be handled, and a message that was not sent. */
  async function leaveWaiting({ id }: Person, said: string): Promise<void> {
    await stage.rows(
      `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, payload, received_at)
       values (1, $1, $1, $1, 'dead', jsonb_build_object('text', $2::text), now())`,
      [id, said],
    );
    await stage.rows(
      `insert into telegram_answer (chat_id, account_id, call, created_at)
       values ($1, $1, jsonb_build_object('text', $2::text), now())`,
      [id, said],
    );
  }

  it('/forget takes with it what was still to be handled and told', async () => {
    const ada = await stage.begun();
    const { message_id: id } = ada.user.writes('/forget');
    await stage.settle();
    const said = words();
    await leaveWaiting(ada, said);
    expect(id).toBeGreaterThan(0);

    await ada.presses(EN.forgetButton);

    expect(await rowsWith([said])).toEqual([]);
  });

  it('/forget of somebody with several interviews forgets them all, however they came', async () => {
    const ada = await stage.begun();
    const said = [words(), words(), words()] as const;
    await ada.writes(said[0]);
    for (const text of said.slice(1)) {
      const { token } = await stage.invite({ name: 'Ada' });
      await ada.starts(token);
      if (ada.lastHeard.includes('without an invitation')) await ada.presses(EN.joinButton);
      if (ada.lastHeard !== QUESTION) await ada.agrees();
      await ada.writes(text);
    }
    expect((await rowsWith(said)).length).toBeGreaterThan(2);
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await rowsWith(said)).toEqual([]);
  });

  /** An interview by the open link, begun on the page and gone on with in Telegram. */
  async function continued(): Promise<{
    candidate: TestCandidate;
    ada: Person;
    needles: string[];
  }> {
    const candidate = await TestCandidate.begin(stage.app);
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    const ada = stage.person({ first_name: `N-${words()}` });
    await ada.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    await ada.presses(EN.mineButton);
    const said = words();
    await ada.writes(said);
    await stage.pass(WINDOW_MS);
    const needles = [said, ada.user.user.first_name, String(ada.id), candidate.conversationId];
    return { candidate, ada, needles };
  }

  it('/forget on the page erases what was said in Telegram, and the account', async () => {
    const { candidate, needles } = await continued();
    expect((await rowsWith(needles)).length).toBeGreaterThan(5);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await rowsWith(needles)).toEqual([]);
  });

  it('/forget and /mydata reach an interview that the account is not in any more', async () => {
    const { candidate, ada, needles } = await continued();
    const other = await stage.vacancy({ slug: 'miller', title: 'Miller', company: 'Mill & Sons' });
    await ada.starts(other.openToken);
    await ada.agrees();
    expect(await ada.conversationId()).not.toBe(candidate.conversationId);
    await ada.writes('/mydata');
    const sent = stage.telegram.journal.calls('sendDocument').length;
    await ada.presses(EN.myDataButton);
    expect(stage.telegram.journal.calls('sendDocument')).toHaveLength(sent + 2);
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await rowsWith(needles)).toEqual([]);
  });

  it('/forget on the page reaches an account from which the interview was taken', async () => {
    const { candidate, ada, needles } = await continued();
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    const phone = stage.person({ first_name: `N-${words()}` });
    await phone.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    await phone.presses(EN.mineButton);
    expect(await ada.conversationId()).toBeNull();

    await candidate.post('forget', { confirm: 'erase' });

    expect(await rowsWith([...needles, String(phone.id), phone.user.user.first_name])).toEqual([]);
  });

  it('/forget reaches an interview whose invitation was issued again', async () => {
    const { token, candidateId } = await stage.invite({ name: `N-${words()}` });
    const ada = stage.person();
    await ada.starts(token);
    await ada.agrees();
    const said = words();
    await ada.writes(said);
    const needles = [said, candidateId, String(ada.id), (await ada.conversationId()) ?? ''];
    await ada.starts(stage.app.vacancy.openToken);
    await stage.invite({ candidateId });
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await rowsWith(needles)).toEqual([]);
  });

  it('an erasure keeps the account of a person who has another interview', async () => {
    const { candidate, ada, needles } = await continued();
    const { token } = await stage.invite({ name: 'Ada' });
    await ada.starts(token);
    await ada.presses(EN.notJoinButton);
    await ada.agrees();
    const kept = words();
    await ada.writes(kept);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await rowsWith(needles.filter((one) => one !== String(ada.id)))).toEqual([]);
    expect(await ada.said()).toEqual([kept]);
  });

  it('an erasure takes what waits in the chat of an account that stays', async () => {
    const { candidate, ada } = await continued();
    const { token } = await stage.invite({ name: 'Ada' });
    await ada.starts(token);
    await ada.presses(EN.notJoinButton);
    await ada.agrees();
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    await ada.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    const waiting = words();
    await leaveWaiting(ada, waiting);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await rowsWith([waiting])).toEqual([]);
    expect(await rowsWith([String(ada.id)])).not.toEqual([]);
  });

  it('/forget leaves nothing of who opened an invitation and did not enter', async () => {
    const { token } = await stage.invite();
    await TestCandidate.arrive(stage.app, token);
    const ada = stage.person();
    await ada.starts(token);
    expect(await ada.conversationId()).toBeNull();
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await rowsWith([String(ada.id)])).toEqual([]);
  });

  it('the button of an older question forgets nobody twice', async () => {
    const ada = await stage.begun();
    await ada.writes('/forget');
    const question = ada.idOf(EN.forgetQuestion);
    await ada.presses(EN.forgetButton);

    await ada.presses(EN.forgetButton, question);

    expect(ada.heard.filter((text) => text === EN.forgotten).length).toBeLessThanOrEqual(2);
    model.always(replyWith('answered', 'Thanks.'));
  });
});
