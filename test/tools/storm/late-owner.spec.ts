import { LateOwner } from '../../../tools/storm/late-owner';

type Until = (jobId: string | null) => Promise<void>;

/** Replicas whose next commit comes when the test says so, and the job table at each look at it. */
class Replicas {
  /** How many rows each statement finds; null: the database is away. */
  private readonly found: (number | null)[];
  readonly statements: string[] = [];
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

  constructor(...found: (number | null)[]) {
    this.found = found;
  }

  readonly rows = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    this.statements.push(`${text.slice(0, 6)} ${values.join()}`);
    const count = this.found.shift();
    if (count === null) return Promise.reject(new Error('the database is away'));
    return Promise.resolve(Array.from({ length: count ?? 0 }, () => ({}) as Row));
  };

  /** The replica comes to its commit; resolves when it goes on. */
  comes(n: number, jobId: string): Promise<void> {
    const stop = this.stops[n];
    if (stop === undefined) throw new Error('nothing is to stop');
    const wentOn = stop.until(jobId);
    stop.end(wentOn);
    return wentOn;
  }

  comesNot(...numbers: readonly number[]): void {
    for (const n of numbers) this.stops[n]?.end(Promise.reject(new Error('it did not come')));
  }
}

test('the first owner loses its lease and goes on when its job has ended, the others at once', async () => {
  const setup = new Replicas(null, 0, 1, null, 0);
  const over = new LateOwner(setup, 0).stopAt('turn.close');

  const late = setup.comes(1, '7');
  await setup.comes(0, '8');
  setup.comesNot(2);
  await late;
  await over;

  const asked = ['update 7', 'update 7', 'select 7', 'select 7', 'select 7'];
  expect(setup.statements).toEqual(asked);
});

test('a second owner is not made late meanwhile', async () => {
  const setup = new Replicas();
  const owners = new LateOwner(setup, 0);
  const over = owners.stopAt('turn.close');

  await expect(owners.stopAt('turn.close')).rejects.toThrow('the last owner is still late');
  setup.comesNot(0, 1, 2);
  await expect(over).rejects.toThrow('the commit did not come');
  const next = owners.stopAt('deliver.settle');
  setup.comesNot(3, 4, 5);
  await expect(next).rejects.toThrow('the commit did not come');
});
