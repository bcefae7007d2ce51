import { settingsForTests } from '../../support/settings';
import { LimiterWorld, type Replica, type Stalls } from './world';

let world: LimiterWorld;
beforeAll(async () => {
  world = await LimiterWorld.open();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

/** The same small lateness in every run: 0 to 4 ms, now and then 12. */
function jitter(seed: number): Stalls {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % 97 === 0 ? 12 : state % 5;
  };
}

/** Starts of three callers on each replica, each with one call after the other. */
async function startsOf(
  replicas: readonly Replica[],
  options: { tookMs: number; forMs: number },
): Promise<number[]> {
  const starts: number[] = [];
  const beganMs = world.nowMs;
  const loop = async ({ limiter }: Replica): Promise<void> => {
    while (world.nowMs - beganMs < options.forMs) {
      await limiter.whenPermitted({}, () => {
        starts.push(world.nowMs);
        return world.sleep(options.tookMs);
      });
    }
  };
  const loops = replicas.flatMap((replica) => [replica, replica, replica]);
  const flows = loops.map((replica) => world.flow(() => loop(replica)));
  await Promise.all([world.drive(), ...flows]);
  return starts;
}

function share(starts: readonly number[], perSecond: number): number {
  const [first = 0] = starts;
  const last = starts.at(-1) ?? 0;
  return (starts.length - 1) / ((last - first) / 1000) / perSecond;
}

test.each([1, 3])(
  '%i replicas use at least 0.96 of the rate, however small the lateness of each step',
  async (count) => {
    const settings = settingsForTests({ NOTION_MAX_RPS: '3', NOTION_BUDGET_PER_MINUTE: '180' });
    const replicas = Array.from({ length: count }, (_, index) =>
      world.replica(settings, jitter(index + 1)),
    );
    const starts = await startsOf(replicas, { tookMs: 50, forMs: 30_000 });

    expect(share(starts, 3)).toBeGreaterThanOrEqual(0.96);
    expect(share(starts, 3)).toBeLessThanOrEqual(1);
  },
  120_000,
);

test('a rate that a 429 has halved is back after 50 quiet seconds', async () => {
  const replica = world.replica(settingsForTests());
  await world.flow(() =>
    replica.limiter.whenPermitted({}, (permit) => replica.limiter.slowDown(permit, 1000)),
  );
  const starts = await startsOf([replica], { tookMs: 50, forMs: 65_000 });

  const [first = 0] = starts;
  const of = (fromMs: number, untilMs: number): number =>
    share(
      starts.filter((at) => at - first >= fromMs && at - first < untilMs),
      3,
    );
  expect(of(0, 8000)).toBeGreaterThan(0.45);
  expect(of(0, 8000)).toBeLessThan(0.6);
  expect(of(20_000, 30_000)).toBeGreaterThan(0.68);
  expect(of(20_000, 30_000)).toBeLessThan(0.82);
  expect(of(52_000, 65_000)).toBeGreaterThan(0.96);
}, 120_000);
