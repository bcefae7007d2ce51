import { isStorable } from '../../common/text';
import { type Field } from './column-names';
import { MAX_COLUMN_NAME } from './columns';
import { endOf } from './dates';
import type { RowProblem, RowProblemCode } from './problems';

/** What a row says about the person and the invitation, ready to be stored. */
export interface GivenInvitation {
  readonly name?: string;
  readonly contact?: string;
  /** Without the @, in lower case. */
  readonly telegramUsername?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
  /** The caller's own fields; at most MAX_METADATA_BYTES as JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface CheckedRow {
  /** Also of a refused row, so that the caller finds it; null: there is none, or it cannot be one. */
  readonly externalId: string | null;
  /** Null: the row is refused, because of its problems. */
  readonly given: GivenInvitation | null;
  readonly problems: readonly RowProblem[];
}

/** A value of a row and what its column or field is called. Trimmed, not empty. */
export interface Cell {
  readonly column: string;
  readonly text: string;
}

interface RowCells {
  readonly known: ReadonlyMap<Field, Cell>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What the reader of the file has found already. */
  readonly problems: readonly RowProblem[];
}

/** A value as it is stored, or why it is none. */
type Checked = { readonly value: string } | Omit<RowProblem, 'column'>;

const MAX_NAME = 120;
const MAX_CONTACT = 200;
const MAX_EXTERNAL_ID = 200;
export const MAX_OWN_TEXT = 2000;
const MAX_METADATA_BYTES = 8192;
const MAX_METADATA_KEYS = 50;
const MAX_EMAIL = 254;
const MAX_DATE = 40;

