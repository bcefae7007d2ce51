import { BufferService } from '../../src/buffer';
import { InterviewService, Takeovers } from '../../src/interview';
import { textsOf } from '../../src/interview/texts/texts';
import { ZoneRepository } from '../../src/interview';
import { Jobs } from '../../src/jobs';
import { gate } from '../../tools/http-fake/gate';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';
import {
  closeInterviews,
  noteWritten,
  pause,
  plugTelegram,
  startInterviews,
  startOther,
  words,
  work,
} from './interviews';
import { type Interviewee, disclosureVersion, newCandidate, newStranger } from './interviewee';
import { untilInProcess } from '../support/until';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EN = textsOf('en');
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const QUESTION = 'What did you bake last?';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews({
    env: { OPENAI_API_KEY: '' },
    vacancy: { plan: { ...vacancyDraft().plan, timeZone: 'Europe/Dublin' } },
  });
  other = await startOther(app);
});
beforeEach(() => {
  // About noon in Dublin, long after what earlier tests did.
  const next = new Date(app.clock.now().getTime() + 40 * DAY_MS);
  next.setUTCHours(11, 0, 0, 0);
  pause(app, next.getTime() - app.clock.now().getTime());
});
afterAll(() => closeInterviews(app));

/** Lets days pass, and does all work that becomes due on the way. */
async function passDays(days: number, stepMs = HOUR_MS, by = app): Promise<void> {
  for (let passedMs = 0; passedMs < days * DAY_MS; passedMs += stepMs) {
    pause(app, stepMs);
    await work(by);
  }
}

async function reminders(candidate: Interviewee): Promise<{ text: string; at: Date }[]> {
  return app.sql(
    `select text, received_at as at from message
     where conversation_id = $1 and channel = 'code' and external_id like 'reminder:%' order by seq`,
    [candidate.id],
  );
}

async function texts(candidate: Interviewee): Promise<string[]> {
  return (await reminders(candidate)).map(({ text }) => text);
}

async function status(candidate: Interviewee): Promise<string> {
  return (await candidate.state()).status;
}

async function jobs(candidate: Interviewee): Promise<string[]> {
  const rows = await app.sql<{ state: string }>(
    `select state from job where queue = 'remind' and key = $1 and state not in ('done', 'dead')`,
    [candidate.id],
  );
  return rows.map(({ state }) => state);
}

test('a silent candidate gets two different reminders, then the interview expires and a person is told', async () => {
  const candidate = await newCandidate(app);
  const since = app.clock.now().getTime();

  await passDays(9);

  const sent = await reminders(candidate);
  const [first, last] = sent;
  expect(sent.map(({ text }) => text)).toEqual([
    `${EN.reminder}\n\n${QUESTION}`,
    expect.stringMatching(/^This is the last reminder: the interview stays open until the end of /),
  ]);
  expect(last?.text.endsWith(QUESTION)).toBe(true);
  expect(first?.at.getTime()).toBeGreaterThanOrEqual(since + DAY_MS);
  expect(last?.at.getTime()).toBeGreaterThanOrEqual((first?.at.getTime() ?? 0) + 2 * DAY_MS);
  const until = new Date((last?.at.getTime() ?? 0) + 4 * DAY_MS);
  const [day = '', month = ''] = [until.getUTCDate(), MONTHS[until.getUTCMonth()]].map(String);
  expect(last?.text).toContain(` the end of ${day} ${month}. `);
  expect(await status(candidate)).toBe('expired');
  expect(await candidate.attention()).toMatchObject([{ kind: 'silent', closed: false }]);
  expect(await jobs(candidate)).toEqual([]);
  const [row] = await app.sql<{ reasons: string[] }>(
    `select array(select distinct jsonb_path_query(state, '$.notAsked[*].reason') #>> '{}') as reasons
     from conversation where id = $1`,
    [candidate.id],
  );
  expect(row?.reasons).toEqual(['expired']);
});

test('an answer begins a new silence, which gets its own reminders', async () => {
  const candidate = await newCandidate(app);
  await passDays(2);
  expect(await reminders(candidate)).toHaveLength(1);

  await candidate.answer(words());
  await passDays(2);

  expect(await texts(candidate)).toEqual([
    `${EN.reminder}\n\n${QUESTION}`,
    `${EN.reminder}\n\nWhy bread?`,
  ]);
  expect(await status(candidate)).toBe('active');
});

