import { type TestApp, startTestApp } from '../../support/app';
import { ACTIONS, LatePage, STATES, type State } from './late-page';

/**
 * What each button of the page does in each state that the interview may have reached since the page was drawn.
 *
 * A row: what the browser is told (the status, or the code of the problem), the states in which it is told so, and
 * the tables that have other rows then. What holds: what has ended does not go on, what was withdrawn or declined
 * stores nothing more of its candidate, and nobody begins what is closed. The data and the session are the
 * candidate's in every state.
 */
type Row = readonly [told: string, states: string, changed: string];

const UNBEGUN = 'new newClosed newLinkEnded newAsked';
const BEGUN = 'active answering activeClosed completed silent asked withPerson';
const LEFT = 'declined withdrawn askedWithdrawn';
const EVERY = `${UNBEGUN} ${BEGUN} ${LEFT}`;
const IDLE = EVERY.replace(' answering', '');

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'POST /api/v1/conversation/consent yes': [
    ['200', 'new newLinkEnded declined', 'conversation'],
    ['vacancy_closed', 'newClosed', ''],
    ['200', `newAsked ${BEGUN} withdrawn askedWithdrawn`, ''],
  ],
  'POST /api/v1/conversation/consent no': [
    ['200', 'new newClosed newLinkEnded declined', 'conversation'],
    ['200', 'newAsked withdrawn askedWithdrawn', ''],
    ['consent_given', BEGUN, ''],
  ],
  'POST /api/v1/conversation/profile': [
    ['200', `${UNBEGUN} ${BEGUN}`, 'candidate'],
    ['conversation_closed', LEFT, ''],
  ],
  'POST /api/v1/conversation/messages': [
    ['consent_required', UNBEGUN, ''],
    ['conversation_closed', LEFT, ''],
    ['202', BEGUN, 'conversation job message'],
  ],
  'POST /api/v1/conversation/messages/{id}/correction': [
    ['consent_required', UNBEGUN, ''],
    ['conversation_closed', LEFT, ''],
    ['message_unknown', BEGUN, ''],
  ],
  'POST /api/v1/conversation/voice': [
    ['consent_required', UNBEGUN, ''],
    ['conversation_closed', LEFT, ''],
    ['202', BEGUN, 'attention conversation job message voice'],
  ],
  'POST /api/v1/conversation/files': [
    ['consent_required', UNBEGUN, ''],
    ['conversation_closed', LEFT, ''],
    ['202', BEGUN, 'conversation file job message'],
  ],
  'POST /api/v1/conversation/activity': [
    ['204', IDLE, ''],
    ['204', 'answering', 'job'],
  ],
  'POST /api/v1/conversation/done': [
    ['202', IDLE, ''],
    ['202', 'answering', 'job'],
  ],
  'POST /api/v1/conversation/stop': [['202', EVERY, '']],
  'POST /api/v1/conversation/continue': [['202', EVERY, '']],
  'POST /api/v1/conversation/human': [
    [
      '202',
      'new newClosed newLinkEnded declined active answering activeClosed completed silent',
      'attention conversation message',
    ],
    ['202', 'newAsked asked withPerson withdrawn askedWithdrawn', ''],
  ],
  'POST /api/v1/conversation/resume': [
    [
      '202',
      'new newClosed newLinkEnded declined active answering activeClosed completed silent withdrawn askedWithdrawn',
      '',
    ],
    ['202', 'newAsked', 'attention conversation'],
    ['202', 'asked', 'attention conversation job message'],
    ['conversation_with_person', 'withPerson', ''],
  ],
  'POST /api/v1/conversation/continuation': [['201', EVERY, 'continuation']],
  'POST /api/v1/conversation/withdraw': [
    [
      '202',
      'new newClosed newLinkEnded newAsked declined active activeClosed completed silent asked withPerson',
      'conversation message',
    ],
    ['202', 'answering', 'conversation job message'],
    ['202', 'withdrawn askedWithdrawn', ''],
  ],
  'POST /api/v1/conversation/forget': [
    [
      '204',
      'new newClosed newLinkEnded declined',
      'audit_event candidate conversation erasure invitation web_session',
    ],
    [
      '204',
      'newAsked',
      'attention audit_event candidate conversation erasure invitation message web_session',
    ],
    [
      '204',
      'active answering activeClosed silent withdrawn',
      'audit_event candidate conversation erasure invitation job message web_session',
    ],
    [
      '204',
      'completed',
      'audit_event candidate conversation delivery erasure invitation job message message_label turn web_session',
    ],
    [
      '204',
      'asked withPerson askedWithdrawn',
      'attention audit_event candidate conversation erasure invitation job message web_session',
    ],
  ],
  'DELETE /api/v1/sessions/current': [['204', EVERY, 'web_session']],
  'POST /api/chat': [
    ['consent_required', UNBEGUN, ''],
    ['conversation_closed', LEFT, ''],
    ['200', BEGUN, 'conversation job message'],
  ],
  'POST /api/chat/{id}/stop': [['202', EVERY, '']],
};

/** Fourteen interviews, each brought to its state. */
const ALL_STATES_MS = 300_000;

describe('a page that was opened some time ago', () => {
  let page: LatePage;
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(LatePage.options);
    await app.stopSweeps();
    page = new LatePage(app);
  });

  afterAll(() => app.close());

  test.each(Object.entries(TABLE))(
    'sends %s',
    async (action, rows) => {
      const seen: Partial<Record<State, readonly [string, string]>> = {};
      for (const state of STATES) seen[state] = await page.press(state, action);

      const expected = rows.flatMap(([told, states, changed]) =>
        states.split(' ').map((state) => [state, [told, changed]] as const),
      );
      expect(seen).toEqual(Object.fromEntries(expected));
    },
    ALL_STATES_MS,
  );

  test('has a row for each button that writes', () => {
    expect(Object.keys(TABLE).sort()).toEqual(Object.keys(ACTIONS).sort());
  });
});
