import { WakeSignal } from '../../../src/channels/web/events/sse-response';

test('wakes a reader that expects a change once its time is over, and not before', async () => {
  const signal = new WakeSignal();
  signal.rereadAfterMs = 2000;
  signal.tick(0);
  signal.tick(1999);
  signal.wake('text');
  expect(await signal.wait()).toEqual({ text: true, rows: false });

  signal.tick(2000);

  expect(await signal.wait()).toEqual({ text: false, rows: true });
});

test('does not wake a reader that expects nothing', async () => {
  const signal = new WakeSignal();
  for (const nowMs of [0, 5000, 60_000]) signal.tick(nowMs);
  signal.wake('text');

  expect(await signal.wait()).toEqual({ text: true, rows: false });
});
