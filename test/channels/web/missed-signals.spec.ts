import { LiveReplies } from '../../../src/streams';
import { FakeClock } from '../../../tools/support/fake-clock';
import { said } from './chat-client';
import { EventSourceReader } from './event-source';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { turnOfLoop } from '../../support/until';

/**
 * A change that another replica commits without a notice. Its clock stands still: its first notice is
 * sent at once, and the next one never.
 */
describe('a change without a signal is noticed', () => {
  const clock = new FakeClock();
  let app: TestApp;
  let mute: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ clock, isWorking: false });
    mute = await startReplica(app, { clock: new FakeClock(), isWorking: false });
    await TestCandidate.begin(mute);
  });

  afterAll(async () => {
    await mute.close();
    await app.close();
  });

  /** Moves time second by second, for the one timer of all streams. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await turnOfLoop();
    }
  }

  /** Waits until the timer counts the new stream, and until its first signals are handled. */
  async function settle(candidate: TestCandidate): Promise<void> {
    await pass(1);
    await candidate.view();
  }

  function read({ headers }: TestCandidate): Promise<EventSourceReader> {
    return EventSourceReader.open(`${app.url}/api/v1/conversation/events`, headers);
  }

  function post(at: TestApp, candidate: TestCandidate, ...ids: string[]): Promise<Response> {
    return fetch(`${at.url}/api/chat`, {
      method: 'POST',
      headers: candidate.headers,
      body: JSON.stringify({ id: 'a chat', messages: ids.map((id) => said(id, 'Rye.')) }),
    });
  }

  test('within 2 s by an event stream that expects a change', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await read(candidate);
    await candidate.send('m1', 'Rye.');
    await reader.until((told) => told.of('state').at(-1)?.data.hasBuffer === true);
    await settle(candidate);

    await candidate.at(mute).send('m2', 'Wheat.');
    await pass(2);
    await reader.until((told) => told.of('message').length === 2);

    expect(reader.of('message').at(-1)?.data.text).toBe('Wheat.');
    reader.close();
  });

  test('within 2 s by an event stream whose reply broke off', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await read(candidate);
    const reply = app.get(LiveReplies).mirror({
      conversationId: candidate.conversationId,
      turnId: '1',
      answerIds: [],
      messageId: 'half',
      epoch: 1,
    });
    reply.append('Half of it');
    await reader.until(({ text }) => text === 'Half of it');
    await settle(candidate);

    reply.breakOff();
    await candidate.view();
    await pass(2);

    expect(await reader.ended()).toBe('cut');
  });

  test('within 1 s by a waiting chat request, which a newer one supersedes', async () => {
    const candidate = await TestCandidate.begin(app);
    const older = await post(app, candidate, 'm1');
    await settle(candidate);

    const newer = await post(mute, candidate, 'm1', 'm2');
    await pass(1);

    expect(await older.text()).toContain('data-superseded');
    await newer.body?.cancel();
  });
});
