import { flushCause } from '../../src/buffer/flush';
import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({ INTERVIEW_BUFFER_MAX_SIZE: '3' });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

describe('the metrics', () => {
  const buffer = {
    count: 1,
    chars: 10,
    pending: 0,
    finished: false,
    firstAt: new Date(0),
    quietAt: new Date(4000),
  };
  const limits = { maxSize: 3, maxChars: 100, maxWaitMs: 30_000 };

  test.each([
    ['quiet', {}],
    ['done', { finished: true }],
    ['max_size', { count: 3, finished: true }],
    ['max_chars', { chars: 100 }],
    ['max_wait', { quietAt: new Date(31_000), finished: true }],
    ['max_wait', { pending: 1, count: 3 }],
  ])('the cause of a flush is %s', (cause, difference) => {
    expect(flushCause({ ...buffer, ...difference }, limits)).toBe(cause);
  });

  test('count each flush once by cause, wait and size, and measure the open buffers', async () => {
    setup.main.turns.fates.push('fails', 'peer_down');
    for (const text of ['1', '2', '3']) await setup.append(conversation, text);
    await setup.tick();
    for (let round = 0; round < 2; round += 1) {
      setup.clock.advance(60_000);
      await setup.tick();
    }
    await setup.append(await setup.conversation(), 'a');
    const other = await setup.conversation();
    for (const text of ['b', 'c']) await setup.append(other, text);

    const { body } = await setup.registry.exposition();

    for (const line of [
      'colloquy_buffer_flushes_total{cause="max_size"} 1',
      'colloquy_buffer_flush_outcomes_total{channel="web",outcome="failure"} 1',
      'colloquy_buffer_flush_outcomes_total{channel="web",outcome="peer_unavailable"} 1',
      'colloquy_buffer_flush_outcomes_total{channel="web",outcome="success"} 1',
      'colloquy_buffer_errors_total{operation="flush",code="unexpected"} 1',
      'colloquy_buffer_wait_seconds_count{channel="web"} 1',
      'colloquy_buffer_flush_messages_sum{channel="web"} 3',
      'colloquy_buffers_open 2',
      'colloquy_buffer_mean_messages 1.5',
    ]) {
      expect(body).toContain(line);
    }
  });

  test('count a flush that a stopping process gives up as handed back, not as a failure', async () => {
    const { turns, rig } = setup.main;
    await setup.append(conversation, 'a');
    turns.whileAsked = () => {
      void rig.worker.handBack(0);
      return Promise.reject(new Error('the request was aborted'));
    };
    setup.clock.advance(60_000);
    await setup.tick();
    turns.whileAsked = () => Promise.resolve();

    const { body } = await setup.registry.exposition();

    expect(body).toContain('outcome="handed_back"} 1');
    expect(body).not.toContain('outcome="failure"');
  });
});
