import { BUTTONS } from '../../../src/channels/telegram/texts/texts';
import {
  type Chat,
  begunOnWeb,
  foundAndBegun,
  foundVacancy,
  invited,
  newVacancy,
  opened,
} from './late-events';
import { type ButtonTable, INSIDE, pressLate, withQuietBot } from './late-presses';
import type { TestApp } from '../../support/app';

/* Tables that change together. */
const AGREED =
  'account_conversation candidate conversation delivery delivery_attempt job message telegram_account';
const CLAIMED = 'account account_conversation conversation telegram_account';
const CLAIMED_BY_LINK = 'account account_conversation continuation conversation telegram_account';
const BEGUN_ANEW =
  'account account_conversation candidate conversation open_link_use telegram_account';

/**
 * What holds: whoever has opened an invitation before its end may still agree. Nobody else enters by it then, and
 * nothing is joined to it. What was revoked or issued again leads nowhere, and a press by whoever had it changes
 * nothing of the interview.
 */
const TABLE: ButtonTable = {
  'the disclosure': {
    ask: opened,
    rows: {
      nothing: [
        ['decline:', 'declined', 'conversation'],
        ['agree:', 'greeting, question, (agreed)', AGREED],
      ],
      'the invitation has expired': [
        ['decline:', 'declined', 'conversation'],
        ['agree:', 'greeting, question, (agreed)', AGREED],
      ],
      'the invitation was revoked': [
        ['decline:', 'linkExpired, (pressOutdated)', ''],
        ['agree:', 'linkExpired, (pressOutdated)', ''],
      ],
      'the invitation was issued again': [
        ['decline:', 'linkExpired, (pressOutdated)', ''],
        ['agree:', 'linkExpired, (pressOutdated)', ''],
      ],
      'another account has taken it': [
        ['decline:', '(pressOutdated)', ''],
        ['agree:', '(pressOutdated)', ''],
      ],
      'the vacancy was closed': [
        ['decline:', 'declined', 'conversation'],
        ['agree:', 'vacancyClosed', ''],
      ],
      'the person was erased': [
        ['decline:', '(pressOutdated)', 'telegram_account'],
        ['agree:', '(pressOutdated)', 'telegram_account'],
      ],
      'the candidate has declined': [
        ['decline:', '', ''],
        ['agree:', 'greeting, question, (agreed)', AGREED],
      ],
      'the candidate has agreed': [
        ['decline:', 'consentGiven, welcomeBack, question', ''],
        ['agree:', '', ''],
      ],
      'the candidate has withdrawn': [
        ['decline:', 'closed', ''],
        ['agree:', 'closed', ''],
      ],
      'the candidate has asked for a person': [
        ['decline:', 'humanAlready', ''],
        ['agree:', 'humanAlready', ''],
      ],
      'a browser has agreed': [
        ['decline:', 'openElsewhere', ''],
        ['agree:', 'openElsewhere', ''],
      ],
    },
  },
  'the question whether the interview of an invitation is theirs': {
    ask: askedByInvitation,
    rows: {
      nothing: [
        ['notmine:', 'notMine', 'invitation'],
        ['mine:', 'welcomeBack, question, (agreed)', CLAIMED],
      ],
      'the invitation has expired': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the invitation was revoked': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the invitation was issued again': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'another account has taken it': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the vacancy was closed': [
        ['notmine:', 'notMine', 'invitation'],
        ['mine:', 'welcomeBack, question, (agreed)', CLAIMED],
      ],
      'the person was erased': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the candidate has withdrawn': [
        ['notmine:', 'notMine', 'invitation'],
        ['mine:', 'afterWithdrawal, (agreed)', CLAIMED],
      ],
      'the interview has ended by silence': [
        ['notmine:', 'notMine', 'invitation'],
        ['mine:', 'expired, (agreed)', CLAIMED],
      ],
    },
  },
  'the question whether the interview of a link from the web is theirs': {
    ask: askedByContinuation,
    rows: {
      nothing: [
        ['notmine:', 'notMine', ''],
        ['mine:', 'welcomeBack, question, (agreed)', CLAIMED_BY_LINK],
      ],
      'the invitation has expired': [
        ['notmine:', 'notMine', ''],
        ['mine:', 'welcomeBack, question, (agreed)', CLAIMED_BY_LINK],
      ],
      'the invitation was revoked': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the invitation was issued again': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'another account has taken it': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the vacancy was closed': [
        ['notmine:', 'notMine', ''],
        ['mine:', 'welcomeBack, question, (agreed)', CLAIMED_BY_LINK],
      ],
      'the person was erased': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'another account has used the link': [
        ['notmine:', '(pressOutdated)', ''],
        ['mine:', '(pressOutdated)', ''],
      ],
      'the candidate has withdrawn': [
        ['notmine:', 'notMine', ''],
        ['mine:', 'afterWithdrawal, (agreed)', CLAIMED_BY_LINK],
      ],
    },
  },
  'the question whether an earlier interview is joined to an invitation': {
    ask: askedToJoin,
    rows: {
      nothing: [
        ['join:no:', 'disclosure', 'account_conversation conversation invitation telegram_account'],
        [
          'join:yes:',
          'disclosure',
          'account_conversation candidate conversation invitation telegram_account',
        ],
      ],
      'the invitation has expired': [
        ['join:no:', '(pressOutdated)', ''],
        ['join:yes:', '(pressOutdated)', ''],
      ],
      'the invitation was revoked': [
        ['join:no:', '(pressOutdated)', ''],
        ['join:yes:', '(pressOutdated)', ''],
      ],
      'the invitation was issued again': [
        ['join:no:', '(pressOutdated)', ''],
        ['join:yes:', '(pressOutdated)', ''],
      ],
      'another account has taken it': [
        ['join:no:', '(pressOutdated)', ''],
        ['join:yes:', '(pressOutdated)', ''],
      ],
      'the vacancy was closed': [
        ['join:no:', 'vacancyClosed', ''],
        ['join:yes:', 'vacancyClosed', ''],
      ],
      'the person was erased': [
        ['join:no:', '(pressOutdated)', ''],
        ['join:yes:', '(pressOutdated)', ''],
      ],
    },
  },
  'the vacancies that were found, not agreed': {
    ask: foundVacancy,
    rows: {
      nothing: [['vacancy:', 'disclosure', 'conversation']],
      'the vacancy was closed': [['vacancy:', 'vacancyClosed', '']],
      'the person was erased': [['vacancy:', 'disclosure', BEGUN_ANEW]],
      'the candidate has declined': [['vacancy:', 'disclosure', 'conversation']],
      'the candidate has withdrawn': [['vacancy:', 'closed', 'conversation']],
    },
  },
  'the vacancies that were found, agreed': {
    ask: foundAndBegun,
    rows: {
      nothing: [['vacancy:', 'welcomeBack, question', 'account_conversation conversation']],
      'the vacancy was closed': [
        ['vacancy:', 'welcomeBack, question', 'account_conversation conversation'],
      ],
      'the person was erased': [['vacancy:', 'disclosure', BEGUN_ANEW]],
      'the interview was completed': [
        ['vacancy:', 'completed', 'account_conversation conversation'],
      ],
      'the candidate has withdrawn': [
        ['vacancy:', 'afterWithdrawal', 'account_conversation conversation'],
      ],
      'the interview has ended by silence': [
        ['vacancy:', 'expired', 'account_conversation conversation'],
      ],
      'a person has written': [['vacancy:', 'humanAlready', 'account_conversation conversation']],
    },
  },
  'the ways into an interview': {
    ask: ways,
    rows: {
      nothing: [
        ['way:pin', 'askPin', 'conversation telegram_account'],
        ['way:search', 'askVacancy', 'telegram_account'],
      ],
      'the invitation was revoked': [
        ['way:pin', 'askPin', 'telegram_account'],
        ['way:search', 'askVacancy', 'telegram_account'],
      ],
      'the candidate has agreed': [
        ['way:pin', 'askPin', 'conversation telegram_account'],
        ['way:search', 'askVacancy', 'telegram_account'],
      ],
      'the candidate has withdrawn': [
        ['way:pin', 'askPin', 'conversation telegram_account'],
        ['way:search', 'askVacancy', 'telegram_account'],
      ],
      'the person was erased': [
        ['way:pin', 'askPin', 'telegram_account'],
        ['way:search', 'askVacancy', 'telegram_account'],
      ],
    },
  },
};

