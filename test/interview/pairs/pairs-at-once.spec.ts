import { StopRequests } from '../../../src/interview/turn/stopping';
import { planOf } from '../../support/plans';
import type { TestApp } from '../../support/app';
import { untilInProcess } from '../../support/until';
import { closeInterviews, pause, startInterviews, visible, words, work } from '../interviews';
import { PairTable } from './table';
import { heldReplyTo, MODEL, Play, settle, WAYS, type Way } from './ways';

/*
 * Every way of an interview while the reply to another one is being written. A row is the message that is replied
 * to, a column what happens meanwhile; stored.ts says how a cell is read. The rules behind the cells are in the header
 * of verdicts.ts: a cell that cannot be told from them needs a rule there.
 */
const TABLE = new PairTable(`
        answers pauses leaves yes withdraws person calls back abuse edits voice taken returned skips objects russian chooses reminder expiry
answers a3      a3z    l3     a3  w2        c3     h2    a3   a3x   a3    a3    p2    a3!      a3    a3o     a3R     a3R     a3       a3
leaves  l2      a2z    l2     l2  w2        c2     h2    l2   a2x   l2    l2    p2    l2!      l2    l2o     l2R     l2R     l2       l2
yes     a3      a3z    l3     a3  w2        c3     h2    a3   a3x   a3    a3    p2    a3!      a3    a3o     a3R     a3R     a3       a3
person  c2      a2z    l2     c2  w2        c2     h2    c2   a2x   c2    c2    p2    c2!      c2    c2o     c2R     c2R     c2       c2
abuse   a2x     a2xz   l2x    a2x w2        c2x    h2    a2x  p2xx  a2x   a2x   p2    a2x!     a2x   a2xo    a2xR    a2xR    a2x      a2x
edits   a2      a2z    l2     a2  w2        c2     h2    a2   a2x   a2    a2    p2    a2!      a2    a2o     a2R     a2R     a2       a2
skips   a3      a3z    l3     a3  w2        c3     h2    a3   a3x   a3    a3    p2    a3!      a3    a3o     a3R     a3R     a3       a3
objects a2o     a2zo   l2o    a2o w2o       c2o    h2o   a2o  a2xo  a2o   a2o   p2o   a2o!     a2o   a2o     a2oR    a2oR    a2o      a2o
russian a2R     a2zR   l2R    a2R w2        c2R    h2    a2R  a2xR  a2R   a2R   p2    a2R!     a2R   a2oR    a2R     a2R     a2R      a2R
`);

const FIRST = WAYS.filter(({ speaker }) => speaker !== undefined);
const SECOND = WAYS.filter(({ atOnce }) => atOnce !== null);
const PLAYED_WITHIN_MS = 300_000;

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({
    env: { OPENAI_TRANSCRIPTION_MODEL: 'w-1' },
    vacancy: { plan: planOf(4) },
  });
  app.model.always(MODEL);
  await app.worker.tick();
  for (const first of FIRST) await playAll(first);
}, PLAYED_WITHIN_MS);
afterAll(() => closeInterviews(app));

/** All interviews with this first way take each step together. */
async function playAll(first: Way): Promise<void> {
  const plays: Play[] = [];
  for (const second of SECOND) plays.push(await Play.begin(app, { first, second }));
  for (const { candidate } of plays) await candidate.say(words());
  await settle(app);

  await beginReplies(first, plays);
  for (const play of plays) await play.do(play.second.atOnce ?? play.second.steps[0]);
  await app.worker.tick();
  await app.get(StopRequests).check();
  app.model.always(MODEL);
  app.model.release();
  while ((await work(app)) > 0);
  await settle(app);

  for (const play of plays) await play.do(play.second.late);
  await settle(app);
  for (const play of plays) await TABLE.end(play);
}

/** Until the model has written the beginning of each reply. */
async function beginReplies(first: Way, plays: readonly Play[]): Promise<void> {
  const asked = app.model.requests.length;
  app.model.always(heldReplyTo(first));
  for (const play of plays) await play.do(first.steps[0]);
  pause(app);
  await app.worker.tick();
  await app.model.request(asked + plays.length);
  if (first.speaker === 'code') return;
  await untilInProcess('the beginning of each reply is visible', () =>
    plays.every(({ id }) => visible(app, id) !== ''),
  );
}

test('each way while each other one is replied to leads to where the rules say', () => {
  expect(TABLE.differences(FIRST, SECOND)).toEqual([]);
});

test('whatever has happened, each answer has one reply or a reason, and everything is at rest', () => {
  expect(TABLE.faults()).toEqual([]);
});