test('no reminder is sent while an answer waits for its reply', async () => {
  const candidate = await newCandidate(app);
  await candidate.say(words());
  const later = [candidate.id, new Date(app.clock.now().getTime() + 20 * DAY_MS)];
  await app.sql(`update job set due_at = $2 where queue = 'flush' and key = $1`, later);

  await passDays(10, 6 * HOUR_MS);

  expect(await reminders(candidate)).toEqual([]);
  expect(await status(candidate)).toBe('active');
  await app.sql(`update job set due_at = $2 where queue = 'flush' and key = $1`, [
    candidate.id,
    app.clock.now(),
  ]);
  await work(app);
  expect(await candidate.replies()).toHaveLength(1);
});

test("a reminder comes in the daytime of the candidate's browser, which goes before the vacancy's", async () => {
  const candidate = await newStranger(app);
  const version = await disclosureVersion(app);
  const consent = { version, accepted: true, timeZone: 'Asia/Tokyo' };
  const interviews = app.get(InterviewService);
  await app.commit((tx) => interviews.consent(tx, candidate.id, consent));
  const profile = { name: 'Ada', contact: 'ada@example.org' };
  // Midnight in Tokyo.
  pause(app, 4 * HOUR_MS);
  await app.commit((tx) => interviews.profile(tx, candidate.id, profile));

  await passDays(2);

  const [first] = await reminders(candidate);
  expect(first?.at.toISOString().slice(11, 16)).toBe('00:00');
});

const LEFT_IN_PEACE: readonly (readonly [string, (of: Interviewee) => Promise<unknown>])[] = [
  ['has withdrawn', (candidate) => candidate.withdraw()],
  ['has asked for a person', (candidate) => candidate.askForPerson()],
  [
    'wants to stop and was asked whether they are sure',
    (candidate) => candidate.answer('хочу остановиться'),
  ],
  [
    'objects to automated processing',
    (candidate) => candidate.answer('I object to automated processing'),
  ],
  [
    'talks with a person of the team',
    (candidate) =>
      app.commit((tx) => app.get(Takeovers).reply(tx, candidate.id, 'Hello, it is me.')),
  ],
  [
    'has finished the interview',
    async (candidate) => {
      for (let answer = 0; answer < 3; answer += 1) await candidate.answer(words());
    },
  ],
];

test.each(LEFT_IN_PEACE)('a candidate who %s gets no reminder', async (_, act) => {
  const candidate = await newCandidate(app);
  await act(candidate);

  await passDays(9, 3 * HOUR_MS);

  expect(await reminders(candidate)).toEqual([]);
});

test('a vacancy chooses the number of reminders; with none, the interview expires after a week', async () => {
  for (const [count, days] of [
    [0, 8],
    [1, 4],
  ] as const) {
    const candidate = await newCandidate(app);
    await app.sql(`update conversation set plan = plan || $2::jsonb where id = $1`, [
      candidate.id,
      JSON.stringify({ reminders: count }),
    ]);
    await passDays(days - 1, 3 * HOUR_MS);
    expect(await status(candidate)).toBe('active');

    await passDays(1.5, 3 * HOUR_MS);

    const sent = await texts(candidate);
    expect(sent).toHaveLength(count);
    expect(sent.every((text) => text.startsWith('This is the last reminder'))).toBe(true);
    expect(await status(candidate)).toBe('expired');
  }
});

