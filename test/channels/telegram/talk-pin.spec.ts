import { PinKeys, Vacancies } from '../../../src/hiring';
import { vacancyDraft } from '../../support/vacancies';
import { EN, type Person, TalkStage } from './talk-stage';

describe('finding the interview by a PIN', () => {
  let stage: TalkStage;

  beforeAll(async () => {
    stage = await TalkStage.open({ env: { TELEGRAM_WRONG_PINS_PER_HOUR: '20' } });
  });

  afterAll(() => stage.close());

  async function metadataOf(person: Person): Promise<Record<string, unknown>> {
    return (await person.conversation()).metadata;
  }

  async function atThePin(): Promise<Person> {
    const person = stage.person();
    await person.starts();
    await person.presses(EN.havePinButton);
    return person;
  }

  it('people without a link are led through it', async () => {
    const { pin } = await stage.invite();
    const ada = await atThePin();
    expect(ada.heard).toEqual([EN.waysIn, EN.askPin]);

    await ada.writes(pin);

    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
    expect(await metadataOf(ada)).toMatchObject({
      identifiedBy: 'pin',
      pinCode: `••••-••${pin.slice(-2)}`,
      awaitingPin: false,
    });
  });

  it.each([
    ['with a space', (pin: string) => pin.replace('-', ' ')],
    ['in one piece', (pin: string) => pin.replace('-', '')],
    ['with a long dash', (pin: string) => pin.replace('-', ' — ')],
    ['in full-width digits', (pin: string) => pin.replace(/\d/g, fullWidth)],
  ])('is read %s', async (_, written) => {
    const { pin } = await stage.invite();
    const ada = await atThePin();

    await ada.writes(written(pin));

    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
  });

  it('needs no button: a text that reads as one is one', async () => {
    const { pin } = await stage.invite();
    const ada = stage.person();

    await ada.writes(pin);

    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
  });

  it('that was mistyped can be edited, and a wrong edit counts as a guess', async () => {
    const { pin } = await stage.invite();
    const ada = await atThePin();
    const id = await ada.writes('0000-0001');
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.does((user) => user.edits(id, '0000-0002'));
    expect(ada.heard.filter((text) => text === EN.pinWrong)).toHaveLength(2);
    await ada.does((user) => user.edits(id, pin));

    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
    expect(await metadataOf(ada)).toMatchObject({ identifiedBy: 'pin' });
  });

  it('of another interview, mistyped in the middle of one, can be edited as well', async () => {
    const { pin } = await stage.invite();
    const ada = await stage.begun();
    await stage.rows(`update telegram_account set dialog = '{"kind": "pin"}' where user_id = $1`, [
      ada.id,
    ]);
    const id = await ada.writes('0000-0001');
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.does((user) => user.edits(id, pin));

    // The invitation is found; whether the interview begun without one is theirs too is asked.
    expect(ada.lastHeard).toContain('You have begun without an invitation before');
  });

  it('five wrong ones lock the account for 15 minutes, other texts do not count', async () => {
    const { pin } = await stage.invite();
    const ada = await atThePin();
    for (const text of ['12', 'hello', '123456789', 'what PIN?', '1 2 3', 'no']) {
      await ada.writes(text);
      expect(ada.lastHeard).toBe(EN.notAPin);
    }
    for (let guess = 1; guess <= 4; guess += 1) {
      await ada.writes(`0000-000${String(guess)}`);
      expect(ada.lastHeard).toBe(EN.pinWrong);
    }
    await ada.writes('0000-0005');
    expect(ada.lastHeard).toBe(EN.pinLocked(15));

    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinLocked(15));
    await stage.pass(14 * 60_000);
    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinLocked(1));
    await stage.pass(60_000);
    await ada.writes(pin);
    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
  });

  it('a second lock is longer, and while one holds no PIN is hashed', async () => {
    const hashed = jest.spyOn(stage.app.nest.get(PinKeys, { strict: false }), 'keyOf');
    const ada = await atThePin();
    for (let guess = 1; guess <= 5; guess += 1) await ada.writes(`0000-001${String(guess)}`);
    await stage.pass(15 * 60_000);
    for (let guess = 1; guess <= 5; guess += 1) await ada.writes(`0000-002${String(guess)}`);
    expect(ada.lastHeard).toBe(EN.pinLocked(60));
    expect(hashed).toHaveBeenCalledTimes(10);

    await ada.writes('0000-0030');

    expect(ada.lastHeard).toBe(EN.pinLocked(60));
    expect(hashed).toHaveBeenCalledTimes(10);
    hashed.mockRestore();
  });

  it('the wrong PINs of all accounts have one budget an hour; then none is taken', async () => {
    const { pin } = await stage.invite();
    await stage.pass(3_600_000);
    for (let account = 0; account < 5; account += 1) {
      const stranger = stage.person();
      for (let guess = 0; guess < 4; guess += 1) {
        await stranger.writes(`0000-01${String(account)}${String(guess)}`);
        expect(stranger.lastHeard).toBe(EN.pinWrong);
      }
    }
    const ada = stage.person();

    await ada.writes(pin);
    expect(ada.lastHeard).toBe(EN.pinsPaused(60));
    await stage.pass(3_600_000);
    await ada.writes(pin);

    expect(ada.lastHeard).toContain('AI interviewer of Crumb');
  });

  it('forgetting oneself, or an own PIN in between, is no way around the lock', async () => {
    const own = await stage.invite();
    const ada = await atThePin();
    for (const guess of ['0000-0001', '0000-0002']) await ada.writes(guess);
    await ada.writes(own.pin);
    await ada.writes('/forget');
    await ada.presses(EN.forgetButton);
    for (const guess of ['0000-0003', '0000-0004']) await ada.writes(guess);
    expect(ada.lastHeard).toBe(EN.pinWrong);

    await ada.writes('0000-0005');

    expect(ada.lastHeard).toBe(EN.pinLocked(15));
  });

  it('of another interview is taken in the middle of one, and never gets into an answer', async () => {
    const other = vacancyDraft({ slug: 'other', company: 'Harbour' });
    const vacancies = stage.app.nest.get(Vacancies, { strict: false });
    const { vacancy } = await stage.app.commit((tx) => vacancies.upsert(tx, other));
    const { pin, candidateId } = await stage.invite({ vacancyId: vacancy.id });
    const ada = stage.person();
    await ada.starts();
    await ada.starts(stage.app.vacancy.openToken);
    await ada.agrees();
    const first = await ada.conversationId();
    await ada.presses(EN.havePinButton);
    expect(await metadataOf(ada)).toMatchObject({ awaitingPin: true });

    await ada.writes(pin);
    await ada.presses(EN.notJoinButton);

    // A question of the first interview may come in between.
    expect(ada.heard.join('\n')).toContain('AI interviewer of Harbour');
    const [row] = await stage.rows<{ id: string }>(
      'select id from conversation where candidate_id = $1 and vacancy_id = $2',
      [candidateId, vacancy.id],
    );
    expect(await ada.conversationId()).toBe(row?.id);
    const kept = await stage.rows<{ metadata: object; said: string }>(
      `select c.metadata, m.text as said from conversation c
         left join message m on m.conversation_id = c.id and m.role = 'user' where c.id = $1`,
      [first],
    );
    expect(kept).toMatchObject([{ metadata: { awaitingPin: false }, said: null }]);
  });

  it('an answer after that button is an answer, and no PIN is awaited any more', async () => {
    const ada = stage.person();
    await ada.starts();
    await ada.starts(stage.app.vacancy.openToken);
    await ada.agrees();
    await ada.presses(EN.havePinButton);

    await ada.writes('Rye bread, in fact.');

    expect(await ada.said()).toEqual(['Rye bread, in fact.']);
    expect(await metadataOf(ada)).toMatchObject({ awaitingPin: false });
  });
});

function fullWidth(digit: string): string {
  return String.fromCharCode(0xff10 + Number(digit));
}
