import type { FetchedMedia } from '../../../src/channels';
import { QueueBreakers } from '../../../src/jobs';
import { VoiceStage, audioOf, onTelegram } from './voice-stage';
import { work, live } from '../interview-fixture';
import { type TurnCandidate, newCandidate } from '../turn-candidate';
import { turnOfLoop } from '../../support/model-calls';

/** More than the queue's concurrency. */
const MANY = 8;
let stage: VoiceStage;

beforeEach(async () => {
  stage = await VoiceStage.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterEach(() => stage.close());

/** That many voices on Telegram, each of another candidate. */
async function onTelegramOf(count: number): Promise<TurnCandidate[]> {
  const candidates: TurnCandidate[] = [];
  for (let n = 0; n < count; n += 1) {
    const candidate = await newCandidate(stage.app);
    await stage.send(candidate, onTelegram(`file-${String(n)}`));
    candidates.push(candidate);
  }
  return candidates;
}

async function stateOf(candidate: TurnCandidate): Promise<string | undefined> {
  return (await stage.voices(candidate))[0]?.state;
}

test('transcribes the voices of a channel while another one does not respond', async () => {
  stage.isTelegramAway = true;
  const waiting = await onTelegramOf(MANY);
  await live(stage.app, 60_000, 1000);
  const fetched = stage.fetched.length;
  const candidate = await newCandidate(stage.app);

  await stage.send(candidate);
  await work(stage.app);

  expect(await stateOf(candidate)).toBe('heard');
  expect(stage.app.get(QueueBreakers).isOpen('transcribe')).toBe(false);
  // The channel is probed with growing pauses, by one job at a time.
  await live(stage.app, 300_000, 1000);
  expect(stage.fetched.length - fetched).toBeGreaterThan(5);
  expect(stage.fetched.length - fetched).toBeLessThan(25);
  stage.isTelegramAway = false;
  await live(stage.app, 60_000, 1000);
  for (const one of waiting) {
    expect(await stateOf(one)).toBe('heard');
    expect(await stage.jobs(one)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await one.attention()).toEqual([]);
  }
});

test('a channel that does not respond does not block the others', async () => {
  let answer: (fetched: FetchedMedia) => void = () => undefined;
  const slow = new Promise<FetchedMedia>((resolve) => {
    answer = resolve;
  });
  stage.next(...Array.from({ length: MANY }, () => slow));
  const waiting = await onTelegramOf(MANY);
  const candidate = await newCandidate(stage.app);
  await stage.send(candidate);

  for (let look = 0; look < 200 && (await stateOf(candidate)) !== 'heard'; look += 1) {
    await stage.app.worker.tick();
    await turnOfLoop();
  }

  expect(await stateOf(candidate)).toBe('heard');
  expect(stage.fetched).toHaveLength(4);
  answer(audioOf('OggS'));
  await live(stage.app, 30_000, 1000);
  for (const one of waiting) expect(await stateOf(one)).toBe('heard');
});

test('waits with the voices of all channels while the model server is down', async () => {
  await stage.model.goDown();
  const [onPage, inChat] = [await newCandidate(stage.app), await newCandidate(stage.app)];
  await stage.send(onPage);
  await stage.send(inChat, onTelegram());
  await live(stage.app, 10_000, 1000);
  expect(stage.app.get(QueueBreakers).isOpen('transcribe')).toBe(true);

  await stage.model.comeUp();
  await live(stage.app, 120_000, 5000);

  for (const candidate of [onPage, inChat]) {
    expect(await stateOf(candidate)).toBe('heard');
    expect(await stage.jobs(candidate)).toMatchObject([{ failures: 0 }]);
  }
});
