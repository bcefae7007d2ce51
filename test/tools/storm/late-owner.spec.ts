import { LateOwner } from '../../../tools/storm/late-owner';

type Until = (worker: string | null) => Promise<void>;

/** Replicas whose next commit comes when the test says so, and a job table that it writes. */
class Replicas {
  /** The jobs that run; null: the database is away. */
  running: readonly string[] | null = ['7', '8'];
  readonly looks: (readonly unknown[])[] = [];
  private readonly stops: {
    readonly until: Until;
    readonly end: (wentOn: Promise<void>) => void;
  }[] = [];
  readonly replicas = ['first', 'second', 'third'].map(() => ({
    freezeAtCommit: (_commit: string, until: Until) =>
      new Promise<void>((resolve, reject) => {
        this.stops.push({ until, end: (wentOn) => void wentOn.then(resolve, reject) });
      }),
  }));

  /** As setup.rows; each look is awaited by `looked`. */
  readonly rows = <Row>(_text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    this.looks.push(values);
    if (this.running === null) return Promise.reject(new Error('the database is away'));
    return Promise.resolve(this.running.map((id) => ({ id })) as Row[]);
  };

  /** The replica comes to its commit; resolves when it goes on. */
  comes(n: number, worker: string): Promise<void> {
    const stop = this.stops[n];
    if (stop === undefined) throw new Error('nothing is to stop');
    const wentOn = stop.until(worker);
    stop.end(wentOn);
    return wentOn;
  }

  comesNot(n: number): void {
    this.stops[n]?.end(Promise.reject(new Error('the commit did not come')));
  }
}

test('the first owner waits until its jobs have ended, and the others go on at once', async () => {
  const setup = new Replicas();
  const over = new LateOwner(setup, 0).stopAt('turn.close');

  const late = setup.comes(1, 'w1');
  await setup.comes(0, 'w0');
  setup.comesNot(2);
  setup.running = [];
  await late;
  await over;

  expect(setup.looks).toEqual([
    ['flush', 'w1', null],
    ['flush', 'w1', ['7', '8']],
  ]);
});

test('an owner of sends waits for the queue of deliveries, also while the database is away', async () => {
  const setup = new Replicas();
  setup.running = null;
  const over = new LateOwner(setup, 0).stopAt('deliver.settle');

  const late = setup.comes(0, 'w0');
  setup.comesNot(1);
  setup.comesNot(2);
  await Promise.resolve();
  setup.running = [];
  await late;
  await over;

  expect(setup.looks).toEqual([
    ['deliver', 'w0', null],
    ['deliver', 'w0', null],
  ]);
});

test('a second owner is not made late meanwhile', async () => {
  const setup = new Replicas();
  const owners = new LateOwner(setup, 0);
  const over = owners.stopAt('turn.close');

  await expect(owners.stopAt('turn.close')).rejects.toThrow('the last owner is still late');
  for (const n of [0, 1, 2]) setup.comesNot(n);
  await expect(over).rejects.toThrow('the commit did not come');
  const next = owners.stopAt('turn.close');
  for (const n of [3, 4, 5]) setup.comesNot(n);
  await expect(next).rejects.toThrow('the commit did not come');
});
