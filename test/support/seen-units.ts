import type { UnitOfWork, UnitOfWorkFactory } from '../../src/common/uow';

/** A unit of work that a test has seen opened, and the labels of its commits. */
export interface SeenUnit {
  readonly unit: UnitOfWork;
  readonly commits: string[];
}

/** From now on the returned list gets every unit that is opened with a label that `isWatched`. */
export function watchUnits(
  units: UnitOfWorkFactory,
  isWatched: (label: string) => boolean = () => true,
): SeenUnit[] {
  const seen: SeenUnit[] = [];
  const open = units.open.bind(units);
  jest.spyOn(units, 'open').mockImplementation((label) => {
    const unit = open(label);
    if (!isWatched(label)) return unit;
    const commits: string[] = [];
    for (const method of ['commit', 'commitOne'] as const) {
      const commit = unit[method].bind(unit);
      unit[method] = (name, work) => {
        commits.push(name);
        return commit(name, work);
      };
    }
    seen.push({ unit, commits });
    return unit;
  });
  return seen;
}

export function isClosed(unit: UnitOfWork): boolean {
  return (unit as unknown as { state: string }).state === 'closed';
}
