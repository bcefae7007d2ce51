import { TestCandidate } from '../../support/candidate';
import type { TestApp } from '../../support/app';
import {
  EN,
  type Person,
  WINDOW_MS,
  begunPerson,
  invite,
  newPerson,
  withBotAndModel,
  words,
} from './telegram-person';

const QUESTION = 'What did you bake last?';

/** Exports and erasures cover all interviews and accounts of a person, in every channel. */
describe('/mydata and /forget with several interviews and accounts', () => {
  let app: TestApp;

  withBotAndModel((started) => {
    app = started;
  });

  test('/forget erases all interviews of a person', async () => {
    const ada = await begunPerson(app);
    const said = [words(), words(), words()] as const;
    await ada.writes(said[0]);
    for (const text of said.slice(1)) {
      const { token } = await invite(app, { name: 'Ada' });
      await ada.starts(token);
      if (ada.lastHeard.includes('without an invitation')) await ada.presses(EN.joinButton);
      if (ada.lastHeard !== QUESTION) await ada.agrees();
      await ada.writes(text);
    }
    expect((await app.rowsWith(said)).length).toBeGreaterThan(2);
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await app.rowsWith(said)).toEqual([]);
  });

  /** An interview by the open link, begun on the page and continued in Telegram. */
  async function continued(): Promise<{
    candidate: TestCandidate;
    ada: Person;
    needles: string[];
  }> {
    const candidate = await TestCandidate.begin(app);
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    const ada = newPerson(app, { first_name: `N-${words()}` });
    await ada.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    await ada.presses(EN.mineButton);
    const said = words();
    await ada.writes(said);
    await app.pass(WINDOW_MS);
    const needles = [said, ada.user.user.first_name, String(ada.id), candidate.conversationId];
    return { candidate, ada, needles };
  }

  test('/forget on the page erases the messages in Telegram and the account', async () => {
    const { candidate, needles } = await continued();
    expect((await app.rowsWith(needles)).length).toBeGreaterThan(5);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await app.rowsWith(needles)).toEqual([]);
  });

  test('/forget and /mydata include an interview that the account has left', async () => {
    const { candidate, ada, needles } = await continued();
    const other = await app.addVacancy({
      slug: 'miller',
      title: 'Miller',
      company: 'Mill & Sons',
    });
    await ada.starts(other.openToken);
    await ada.agrees();
    expect(await ada.conversationId()).not.toBe(candidate.conversationId);
    await ada.writes('/mydata');
    const sent = app.telegram.journal.calls('sendDocument').length;
    await ada.presses(EN.myDataButton);
    expect(app.telegram.journal.calls('sendDocument')).toHaveLength(sent + 2);
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await app.rowsWith(needles)).toEqual([]);
  });

  test('/forget on the page erases an account that has lost the interview to another account', async () => {
    const { candidate, ada, needles } = await continued();
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    const phone = newPerson(app, { first_name: `N-${words()}` });
    await phone.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    await phone.presses(EN.mineButton);
    expect(await ada.conversationId()).toBeNull();

    await candidate.post('forget', { confirm: 'erase' });

    expect(await app.rowsWith([...needles, String(phone.id), phone.user.user.first_name])).toEqual(
      [],
    );
  });

  test('/forget erases an interview whose invitation was issued again and opened', async () => {
    const { token, candidateId } = await invite(app, { name: `N-${words()}` });
    const ada = newPerson(app);
    await ada.starts(token);
    await ada.agrees();
    const said = words();
    await ada.writes(said);
    const needles = [said, candidateId, String(ada.id), (await ada.conversationId()) ?? ''];
    await ada.starts(app.vacancy.openToken);
    const again = await invite(app, { candidateId });
    await ada.starts(again.token);
    await ada.presses(EN.mineButton);
    await ada.starts(app.vacancy.openToken);
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await app.rowsWith(needles)).toEqual([]);
  });

  test('an erasure keeps the account of a person who has another interview', async () => {
    const { candidate, ada, needles } = await continued();
    const { token } = await invite(app, { name: 'Ada' });
    await ada.starts(token);
    await ada.presses(EN.notJoinButton);
    await ada.agrees();
    const kept = words();
    await ada.writes(kept);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await app.rowsWith(needles.filter((one) => one !== String(ada.id)))).toEqual([]);
    expect(await ada.said()).toEqual([kept]);
  });

  test('an erasure deletes the waiting updates and replies of an account that is kept', async () => {
    const { candidate, ada } = await continued();
    const { token } = await invite(app, { name: 'Ada' });
    await ada.starts(token);
    await ada.presses(EN.notJoinButton);
    await ada.agrees();
    const link = JSON.stringify(await (await candidate.post('continuation')).json());
    await ada.starts(/start=([\w-]+)/.exec(link)?.[1] ?? '');
    const waiting = words();
    await ada.leavesWaiting(waiting);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await app.rowsWith([waiting])).toEqual([]);
    expect(await app.rowsWith([String(ada.id)])).not.toEqual([]);
  });

  test('/forget leaves nothing about a person who opened an invitation but did not confirm it', async () => {
    const { token } = await invite(app);
    await TestCandidate.arrive(app, token);
    const ada = newPerson(app);
    await ada.starts(token);
    expect(await ada.conversationId()).toBeNull();
    await ada.writes('/forget');

    await ada.presses(EN.forgetButton);

    expect(await app.rowsWith([String(ada.id)])).toEqual([]);
  });
});
