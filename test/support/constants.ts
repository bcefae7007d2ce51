/**
 * Gives constants of the code other values for this file or this `describe`. Call it before a hook that
 * starts what reads them. Workers load modules once for all files, so the values are put back.
 */
export function withConstants<T extends object>(constants: T, values: Partial<T>): void {
  const before = { ...constants };
  beforeAll(() => {
    Object.assign(constants, values);
  });
  afterAll(() => {
    Object.assign(constants, before);
  });
}
