import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  type UnitOfWork,
  type UnitOfWorkFactory,
} from '../../src/common/uow';

/** `lost`: nothing is stored. `unheard`: it is stored, but the caller does not learn that. */
export type Trouble = 'lost' | 'unheard';

type CommitAs = (kind: string, label: string, work: unknown) => Promise<unknown>;

/** Units whose next commits with this label fail as the test says. */
export function flakyUnits(
  units: UnitOfWorkFactory,
  label: string,
  troubles: readonly Trouble[],
): UnitOfWorkFactory {
  const left = [...troubles];
  // What commit, commitOne and commitUntilStored call for each try.
  const commitAsOf = (uow: UnitOfWork): CommitAs => {
    const commitAs = (uow as unknown as { commitAs: CommitAs }).commitAs.bind(uow);
    return async (kind, name, work) => {
      const trouble = name === label ? left.shift() : undefined;
      if (trouble === 'lost') throw new DatabaseUnavailableError('the test took it away');
      const result = await commitAs(kind, name, work);
      if (trouble === 'unheard') throw new CommitOutcomeUnknownError('the test broke it');
      return result;
    };
  };
  const open = (name: string): UnitOfWork => {
    const uow = units.open(name);
    return proxyOf(uow, { commitAs: commitAsOf(uow) });
  };
  return proxyOf(units, { open });
}

function proxyOf<T extends object>(target: T, instead: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (owner, key) => instead[key as string] ?? (Reflect.get(owner, key) as unknown),
  });
}
