/** Names and addresses of files. */

/** As RFC 6266 has it; the name in UTF-8 goes first. */
export function fileNameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="([^"]*)"/i.exec(disposition)?.[1] ?? 'colloquy';
  try {
    return encoded === undefined ? plain : decodeURIComponent(encoded);
  } catch {
    return plain;
  }
}

/** An address with the values that are given. */
export function placeOf(
  path: string,
  query: Readonly<Record<string, string | null | undefined>>,
): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') given.set(name, value);
  }
  const search = given.toString();
  return search === '' ? path : `${path}?${search}`;
}
