/** The one change that leads from a text to another. */
export function changeBetween(
  before: string,
  after: string,
): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return {
    from: start,
    to: before.length - end,
    insert: after.slice(start, after.length - end),
  };
}
