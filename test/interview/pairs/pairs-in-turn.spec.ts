import { planOf } from '../../support/plans';
import type { TestApp } from '../../support/app';
import { closeInterviews, pause, startInterviews, words, work } from '../interviews';
import { PairTable } from './table';
import { MODEL, type Pair, Play, settle, STRANGER, WAYS, type Way } from './ways';

/*
 * Every way of an interview after every other one, each at rest before the next begins. A row is the first way, a
 * column the second; stored.ts says how a cell is read. The rules behind the cells are in the header of verdicts.ts:
 * a cell that cannot be told from them needs a rule there. The last row is a candidate who has not agreed.
 */
const TABLE = new PairTable(`
          answers finishes pauses leaves yes withdraws person calls back abuse edits voice taken returned replay skips objects russian chooses reminder expiry
answers   a4      f        a3z    l3     a4  w3        c3     h3    a3   a3x   a3    a4    p3    a3!      a4     a4    a3o     a3R     a3R     a3r      e3r
finishes  f       f        f      f      f   w         f      fh    f    f     f     f     fp    f!       f      f     fo      fR      fR      f        f
pauses    a3      f        a2z    l2z    a3  w2z       c2z    h2z   a2z  a2xz  a2z   a3    p2z   a2z!     a3     a3    a2zo    a2zR    a2zR    a2z      a2zr
leaves    a3      f        a2z    w2     w2  w2        c2     h2    l2   a2x   l2    a3    p2    l2!      a3     a2    a2o     a2R     l2R     l2       e2
yes       a4      f        a3z    l3     a4  w3        c3     h3    a3   a3x   a3    a4    p3    a3!      a4     a4    a3o     a3R     a3R     a3r      e3r
withdraws w2!     w2!      w2!    w2!    w2! w2        w2!    w2    w2   w2!   w2    w2!   w2!   w2!      w2!    w2!   w2!     w2!     w2R     w2       w2
person    a3      f        a2z    l2     h2  w2        h2     h2    c2   a2x   c2    a3    p2    c2!      a3     a2    a2o     a2R     c2R     c2       e2
calls     h2      h2       h2     h2     h2  wh2       h2     h2    a2   h2    h2    h2    p2    a2       h2     h2    h2o     h2R     h2R     h2       h2
back      a3      f        a2z    l2     a3  w2        c2     h2    a2   a2x   a2    a3    p2    a2!      a3     a3    a2o     a2R     a2R     a2r      e2r
abuse     a3x     fx       a2xz   l2x    a3x w2x       c2x    h2x   a2x  p2xx  a2x   a3x   p2x   a2x!     a3x    a3x   a2xo    a2xR    a2xR    a2xr     e2xr
edits     a3      f        a2z    l2     a3  w2        c2     h2    a2   a2x   a2    a3    p2    a2!      a3     a3    a2o     a2R     a2R     a2r      e2r
voice     a3      a3       a3z    a3     a3  w2        a3     h2    a3   a3    a3    a3    p2    a3!      a3     a3    a3o     a3R     a3R     a3       a3
taken     p2      p2       p2     p2     p2  wp2       p2     p2    p2!  p2    p2    p2    p2    a2       p2     p2    p2o     p2R     p2R     p2       p2
returned  a3!     f!       a2z!   l2!    a3! w2!       c2!    h2!   a2!  a2x!  a2!   a3!   p2!   a2!      a3!    a3!   a2o!    a2R!    a2R!    a2r!     e2r!
replay    a3!     f!       a2z!   l2!    a3! w2!       c2!    h2    a3   a2x!  a2!   a3!   p2    a3!      a3     a3!   a2o!    a2R!    a3R     a3       a3
skips     a4      f        a3z    l3     a4  w3        c3     h3    a3   a3x   a3    a4    p3    a3!      a4     a4    a3o     a3R     a3R     a3r      e3r
objects   a3o     fo       a2zo   l2o    a3o w2o       c2o    h2o   a2o  a2xo  a2o   a3o   p2o   a2o!     a3o    a3o   a2o     a2oR    a2oR    a2o      e2o
russian   a3R     fR       a2zR   l2R    a3R w2R       c2R    h2R   a2R  a2xR  a2R   a3R   p2R   a2R!     a3R    a3R   a2oR    a2R     a2R     a2rR     e2rR
chooses   a3R     fR       a2zR   l2R    a3R w2R       c2R    h2R   a2R  a2xR  a2R   a3R   p2R   a2R!     a3R    a3R   a2oR    a2R     a2R     a2rR     e2rR
reminder  a3r     fr       a2zr   l2r    a3r w2r       c2r    h2r   a2r  a2xr  a2r   a3r   p2r   a2r!     a3r    a3r   a2or    a2rR    a2rR    a2r      e2r
expiry    e2r     e2r      e2r    e2r    e2r w2r       e2r    h2r   e2r  e2r   e2r   e2r   p2r   e2r!     e2r    e2r   e2or    e2rR    e2rR    e2r      e2r
stranger  n1!     n1!      n1!    n1!    n1! w1        n1!    h1    n1   n1!   n1!   n1!   p1    n1!      n1!    n1!   n1!     n1!     n1R     n1       n1
`);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_MS = 6 * HOUR_MS;
const PLAYED_WITHIN_MS = 300_000;

