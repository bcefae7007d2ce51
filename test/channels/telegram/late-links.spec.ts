import { PinHasher, shownPin, withInvitationSecrets } from '../../../src/vacancies';
import type { TestApp } from '../../support/app';
import {
  type Chat,
  agreed,
  begunOnWeb,
  foundAndBegun,
  foundVacancy,
  interviewOf,
  invited,
  issue,
  newVacancy,
  opened,
} from './late-events';
import { type LinkTable, openLate, withQuietBot } from './late-presses';
import { newPerson } from './telegram-person';

/* Tables that change together. */
const BEGUN_ANEW =
  'account account_conversation candidate conversation open_link_use telegram_account';
const OPENED = 'account account_conversation conversation invitation telegram_account';

const byToken = ({ person, token }: Chat): Promise<void> => person.starts(token);
const byOpenLink = ({ person, vacancy }: Chat): Promise<void> => person.starts(vacancy.openToken);
const byContinuation = ({ person, continuation }: Chat): Promise<void> =>
  person.starts(continuation);

/**
 * Links to the bot, a PIN and a user name, opened or sent after something has happened. What holds: what has ended
 * leads nowhere; who is in the interview already is shown where it stands.
 */
const TABLE: LinkTable = {
  'the link of an invitation': {
    ask: invited,
    open: byToken,
    rows: {
      nothing: ['disclosure', OPENED],
      'the invitation has expired': ['linkExpired', 'telegram_account'],
      'the invitation was revoked': ['linkExpired', 'telegram_account'],
      'the invitation was issued again': ['linkExpired', 'telegram_account'],
      'another account has taken it': ['linkExpired', 'telegram_account'],
      'the vacancy was closed': ['vacancyClosed', 'invitation telegram_account'],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
    },
  },
  'the PIN of an invitation': {
    ask: withPin,
    open: ({ person, pin = '' }) => person.writes(pin),
    rows: {
      nothing: ['disclosure', OPENED],
      'the invitation has expired': ['pinWrong', 'pin_budget pin_failure telegram_account'],
      'the invitation was revoked': ['pinWrong', 'pin_budget pin_failure telegram_account'],
      'the invitation was issued again': ['pinWrong', 'pin_budget pin_failure telegram_account'],
      'another account has taken it': ['pinWrong', 'pin_budget pin_failure telegram_account'],
      'the vacancy was closed': ['vacancyClosed', 'invitation telegram_account'],
      'the person was erased': ['pinWrong', 'pin_budget pin_failure telegram_account'],
    },
  },
  'an invited user name': {
    ask: named,
    open: ({ person }) => person.starts(),
    rows: {
      nothing: ['disclosure', OPENED],
      'the invitation has expired': ['waysIn', 'telegram_account'],
      'the invitation was revoked': ['waysIn', 'telegram_account'],
      'the invitation was issued again': ['disclosure', OPENED],
      'another account has taken it': ['waysIn', 'telegram_account'],
      'the vacancy was closed': ['vacancyClosed', 'invitation telegram_account'],
      'the person was erased': ['waysIn', 'telegram_account'],
    },
  },
  'the link of an invitation that was opened here': {
    ask: opened,
    open: byToken,
    rows: {
      nothing: ['disclosure', 'conversation'],
      'the invitation has expired': ['disclosure', ''],
      'the invitation was revoked': ['linkExpired', ''],
      'the invitation was issued again': ['linkExpired', ''],
      'another account has taken it': ['linkExpired', ''],
      'the vacancy was closed': ['vacancyClosed', ''],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
      'a browser has agreed': ['openElsewhere', 'conversation'],
      'the candidate has declined': ['disclosure', 'conversation'],
      'the candidate has withdrawn': ['closed', 'conversation'],
      'the candidate has asked for a person': ['humanAlready', 'conversation'],
    },
  },
  'the link of an invitation, agreed to here': {
    ask: agreed,
    open: byToken,
    rows: {
      nothing: ['welcomeBack, question', 'account_conversation conversation'],
      'the invitation has expired': ['welcomeBack, question', ''],
      'the invitation was revoked': ['linkExpired', ''],
      'the invitation was issued again': ['linkExpired', ''],
      'another account has taken it': ['linkExpired', ''],
      'the vacancy was closed': ['welcomeBack, question', 'account_conversation conversation'],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
      'the interview was completed': ['completed', 'account_conversation conversation'],
      'the candidate has withdrawn': ['afterWithdrawal', 'account_conversation conversation'],
      'the interview has ended by silence': ['expired', 'account_conversation conversation'],
      'the candidate has asked for a person': ['humanAlready', 'account_conversation conversation'],
      'a person has written': ['humanAlready', 'account_conversation conversation'],
      'the interview has moved to another account': [
        'welcomeBack, question',
        'account_conversation conversation telegram_account',
      ],
    },
  },
  'the open link of a vacancy': {
    ask: foundVacancy,
    open: byOpenLink,
    rows: {
      nothing: ['disclosure', 'conversation'],
      'the vacancy was closed': ['vacancyClosed', ''],
      'the person was erased': ['disclosure', BEGUN_ANEW],
      'the candidate has declined': ['disclosure', 'conversation'],
    },
  },
  'the open link of a vacancy, agreed to here': {
    ask: foundAndBegun,
    open: byOpenLink,
    rows: {
      nothing: ['welcomeBack, question', 'account_conversation conversation'],
      'the vacancy was closed': ['welcomeBack, question', 'account_conversation conversation'],
      'the person was erased': ['disclosure', BEGUN_ANEW],
      'the interview was completed': ['completed', 'account_conversation conversation'],
      'the candidate has withdrawn': ['afterWithdrawal', 'account_conversation conversation'],
      'the interview has ended by silence': ['expired', 'account_conversation conversation'],
      'the candidate has asked for a person': ['humanAlready', 'account_conversation conversation'],
      'a person has written': ['humanAlready', 'account_conversation conversation'],
    },
  },
  'a link that continues an interview': {
    ask: begunOnWeb,
    open: byContinuation,
    rows: {
      nothing: ['openElsewhere', 'telegram_account'],
      'the invitation has expired': ['openElsewhere', 'telegram_account'],
      'the invitation was revoked': ['linkOver', 'telegram_account'],
      'the invitation was issued again': ['linkOver', 'telegram_account'],
      'another account has used the link': ['linkOver', 'telegram_account'],
      'the vacancy was closed': ['openElsewhere', 'telegram_account'],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
      'the candidate has withdrawn': ['openElsewhere', 'telegram_account'],
      'the interview has ended by silence': ['openElsewhere', 'telegram_account'],
      'a person has written': ['openElsewhere', 'telegram_account'],
      'the link has expired': ['linkOver', 'telegram_account'],
    },
  },
  'the way back to an interview': {
    ask: async (of) => inAnother(of, await agreed(of)),
    open: byContinuation,
    rows: {
      nothing: ['welcomeBack, question', 'account_conversation telegram_account'],
      'the invitation has expired': [
        'welcomeBack, question',
        'account_conversation telegram_account',
      ],
      'the invitation was revoked': ['linkUnknown', ''],
      'the invitation was issued again': ['linkUnknown', ''],
      'another account has taken it': ['linkUnknown', ''],
      'the vacancy was closed': ['welcomeBack, question', 'account_conversation telegram_account'],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
      'the candidate has withdrawn': ['afterWithdrawal', 'account_conversation telegram_account'],
      'the interview has ended by silence': ['expired', 'account_conversation telegram_account'],
      'a person has written': ['humanAlready', 'account_conversation telegram_account'],
    },
  },
  'the way back to an interview before consent': {
    ask: async (of) => inAnother(of, await opened(of)),
    open: byContinuation,
    rows: {
      nothing: ['disclosure', 'telegram_account'],
      'the invitation has expired': ['disclosure', 'telegram_account'],
      'the invitation was revoked': ['linkUnknown', ''],
      'the invitation was issued again': ['linkUnknown', ''],
      'another account has taken it': ['linkUnknown', ''],
      'the vacancy was closed': ['vacancyClosed', ''],
      'the person was erased': ['linkUnknown, waysIn', 'telegram_account'],
    },
  },
};

