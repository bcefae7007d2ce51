/** Where the list of interviews was left, so that a transcript leads back to the same filters. */
const KEY = 'colloquy.list';
const LIST = '/console/interviews';

export function keepList(address: string): void {
  try {
    sessionStorage.setItem(KEY, address);
  } catch {
    // Leads back to the whole list.
  }
}

export function keptList(): string {
  try {
    const address = sessionStorage.getItem(KEY) ?? LIST;
    return address.startsWith(`${LIST}?`) ? address : LIST;
  } catch {
    return LIST;
  }
}
