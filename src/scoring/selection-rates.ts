import { CsvError, type CsvRow } from './csv';

/**
 * Selection rates by group, as an audit under New York City's local law 144 lists them (6 RCNY § 5-300
 * ff.): the rate of a group is its selected people divided by its people, the impact ratio is its rate
 * divided by the highest rate. Groups of less than 2 % of the people whose group is known may be left
 * out of the ratio (§ 5-301); they are marked.
 */

/** Each category of the file, and their intersection when there are several. Throws CsvError. */
export function selectionRates(rows: readonly CsvRow[]): CategoryRates[] {
  const categories = Object.keys(rows[0]?.cells ?? {}).filter(
    (name) => name !== SELECTED && name !== '',
  );
  if (rows.length === 0) throw new CsvError('the file has no row below its header');
  if (categories.length === 0) throw new CsvError(`the header names no group beside ${SELECTED}`);
  const people = rows.map((row) => ({ isSelected: isSelected(row), cells: row.cells }));
  const views = [
    ...categories.map((name) => [name]),
    ...(categories.length > 1 ? [categories] : []),
  ];
  return views.map((names) => {
    const groups = people.map(({ cells, isSelected: chosen }) => {
      const parts = names.map((name) => cells[name] ?? '');
      return { group: parts.includes('') ? null : parts.join(BETWEEN), isSelected: chosen };
    });
    const known = groups.flatMap(({ group, isSelected: chosen }) =>
      group === null ? [] : [{ group, isSelected: chosen }],
    );
    return {
      category: names.join(BETWEEN),
      groups: ratesOf(known),
      unknown: groups.length - known.length,
    };
  });
}

export const SELECTED = 'selected';
const BETWEEN = ' × ';

export interface CategoryRates {
  /** A column of the file, or all of them together. */
  readonly category: string;
  readonly groups: readonly GroupRate[];
  /** People who did not say. */
  readonly unknown: number;
}

export interface GroupRate {
  readonly group: string;
  readonly people: number;
  readonly selected: number;
  readonly rate: number;
  /** Less than 2 % of all: marked, without a ratio, and never the group compared with. */
  readonly isSmall: boolean;
  /** Null: small, or nobody at all was selected. */
  readonly impactRatio: number | null;
}

const SMALL = 0.02;

function ratesOf(known: readonly { group: string; isSelected: boolean }[]): GroupRate[] {
  const names = [...new Set(known.map(({ group }) => group))].toSorted();
  const counted = names.map((group) => {
    const own = known.filter((one) => one.group === group);
    const selected = own.filter((one) => one.isSelected).length;
    const isSmall = own.length / known.length < SMALL;
    return { group, people: own.length, selected, rate: selected / own.length, isSmall };
  });
  const highest = Math.max(0, ...counted.filter((one) => !one.isSmall).map(({ rate }) => rate));
  return counted.map((one) => ({
    ...one,
    impactRatio: one.isSmall || highest === 0 ? null : one.rate / highest,
  }));
}

const YES = new Set(['yes', 'true', '1', 'да']);
const NO = new Set(['no', 'false', '0', 'нет']);

function isSelected({ line, cells }: CsvRow): boolean {
  const text = (cells[SELECTED] ?? '').toLowerCase();
  if (YES.has(text)) return true;
  if (NO.has(text)) return false;
  throw new CsvError(`line ${String(line)}: expected yes or no under ${SELECTED}, found "${text}"`);
}
