/**
 * Works through a list, to which the work may add, at most so many pieces at a time. After a failure nothing
 * more begins; what has begun ends first, and then the first failure is thrown.
 */
export async function sideBySide<T>(
  atOnce: number,
  list: T[],
  work: (one: T) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const next = async (): Promise<void> => {
    while (!failed.signal.aborted) {
      const one = list.shift();
      if (one === undefined) return;
      await work(one);
    }
  };
  const note = (error: unknown): void => {
    failed.abort(error);
  };
  await Promise.all(Array.from({ length: atOnce }, () => next().catch(note)));
  failed.signal.throwIfAborted();
}
