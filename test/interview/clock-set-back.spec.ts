import { InterviewService } from '../../src/interview';
import { ScoringRepository } from '../../src/scoring';
import type { TestApp } from '../support/app';
import { closeInterviews, startInterviews, words } from './interviews';
import { type Interviewee, disclosureVersion, newCandidate } from './interviewee';

/** Whether words were written under a consent is decided by their number and not by a clock. */

const HOUR_MS = 3_600_000;

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
});
afterAll(() => closeInterviews(app));

function lastPrompt(): string {
  return JSON.stringify(app.model.requests.at(-1)?.body.messages);
}

async function agreeAgain({ id }: Interviewee): Promise<void> {
  const version = await disclosureVersion(app);
  const consent = { version, accepted: true, isAgain: true };
  return app.commit((tx) => app.get(InterviewService).consent(tx, id, consent));
}

async function scoredTexts({ id }: Interviewee): Promise<string[]> {
  const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, id));
  return [...answers.values()].flat().map(({ text }) => text);
}

test('a candidate who agreed is heard although the clock was set back since', async () => {
  const candidate = await newCandidate(app);
  const [first, second] = [words('rye'), words('wheat')];
  app.clock.setBack(HOUR_MS);

  await candidate.answer(first);
  expect(lastPrompt()).toContain(first);
  await candidate.answer(second);

  expect(lastPrompt()).toContain(first);
  expect(lastPrompt()).toContain(second);
  expect(await scoredTexts(candidate)).toEqual([first, second]);
  expect((await candidate.turns()).map(({ verdict }) => verdict)).toEqual(['answered', 'answered']);
});

test('what was written before a new consent stays out, also when that was dated earlier', async () => {
  const candidate = await newCandidate(app);
  const [before, after] = [words('rye'), words('wheat')];
  await candidate.answer(before);
  app.clock.setBack(HOUR_MS);
  await agreeAgain(candidate);

  await candidate.answer(after);

  expect(lastPrompt()).toContain(after);
  expect(lastPrompt()).not.toContain(before);
  expect(await scoredTexts(candidate)).toEqual([after]);
});

test('a consent that is stored by a plain update has its number too', async () => {
  const candidate = await newCandidate(app);
  const [before, after] = [words('rye'), words('wheat')];
  await candidate.answer(before);
  app.clock.setBack(HOUR_MS);
  await app.sql(
    `update conversation set consent_version = consent_version, consent_accepted = true,
       consent_at = $2 where id = $1`,
    [candidate.id, app.clock.now()],
  );

  await candidate.answer(after);

  expect(lastPrompt()).toContain(after);
  expect(lastPrompt()).not.toContain(before);
});