const app = withQuietBot();

async function askedByInvitation(of: TestApp): Promise<Chat> {
  const chat = await begunOnWeb(of);
  await chat.person.starts(chat.token);
  return chat;
}

async function askedByContinuation(of: TestApp): Promise<Chat> {
  const chat = await begunOnWeb(of);
  await chat.person.starts(chat.continuation);
  return chat;
}

/** They have begun the interview of another vacancy by its open link. */
async function askedToJoin(of: TestApp): Promise<Chat> {
  const chat = await invited(of);
  await chat.person.starts((await newVacancy(of)).openToken);
  await chat.person.agrees();
  await chat.person.starts(chat.token);
  return chat;
}

/** Shown before they open their invitation. */
async function ways(of: TestApp): Promise<Chat> {
  const chat = await invited(of);
  await chat.person.starts();
  await chat.person.starts(chat.token);
  return chat;
}

describe.each(Object.entries(TABLE))('a button below %s', (_, { ask, rows }) => {
  test.each(Object.entries(rows))('pressed after this: %s', async (event, expected) => {
    const buttons = expected.map(([button]) => button);
    expect(await pressLate(app(), ask, event as keyof typeof rows, buttons)).toEqual(expected);
  });
});

test('every button that leads into an interview has its rows', () => {
  const leading = BUTTONS.filter((button) => !INSIDE.includes(button));
  const tested = Object.values(TABLE).flatMap(({ rows }) =>
    Object.values(rows).flatMap((some) => some.map(([button]) => button)),
  );
  expect([...new Set(tested)].sort()).toEqual([...leading].sort());
});
