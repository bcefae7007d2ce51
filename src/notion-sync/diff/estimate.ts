/** What a run will take: "74 writes, about 25 s". */
export function describeRun(writes: number, writesPerSecond: number): string {
  if (writes === 0) return 'no writes';
  const seconds = Math.ceil(writes / writesPerSecond);
  const time = seconds < 120 ? `${String(seconds)} s` : `${String(Math.round(seconds / 60))} min`;
  return `${String(writes)} ${writes === 1 ? 'write' : 'writes'}, about ${time}`;
}
