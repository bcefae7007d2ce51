import fc from 'fast-check';
import { GrowingText } from '../../src/common/text';

test('a text that grows is the sum of its pieces, whenever it is read', () => {
  const pieces = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.boolean()), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(pieces, (all) => {
      const growing = new GrowingText();
      let text = '';
      for (const [piece, isRead] of all) {
        growing.append(piece);
        text += piece;
        expect(growing.length).toBe(text.length);
        if (isRead) expect(growing.toString()).toBe(text);
      }
      expect(growing.toString()).toBe(text);
    }),
  );
});
