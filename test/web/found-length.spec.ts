import { findLength } from '../../web/src/console/found-length';

/** An <audio> of a recording in WebM, as Chromium plays it: it learns the length at its end. */
class Player extends EventTarget {
  readonly times: number[] = [];
  plays = 0;

  constructor(public duration: number) {
    super();
  }

  get currentTime(): number {
    return this.times.at(-1) ?? 0;
  }

  set currentTime(time: number) {
    this.times.push(time);
  }

  play(): Promise<void> {
    this.plays += 1;
    return Promise.resolve();
  }

  learns(duration: number): void {
    this.duration = duration;
    this.dispatchEvent(new Event('durationchange'));
  }
}

test('a recording without a length gets a time line, and plays from its beginning', () => {
  const player = new Player(Infinity);

  findLength(player);
  player.learns(Infinity);
  expect(player.times).toEqual([Number.MAX_SAFE_INTEGER]);

  player.learns(4.2);
  player.learns(4.3);
  expect(player.times).toEqual([Number.MAX_SAFE_INTEGER, 0]);
  expect(player.plays).toBe(1);
});

test('a recording with a length plays as it is', () => {
  const player = new Player(4.2);

  findLength(player);
  player.learns(4.3);

  expect(player.times).toEqual([]);
  expect(player.plays).toBe(0);
});
