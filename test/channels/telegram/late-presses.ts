import { ENGLISH } from '../../../src/interview/texts/en';
import { BUTTONS } from '../../../src/channels/telegram/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { changedTables } from '../../support/changed-tables';
import { type Chat, EVENTS, type Event, type EventName } from './late-events';
import { BOT, EN, type Person, RU } from './telegram-person';

/*
 * A button is pressed, or a link opened, after something has happened: what the person is told then, and which
 * tables have other rows.
 */

export type ButtonName = (typeof BUTTONS)[number];

/** Shown to people in an interview; the others lead into one. */
export const INSIDE: readonly ButtonName[] = [
  'human:no',
  'speak:',
  'forget:no',
  'mydata:yes',
  'human:yes',
  'human:back',
  'forget:yes',
];

/**
 * What the person is told: names of texts, and in parentheses the notice that a press shows. Then the tables that
 * have other rows.
 */
type Outcome = readonly [told: string, changed: string];
export type Row = readonly [button: ButtonName, ...Outcome];

/** What the bot asks, and its buttons after each event, in the order in which they are pressed. */
export type ButtonTable = Readonly<
  Record<string, { readonly ask: Ask; readonly rows: Partial<Record<EventName, readonly Row[]>> }>
>;

/** Links and what a person writes: how it comes to them, how they open it, and the rows. */
export type LinkTable = Readonly<
  Record<
    string,
    {
      readonly ask: Ask;
      readonly open: (chat: Chat) => Promise<unknown>;
      readonly rows: Partial<Record<EventName, Outcome>>;
    }
  >
>;

/** The application for the tests of a file. Nothing changes in it but by what they do. */
export function withQuietBot(): () => TestApp {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ ...BOT, env: { TELEGRAM_BOT_NAME: 'bread_bot' } });
    await app.stopSweeps();
  });
  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });
  return () => app;
}

type Ask = (app: TestApp) => Promise<Chat>;

/** Lets the event happen, and opens a link or writes something then. */
export async function openLate(
  app: TestApp,
  { ask, open }: LinkTable[string],
  event: EventName,
): Promise<Outcome> {
  const chat = await ask(app);
  await happen(app, event, chat);
  return observe(app, chat, () => open(chat));
}

/** Asks a question, lets the event happen, and presses the buttons: each of them late. */
export async function pressLate(
  app: TestApp,
  ask: Ask,
  event: EventName,
  buttons: readonly ButtonName[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let asked: { chat: Chat; shown: ReturnType<typeof shownTo> } | null = null;
  for (const button of buttons) {
    if (asked === null) {
      const chat = await ask(app);
      asked = { chat, shown: shownTo(chat.person) };
      await happen(app, event, chat);
    }
    const { chat, shown } = asked;
    const { data, messageId } = shown.get(button) ?? { data: '', messageId: 0 };
    if (data === '') throw new Error(`the button ${button} is not shown`);
    const [told, changed] = await observe(app, chat, () =>
      chat.person.does((user) => user.pressesWithData(data, messageId)),
    );
    rows.push([button, told, changed]);
    // The next button is pressed where nothing was pressed before.
    if (changed !== '') asked = null;
  }
  return rows;
}

async function happen(app: TestApp, event: EventName, chat: Chat): Promise<void> {
  const work: Event = EVENTS[event];
  await work(app, chat);
  await app.settle();
}

/** What the person is told during the work, and what changes. */
async function observe(
  app: TestApp,
  { person }: Chat,
  work: () => Promise<unknown>,
): Promise<Outcome> {
  const noticed = person.chat.notices.length;
  person.forgetsTheChat();
  const changed = await changedTables(app, work);
  const notices = person.chat.notices.slice(noticed).filter(({ text }) => text !== '');
  const told = [
    ...person.heard.map((text) => nameOf(text)),
    ...notices.map(({ text }) => `(${nameOf(text)})`),
  ];
  return [told.join(', '), changed.join(' ')];
}

/**
 * The buttons that a person has been shown, by what their data begins with: the newest of each, and of two under
 * one message the upper one.
 */
function shownTo({ chat }: Person): Map<ButtonName, { data: string; messageId: number }> {
  const shown = new Map<ButtonName, { data: string; messageId: number }>();
  for (const { id: messageId, message } of chat.messages) {
    for (const button of (message.reply_markup?.inline_keyboard ?? []).flat()) {
      const data = 'callback_data' in button ? button.callback_data : '';
      const name = BUTTONS.find((start) => data.startsWith(start));
      if (name === undefined) throw new Error(`BUTTONS does not list ${data}`);
      if (shown.get(name)?.messageId !== messageId) shown.set(name, { data, messageId });
    }
  }
  return shown;
}

/** Texts that are made of parts: what begins like this. */
const MADE: Readonly<Record<string, string>> = {
  vacancyClosed: EN.vacancyClosed('').slice(0, 30),
  joinQuestion: EN.joinQuestion({ invitedTo: '', titles: [] }).slice(0, 30),
  afterWithdrawal: 'This interview has ended, because you withdrew.',
  goingOn: ENGLISH.goingOn,
  waysIn: EN.waysIn.script,
  greeting: 'Hello and welcome.',
  question: 'What did you bake last?',
  fromPerson: ENGLISH.fromPerson,
};

/** What a text is called where it stands; the text itself if it is not known. */
function nameOf(text: string): string {
  if (text.includes(EN.openElsewhere)) return 'openElsewhere';
  if (text.includes(EN.howToAnswer)) return 'disclosure';
  const known = [EN, ENGLISH, RU].flatMap((texts) => Object.entries(texts));
  const equal = known.find(([, value]) => value === text)?.[0];
  const made = Object.entries(MADE).find(([, start]) => text.startsWith(start))?.[0];
  return equal ?? made ?? text;
}
