import fc from 'fast-check';
import { type Chunk, MAX_CHUNK, chunksOf } from '../../src/knowledge/document-chunks';

const word = fc.oneof(
  fc.constantFrom('удалённо', 'work', 'home.', 'Да!', '«ночь»', '👩‍🚀', '#', '`x`', '...', '-'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => text.replace(/\s/gu, 'x')),
);
const space = fc.constantFrom(' ', '  ', '\n', '\n\n', '\t', '\n \n');
const prose = fc
  .array(fc.tuple(word, space), { maxLength: 150 })
  .map((pairs) => pairs.flat().join(''));

/** The text without white space. */
function ink(text: string): string {
  return text.replace(/\s+/gu, '');
}

function inkOf(chunks: readonly Chunk[]): string {
  return ink(chunks.map(({ text }) => text).join(''));
}

describe('passages of a text', () => {
  test('are the whole text in order, without loss or repetition', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 20, max: 200 }), (source, max) => {
        expect(inkOf(chunksOf(source, 'text', max))).toBe(ink(source));
      }),
      { numRuns: 500 },
    );
  });

  test('are never empty, never too long, and have no white space at their ends', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 20, max: 200 }), (source, max) => {
        for (const { text } of chunksOf(source, 'text', max)) {
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(max);
          expect(text).toBe(text.trim());
        }
      }),
      { numRuns: 500 },
    );
  });

  test('cut no word that fits into a passage', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 40, max: 200 }), (source, max) => {
        const whole = new Set(source.split(/\s+/u));
        const words = chunksOf(source, 'text', max).flatMap(({ text }) => text.split(/\s+/u));
        const isLong = [...whole].some(({ length }) => length > max);
        if (!isLong) expect(words.every((each) => whole.has(each))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('cut no code point of a word that is too long for a passage', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'я', '🎈', '𝒳'), minLength: 1, maxLength: 300 }),
        fc.integer({ min: 2, max: 40 }),
        (source, max) => {
          const chunks = chunksOf(source, 'text', max);
          expect(chunks.map(({ text }) => text).join('')).toBe(source);
          for (const { text } of chunks) expect(text).not.toMatch(/\p{Surrogate}/u);
        },
      ),
    );
  });

  test('end with a paragraph where one ends, else with a sentence', () => {
    const source = `${'One two. '.repeat(8).trim()}\n\n${'Three four. '.repeat(30).trim()}`;

    const texts = chunksOf(source, 'text', 150).map(({ text }) => text);

    expect(texts[0]).toBe('One two. '.repeat(8).trim());
    for (const text of texts) expect(text.endsWith('.')).toBe(true);
  });
});

describe('passages of Markdown', () => {
  const title = fc.constantFrom('Pay', 'Отпуск', 'Remote work', 'C#', 'A # b');
  const body = fc
    .array(fc.constantFrom('text', 'слово.', '- item', 'a#b', '#hash'), { maxLength: 40 })
    .map((parts) => parts.join(' '));
  const section = fc.record({ level: fc.integer({ min: 1, max: 6 }), title, body });

  test('lose no word or heading, and each has its own headings', () => {
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 12 }), (sections) => {
        const source = sections
          .map((each) => `${'#'.repeat(each.level)} ${each.title}\n\n${each.body}\n`)
          .join('\n');

        const chunks = chunksOf(source, 'markdown', 80);

        const headings = new Set(chunks.flatMap((chunk) => chunk.headings));
        for (const each of sections) expect(headings).toContain(each.title);
        const bodies = sections.filter((each) => each.body.trim() !== '');
        const found = new Map<string, string>();
        for (const chunk of chunks) {
          const key = chunk.headings.at(-1) ?? '';
          found.set(key, (found.get(key) ?? '') + ink(chunk.text));
        }
        for (const each of bodies) expect(found.get(each.title)).toContain(ink(each.body));
      }),
      { numRuns: 300 },
    );
  });

  test('have all headings above them', () => {
    const source = '# A\nintro\n## B\none\n### C\ntwo\n## D ##\nthree\n# E\nfour';

    expect(chunksOf(source, 'markdown')).toEqual([
      { headings: ['A'], text: 'intro' },
      { headings: ['A', 'B'], text: 'one' },
      { headings: ['A', 'B', 'C'], text: 'two' },
      { headings: ['A', 'D'], text: 'three' },
      { headings: ['E'], text: 'four' },
    ]);
  });

  test('do not treat a comment in a fence as a heading', () => {
    const source =
      '# A\n```sh\n# not a heading\n```\n~~~~\n# nor this\n~~~\n# nor this\n~~~~\n# B\nx';

    expect(chunksOf(source, 'markdown').map(({ headings }) => headings)).toEqual([['A'], ['B']]);
  });

  test('keep a heading without text below it as a text', () => {
    expect(chunksOf('# A\n## B\n\n## C\nx\n## D', 'markdown')).toEqual([
      { headings: ['A', 'B'], text: 'B' },
      { headings: ['A', 'C'], text: 'x' },
      { headings: ['A', 'D'], text: 'D' },
    ]);
  });

  test('treat a heading as long as a paragraph as text', () => {
    const [chunk] = chunksOf(`# ${'long '.repeat(60)}`, 'markdown');

    expect(chunk?.headings).toEqual([]);
    expect(chunk?.text).toMatch(/^# long/);
  });

  test('are cut quickly from any document', () => {
    for (const nasty of ['#', '# ', '```\n', '\n ', '. ', 'a', '#\t\t']) {
      const chunks = chunksOf(nasty.repeat(60_000), 'markdown');
      for (const { text } of chunks) expect(text.length).toBeLessThanOrEqual(MAX_CHUNK);
    }
  });
});
