import { newPinDigits } from '../../../src/common/ids';
import { type Pin, PinHasher, shownPin, VacancyRepository } from '../../../src/vacancies';
import { PersonalDataService } from '../../../src/privacy';
import { vacancyDraft } from '../../support/vacancies';
import {
  PIN_BUDGETS,
  PinLimits,
} from '../../../src/channels/telegram/intake/pin-limits.repository';
import { withConstants } from '../../support/constants';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, begunPerson, invite, newPerson, BOT } from './telegram-person';

describe('finding the interview by a PIN', () => {
  let app: TestApp;
  let strangers = 0;

  withConstants(PIN_BUDGETS, { wrong: 20, first: 100 });

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  async function metadataOf(person: Person): Promise<Record<string, unknown>> {
    return (await person.conversation()).metadata;
  }

  async function fails(userId: number): Promise<void> {
    const limits = app.get(PinLimits);
    await app.commit((tx) => limits.failed(tx, userId));
  }

  /** Uses up the budget by strangers, each of whom fails five times. */
  async function useUpTheBudget(): Promise<void> {
    for (let n = 0; n < 60; n += 1) await fails(6_000_000_000 + (strangers += n % 5 === 0 ? 1 : 0));
    const [budget] = await app.sql<{ wrong: number }>('select wrong from pin_budget');
    expect(budget?.wrong).toBeGreaterThanOrEqual(20);
  }

  async function atThePin(): Promise<Person> {
    const person = newPerson(app);
    await person.starts();
    await person.presses(EN.havePinButton);
    return person;
  }

  test('the bot guides people without a link', async () => {
    const { pin } = await invite(app);
    const ada = await atThePin();
    expect(ada.heard).toEqual([EN.waysIn.script, EN.askPin]);

    await ada.writes(pin);

    expect(ada.lastHeard).toContain('script of Crumb');
    expect(await metadataOf(ada)).toMatchObject({
      identifiedBy: 'pin',
      pinCode: `••••-••${pin.slice(-2)}`,
      awaitingPin: false,
    });
  });

  test.each([
    ['with a space', (pin: string) => pin.replaceAll('-', ' ')],
    ['in one piece', (pin: string) => pin.replace('-', '')],
    ['with a long dash', (pin: string) => pin.replace('-', ' — ')],
    ['in full-width digits', (pin: string) => pin.replace(/\d/g, fullWidth)],
  ])('accepts a PIN %s', async (_, written) => {
    const { pin } = await invite(app);
    const ada = await atThePin();

    await ada.writes(written(pin));

    expect(ada.lastHeard).toContain('script of Crumb');
  });

  test('needs no button: a text in the form of a PIN is taken as one', async () => {
    const { pin } = await invite(app);
    const ada = newPerson(app);

    await ada.writes(pin);

    expect(ada.lastHeard).toContain('script of Crumb');
  });

  test('a mistyped PIN can be edited, and a wrong edit counts as a guess', async () => {
    const { pin } = await invite(app);
    const ada = await atThePin();
    const id = await ada.writes(wrongPin(1));
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.does((user) => user.edits(id, wrongPin(2)));
    expect(ada.heard.filter((text) => text === EN.pinWrong)).toHaveLength(2);
    await ada.does((user) => user.edits(id, pin));

    expect(ada.lastHeard).toContain('script of Crumb');
    expect(await metadataOf(ada)).toMatchObject({ identifiedBy: 'pin' });
  });

  test('a mistyped PIN of another interview can be edited during an interview', async () => {
    const { pin } = await invite(app);
    const ada = await begunPerson(app);
    await app.sql(`update telegram_account set dialog = '{"kind": "pin"}' where user_id = $1`, [
      ada.id,
    ]);
    const id = await ada.writes(wrongPin(1));
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.does((user) => user.edits(id, pin));

    // The invitation is found, and the bot asks about the interview that was begun without one.
    expect(ada.lastHeard).toContain('You have begun an interview without an invitation before');
  });

  test('five wrong PINs lock the account for 15 minutes, and other texts do not count', async () => {
    const { pin } = await invite(app);
    const ada = await atThePin();
    for (const text of ['12', 'hello', '123456789', 'what PIN?', '1 2 3', 'no']) {
      await ada.writes(text);
      expect(ada.lastHeard).toBe(EN.notAPin);
    }
    for (let guess = 1; guess <= 4; guess += 1) {
      await ada.writes(wrongPin(guess));
      expect(ada.lastHeard).toBe(EN.pinWrong);
    }
    await ada.writes(wrongPin(5));
    expect(ada.lastHeard).toBe(EN.pinLocked(15));

    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinLocked(15));
    await app.pass(14 * 60_000);
    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinLocked(1));
    await app.pass(60_000);
    await ada.writes(pin);
    expect(ada.lastHeard).toContain('script of Crumb');
  });

  test('a second lock is longer, and no PIN is hashed during a lock', async () => {
    const hashed = jest.spyOn(app.get(PinHasher), 'keyOf');
    const ada = await atThePin();
    for (let guess = 1; guess <= 5; guess += 1) await ada.writes(wrongPin(10 + guess));
    await app.pass(15 * 60_000);
    for (let guess = 1; guess <= 5; guess += 1) await ada.writes(wrongPin(20 + guess));
    expect(ada.lastHeard).toBe(EN.pinLocked(60));
    expect(hashed).toHaveBeenCalledTimes(10);

    await ada.writes(wrongPin(30));

    expect(ada.lastHeard).toBe(EN.pinLocked(60));
    expect(hashed).toHaveBeenCalledTimes(10);
    hashed.mockRestore();
  });

  test('the right PIN works even after strangers have used up the budget of all accounts', async () => {
    const { pin } = await invite(app);
    await app.pass(3_600_000);
    await useUpTheBudget();
    const ada = newPerson(app);

    await ada.writes(wrongPin(1));
    expect(ada.lastHeard).toBe(EN.pinWrong);
    await ada.writes(pin);

    expect(ada.lastHeard).toContain('script of Crumb');
  });

  test('an account with wrong PINs waits for the end of the hour once the budget is used up', async () => {
    const { pin } = await invite(app);
    await app.pass(3_600_000);
    const ada = newPerson(app);
    for (const guess of [1, 2, 3]) await ada.writes(wrongPin(guess));
    await useUpTheBudget();

    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinsPaused(60));
    await app.pass(3_600_000);
    await ada.writes(pin);

    expect(ada.lastHeard).toContain('script of Crumb');
  });

  test('first tries of new accounts have their own budget', async () => {
    const { pin } = await invite(app);
    await app.pass(3_600_000);
    for (let n = 0; n < 100; n += 1) await fails(7_000_000_000 + n);
    const ada = newPerson(app);

    await ada.writes(pin);

    expect(ada.lastHeard).toBe(EN.pinsPaused(60));
    await app.pass(3_600_000);
  });

  test('neither /forget nor a correct PIN in between avoids the lock', async () => {
    const own = await invite(app);
    const ada = await atThePin();
    for (const guess of [wrongPin(1), wrongPin(2)]) await ada.writes(guess);
    await ada.writes(own.pin);
    await ada.writes('/forget');
    await ada.presses(EN.forgetButton);
    for (const guess of [wrongPin(3), wrongPin(4)]) await ada.writes(guess);
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.writes(wrongPin(5));

    expect(ada.lastHeard).toBe(EN.pinLocked(15));
  });

  test('an erasure of the person keeps the lock, without their Telegram id', async () => {
    const { candidateId, token } = await invite(app);
    const ada = await atThePin();
    for (const guess of [1, 2, 3, 4]) await ada.writes(wrongPin(guess));
    await ada.starts(token);
    await ada.agrees();
    const data = app.get(PersonalDataService);
    await app.commit((tx) => data.erase(tx, candidateId));
    await ada.writes(wrongPin(5));
    expect(ada.lastHeard).toBe(EN.pinLocked(15));

    const again = await invite(app, { candidateId: (await invite(app)).candidateId });
    await ada.starts(again.token);
    await ada.agrees();
    await app.commit((tx) => data.erase(tx, again.candidateId));
    await ada.writes(wrongPin(6));

    expect(ada.lastHeard).toBe(EN.pinLocked(15));
    const kept = await app.sql<{ failures: string }>(
      'select row_to_json(f)::text as failures from pin_failure f',
    );
    expect(kept.map(({ failures }) => failures).join()).not.toContain(String(ada.id));
  });

  test('a PIN of another interview is accepted during an interview, and never gets into an answer', async () => {
    const other = vacancyDraft({ slug: 'other', company: 'Harbour' });
    const vacancies = app.get(VacancyRepository);
    const { vacancy } = await app.commit((tx) => vacancies.upsert(tx, other));
    const { pin, candidateId } = await invite(app, { vacancyId: vacancy.id });
    const ada = newPerson(app);
    await ada.starts();
    await ada.starts(app.vacancy.openToken);
    await ada.agrees();
    const first = await ada.conversationId();
    await ada.presses(EN.havePinButton);
    expect(await metadataOf(ada)).toMatchObject({ awaitingPin: true });

    await ada.writes(pin);
    await ada.presses(EN.notJoinButton);

    // A question of the first interview may come in between.
    expect(ada.heard.join('\n')).toContain('script of Harbour');
    const [row] = await app.sql<{ id: string }>(
      'select id from conversation where candidate_id = $1 and vacancy_id = $2',
      [candidateId, vacancy.id],
    );
    expect(await ada.conversationId()).toBe(row?.id);
    const kept = await app.sql<{ metadata: object; said: string }>(
      `select c.metadata, m.text as said from conversation c
         left join message m on m.conversation_id = c.id and m.role = 'user' where c.id = $1`,
      [first],
    );
    expect(kept).toMatchObject([{ metadata: { awaitingPin: false }, said: null }]);
  });

  test('a text after the PIN button is an answer, and the bot no longer waits for a PIN', async () => {
    const ada = newPerson(app);
    await ada.starts();
    await ada.starts(app.vacancy.openToken);
    await ada.agrees();
    await ada.presses(EN.havePinButton);

    await ada.writes('Rye bread, in fact.');

    expect(await ada.said()).toEqual(['Rye bread, in fact.']);
    expect(await metadataOf(ada)).toMatchObject({ awaitingPin: false });
  });
});

/** A PIN in the right form that belongs to no invitation. */
function wrongPin(n: number): string {
  return shownPin(String(n).padStart(newPinDigits().length, '0') as Pin);
}

function fullWidth(digit: string): string {
  return String.fromCharCode(0xff10 + Number(digit));
}
