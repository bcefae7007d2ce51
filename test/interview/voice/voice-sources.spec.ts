import type { FetchedMedia } from '../../../src/channels';
import { QueueBreakers } from '../../../src/jobs';
import { VoiceMessages, audioOf, onTelegram } from './voice-messages';
import { work, live } from '../interviews';
import { type Interviewee, newCandidate } from '../interviewee';
import { turnOfLoop } from '../../support/until';

/** More than the queue's concurrency. */
const MANY = 8;
let setup: VoiceMessages;

beforeEach(async () => {
  setup = await VoiceMessages.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterEach(() => setup.close());

/** That many voices on Telegram, each of another candidate. */
async function onTelegramOf(count: number): Promise<Interviewee[]> {
  const candidates: Interviewee[] = [];
  for (let n = 0; n < count; n += 1) {
    const candidate = await newCandidate(setup.app);
    await setup.send(candidate, onTelegram(`file-${String(n)}`));
    candidates.push(candidate);
  }
  return candidates;
}

async function stateOf(candidate: Interviewee): Promise<string | undefined> {
  return (await setup.voices(candidate))[0]?.state;
}

test('transcribes the voices of a channel while another one does not respond', async () => {
  setup.isTelegramAway = true;
  const waiting = await onTelegramOf(MANY);
  await live(setup.app, 60_000, 1000);
  const fetched = setup.fetched.length;
  const candidate = await newCandidate(setup.app);

  await setup.send(candidate);
  await work(setup.app);

  expect(await stateOf(candidate)).toBe('heard');
  expect(setup.app.get(QueueBreakers).isOpen('transcribe')).toBe(false);
  // The channel is probed with growing pauses, by one job at a time.
  await live(setup.app, 300_000, 1000);
  expect(setup.fetched.length - fetched).toBeGreaterThan(5);
  expect(setup.fetched.length - fetched).toBeLessThan(25);
  setup.isTelegramAway = false;
  await live(setup.app, 60_000, 1000);
  for (const one of waiting) {
    expect(await stateOf(one)).toBe('heard');
    expect(await setup.jobs(one)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await one.attention()).toEqual([]);
  }
});

test('a channel that does not respond does not block the others', async () => {
  let answer: (fetched: FetchedMedia) => void = () => undefined;
  const slow = new Promise<FetchedMedia>((resolve) => {
    answer = resolve;
  });
  setup.next(...Array.from({ length: MANY }, () => slow));
  const waiting = await onTelegramOf(MANY);
  const candidate = await newCandidate(setup.app);
  await setup.send(candidate);

  for (let look = 0; look < 200 && (await stateOf(candidate)) !== 'heard'; look += 1) {
    await setup.app.worker.tick();
    await turnOfLoop();
  }

  expect(await stateOf(candidate)).toBe('heard');
  expect(setup.fetched).toHaveLength(4);
  answer(audioOf('OggS'));
  await live(setup.app, 30_000, 1000);
  for (const one of waiting) expect(await stateOf(one)).toBe('heard');
});

test('waits with the voices of all channels while the model server is down', async () => {
  await setup.model.goDown();
  const [onPage, inChat] = [await newCandidate(setup.app), await newCandidate(setup.app)];
  await setup.send(onPage);
  await setup.send(inChat, onTelegram());
  await live(setup.app, 10_000, 1000);
  expect(setup.app.get(QueueBreakers).isOpen('transcribe')).toBe(true);

  await setup.model.comeUp();
  await live(setup.app, 120_000, 5000);

  for (const candidate of [onPage, inChat]) {
    expect(await stateOf(candidate)).toBe('heard');
    expect(await setup.jobs(candidate)).toMatchObject([{ failures: 0 }]);
  }
});
