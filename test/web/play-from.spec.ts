import { playFrom } from '../../web/src/console/play-from';

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

test('a recording without a length gets a time line first, and then plays from the second', () => {
  const player = new Player(Infinity);

  playFrom(player, 3);
  player.learns(Infinity);
  expect(player.times).toEqual([Number.MAX_SAFE_INTEGER]);

  player.learns(4.2);
  player.learns(4.3);
  expect(player.times).toEqual([Number.MAX_SAFE_INTEGER, 3]);
  expect(player.plays).toBe(1);
});

test('a recording with a length plays from the second at once', () => {
  const player = new Player(4.2);

  playFrom(player, 2.5);
  player.learns(4.3);

  expect(player.times).toEqual([2.5]);
  expect(player.plays).toBe(1);
});
