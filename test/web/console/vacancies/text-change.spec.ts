/** The one change by which the editor shows another text. */
import fc from 'fast-check';
import { changeBetween } from '../../../../web/console/vacancies/text-change';

const text = fc
  .array(fc.constantFrom('a', 'b', '\n'), { maxLength: 12 })
  .map((all) => all.join(''));

test('it leads from one text to the other, and leaves their common beginning and end', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { from, to, insert } = changeBetween(before, after);

      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
      expect(to).toBeGreaterThanOrEqual(from);
    }),
  );
  expect(changeBetween('title: Cook\n', 'title: Chef\n')).toEqual({
    ...{ from: 8, to: 11, insert: 'hef' },
  });
});
