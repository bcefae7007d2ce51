/** The storage keys of a link. They do not contain the link, because it is a secret. */
import type { KeyValueStorage } from '../platform';

const NAMES = ['opened', 'language'] as const;

type StorageKeys = Readonly<Record<(typeof NAMES)[number], string>>;

/** The keys of this link. Keys of earlier releases, which held the link itself, are renamed. */
export function storageKeys(token: string, storage: KeyValueStorage): StorageKeys {
  const digest = digestOf(token);
  const keys = { opened: `colloquy.opened.${digest}`, language: `colloquy.language.${digest}` };
  for (const name of NAMES) {
    const before = `colloquy.${name}.${token}`;
    const kept = storage.get(before);
    if (kept === null) continue;
    storage.set(keys[name], kept);
    storage.remove(before);
  }
  return keys;
}

/**
 * Two rounds of FNV-1a, 64 bits as hex. Not the browser's SHA-256, which is missing where the page
 * is served by plain http. It cannot be reversed: a token has three times as many random bits.
 */
function digestOf(token: string): string {
  return [0x811c9dc5, 0x01000193].map((seed) => fnv1a(token, seed)).join('');
}

function fnv1a(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
