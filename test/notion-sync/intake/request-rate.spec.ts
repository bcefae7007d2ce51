import fc from 'fast-check';
import { RequestRate } from '../../../src/notion-sync/intake/webhook-guard';

test('a request is admitted exactly when the rolling second has had fewer than the limit', () => {
  const limits = fc.integer({ min: 1, max: 7 });
  const waits = fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 60 });
  fc.assert(
    fc.property(limits, waits, (limit, waitsMs) => {
      const rate = new RequestRate(limit);
      const admitted: number[] = [];
      let nowMs = 0;
      for (const waitMs of waitsMs) {
        nowMs += waitMs;
        const recent = admitted.filter((atMs) => nowMs - atMs < 1000).length;
        const isAdmitted = rate.admits(nowMs);
        expect(isAdmitted).toBe(recent < limit);
        if (isAdmitted) admitted.push(nowMs);
      }
    }),
  );
});
