import { shared } from '../../src/common/metrics';

describe('a shared reading', () => {
  test('is one for all that ask while it runs, and a new one afterwards', async () => {
    let readings = 0;
    const read = shared(() => Promise.resolve((readings += 1)));

    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(2);
  });

  test('that failed is not kept: the next one reads again', async () => {
    let readings = 0;
    const read = shared(async () => {
      readings += 1;
      if (readings === 1) throw new Error('the database is away');
      return Promise.resolve(readings);
    });

    await expect(Promise.all([read(), read()])).rejects.toThrow('the database is away');
    expect(await read()).toBe(2);
  });
});
