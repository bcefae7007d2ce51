import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { csvText } from '../../src/common/csv';
import { isAsking, plainWishOf } from '../../src/interview/plan/phrases';
import { cleanFileName } from '../../src/interview/files/file';
import { readFileType } from '../../src/interview/files/file-type';
import {
  labelsOf,
  type LabelledTurn,
} from '../../src/interview/transcript/message-label.repository';
import { ReplyFilter } from '../../src/interview/turn/reply-filter';
import { type Evidence, StatementCheck } from '../../src/interview/turn/statements';
import { sectionsOf } from '../../src/knowledge/document-chunks';
import { readLogo } from '../../src/vacancies/brand';
import { docx } from '../support/sent-files';

/**
 * Text that others write is read in time that grows with its length. Each input is so long that an
 * expression which tries its parts again takes minutes or years; the limit only ends such a test.
 */
const LENGTH = 400_000;
const HANG_MS = 30_000;

/** What `work` returns; throws if it does not end. */
function ended<T>(work: () => T): T {
  const context = { work };
  return vm.runInNewContext('work()', context, { timeout: HANG_MS }) as T;
}

const TURN: LabelledTurn = {
  plan: { questions: [] } as never,
  waitingId: null,
  settledIds: [],
  messages: [{ seq: 1, correctsSeq: null }],
  earlierSeqs: [],
  isAddendum: false,
};

const NOTHING: Evidence = {
  plan: [],
  named: [],
  isGrounded: false,
  company: '',
  said: [],
  answer: '',
  asks: null,
  questions: [],
  verdict: 'answered',
};

/** What a candidate who wrote `answer` is shown of a model's text. */
function shown(text: string, answer = ''): string {
  const check = new StatementCheck({ ...NOTHING, answer, said: [answer] });
  const filter = new ReplyFilter(check, { isAskedBehind: false, coming: '', said: [answer] });
  return filter.take(text) + filter.end();
}

function labelOf(written: string): string | undefined {
  return labelsOf(TURN, { verdict: 'answered', about: null }, { written })[0]?.label;
}

test.each<[string, () => unknown, unknown]>([
  ['a question of one long word', () => plainWishOf(`${'a'.repeat(LENGTH)}.`), null],
  ['words that may be a question', () => plainWishOf(`${'я a'.repeat(LENGTH)}!`), null],
  ['question marks', () => plainWishOf(`a${'?'.repeat(LENGTH)}.`), null],
  [
    'an answer that asks again and again when',
    () => isAsking('when will i '.repeat(LENGTH)),
    false,
  ],
  ['the same in Russian', () => isAsking('когда '.repeat(LENGTH)), false],
  [
    'a file name of dots',
    () => cleanFileName(`a${' .'.repeat(LENGTH)}b`, 'application/pdf', 'file'),
    'a.pdf',
  ],
  [
    'a file name of spaces',
    () => cleanFileName(`.${'. '.repeat(LENGTH)}`, 'application/pdf', 'file'),
    'file.pdf',
  ],
  [
    'a document of open comments',
    () => readFileType(docx({ '_rels/.rels': '<!--'.repeat(LENGTH / 2) })),
    { problem: 'type' },
  ],
  [
    'a document of one long attribute',
    () => readFileType(docx({ '_rels/.rels': `<Relationship ${'a'.repeat(LENGTH)}` })),
    { problem: 'type' },
  ],
  [
    'a PDF of objects that are not the one it names',
    () =>
      readFileType(Buffer.from(`%PDF-1.7 ${'11 0 obj'.repeat(LENGTH)}trailer<</Encrypt 1 0 R>>`)),
    { type: 'application/pdf', needsPassword: false },
  ],
  [
    'a PDF of strings in strings',
    () => readFileType(Buffer.from(`%PDF-1.7 trailer<</A ${'('.repeat(LENGTH)}`)),
    { type: 'application/pdf', needsPassword: false },
  ],
  [
    "a model's label of spaces",
    () => labelOf(`1${' '.repeat(LENGTH)}aside${' '.repeat(LENGTH)}!`),
    'answer',
  ],
  ["a model's word without an end", () => shown(`${'a'.repeat(LENGTH)}.`).length, LENGTH + 1],
  [
    "a model's marks",
    () => shown(`a${'.'.repeat(LENGTH)} ${')'.repeat(LENGTH)}`).length,
    2 * LENGTH + 2,
  ],
  ["a model's sentence of clauses", () => shown('word and '.repeat(LENGTH / 90)).length > 0, true],
  ['a candidate of questions', () => shown('Yes.', 'Is it? '.repeat(LENGTH / 40)), ''],
  [
    'a heading of spaces and marks',
    () => sectionsOf(`# a${' #'.repeat(LENGTH)} b\ntext`, 'markdown').length,
    1,
  ],
  ['a heading of spaces', () => sectionsOf(`# a${' \t'.repeat(LENGTH)}b`, 'markdown').length, 1],
  [
    'a cell of spaces, quotes and white space',
    () => csvText([[`a;${' "'.repeat(LENGTH)}b`, ` ${'\u200b '.repeat(LENGTH)}b`]]).length > LENGTH,
    true,
  ],
])('reads %s in one pass', (_, work, expected) => {
  expect(ended(work)).toEqual(expected);
});

describe('a logo', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'colloquy-logo-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function typeOf(text: string): Promise<string> {
    writeFileSync(path.join(folder, 'logo.svg'), text);
    const logo = await readLogo(folder, 'logo.svg');
    return typeof logo === 'string' ? logo : logo.mediaType;
  }

  const REFUSED = 'expected a PNG, SVG or WebP picture';
  const comments = (count: number): string => '<!---->'.repeat(count);

  test.each([
    ['45 comments and a root', `${comments(45)}<svg></svg>`, 'image/svg+xml'],
    ['45 comments and no root', comments(45), REFUSED],
    ['9,000 comments', `${comments(9000)}x`, REFUSED],
    ['45 commented comments', '<!--<!-- --> -->'.repeat(45), REFUSED],
    ['comments that do not end', '<!--'.repeat(16_000), REFUSED],
    ['declarations', '<?xml ?>'.repeat(8000), REFUSED],
    ['declarations that do not end', '<?xml '.repeat(10_000), REFUSED],
    ['types', '<!DOCTYPE>\n'.repeat(5000), REFUSED],
    ['white space', ' \n'.repeat(32_000), REFUSED],
    ['all of them', `${'<?xml ?> <!-- --> <!DOCTYPE a>\n'.repeat(1900)}<svg `, 'image/svg+xml'],
  ])('of %s is told at once', async (_, text, expected) => {
    expect(await typeOf(text)).toBe(expected);
  });

  test.each([
    ['\uFEFF<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    [' \n<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg>\n<svg>', 'image/svg+xml'],
    ['<!-- a > b --><svg\n>', 'image/svg+xml'],
    ['<svgs>', REFUSED],
    ['<svg', REFUSED],
    ['text <svg>', REFUSED],
    ['<html><svg>', REFUSED],
    ['', REFUSED],
  ])('%j is %s', async (text, expected) => {
    expect(await typeOf(text)).toBe(expected);
  });
});
