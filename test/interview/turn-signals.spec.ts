import { ConversationReader, type ConversationSnapshot } from '../../src/interview';
import { LiveReplies } from '../../src/streams';
import { replyWith } from '../../tools/fake-model/model-server';
import type { TestApp } from '../support/app';
import { untilInProcess } from '../support/until';
import { type Interviewee, newCandidate } from './interviewee';
import { closeInterviews, live, settled, startInterviews, visible, words } from './interviews';

/** Which commits of a turn wake the readers of its conversation. */

const IDLE_MS = 2000;

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({ env: { OPENAI_IDLE_TIMEOUT: String(IDLE_MS / 1000) } });
});

afterAll(() => closeInterviews(app));

async function snapshot({ id }: Interviewee): Promise<ConversationSnapshot> {
  const reading = await app.commit((tx) => app.get(ConversationReader).read(tx, id, null));
  return reading.snapshot;
}

/** Reads the conversation at each signal of a commit, as a reader does. */
function readAtSignals(candidate: Interviewee): Promise<ConversationSnapshot>[] {
  const reads: Promise<ConversationSnapshot>[] = [];
  app.get(LiveReplies).watch(candidate.id, (signal) => {
    if (signal === 'rows') reads.push(snapshot(candidate));
  });
  return reads;
}

test('the commit that stores a reply wakes readers, who then read its end', async () => {
  const candidate = await newCandidate(app);
  const content = '{"verdict":"answered","text":"Half. A';
  app.model.next({ kind: 'hold', content, rest: 'nd the rest."}' });
  await candidate.start(app, words());
  await untilInProcess(
    'the beginning of the reply is visible',
    () => visible(app, candidate.id) === 'Half.',
  );
  const before = await snapshot(candidate);
  const reads = readAtSignals(candidate);

  app.model.release();
  await settled(app);

  expect(before).toMatchObject({ replying: true, interviewStep: 0 });
  const progress = { ...before.progress, question: 2 };
  const after = { ...before, replying: false, interviewStep: 1, progress };
  expect(await Promise.all(reads)).toEqual([{ ...after, lastSeq: before.lastSeq + 1 }]);
});

test('a failed attempt wakes nobody, because readers would read the same', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'stall', content: '{"verdict":"answered","text":"Half. A' });
  app.model.next(replyWith('answered', 'Whole.'));
  await candidate.start(app, words());
  await untilInProcess(
    'the beginning of the reply is visible',
    () => visible(app, candidate.id) === 'Half.',
  );
  const before = await snapshot(candidate);
  const reads = readAtSignals(candidate);

  app.clock.advance(IDLE_MS);
  await settled(app);

  expect(await candidate.jobs()).toMatchObject([{ state: 'retry' }]);
  expect(reads).toEqual([]);
  expect(await snapshot(candidate)).toEqual(before);
  await live(app, 3000);
  expect((await reads.at(-1))?.replying).toBe(false);
});
