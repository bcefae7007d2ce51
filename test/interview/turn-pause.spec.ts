import { WebSessionRepository } from '../../src/candidates';
import { textsOf } from '../../src/interview/texts/texts';
import { newId } from '../../src/common/ids';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';
import { closeInterviews, pause, startInterviews, words, work } from './interviews';
import { type Interviewee, newCandidate } from './interviewee';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EN = textsOf('en');
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({
    env: { OPENAI_API_KEY: '' },
    vacancy: { plan: { ...vacancyDraft().plan, timeZone: 'Europe/Dublin' } },
  });
});
beforeEach(() => {
  // A Monday, about noon in Dublin, long after what earlier tests did.
  const next = new Date(app.clock.now().getTime() + 40 * DAY_MS);
  next.setUTCHours(11, 0, 0, 0);
  next.setUTCDate(next.getUTCDate() + ((8 - next.getUTCDay()) % 7));
  pause(app, next.getTime() - app.clock.now().getTime());
});
afterAll(() => closeInterviews(app));

async function passDays(days: number): Promise<void> {
  for (let passedMs = 0; passedMs < days * DAY_MS; passedMs += HOUR_MS) {
    pause(app, HOUR_MS);
    await work(app);
  }
}

/** When reminders were sent, in days since then. */
async function remindedAfter({ id }: Interviewee, since: Date): Promise<number[]> {
  const rows = await app.sql<{ at: Date }>(
    `select received_at as at from message
     where conversation_id = $1 and channel = 'code' and external_id like 'reminder:%' order by seq`,
    [id],
  );
  return rows.map(({ at }) => (at.getTime() - since.getTime()) / DAY_MS);
}

const NONE = { hasAnswers: false };

function pausedUntil(until: string, said: { when?: string; hasAnswers?: boolean } = {}): string {
  return EN.paused({ until, when: null, ...NONE, ...said });
}

/** That many days from now, as texts name it. */
function dayIn(days: number): string {
  const day = new Date(app.clock.now().getTime() + days * DAY_MS);
  return `${String(day.getUTCDate())} ${MONTHS[day.getUTCMonth()] ?? ''}`;
}

async function sessionOf({ id }: Interviewee): Promise<void> {
  await app.commit((tx) => app.get(WebSessionRepository).create(tx, id));
}

/** An invitation of the interview's candidate, for as many days. */
async function inviteFor({ id }: Interviewee, days: number): Promise<void> {
  await app.sql(
    `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
     select $2::uuid, vacancy_id, candidate_id, $3::text, $4::timestamptz from conversation where id = $1`,
    [id, newId(), newId(), new Date(app.clock.now().getTime() + days * DAY_MS)],
  );
}

test('a candidate who goes on tonight is told that this is fine and until which day', async () => {
  const candidate = await newCandidate(app);
  const { question } = await candidate.state();

  await candidate.answer("I'll finish tonight, ok?");

  // Reminders after 1 and 2 more days, and then 4 days of silence.
  expect(await candidate.replies()).toEqual([pausedUntil(dayIn(7), { when: 'tonight' })]);
  expect(await candidate.turns()).toMatchObject([{ verdict: 'later' }]);
  expect(await candidate.state()).toMatchObject({ status: 'active', question });
  expect(await candidate.attention()).toEqual([]);
});

test('whoever comes back after a pause answers the question that waited', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer("I'll finish tonight, ok?");

  await candidate.answer("I'm back");
  await candidate.answer(words());

  const [, again, next] = await candidate.replies();
  expect(again).toBe(`${EN.questionAgain}\n\nWhat did you bake last?`);
  expect(next).toContain('Why bread?');
});

test('the day is that of the session where it ends before the interview expires', async () => {
  const candidate = await newCandidate(app);
  await sessionOf(candidate);
  // 30 days without a request, by default; seen 27 days ago.
  await app.sql('update web_session set seen_at = $2 where conversation_id = $1', [
    candidate.id,
    new Date(app.clock.now().getTime() - 27 * DAY_MS),
  ]);

  await candidate.answer('let me continue after lunch');

  expect(await candidate.replies()).toEqual([pausedUntil(dayIn(2), { when: 'after lunch' })]);
});

test('the day is that of the invitation where it ends first', async () => {
  const candidate = await newCandidate(app);
  await sessionOf(candidate);
  await inviteFor(candidate, 5);

  await candidate.answer('Can I finish this later?');

  expect(await candidate.replies()).toEqual([pausedUntil(dayIn(4))]);
});

test('a wish to end is answered with the pause beside it, and "later" pauses instead of ending', async () => {
  const candidate = await newCandidate(app);

  await candidate.answer('Stop');
  await candidate.answer('later');

  const day = dayIn(7);
  expect(await candidate.replies()).toEqual([
    `${EN.confirmLeave(NONE)}\n\n${EN.orLater(day, NONE)}`,
    pausedUntil(day),
  ]);
  expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
});

test.each([
  // Of today: not on the same day, and not before the ordinary wait of a day.
  ["I'll finish tonight, ok?", 1, 1.2],
  // Tuesday at 18:00, and not at noon.
  ['Let me continue tomorrow', 1.2, 1.4],
  ['Let me continue in two days', 2.2, 2.4],
  // Monday to Friday at 18:00.
  ['Can I finish this on Friday?', 4.2, 4.4],
])('the first reminder after %j comes between %d and %d days later', async (said, from, to) => {
  const candidate = await newCandidate(app);
  await candidate.answer(said);
  const since = app.clock.now();

  await passDays(to);

  const [first, ...others] = await remindedAfter(candidate, since);
  expect(first).toBeGreaterThanOrEqual(from);
  expect(first).toBeLessThanOrEqual(to);
  expect(others).toEqual([]);
});

test('an answer before the announced day begins an ordinary silence', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer("I'd like to continue in two weeks");
  await passDays(1);
  await candidate.answer(words());
  const since = app.clock.now();

  await passDays(2.2);

  const reminded = await remindedAfter(candidate, since);
  expect(reminded).toHaveLength(1);
  expect(reminded[0]).toBeLessThan(2.1);
});

test('an announced return keeps the interview open on the day that was named', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer("I'd like to continue in two weeks");
  // Two weeks to the first reminder at 18:00, two days to the second, four days of silence.
  expect(await candidate.replies()).toEqual([pausedUntil(dayIn(20))]);

  await passDays(20);
  expect(await candidate.state()).toMatchObject({ status: 'active' });
  await passDays(1);

  expect(await candidate.state()).toMatchObject({ status: 'expired' });
});

test('an answer that ends in a wish to go on later counts, and the next question is asked for then', async () => {
  const candidate = await newCandidate(app);

  await candidate.answer(words(), "I have to go, I'll continue tomorrow");

  const [reply = ''] = await candidate.replies();
  expect(reply).toContain(pausedUntil(dayIn(7), { when: 'tomorrow', hasAnswers: true }));
  expect(reply.endsWith('Why bread?')).toBe(true);
  expect(await candidate.state()).toMatchObject({ question: 1 });
});

test('thanks before a wish to go on later are no answer', async () => {
  const candidate = await newCandidate(app);

  await candidate.answer('Got it, thanks', 'I need to finish this tomorrow');

  expect(await candidate.turns()).toMatchObject([{ verdict: 'later' }]);
  expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
});
