/** The storage keys of a link. They do not contain the link, because it is a secret. */
export function storageKeys(token: string): { readonly opened: string; readonly language: string } {
  const digest = digestOf(token);
  return { opened: `colloquy.opened.${digest}`, language: `colloquy.language.${digest}` };
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