const FIRST = [...WAYS, STRANGER];
/** Shortest first: whoever is silent for longer is silent for so long, too. */
const SILENCES = WAYS.flatMap(({ days }) => days ?? []);

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({
    // They all begin by one open link.
    env: { OPENAI_TRANSCRIPTION_MODEL: 'w-1', OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '2000' },
    vacancy: { plan: planOf(4) },
  });
  app.model.always(MODEL);
  // The worker takes over what another one has left only after a lease with its connection.
  await app.worker.tick();
  await playAll();
}, PLAYED_WITHIN_MS);
afterAll(() => closeInterviews(app));

/** All interviews take each step together, so that time passes once for all of them. */
async function playAll(): Promise<void> {
  const pairs = FIRST.flatMap((first) => WAYS.map((second) => ({ first, second })));
  const plays: Play[] = [];
  for (const days of SILENCES.toReversed()) {
    plays.push(...(await begin(pairs.filter(({ first }) => first.days === days))));
    await pass(days);
  }
  const others = await begin(pairs.filter(({ first }) => first.days === undefined));
  plays.push(...others);
  await inTurn(others, ({ first }) => first.steps);
  await inTurn(plays, ({ second }) => second.steps);
  await end(plays.filter(({ second }) => second.days === undefined));
  for (const days of SILENCES) {
    await pass(days);
    await end(plays.filter(({ second }) => second.days === days));
  }
}

async function begin(pairs: readonly Pair[]): Promise<Play[]> {
  const plays: Play[] = [];
  for (const pair of pairs) plays.push(await Play.begin(app, pair));
  for (const { first, candidate } of plays) if (first !== STRANGER) await candidate.say(words());
  await settle(app);
  return plays;
}

async function inTurn(plays: readonly Play[], stepsOf: (of: Pair) => Way['steps']): Promise<void> {
  const longest = Math.max(...plays.map((play) => stepsOf(play).length));
  for (let index = 0; index < longest; index += 1) {
    for (const play of plays) await play.do(stepsOf(play)[index]);
    await settle(app);
  }
}

async function end(plays: readonly Play[]): Promise<void> {
  await inTurn(plays, ({ second: { late } }) => (late === undefined ? [] : [late]));
  await inTurn(plays, ({ first: { late } }) => (late === undefined ? [] : [late]));
  // A late transcript may have an answer of its own, with its own quiet time.
  await settle(app);
  for (const play of plays) await TABLE.end(play);
  // The days that pass for others are none of theirs.
  await app.sql(`delete from job where queue = 'remind' and key = any($1)`, [
    plays.map(({ id }) => id),
  ]);
}

async function pass(days: number): Promise<void> {
  for (let passedMs = 0; passedMs < days * DAY_MS; passedMs += STEP_MS) {
    pause(app, STEP_MS);
    while ((await work(app)) > 0);
  }
}

test('each way after each other one leads to where the rules say', () => {
  expect(TABLE.differences(FIRST, WAYS)).toEqual([]);
});

test('whatever has happened, each answer has one reply or a reason, and everything is at rest', () => {
  expect(TABLE.faults()).toEqual([]);
});
