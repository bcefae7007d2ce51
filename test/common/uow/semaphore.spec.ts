import { Semaphore } from '../../../src/common/uow';
import { type Gate, gate } from '../../../tools/http-fake/gate';
import { turnOfLoop } from '../../support/until';

/** Works that have begun, each until its gate is opened. */
class Works {
  readonly begun: number[] = [];
  private readonly gates = new Map<number, Gate>();

  constructor(private readonly slots: Semaphore) {}

  begin(n: number): Promise<number> {
    const hold = gate();
    this.gates.set(n, hold);
    return this.slots.within(async () => {
      this.begun.push(n);
      await hold.opened;
      if (n < 0) throw new Error('it fails');
      return n;
    });
  }

  end(n: number): void {
    this.gates.get(n)?.open();
  }
}

test('a semaphore runs a bounded number at a time, and the others in order', async () => {
  const works = new Works(new Semaphore(2));
  const all = [1, 2, 3, 4].map((n) => works.begin(n));
  await turnOfLoop();
  expect(works.begun).toEqual([1, 2]);

  works.end(2);
  await all[1];
  await turnOfLoop();
  expect(works.begun).toEqual([1, 2, 3]);

  for (const n of [1, 3, 4]) works.end(n);
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

test('work that fails frees its place', async () => {
  const works = new Works(new Semaphore(1));
  const failing = works.begin(-1);
  const next = works.begin(1);
  works.end(-1);
  works.end(1);

  await expect(failing).rejects.toThrow('it fails');
  expect(await next).toBe(1);
});
