import { textsOf } from '../../../src/interview/texts/texts';
import type { PersonalDataExport } from '../../../src/privacy';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

const HOUR_MS = 3_600_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock: 'fake' });
});

afterAll(() => app.close());

/** A candidate who has agreed in a browser that names this time zone. */
async function begunIn(timeZone: string | undefined): Promise<TestCandidate> {
  const candidate = await TestCandidate.arrive(app);
  const { disclosure } = await candidate.view();
  const consent = { version: disclosure.version, accepted: true, timeZone };
  expect((await candidate.post('consent', consent)).status).toBe(200);
  await candidate.post('profile', { name: 'Ada', contact: 'ada@example.org' });
  return candidate;
}

async function exported(candidate: TestCandidate): Promise<PersonalDataExport> {
  const response = await candidate.get('/api/v1/conversation/mydata');
  return (await response.json()) as PersonalDataExport;
}

test.each([
  ['of the browser is stored and exported', 'America/St_Johns', 'America/St_Johns'],
  ['that this server does not know is left out, and the consent is taken', 'Mars/Base', null],
  ['is not necessary', undefined, null],
])('a time zone %s', async (_, sent, stored) => {
  const candidate = await begunIn(sent);

  expect((await candidate.view()).status).toBe('active');
  expect((await exported(candidate)).conversations).toMatchObject([{ timeZone: stored }]);
});

test('the page shows the reminders, and that the interview has expired; a message gets a reply', async () => {
  const candidate = await begunIn('Europe/Dublin');
  const { reminder, endedBySilence } = textsOf('en');

  for (let hours = 0; hours < 9 * 24; hours += 3) await app.pass(3 * HOUR_MS);

  const { status, messages } = await candidate.view();
  const notes = messages.filter(({ role }) => role === 'system').map(({ text }) => text);
  expect(status).toBe('expired');
  expect(notes).toEqual([
    expect.stringContaining(reminder),
    expect.stringContaining('This is the last reminder'),
  ]);
  expect((await candidate.send('late', 'Sorry, I was away.')).status).toBe(202);
  await app.pass(15_000);
  const view = await candidate.view();
  expect(view.messages.at(-1)?.text).toBe(endedBySilence);
  expect(view.status).toBe('expired');
});
