/**
 * Zod describes every integer with the bounds of JavaScript, and every time with a pattern that repeats
 * its format. Tools make examples of them that mislead: -9007199254740991, and the year 8114.
 */
export function removeEmptyBounds(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const bounded = schema as Record<string, unknown>;
  if (bounded['minimum'] === Number.MIN_SAFE_INTEGER) delete bounded['minimum'];
  if (bounded['maximum'] === Number.MAX_SAFE_INTEGER) delete bounded['maximum'];
  if (typeof bounded['format'] === 'string') delete bounded['pattern'];
  for (const [key, inner] of Object.entries(bounded)) {
    if (key !== 'examples') removeEmptyBounds(inner);
  }
}