test('a reminder waits for an answer that is being stored, and is then not sent', async () => {
  const candidate = await newCandidate(app);
  pause(app, 25 * HOUR_MS);
  const answer = { conversationId: candidate.id, channel: 'web', externalId: 'late' } as const;
  const text = words();
  noteWritten(text);

  const stored = gate();
  // Outside of the commit, because no unit of work begins inside one.
  const isBlocked = stored.opened.then(() => other.worker.tick()).then(() => other.untilLockWait());
  await app.commit(async (tx) => {
    await app.get(BufferService).append(tx, { ...answer, text });
    stored.open();
    await isBlocked;
  });
  await untilInProcess('the other process has no job', () => other.isIdle());

  expect(await reminders(candidate)).toEqual([]);
  expect(await jobs(candidate)).toEqual(['open']);
  pause(app);
  await work(app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('no reminder follows an answer, whichever of the two commits first', async () => {
  const candidates: Interviewee[] = [];
  for (let index = 0; index < 12; index += 1) candidates.push(await newCandidate(app));
  pause(app, 25 * HOUR_MS);

  const reminding = work(other);
  await Promise.all(candidates.map((candidate) => candidate.say(words())));
  await reminding;

  const wrong = await app.sql(
    `select from message r join message a on a.conversation_id = r.conversation_id
     where r.channel = 'code' and r.external_id like 'reminder:%' and a.role = 'user'
       and r.seq > a.seq and r.conversation_id = any($1::uuid[])`,
    [candidates.map(({ id }) => id)],
  );
  expect(wrong).toEqual([]);
  pause(app);
  for (let round = 0; round < 4; round += 1) await work(app);
});

test('a crash before the commit leaves no reminder, and the next claim sends exactly one', async () => {
  const candidate = await newCandidate(app);
  pause(app, 25 * HOUR_MS);
  const crash = jest.spyOn(app.get(Jobs), 'enqueue').mockRejectedValueOnce(new Error('crashed'));

  await work(app);
  expect(await reminders(candidate)).toEqual([]);
  crash.mockRestore();
  await passDays(0.1);

  expect(await reminders(candidate)).toHaveLength(1);
  expect(await jobs(candidate)).toEqual(['open']);
});

test('two jobs of one interview send one reminder', async () => {
  const candidate = await newCandidate(app);
  pause(app, 25 * HOUR_MS);
  await app.sql(
    `insert into job (queue, key, state, first_at, due_at)
     select queue, key, 'retry', first_at, due_at from job where queue = 'remind' and key = $1`,
    [candidate.id],
  );

  await work(app);
  await work(other);
  await passDays(0.2);

  expect(await reminders(candidate)).toHaveLength(1);
});

test('a message after the end is kept, the candidate is told, and a person is notified', async () => {
  const candidate = await newCandidate(app);
  await passDays(9, 3 * HOUR_MS);

  await candidate.answer(words());
  await candidate.answer(words());

  expect((await candidate.replies()).slice(-2)).toEqual([EN.endedBySilence, EN.endedBySilence]);
  expect(await candidate.attention()).toMatchObject([
    { kind: 'silent', closed: false },
    { kind: 'handed_over', closed: false },
  ]);
  expect(await status(candidate)).toBe('expired');
  expect(await candidate.waiting()).toEqual([]);
});

test('a person who writes and returns the conversation reopens it where it stood', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await passDays(9, 3 * HOUR_MS);
  const takeovers = app.get(Takeovers);

  await app.commit((tx) => takeovers.reply(tx, candidate.id, 'Shall we go on?'));
  await app.commit((tx) => takeovers.returnToModel(tx, candidate.id, 'Ada'));

  expect(await status(candidate)).toBe('active');
  expect((await candidate.replies()).at(-1)).toBe(`${EN.goingOn}\n\nWhy bread?`);
  expect(await candidate.attention()).toMatchObject([
    { kind: 'silent', closed: true },
    { kind: 'handed_over', closed: true },
  ]);
  await candidate.answer(words());
  expect((await candidate.state()).question).toBe(2);
  const before = (await reminders(candidate)).length;
  await passDays(2);
  expect(await reminders(candidate)).toHaveLength(before + 1);
});

/** A bot that notes what it sends to each conversation; while `isDown`, its server does not respond. */
function plugBot() {
  const telegram = plugTelegram(app);
  const sent: { chat: string; text: string }[] = [];
  const bot = {
    isDown: false,
    sentTo: ({ id }: Interviewee) => sent.flatMap(({ chat, text }) => (chat === id ? text : [])),
    unplug: () => (telegram.sender = null),
  };
  telegram.sender = {
    parts: (text) => [{ text, plain: text }],
    wholePart: (text) => ({ text, plain: text }),
    chatOf: (_tx, conversationId) => Promise.resolve(conversationId),
    send: (part) => {
      if (bot.isDown) return Promise.resolve({ kind: 'unavailable', error: 'down' });
      sent.push({ chat: part.chat, text: part.plain });
      return Promise.resolve({ kind: 'sent', externalId: String(sent.length) });
    },
    responds: () => Promise.resolve(!bot.isDown),
  };
  return bot;
}

test('a reminder goes to the channel where the candidate wrote last', async () => {
  const { sentTo, unplug } = plugBot();
  const candidate = await newCandidate(app);
  await app.commit((tx) => app.get(InterviewService).enter(tx, candidate.id, 'telegram'));

  await passDays(1.5);

  expect(sentTo(candidate)).toEqual([`${EN.reminder}\n\n${QUESTION}`]);
  unplug();
});

describe('a reminder that an outage of the channel has held up', () => {
  /** Its reminder is stored at about 20:00 in Dublin; the bot is down until about 23:00. */
  async function heldUntilNight() {
    const bot = plugBot();
    const candidate = await newCandidate(app);
    await app.commit((tx) => app.get(InterviewService).enter(tx, candidate.id, 'telegram'));
    pause(app, 8 * HOUR_MS);
    bot.isDown = true;
    await passDays(1.05, 0.25 * HOUR_MS);
    expect(await reminders(candidate)).toHaveLength(1);
    await passDays(3 / 24, 0.25 * HOUR_MS);
    bot.isDown = false;
    return { bot, candidate };
  }

  test('is not sent at night, but in the morning', async () => {
    const { bot, candidate } = await heldUntilNight();

    await passDays(8 / 24, 0.25 * HOUR_MS);
    expect(bot.sentTo(candidate)).toEqual([]);
    await passDays(4 / 24, 0.25 * HOUR_MS);

    expect(bot.sentTo(candidate)).toEqual([`${EN.reminder}\n\n${QUESTION}`]);
    expect(await reminders(candidate)).toHaveLength(1);
    bot.unplug();
  });

  test('lets the reply to an answer pass, and is then not sent at all', async () => {
    const { bot, candidate } = await heldUntilNight();
    await passDays(1 / 24, 0.25 * HOUR_MS);

    const answer = { conversationId: candidate.id, channel: 'telegram', externalId: '7' } as const;
    const text = words();
    noteWritten(text);
    await app.commit((tx) => app.get(BufferService).append(tx, { ...answer, text }));
    await passDays(0.5 / 24, 0.25 * HOUR_MS);
    expect(bot.sentTo(candidate)).toHaveLength(1);
    expect(bot.sentTo(candidate)[0]).toContain('Why bread?');
    await passDays(14 / 24, 0.25 * HOUR_MS);

    expect(bot.sentTo(candidate).filter((text) => text.includes(QUESTION))).toEqual([]);
    bot.unplug();
  });

  test('is not sent while it is night by the rules of PostgreSQL alone', async () => {
    const { bot, candidate } = await heldUntilNight();
    const hour = jest.spyOn(ZoneRepository.prototype, 'hourIn').mockResolvedValue(8);

    await passDays(16 / 24, 0.25 * HOUR_MS);
    expect(bot.sentTo(candidate)).toEqual([]);
    hour.mockRestore();
    await passDays(1 / 24, 0.25 * HOUR_MS);

    expect(bot.sentTo(candidate)).toHaveLength(1);
    bot.unplug();
  });
});

describe('a reminder in a zone whose rules differ between Node and PostgreSQL', () => {
  test.each([
    ['21, as in a zone that has stopped to change its clock', 21],
    ['8, as in a zone that has begun to', 8],
  ])('waits while it is %s', async (_, hour) => {
    const candidate = await newCandidate(app);
    const read = jest.spyOn(ZoneRepository.prototype, 'hourIn').mockResolvedValue(hour);

    await passDays(1.1);
    expect(await reminders(candidate)).toEqual([]);
    read.mockRestore();
    await passDays(1 / 24);

    expect(await reminders(candidate)).toHaveLength(1);
  });

  test('goes by Node alone where PostgreSQL does not know the name', async () => {
    const at = app.clock.now();
    const read = (zone: string) =>
      app.commit((tx) =>
        app.get(ZoneRepository).hourIn(tx, zone, new Date('2026-01-02T03:04:00Z')),
      );

    expect(await read('Asia/Tokyo')).toBe(12);
    expect(await read('asia/kolkata')).toBe(8);
    expect(await read('Asia/Atlantis')).toBeNull();
    const all = await app.commit((tx) =>
      app.get(ZoneRepository).hoursIn(tx, ['Asia/Tokyo', 'Asia/Atlantis'], [at, at]),
    );
    expect(all.map(({ timeZone, hours }) => [timeZone, hours?.length ?? null])).toEqual([
      ['Asia/Atlantis', null],
      ['Asia/Tokyo', 2],
    ]);
  });
});
