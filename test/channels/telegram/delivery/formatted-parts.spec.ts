import fc from 'fast-check';
import { draftOf, formattedParts, marksIn } from '../../../../src/channels/telegram/message-format';
import { messageText } from '../../../../tools/fake-telegram/text/formatted-text';

const LIMIT = 4096;
const FAMILY = '👨‍👩‍👧‍👦';
const FLAG = '🇨🇭';
const RTL = 'שלום עולם';
/** Invisible characters: joiners, a space without width, direction marks. */
const UNSEEN = ['\u200d', '\u200b', '\u200e', '\u200f', '\u2060'];

/** The text that people see. Throws if the Bot API would refuse the part. */
function seen(part: { readonly text: string }): string {
  return messageText({ text: part.text, parse_mode: 'HTML' }).text;
}

/** Texts that the interviewer may write, including texts that are hard to split. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 30, mode: 'sentences' }) },
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom(
    '**',
    '*',
    '`',
    '**a `b** c`',
    '`a **b` c**',
    '**bold**',
    '`code`',
    '` `',
    '** **',
  ),
  fc.constantFrom(
    '<b>',
    '</b>',
    '<script>alert(1)</script>',
    '&amp;',
    '&lt',
    '1 < 2 && 3 > 2',
    '"',
  ),
  fc.constantFrom(FAMILY, FLAG, 'e\u0301', RTL, '한국어', ...UNSEEN),
  fc.constantFrom(' ', '\n', '\n\n', '\r\n', '\t', '\u00a0'),
  fc.nat(3000).map((n) => 'x'.repeat(n)),
  fc.nat(900).map((n) => FLAG.repeat(n)),
  fc.nat(400).map((n) => FAMILY.repeat(n)),
);
const reply = fc
  .array(piece, { maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .filter((text) => /[\p{L}\p{N}]/u.test(text));

const RUNS = { numRuns: 100 };
const SEGMENTER = new Intl.Segmenter();

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

function withoutMarks(text: string): string {
  return text.replace(/[\s*`]/g, '');
}

/** Whether the text contains no half of a surrogate pair. */
function isWhole(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** The positions at which visible characters begin, and the end of the text. */
function boundariesOf(text: string): Set<number> {
  return new Set([...SEGMENTER.segment(text)].map(({ index }) => index).concat(text.length));
}

describe('a reply in parts', () => {
  test('has the text of the reply in its parts, except white space and marks', () => {
    fc.assert(
      fc.property(reply, (text) => {
        const parts = formattedParts(text);
        expect(withoutMarks(parts.map(seen).join(''))).toBe(withoutMarks(text));
        expect(withoutMarks(parts.map(({ plain }) => plain).join(''))).toBe(withoutMarks(text));
      }),
      RUNS,
    );
  });

  test('is accepted by Telegram: each part is valid HTML of 1 to 4096 UTF-16 units', () => {
    fc.assert(
      fc.property(reply, (text) => {
        for (const part of formattedParts(text)) {
          const shown = seen(part);
          expect(shown.length).toBeGreaterThan(0);
          expect(shown.length).toBeLessThanOrEqual(LIMIT);
          expect(shown).toBe(messageText({ text: part.plain }).text);
        }
      }),
      RUNS,
    );
  });

  test('never splits what people see as one character', () => {
    fc.assert(
      fc.property(reply, (text) => {
        const clean = text.trim();
        const ends = boundariesOf(clean);
        let at = 0;
        for (const { plain } of formattedParts(text.replace(/[*`]/g, '·'))) {
          at = clean.replace(/[*`]/g, '·').indexOf(plain, at);
          expect(isWhole(plain)).toBe(true);
          // A combining mark after a space belongs to that space, and a break removes the space.
          const isAfterSpace = /\s/.test(clean.charAt(at - 1));
          expect(isAfterSpace || ends.has(at)).toBe(true);
          at += plain.length;
        }
      }),
      RUNS,
    );
  });

  test.each([
    ['4096 emoji', '😀'.repeat(4096), 2],
    ['4096 flags behind one letter', `a${FLAG.repeat(4096)}`, 5],
    ['families', FAMILY.repeat(1000), 3],
    ['4096 letters', 'x'.repeat(4096), 1],
    ['4097 letters', 'x'.repeat(4097), 2],
    ['text from right to left', `${RTL} `.repeat(1000), 3],
  ])('is whole and within the limit: %s', (_name, text, count) => {
    const parts = formattedParts(text);

    expect(parts).toHaveLength(count);
    expect(withoutSpace(parts.map(seen).join(''))).toBe(withoutSpace(text));
    for (const { plain } of parts) expect(plain.length).toBeLessThanOrEqual(LIMIT);
  });

  test('never splits a code point, even in a character that is longer than a message', () => {
    const parts = formattedParts(`😀${'\u0301'.repeat(5000)}😀`);

    expect(parts.map(({ plain }) => isWhole(plain))).toEqual([true, true]);
  });

  test('breaks at a paragraph, else at a line, a sentence, a word', () => {
    const half = 'x'.repeat(3000);

    expect(formattedParts(`${half}\n\nSecond. Third\n${half}`)[1]?.plain).toMatch(/^Second/);
    expect(formattedParts(`${half}\nSecond. Third ${half}`)[1]?.plain).toMatch(/^Second/);
    expect(formattedParts(`${half} a. Second third ${half}`)[1]?.plain).toMatch(/^Second/);
    expect(formattedParts(`${half} second ${half}`)[1]?.plain).toBe(half);
  });

  test('has bold and code formatted, HTML as text, and unclosed marks unchanged', () => {
    expect(formattedParts('**Yes** & `a < b`')).toEqual([
      { text: '<b>Yes</b> &amp; <code>a &lt; b</code>', plain: 'Yes & a < b' },
    ]);
    expect(formattedParts('2 ** 3 ** 4, `open')).toEqual([
      { text: '2 ** 3 ** 4, `open', plain: '2 ** 3 ** 4, `open' },
    ]);
    expect(formattedParts('**a `b** c`')[0]?.text).toBe('<b>a `b</b> c`');
    expect(formattedParts('`a **b` c**')[0]?.text).toBe('<code>a **b</code> c**');
  });

  test('has no part if it is only white space', () => {
    expect(formattedParts(' \n\t ')).toEqual([]);
  });
});

describe('a draft', () => {
  test('is the beginning of the reply, within the limit and in whole characters', () => {
    fc.assert(
      fc.property(reply, (text) => {
        const draft = draftOf(text);
        expect(draft.length).toBeLessThanOrEqual(LIMIT);
        expect(isWhole(draft)).toBe(true);
        expect(withoutMarks(text).startsWith(withoutMarks(draft))).toBe(true);
      }),
      RUNS,
    );
  });

  test('of a reply that has no word yet is empty', () => {
    expect(draftOf(' \n')).toBe('');
  });
});

/** The marks as a regular expression, which is correct but slow on some texts. */
const MARKED = /`([^`\n]*[^`\s][^`\n]*)`|\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*/g;
const signs = fc.string({
  unit: fc.constantFrom('`', '*', '**', ' ', '\n', '\t', 'a', '\u00a0'),
  maxLength: 40,
});

