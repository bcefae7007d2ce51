/** Notion rounds the times of pages down to the minute. */
export function minute(at: Date): string {
  return new Date(Math.floor(at.getTime() / 60_000) * 60_000).toISOString();
}
