import { storable } from '../../common/text';
import type { Language } from '../../vacancies';
import { FILE_ENDINGS, type FileType } from './file-type';

/** In UTF-16 units: what a screen shows and any file system takes. */
const MAX_NAME = 100;
const MAX_ENDING = 10;

/**
 * Control, format and private characters can hide or turn round an ending; `/` and `\` lead to other
 * folders; brackets would end the label below; the others are refused by Windows.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const UNWANTED = /[[\]{}<>:"|?*`]/g;

/**
 * The name that a file is shown and saved under. It ends as its type does: a PDF called `cv.exe` is
 * `cv.exe.pdf`. `type` null: not known yet.
 */
export function cleanFileName(given: string, type: FileType | null): string {
  const last = storable(given, '').normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const visible = last.replace(INVISIBLE, '').replace(UNWANTED, '_').replace(/\s+/g, ' ');
  const name = visible.replace(/^[. ]+|[. ]+$/g, '');
  const dot = name.lastIndexOf('.');
  const hasEnding = dot > 0 && name.length - dot - 1 <= MAX_ENDING;
  const ending = hasEnding ? name.slice(dot + 1) : '';
  const stem = hasEnding ? name.slice(0, dot) : name;
  const endings: readonly string[] = type === null ? [ending] : FILE_ENDINGS[type];
  if (endings.includes(ending.toLowerCase()) || type === null) return joinedName(stem, ending);
  return joinedName(name, endings[0] ?? '');
}

function joinedName(stem: string, ending: string): string {
  const tail = ending === '' ? '' : `.${ending}`;
  const short = stem.slice(0, MAX_NAME - tail.length).replace(/[\ud800-\udbff]$/, '');
  return `${short.replace(/[. ]+$/, '') || 'file'}${tail}`;
}

const UNITS: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ['B', 'KB', 'MB'],
  ru: ['Б', 'КБ', 'МБ'],
};
const KB = 1024;

/** As people read it: `240 KB`, `1,5 МБ`. */
export function sizeInWords(bytes: number, language: Language): string {
  const [small, middle, large] = UNITS[language];
  if (bytes < KB) return `${bytes} ${small}`;
  const inKb = Math.round(bytes / KB);
  if (inKb < KB) return `${inKb} ${middle}`;
  const inMb = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  return `${inMb.format(bytes / KB / KB)} ${large}`;
}
