import { isUtf8 } from 'node:buffer';
import { hasKnownColumn } from './columns';
import { type FileProblemCode, refuseFile } from './problems';

/** First bytes of what people send instead of CSV. */
const OTHER_FILES: readonly (readonly [bytes: readonly number[], problem: FileProblemCode])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'workbook'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'workbook'],
  [[0x1f, 0x8b], 'packed'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'packed'],
  [[0x52, 0x61, 0x72, 0x21], 'packed'],
  [[0x25, 0x50, 0x44, 0x46], 'document'],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'document'],
];

/** Text in other encodings of Russian, which is refused by name. */
const NAMED_ENCODINGS = ['koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'];

/**
 * The text of a file of a spreadsheet, without its byte order mark. UTF-8, UTF-16 with its mark, and
 * windows-1251 with Russian words are read; everything else throws InvitationFileError.
 */
export function decodeFile(bytes: Uint8Array): string {
  if (bytes.length === 0) refuseFile('empty');
  const other = OTHER_FILES.find(([start]) => beginsWith(bytes, start));
  if (other !== undefined) refuseFile(other[1]);
  const text = decoded(bytes).replace(/^\uFEFF+/, '');
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) refuseFile('empty');
  if (first === '<') refuseFile('document');
  if (first === '{' || first === '[') refuseFile('json');
  return text;
}

function decoded(bytes: Uint8Array): string {
  if (beginsWith(bytes, [0xff, 0xfe, 0, 0]) || beginsWith(bytes, [0, 0, 0xfe, 0xff])) {
    refuseFile('utf32');
  }
  if (beginsWith(bytes, [0xff, 0xfe])) return utf16(bytes, 'utf-16le');
  if (beginsWith(bytes, [0xfe, 0xff])) return utf16(bytes, 'utf-16be');
  if (isUtf16(bytes)) refuseFile('utf16_without_mark');
  if (isUtf8(bytes)) return decodeAs(bytes, 'utf-8');
  refuseBrokenUtf8(bytes);
  return windows1251(bytes);
}

/** csv-parse reads UTF-16LE only, so that all decoding is done here. */
function utf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    const text = decodeAs(bytes, encoding);
    const at = text.indexOf('\uFFFD');
    return refuseFile('utf16_broken', { line: lineOf(text, at < 0 ? text.length : at) });
  }
}

/** In UTF-16 every second byte of separators, digits and Latin letters is 0; UTF-8 has hardly any. */
function isUtf16(bytes: Uint8Array): boolean {
  if (!bytes.includes(0)) return false;
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  return zeros * 20 > bytes.length && zeros > 3;
}

/** Refuses UTF-8 that somebody has cut or pasted into; returns for another encoding. */
function refuseBrokenUtf8(bytes: Uint8Array): void {
  const text = decodeAs(bytes, 'utf-8');
  const lost = text.match(/\uFFFD/g)?.length ?? 0;
  const read = text.match(/[^\0-\x7F\uFFFD]/gu)?.length ?? 0;
  const isMarked = beginsWith(bytes, [0xef, 0xbb, 0xbf]);
  if (!isMarked && read < 4 * lost) return;
  refuseFile('utf8_broken', { line: lineOf(text, text.indexOf('\uFFFD')) });
}

function windows1251(bytes: Uint8Array): string {
  const text = decodeAs(bytes, 'windows-1251');
  // A known column in Russian is proof: no other encoding has these words in these bytes.
  if (hasKnownColumn(text, /[а-яё]/i) || SHARED.test(text) || isRussian(bytes, text)) {
    return text;
  }
  const name = NAMED_ENCODINGS.find((each) => hasKnownColumn(decodeAs(bytes, each), /[а-яё]/i));
  return name === undefined
    ? refuseFile('unknown_encoding')
    : refuseFile('other_encoding', { name });
}

/**
 * Its only signs beyond ASCII are dashes, quotes and the like, which windows-1252 has in the same bytes. They
 * are listed, because the decoder of Node 20 reads windows-1252 as ISO 8859-1.
 */
const SHARED = /^[\0-\x7F‚„…†‡‰‹‘’“”•–—™›\u00A0¤¦§©«¬\u00AD®°±µ¶·»]*$/;

/** Letters of Serbian and Macedonian, and the one byte that the code page does not define. */
const NOT_RUSSIAN = /[\u0080-\u009FЂЃѓЉЊЌЋЏђљњќћџЈјЅѕ]/;
/** Lower case, capitalised, or capitals: KOI8-R read as windows-1251 has capitals inside of words. */
const CYRILLIC_WORD = /^(?:[А-ЯЁҐЄІЇЎ]?[а-яёґєіїў]+|[А-ЯЁҐЄІЇЎ]+)$/;
const WHOLE_WORDS = 0.9;
/** How often each letter stands in Russian texts, in percent (Lyashevskaya and Sharov, 2009). */
const FREQUENCIES: Readonly<Record<string, number>> = {
  ...{ о: 10.97, е: 8.45, а: 8.01, и: 7.35, н: 6.7, т: 6.26, с: 5.47, р: 4.73, в: 4.54, л: 4.4 },
  ...{ к: 3.49, м: 2.98, д: 2.81, п: 2.62, у: 2.01, я: 1.9, ы: 1.74, ь: 1.7, г: 1.65, з: 1.59 },
  ...{ б: 1.44, ч: 1.21, й: 0.97, х: 0.94, ж: 0.73, ш: 0.64, ю: 0.48, ц: 0.36, щ: 0.32, э: 0.26 },
  ...{ ф: 0.04, ъ: 0.04, ё: 0.04 },
};
/** Russian names have 3.7 and more; Greek, Hebrew and Arabic read as windows-1251 have 3.2 and less. */
const LEAST_FREQUENCY = 3.6;

/** Whether the words are Russian by their form and their letters, more so than in KOI8-R. */
function isRussian(bytes: Uint8Array, text: string): boolean {
  if (NOT_RUSSIAN.test(text)) return false;
  const words = (text.match(/\p{L}+/gu) ?? []).filter((word) => /[^\0-\x7F]/.test(word));
  const whole = words.filter((word) => CYRILLIC_WORD.test(word));
  if (words.length === 0 || whole.length < words.length * WHOLE_WORDS) return false;
  const frequency = meanFrequency(text);
  return frequency >= LEAST_FREQUENCY && frequency >= meanFrequency(decodeAs(bytes, 'koi8-r'));
}

function meanFrequency(text: string): number {
  const letters = text.toLowerCase().match(/[\u0400-\u04FF]/g) ?? [];
  const sum = letters.reduce((total, letter) => total + (FREQUENCIES[letter] ?? 0), 0);
  return letters.length === 0 ? 0 : sum / letters.length;
}

/** What cannot be read becomes U+FFFD. */
function decodeAs(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** The line, from 1, in which this place of the text is. */
function lineOf(text: string, at: number): number {
  return (text.slice(0, at).match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
}