/** Checks one row; `now` decides what is past. It throws nothing: a bad row harms no other. */
export function checkRow({ known, metadata, problems: found }: RowCells, now: Date): CheckedRow {
  const problems = [...found];
  const values = new Map<Field, string>();
  for (const [field, { column, text }] of known) {
    const checked = checkField(field, text, now);
    if ('value' in checked) values.set(field, checked.value);
    else problems.push({ ...checked, column });
  }
  const whole = [
    joined(known, values, { fields: namePartsOf(known), with: ' ', max: MAX_NAME }),
    joined(known, values, { fields: CONTACT_PARTS, with: ', ', max: MAX_CONTACT }),
  ];
  const [name, contact] = whole.map((each) => (typeof each === 'string' ? each : ''));
  problems.push(...whole.filter((each) => typeof each !== 'string'));
  const own = metadataProblem(metadata);
  if (own !== null) problems.push(own);
  const externalId = values.get('externalId') ?? null;
  if (problems.length === 0 && values.size === (values.has('validUntil') ? 1 : 0)) {
    problems.push({ code: 'nothing_known' });
  }
  if (problems.length > 0) return { externalId, given: null, problems };
  const telegramUsername = values.get('telegram');
  const expiresAt = values.get('validUntil');
  const given = {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(contact === undefined || contact === '' ? {} : { contact }),
    ...(telegramUsername === undefined ? {} : { telegramUsername }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    metadata,
  };
  return { externalId, given, problems: [] };
}

const CONTACT_PARTS: readonly Field[] = ['contact', 'email', 'phone'];

/** A column of whole names beside one of first names says it all; beside one of surnames it does not. */
function namePartsOf(known: ReadonlyMap<Field, Cell>): readonly Field[] {
  if (known.has('name') && known.has('firstName')) return ['name'];
  return ['name', 'firstName', 'middleName', 'lastName'];
}

/** The values of several columns as one text, or the problem that it is too long. */
function joined(
  known: ReadonlyMap<Field, Cell>,
  values: ReadonlyMap<Field, string>,
  by: { readonly fields: readonly Field[]; readonly with: string; readonly max: number },
): string | RowProblem {
  const present = by.fields.filter((field) => values.has(field));
  const text = present.map((field) => values.get(field)).join(by.with);
  if (text.length <= by.max) return text;
  const column = present.map((field) => known.get(field)?.column).join(', ');
  return { code: 'too_long', column, max: by.max };
}

function checkField(field: Field, text: string, now: Date): Checked {
  const common = damageOf(text);
  if (common !== null) return { code: common };
  const line = text.replace(/\s+/g, ' ');
  if (line.startsWith('=')) return { code: 'formula' };
  switch (field) {
    case 'name':
    case 'firstName':
    case 'middleName':
    case 'lastName':
      return checkName(line);
    case 'email':
      return checkEmail(line);
    case 'phone':
      return checkPhone(line);
    case 'telegram':
      return checkTelegram(line);
    case 'contact':
      return line.includes('??') ? { code: 'letters_lost' } : bounded(line, MAX_CONTACT);
    case 'externalId':
      return bounded(line, MAX_EXTERNAL_ID);
    case 'validUntil':
      return checkEnd(line, now);
  }
}

const CONTROL = /[\p{Cc}\p{Co}]/u;
const EXPONENT = /^[+-]?\d+(?:[.,]\d+)?\s?[eе][+-]\d+$/i;
/** Of Excel in English and Russian, of Google and of LibreOffice; and a column that was too narrow. */
const SPREADSHEET_ERROR =
  /^(?:#(?:NAME\?|REF!|N\/A|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|ERROR!|ИМЯ\?|ССЫЛКА!|Н\/Д|ЗНАЧ!|ДЕЛ\/0!|ЧИСЛО!|ПУСТО!)|(?:Err|Ош):\d{3}|#{3,})$/i;
/** UTF-8 that was read as windows-1251 or as windows-1252: each letter became two. */
const GARBLED =
  /(?:[РС][ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—™љ›њќћџ\u00A0ЎўЈ¤Ґ¦§Ё©Є«¬\u00AD®Ї°±Ііґµ¶·ё№є»јЅѕї]){3,}|(?:[ÐÑ][\u0080-\u00BF‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]){2,}/u;

/** What a spreadsheet or a wrong encoding has done to a value of any column; null: nothing that shows. */
export function damageOf(text: string): RowProblemCode | null {
  if (!isStorable(text)) return 'unstorable';
  if (CONTROL.test(text.replace(/[\n\t]/g, ''))) return 'control';
  if (text.includes('\uFFFD')) return 'letters_lost';
  if (GARBLED.test(text)) return 'letters_garbled';
  if (SPREADSHEET_ERROR.test(text)) return 'spreadsheet_error';
  return EXPONENT.test(text) ? 'exponent' : null;
}

function bounded(text: string, max: number): Checked {
  return text.length <= max ? { value: text } : { code: 'too_long', max };
}

/** No name has a question mark: it stands where the code page of the file had no letter. */
function checkName(text: string): Checked {
  if (text.includes('?')) return { code: 'letters_lost' };
  if (!/\p{L}/u.test(text) || /@|:\/\//.test(text)) return { code: 'name_invalid' };
  return bounded(text, MAX_NAME);
}

/** One @ between a local part and a domain with a dot; letters of any script. */
const EMAIL =
  /^[^\s@<>()[\]",;:\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

function checkEmail(text: string): Checked {
  const address = text.replace(/^mailto:/i, '');
  if (address.length > MAX_EMAIL) return { code: 'too_long', max: MAX_EMAIL };
  const isAddress = EMAIL.test(address) && !/^\.|\.\.|\.@|\?/.test(address);
  return isAddress ? { value: address } : { code: 'email_invalid' };
}

const PHONE = /^\+?[\d\s().\-/\u2010-\u2015\u2212]+(?:\s*(?:доб|ext|#)\.?\s*\d{1,6})?$/iu;
/** What some exports write of a number: 79161234567.0 */
const FRACTION = /^(\+?\d{7,15})[.,]0+$/;
const MAX_PHONE = 60;

function checkPhone(text: string): Checked {
  const number = text.normalize('NFKC').replace(/^tel:/i, '').replace(FRACTION, '$1');
  if (number.length > MAX_PHONE) return { code: 'too_long', max: MAX_PHONE };
  const digits = number.replace(/(?:доб|ext|#).*$/iu, '').replace(/\D/g, '');
  if (!PHONE.test(number) || digits.length < 7 || digits.length > 15) {
    return { code: 'phone_invalid' };
  }
  return /^\d{3,}0{7,}$/.test(digits) ? { code: 'rounded' } : { value: number };
}

const TELEGRAM = /^(?:(?:https?:\/\/)?(?:t|telegram)\.me\/|@)?([a-z][a-z0-9_]{3,31})\/?$/i;

function checkTelegram(text: string): Checked {
  const user = TELEGRAM.exec(text)?.[1];
  return user === undefined ? { code: 'telegram_invalid' } : { value: user.toLowerCase() };
}

function checkEnd(text: string, now: Date): Checked {
  if (text.length > MAX_DATE) return { code: 'date_invalid' };
  const end = endOf(text, now);
  return end instanceof Date ? { value: end.toISOString() } : { code: end };
}

/** Null: it can be stored. */
function metadataProblem(metadata: Readonly<Record<string, unknown>>): RowProblem | null {
  const keys = Object.keys(metadata);
  if (keys.length > MAX_METADATA_KEYS || keys.some((key) => !isKey(key))) {
    return { code: 'metadata_key', max: MAX_COLUMN_NAME };
  }
  const broken: string[] = [];
  const json = JSON.stringify(metadata, (key, value: unknown) => {
    if (![key, value].every((each) => typeof each !== 'string' || isStorable(each)))
      broken.push(key);
    return value;
  });
  if (broken.length > 0) return { code: 'unstorable', column: 'metadata' };
  return Buffer.byteLength(json) > MAX_METADATA_BYTES
    ? { code: 'metadata_too_large', max: MAX_METADATA_BYTES }
    : null;
}

function isKey(key: string): boolean {
  return key.trim() !== '' && key.length <= MAX_COLUMN_NAME;
}
