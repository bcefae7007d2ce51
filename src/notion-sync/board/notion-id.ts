const ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** An id of Notion as it is stored: lower case, with hyphens. Null: it is none. */
export function notionIdOf(text: string): string | null {
  return ID.test(text) ? text.toLowerCase().replace(ID, '$1-$2-$3-$4-$5') : null;
}
