/** Where the list of interviews was left: its address with the filters, and the rows in their order. */
const KEY = 'colloquy.list';
const LIST = '/console/interviews';
/** More would be slow to write each time that a list grows. */
const MAX_IDS = 1000;

interface KeptList {
  readonly address: string;
  readonly ids: readonly string[];
}

export function keepList(address: string, ids: readonly string[]): void {
  try {
    const kept: KeptList = { address, ids: ids.slice(0, MAX_IDS) };
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Leads back to the whole list.
  }
}

export function forgetList(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // It was never there.
  }
}

/** Of an interview that is gone. What was searched for may be its candidate's name. */
export function forgetInList(id: string): void {
  const { address, ids } = keptList();
  if (!ids.includes(id)) return;
  const [, search = ''] = address.split('?');
  const query = new URLSearchParams(search);
  query.delete('text');
  keepList(
    query.size === 0 ? LIST : `${LIST}?${query.toString()}`,
    ids.filter((one) => one !== id),
  );
}

export function keptList(): KeptList {
  const none = { address: LIST, ids: [] };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return none;
    const { address, ids } = kept as Partial<Record<keyof KeptList, unknown>>;
    if (typeof address !== 'string' || !Array.isArray(ids)) return none;
    return {
      address: address.startsWith(`${LIST}?`) ? address : LIST,
      ids: ids.filter((id) => typeof id === 'string'),
    };
  } catch {
    return none;
  }
}

/** Its neighbours in the list from which it was opened; null: it is in none. */
export function stepsAround(
  id: string,
  { ids }: Pick<KeptList, 'ids'>,
): { at: number; of: number; previous: string | null; next: string | null } | null {
  const index = ids.indexOf(id);
  if (index < 0) return null;
  return {
    ...{ at: index + 1, of: ids.length },
    previous: ids[index - 1] ?? null,
    next: ids[index + 1] ?? null,
  };
}
