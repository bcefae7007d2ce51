import { type TestApp, startTestApp } from '../../support/app';
import {
  type EventName,
  type Link,
  type Outcome,
  begun,
  continuationOf,
  disclosureOf,
  openLate,
} from './late-links';
import { LatePage, type OpenPage } from './late-page';

type Rows = Partial<Record<EventName, Outcome>>;

/**
 * Links that a browser opens after something has happened, and the button "This is mine" below one. A row: the state
 * that the page shows, what the session is told, and the tables that have other rows then. What holds: a link that
 * has ended opens nothing in a browser that has no session of its interview, also by a button that was shown before.
 */
const TABLE: Readonly<Record<string, { make: () => Promise<Link>; rows: Rows }>> = {
  'an invitation that nobody has opened': {
    make: () => page.invited(),
    rows: {
      nothing: ['open', '201', 'conversation invitation web_session'],
      'the invitation has expired': ['expired', 'invite_expired', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['closed', 'vacancy_closed', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
    },
  },
  'an invitation that is open in another browser': {
    make: () => page.opened(),
    rows: {
      nothing: ['open', 'confirmation_needed', ''],
      'the invitation has expired': ['expired', 'invite_expired', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['closed', 'vacancy_closed', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', 'confirmation_needed', ''],
      'the interview has ended by silence': ['open', 'confirmation_needed', ''],
    },
  },
  'the button of an invitation that is open in another browser': {
    make: async () => {
      const open = await page.opened();
      return { ...open, mine: { version: open.shown.version } };
    },
    rows: {
      // The button also agrees to the interview, which its candidate is marked with.
      nothing: ['open', '201', 'candidate conversation web_session'],
      'the invitation has expired': ['expired', 'invite_expired', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['closed', 'vacancy_closed', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
    },
  },
  'the button of an invitation that has begun in another browser': {
    make: async () => {
      const open = await begun(await page.opened());
      return { ...open, mine: await disclosureOf(app, open.token) };
    },
    rows: {
      nothing: ['open', '201', 'conversation web_session'],
      'the invitation has expired': ['expired', 'invite_expired', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['open', '201', 'conversation web_session'],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', '201', 'conversation web_session'],
      'the interview has ended by silence': ['open', '201', 'conversation web_session'],
    },
  },
  'an invitation in the browser that has opened it': {
    make: async () => inBrowser(await page.opened()),
    rows: {
      nothing: ['open', '200', ''],
      'the invitation has expired': ['expired', '200', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['closed', 'vacancy_closed', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
    },
  },
  'an invitation in the browser that has begun it': {
    make: async () => inBrowser(await begun(await page.opened())),
    rows: {
      nothing: ['open', '200', ''],
      'the invitation has expired': ['expired', '200', ''],
      'the invitation was revoked': ['expired', 'invite_expired', ''],
      'the invitation was issued again': ['expired', 'invite_expired', ''],
      'the vacancy was closed': ['open', '200', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', '200', ''],
      'the interview has ended by silence': ['open', '200', ''],
    },
  },
  'a continuation': {
    make: continued,
    rows: {
      nothing: ['open', 'confirmation_needed', ''],
      'the invitation has expired': ['open', 'confirmation_needed', ''],
      'the invitation was revoked': ['expired', 'continuation_expired', ''],
      'the invitation was issued again': ['expired', 'continuation_expired', ''],
      'the vacancy was closed': ['open', 'confirmation_needed', ''],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', 'confirmation_needed', ''],
      'the interview has ended by silence': ['open', 'confirmation_needed', ''],
      'the link was used': ['used', 'continuation_used', ''],
      'the link has expired': ['expired', 'continuation_expired', ''],
    },
  },
  'the button of a continuation': {
    make: async () => {
      const link = await continued();
      return { ...link, mine: await disclosureOf(app, link.token) };
    },
    rows: {
      nothing: ['open', '201', 'continuation conversation web_session'],
      'the invitation has expired': ['open', '201', 'continuation conversation web_session'],
      'the invitation was revoked': ['expired', 'continuation_expired', ''],
      'the invitation was issued again': ['expired', 'continuation_expired', ''],
      'the vacancy was closed': ['open', '201', 'continuation conversation web_session'],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', '201', 'continuation conversation web_session'],
      'the interview has ended by silence': [
        'open',
        '201',
        'continuation conversation web_session',
      ],
      'the link was used': ['used', 'continuation_used', ''],
      'the link has expired': ['expired', 'continuation_expired', ''],
    },
  },
  'a continuation in the browser that has begun the interview': {
    make: async () => inBrowser(await continued()),
    rows: {
      nothing: ['open', '200', 'continuation conversation'],
      'the invitation has expired': ['open', '200', 'continuation conversation'],
      'the invitation was revoked': ['expired', 'continuation_expired', ''],
      'the invitation was issued again': ['expired', 'continuation_expired', ''],
      'the vacancy was closed': ['open', '200', 'continuation conversation'],
      'the person was erased': ['invite_unknown', 'invite_unknown', ''],
      'the candidate has withdrawn': ['open', '200', 'continuation conversation'],
      'the interview has ended by silence': ['open', '200', 'continuation conversation'],
      'the link was used': ['used', '200', ''],
      'the link has expired': ['expired', 'continuation_expired', ''],
    },
  },
  'the open link of a vacancy': {
    make: async () => {
      const person = await page.invited();
      return { ...person, token: person.openToken };
    },
    rows: {
      nothing: ['open', '201', 'candidate conversation open_link_use web_session'],
      'the vacancy was closed': ['closed', 'vacancy_closed', ''],
    },
  },
};

let app: TestApp;
let page: LatePage;

beforeAll(async () => {
  app = await startTestApp(LatePage.options);
  await app.stopSweeps();
  page = new LatePage(app);
});

afterAll(() => app.close());

function inBrowser<T extends OpenPage>(open: T): T & { session: string } {
  return { ...open, session: open.browser.token };
}

async function continued(): Promise<OpenPage> {
  const open = await begun(await page.opened());
  return { ...open, token: await continuationOf(app, open) };
}

describe.each(Object.entries(TABLE))('%s', (_, { make, rows }) => {
  test.each(Object.entries(rows))('opened after this: %s', async (event, expected) => {
    expect(await openLate(app, make, event as EventName)).toEqual(expected);
  });
});