test('finds the same marks as the regular expression', () => {
  fc.assert(
    fc.property(signs, (text) => {
      const found = [...marksIn(text)].map(({ name, start, end }) => [name, start, end]);
      const wanted = [...text.matchAll(MARKED)].map((match) => [
        match[1] === undefined ? 'b' : 'code',
        match.index,
        match.index + match[0].length,
      ]);
      expect(found).toEqual(wanted);
    }),
    { numRuns: 2000 },
  );
});

/** How many characters are read to find the marks of a text. */
function visits(text: string): number {
  let count = 0;
  const counted = {
    length: text.length,
    charAt: (at: number) => {
      count += 1;
      return text.charAt(at);
    },
  };
  for (const _ of marksIn(counted));
  return count;
}

test('finding the marks of any text reads each character only a few times', () => {
  const unit = fc.string({
    unit: fc.constantFrom('`', '*', '**', ' ', '\n', 'a', 'b '),
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(unit, fc.string({ maxLength: 5 }), (repeated, head) => {
      const [once, twice] = [300, 600].map((n) => head + repeated.repeat(n));
      expect(visits(once ?? '')).toBeLessThanOrEqual(8 * (once ?? '').length);
      expect(visits(twice ?? '')).toBeLessThanOrEqual(2.1 * visits(once ?? '') + 100);
    }),
    { numRuns: 300 },
  );
});

test.each(['`', '`a', '**a', '** ', '` ', '*'])(
  'finding the marks of %j and a long line takes linear time',
  (head) => {
    const text = head + 'a '.repeat(20_000);
    expect(visits(text)).toBeLessThanOrEqual(8 * text.length);
  },
);
