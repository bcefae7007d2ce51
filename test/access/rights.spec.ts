import fc from 'fast-check';
import { type Rights, SCOPES, isWithin, reaches } from '../../src/access/rights';

const VACANCIES = ['a', 'b', 'c'];

const rights: fc.Arbitrary<Rights> = fc.record({
  scopes: fc.subarray([...SCOPES]),
  vacancyIds: fc.option(fc.subarray(VACANCIES, { minLength: 1 })),
});
/** A vacancy, or nothing that belongs to one. */
const place = fc.constantFrom(null, ...VACANCIES);

test('whoever has no more rights than another one can do and reach nothing that the other one cannot', () => {
  fc.assert(
    fc.property(rights, rights, (given, own) => {
      const doesNoMore = given.scopes.every((scope) => own.scopes.includes(scope));
      const reachesNoMore = [null, ...VACANCIES, 'another'].every(
        (id) => !reaches(given, id) || reaches(own, id),
      );
      expect(isWithin(given, own)).toBe(doesNoMore && reachesNoMore);
    }),
  );
});

test('everybody is within a token of the settings, and nobody with a limit reaches what belongs to no vacancy', () => {
  const everything = { scopes: SCOPES, vacancyIds: null };

  fc.assert(
    fc.property(rights, place, (given, at) => {
      expect(isWithin(given, everything)).toBe(true);
      expect(reaches(given, at)).toBe(
        given.vacancyIds === null || (at !== null && given.vacancyIds.includes(at)),
      );
    }),
  );
});

test('a scope of a newer version is passed on by nobody who lacks it', () => {
  const newer = { scopes: ['reports:read'], vacancyIds: null };

  expect(isWithin(newer, { scopes: SCOPES, vacancyIds: null })).toBe(false);
});
