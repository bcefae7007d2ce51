import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  type Tx,
  type UnitOfWork,
  type UnitOfWorkFactory,
} from '../../src/common/uow';

/** `lost`: nothing is stored. `unheard`: stored, and its end is not heard. */
export type Trouble = 'lost' | 'unheard';

/** Units whose next commits of a label go wrong, as the test says. */
export function flakyUnits(
  units: UnitOfWorkFactory,
  label: string,
  troubles: readonly Trouble[],
): UnitOfWorkFactory {
  const left = [...troubles];
  const commitOf =
    (uow: UnitOfWork) =>
    async <T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> => {
      const trouble = name === label ? left.shift() : undefined;
      if (trouble === 'lost') throw new DatabaseUnavailableError('the test took it away');
      const result = await uow.commit(name, work);
      if (trouble === 'unheard') throw new CommitOutcomeUnknownError('the test broke it');
      return result;
    };
  const run = <T>(name: string, flow: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
    units.run(name, (uow) => flow(proxyOf(uow, { commit: commitOf(uow) })));
  return proxyOf(units, { run });
}

function proxyOf<T extends object>(target: T, instead: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (owner, key) => instead[key as string] ?? (Reflect.get(owner, key) as unknown),
  });
}
