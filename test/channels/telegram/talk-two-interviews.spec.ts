import { Takeovers } from '../../../src/interview';
import { textsOf } from '../../../src/interview/texts/texts';
import { VacancyRepository } from '../../../src/vacancies';
import { type TestApp, startTestApp } from '../../support/app';
import { vacancyDraft } from '../../support/vacancies';
import {
  BOT,
  EN,
  type Person,
  WINDOW_MS,
  begunPerson,
  newPerson,
  takeUpdate,
} from './telegram-person';

const NORA = 'Nora here: shall we talk on Friday?';

let app: TestApp;
let millerToken: string;
let updateId = 900_000_100;

beforeAll(async () => {
  app = await startTestApp(BOT);
  const draft = vacancyDraft({ slug: 'miller', title: 'Miller', company: 'Mill & Sons' });
  const { vacancy } = await app.commit((tx) => app.get(VacancyRepository).upsert(tx, draft));
  millerToken = vacancy.openToken;
});

afterAll(async () => {
  expect(app.telegram.journal.violations).toEqual([]);
  await app.close();
});

/** The fake Telegram has a clock of its own, so that an edit brings the time of the application's. */
async function edits(person: Person, messageId: number, text: string, sentAt: Date) {
  const date = Math.floor(sentAt.getTime() / 1000);
  const chat = { id: person.id, type: 'private' };
  const message = { message_id: messageId, date, chat, from: person.user.user, text };
  updateId += 1;
  await takeUpdate(app, {
    update_id: updateId,
    edited_message: { ...message, edit_date: date + 9 },
  });
}

/** Somebody with two interviews in one chat: what they write reaches only the one that is open. */
describe('a person with two interviews', () => {
  /** A person who has begun one interview and then opened another. */
  async function inTheSecond(): Promise<{ ada: Person; baker: string; rye: number }> {
    const ada = await begunPerson(app);
    const baker = (await ada.conversationId()) ?? '';
    const rye = await ada.writes('I bake rye.');
    await app.pass(WINDOW_MS);
    await ada.starts(millerToken);
    await app.pass(2000);
    await ada.agrees();
    ada.forgetsTheChat();
    return { ada, baker, rye };
  }

  function headingWith(link: string | null): string {
    return EN.notOpenHere({ title: 'Baker', company: 'Crumb', link });
  }

  test('reads which interview a message is about, and returns to it by the link', async () => {
    await app.sql(
      `insert into instance (public_url, bot_name, updated_at) values ('http://x', 'bread_bot', now())`,
    );
    const { ada, baker } = await inTheSecond();

    await app.commit((tx) => app.get(Takeovers).reply(tx, baker, NORA));
    await app.settle();

    const heading = headingWith(`https://t.me/bread_bot?start=${baker}`);
    expect(ada.heard).toEqual([`${heading}\n\n${textsOf('en').fromPerson}\n\n${NORA}`]);
    expect(await ada.conversationId()).not.toBe(baker);
    await ada.starts(baker);
    await ada.writes('Friday is fine.');
    expect(await ada.conversationId()).toBe(baker);
    expect(await ada.said()).toEqual(['I bake rye.', 'Friday is fine.']);
    await app.commit((tx) => app.get(Takeovers).reply(tx, baker, 'At ten?'));
    await app.settle();
    expect(ada.lastHeard).toBe(`${textsOf('en').fromPerson}\n\nAt ten?`);
    await app.sql('delete from instance');
  });

  test('is told to use the invitation while the name of the bot is not known', async () => {
    const { ada, baker } = await inTheSecond();

    await app.commit((tx) => app.get(Takeovers).reply(tx, baker, NORA));
    await app.settle();

    expect(ada.lastHeard).toBe(`${headingWith(null)}\n\n${textsOf('en').fromPerson}\n\n${NORA}`);
  });

  test('has a link that opens the interview to nobody else', async () => {
    const { baker } = await inTheSecond();
    const mallory = newPerson(app, { first_name: 'Mallory' });

    await mallory.starts(baker);

    expect(mallory.heard[0]).toBe(EN.linkUnknown);
    expect(await mallory.conversationId()).toBeNull();
  });

  test('does not say in one interview what they edit in the other', async () => {
    const sentAt = app.clock.now();
    const { ada, rye } = await inTheSecond();

    await edits(ada, rye, 'I bake rye and wheat.', sentAt);

    expect(await ada.said()).toEqual([]);
    expect(ada.heard).toEqual([EN.sentBefore]);
  });
});

test('an edit of a message that was not kept before consent is not kept either', async () => {
  const ada = newPerson(app);
  await ada.starts(app.vacancy.openToken);
  const sentAt = app.clock.now();
  const early = await ada.writes('I bake wheat, by the way.');
  await app.pass(2000);
  await ada.agrees();

  await edits(ada, early, 'I bake wheat.', sentAt);

  expect(await ada.said()).toEqual([]);
  expect(ada.lastHeard).toBe(EN.sentBefore);
});