const app = withQuietBot();

async function withPin(of: TestApp): Promise<Chat> {
  const vacancy = await newVacancy(of);
  return withInvitationSecrets(of.get(PinHasher), async (secrets) => ({
    person: newPerson(of),
    vacancy,
    pin: shownPin(secrets.pin),
    ...(await issue(of, vacancy, undefined, { secrets })),
  }));
}

async function named(of: TestApp): Promise<Chat> {
  const vacancy = await newVacancy(of);
  const telegramUsername = `ada_${vacancy.title.slice(0, 12)}`;
  const issued = await issue(of, vacancy, undefined, { known: { telegramUsername } });
  return { person: newPerson(of, { username: telegramUsername }), vacancy, ...issued };
}

/** In another interview by now; a message about the first one has the address that leads back. */
async function inAnother(of: TestApp, chat: Chat): Promise<Chat> {
  const continuation = await interviewOf(of, chat);
  await chat.person.starts((await newVacancy(of)).openToken);
  await chat.person.agrees();
  return { ...chat, continuation };
}

describe.each(Object.entries(TABLE))('%s', (_, link) => {
  test.each(Object.entries(link.rows))('used after this: %s', async (event, expected) => {
    expect(await openLate(app(), link, event as keyof typeof link.rows)).toEqual(expected);
  });
});
