import { WakeSignal } from '../../../src/channels/web/events/sse-response';

test('a reader that waits for something is rung after its patience, and not before', async () => {
  const bell = new WakeSignal();
  bell.lookAgainMs = 2000;
  bell.tick(0);
  bell.tick(1999);
  bell.ring('text');
  expect(await bell.wait()).toEqual({ text: true, rows: false });

  bell.tick(2000);

  expect(await bell.wait()).toEqual({ text: false, rows: true });
});

test('a reader that waits for nothing in particular is left alone', async () => {
  const bell = new WakeSignal();
  for (const nowMs of [0, 5000, 60_000]) bell.tick(nowMs);
  bell.ring('text');

  expect(await bell.wait()).toEqual({ text: true, rows: false });
});
