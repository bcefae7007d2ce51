import { type Chat, agreed, opened } from './late-events';
import { type ButtonTable, INSIDE, pressLate, withQuietBot } from './late-presses';

/* Tables that change together. */
const ASKED = 'attention conversation delivery delivery_attempt job message';
const ASKED_UNKNOWN = 'attention candidate conversation delivery delivery_attempt job message';
const ERASED =
  'account account_conversation audit_event candidate conversation delivery delivery_attempt erasure invitation job message telegram_account';
const ERASED_ASKED =
  'account account_conversation attention audit_event candidate conversation delivery delivery_attempt erasure invitation job message telegram_account';
const ERASED_UNBEGUN =
  'account account_conversation audit_event candidate conversation erasure invitation telegram_account';
const LEFT = 'account account_conversation invitation telegram_account';

/**
 * What holds: what was revoked or issued again is closed to whoever had it, and so is an interview that has moved to
 * another account. One that has ended does not go on by a late press. What is erased is gone.
 */
const TABLE: ButtonTable = {
  'an interview that has begun': {
    ask: async (of) => showsAll(await agreed(of)),
    rows: {
      nothing: [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOver', ASKED],
        ['forget:yes', 'forgotten', ERASED],
      ],
      'the invitation has expired': [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOver', ASKED],
        ['forget:yes', 'forgotten', ERASED],
      ],
      'the invitation was revoked': [
        ['human:no', 'linkExpired', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', 'linkExpired', ''],
        ['forget:yes', 'forgottenHere', LEFT],
      ],
      'the invitation was issued again': [
        ['human:no', 'linkExpired', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', 'linkExpired', ''],
        ['forget:yes', 'forgottenHere', LEFT],
      ],
      'another account has taken it': [
        ['human:no', '(pressOutdated)', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', '(pressOutdated)', ''],
        ['forget:yes', 'forgottenHere', LEFT],
      ],
      'the vacancy was closed': [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOver', ASKED],
        ['forget:yes', 'forgotten', ERASED],
      ],
      'the person was erased': [
        ['human:no', '(pressOutdated)', 'telegram_account'],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', 'telegram_account'],
        ['mydata:yes', '(pressOutdated)', 'telegram_account'],
        ['human:yes', '(pressOutdated)', 'telegram_account'],
        ['forget:yes', 'forgotten', ''],
      ],
      'the interview has moved to another account': [
        ['human:no', '(pressOutdated)', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', '(pressOutdated)', ''],
        [
          'forget:yes',
          'forgotten',
          'account account_conversation audit_event candidate continuation conversation delivery delivery_attempt erasure invitation job message telegram_account web_session',
        ],
      ],
      'the interview was completed': [
        ['human:no', 'completed', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOver', ASKED],
        [
          'forget:yes',
          'forgotten',
          'account account_conversation audit_event candidate conversation delivery delivery_attempt erasure invitation job message message_label telegram_account turn',
        ],
      ],
      'the candidate has withdrawn': [
        ['human:no', 'afterWithdrawal', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'afterWithdrawal', ''],
        ['forget:yes', 'forgotten', ERASED],
      ],
      'the interview has ended by silence': [
        ['human:no', 'expired', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOver', ASKED],
        ['forget:yes', 'forgotten', ERASED],
      ],
      'a person has written': [
        ['human:no', 'humanAlready', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'humanAlready', ''],
        ['forget:yes', 'forgotten', ERASED_ASKED],
      ],
      'the candidate has asked for a person': [
        ['human:no', 'humanAlready', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'humanAlready', ''],
        ['forget:yes', 'forgotten', ERASED_ASKED],
      ],
    },
  },
  'an interview before consent': {
    ask: async (of) => showsAll(await opened(of)),
    rows: {
      nothing: [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOverWithoutConsent', ASKED_UNKNOWN],
        ['forget:yes', 'forgotten', ERASED_UNBEGUN],
      ],
      'the invitation has expired': [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOverWithoutConsent', ASKED_UNKNOWN],
        ['forget:yes', 'forgotten', ERASED_UNBEGUN],
      ],
      'the invitation was revoked': [
        ['human:no', 'linkExpired', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', 'linkExpired', ''],
        ['forget:yes', 'forgotten', LEFT],
      ],
      'the invitation was issued again': [
        ['human:no', 'linkExpired', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', 'linkExpired', ''],
        ['forget:yes', 'forgotten', LEFT],
      ],
      'another account has taken it': [
        ['human:no', '(pressOutdated)', ''],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', '(pressOutdated)', ''],
        ['human:yes', '(pressOutdated)', ''],
        ['forget:yes', 'forgotten', LEFT],
      ],
      'the vacancy was closed': [
        ['human:no', 'humanNotAsked', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOverWithoutConsent', ASKED_UNKNOWN],
        ['forget:yes', 'forgotten', ERASED_UNBEGUN],
      ],
      'the person was erased': [
        ['human:no', '(pressOutdated)', 'telegram_account'],
        ['speak:', 'languageChosen', 'telegram_account'],
        ['forget:no', 'kept', 'telegram_account'],
        ['mydata:yes', '(pressOutdated)', 'telegram_account'],
        ['human:yes', '(pressOutdated)', 'telegram_account'],
        ['forget:yes', 'forgotten', ''],
      ],
      'the candidate has declined': [
        ['human:no', 'declinedBefore', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'handedOverWithoutConsent', ASKED_UNKNOWN],
        ['forget:yes', 'forgotten', ERASED_UNBEGUN],
      ],
      'the candidate has withdrawn': [
        ['human:no', 'closed', ''],
        ['speak:', 'languageChosen', 'conversation telegram_account'],
        ['forget:no', 'kept', ''],
        ['mydata:yes', 'myDataCaption', ''],
        ['human:yes', 'closed', ''],
        ['forget:yes', 'forgotten', ERASED],
      ],
    },
  },
  'an interview that waits for a person': {
    ask: async (of) => asked(await agreed(of)),
    rows: {
      nothing: [['human:back', 'goingOn', ASKED]],
      'the invitation has expired': [['human:back', 'goingOn', ASKED]],
      'the invitation was revoked': [['human:back', 'linkExpired', '']],
      'the invitation was issued again': [['human:back', 'linkExpired', '']],
      'another account has taken it': [['human:back', '(pressOutdated)', '']],
      'the vacancy was closed': [['human:back', 'goingOn', ASKED]],
      'the person was erased': [['human:back', '(pressOutdated)', 'telegram_account']],
      'a person has written': [['human:back', 'humanAlready', '']],
      'the candidate has gone on': [['human:back', '', '']],
      'the candidate has withdrawn': [['human:back', 'afterWithdrawal', '']],
      'the interview has moved to another account': [['human:back', '(pressOutdated)', '']],
    },
  },
  'an interview before consent that waits for a person': {
    ask: async (of) => asked(await opened(of)),
    rows: {
      nothing: [['human:back', 'disclosure', 'attention conversation']],
      'the invitation has expired': [['human:back', 'disclosure', 'attention conversation']],
      'the invitation was revoked': [['human:back', 'linkExpired', '']],
      'the invitation was issued again': [['human:back', 'linkExpired', '']],
      'another account has taken it': [['human:back', '(pressOutdated)', '']],
      'the vacancy was closed': [['human:back', 'vacancyClosed', 'attention conversation']],
      'the person was erased': [['human:back', '(pressOutdated)', 'telegram_account']],
    },
  },
};

const app = withQuietBot();

async function showsAll(chat: Chat): Promise<Chat> {
  for (const command of ['/human', '/mydata', '/forget', '/language']) {
    await chat.person.writes(command);
  }
  return chat;
}

async function asked(chat: Chat): Promise<Chat> {
  await chat.person.asksForPerson();
  return chat;
}

describe.each(Object.entries(TABLE))('a button in %s', (_, { ask, rows }) => {
  test.each(Object.entries(rows))('pressed after this: %s', async (event, expected) => {
    const buttons = expected.map(([button]) => button);
    expect(await pressLate(app(), ask, event as keyof typeof rows, buttons)).toEqual(expected);
  });
});

test('every button of an interview has its rows', () => {
  const tested = Object.values(TABLE).flatMap(({ rows }) =>
    Object.values(rows).flatMap((some) => some.map(([button]) => button)),
  );
  expect([...new Set(tested)].sort()).toEqual([...INSIDE].sort());
});
