import { refuseFile } from './problems';

/** What a column of an invitation's row says. */
export const FIELDS = [
  'name',
  'firstName',
  'middleName',
  'lastName',
  'email',
  'phone',
  'telegram',
  'contact',
  'externalId',
  'validUntil',
] as const;

export type Field = (typeof FIELDS)[number];

/** The names of columns as people write them in both languages, without spaces, signs and case. */
const NAMES: Readonly<Record<Field, string>> = {
  name: `name fullname candidate candidatename applicant applicantname имя фио имяифамилия фамилияимя
    фамилияиимя имяфамилия фамилияимяотчество полноеимя кандидат имякандидата фиокандидата соискатель`,
  firstName: 'firstname givenname forename',
  middleName: 'middlename patronymic отчество',
  lastName: 'lastname surname familyname фамилия',
  email: `email emailaddress mail mailaddress почта электроннаяпочта элпочта эпочта емейл имейл емаил
    адресэлектроннойпочты адреспочты`,
  phone: `phone phonenumber telephone telephonenumber tel mobile mobilephone mobilenumber cell cellphone
    телефон номертелефона тел мобильный мобильныйтелефон сотовый сотовыйтелефон контактныйтелефон`,
  telegram: `telegram tg telegramusername telegramhandle telegramname telegramid телеграм телеграмм тг
    никтелеграм никвтелеграм никвтелеграме имявтелеграм имявтелеграме логинтелеграм`,
  contact: 'contact contacts contactdetails контакт контакты контактныеданные',
  externalId: `externalid extid id candidateid applicantid externalreference reference ref внешнийid
    внешнийидентификатор внешнийкод ид идентификатор idкандидата кодкандидата`,
  validUntil: `validuntil validtill expires expiresat expirydate expirationdate enddate deadline
    действительнодо действуетдо действителендо срок срокдействия срокдо годендо`,
};

const BY_NAME = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(/\s+/).map((name) => [name, field] as const)),
);

const MAX_COLUMNS = 60;
export const MAX_COLUMN_NAME = 64;
const LETTERS_LOST = /^[?\uFFFD\s.,;:_-]+$/;

/** One column of a file, in its order. */
export interface Column {
  /** As the header has it, trimmed; empty: the column has no name. */
  readonly header: string;
  /** Null: a field of the caller's own, which becomes metadata under the header's words. */
  readonly field: Field | null;
}

/** Which field the words of a header name; null: none that is known. */
function fieldOf(header: string): Field | null {
  return BY_NAME.get(keyOf(header)) ?? null;
}

/** Case, spaces and signs do not count, and neither does the difference of `ё` and `е`. */
function keyOf(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** How many known fields a header has; each counts once. */
export function knownIn(cells: readonly string[]): number {
  return new Set(cells.map(fieldOf).filter((field) => field !== null)).size;
}

/** Whether the first row has the name of a column that is written with these letters. */
export function hasKnownColumn(text: string, letters: RegExp): boolean {
  const lines = text.split(/[\r\n]+/, MOST_LEADING_LINES);
  const header = lines.find((line) => /\p{L}/u.test(line) && !/^"?sep=/i.test(line)) ?? '';
  return header.split(/[,;\t|]/).some((cell) => letters.test(cell) && fieldOf(cell) !== null);
}

const MOST_LEADING_LINES = 20;

/** Throws InvitationFileError for a header that cannot be understood in exactly one way. */
export function columnsOf(cells: readonly string[], line: number): Column[] {
  const headers = withoutEmptyEnd(cells.map((cell) => cell.trim().replace(/\s+/g, ' ')));
  if (headers.length > MAX_COLUMNS) {
    refuseFile('too_many_columns', { count: headers.length, max: MAX_COLUMNS });
  }
  if (headers.some((header) => LETTERS_LOST.test(header) && /[?\uFFFD]/.test(header))) {
    refuseFile('header_lost');
  }
  headers.forEach((header, index) => {
    if (/[\0\p{Surrogate}]/u.test(header)) refuseFile('header_unstorable', { count: index + 1 });
    if (header.length > MAX_COLUMN_NAME) {
      refuseFile('header_too_long', { count: index + 1, max: MAX_COLUMN_NAME });
    }
  });
  if (knownIn(headers) === 0) refuseFile('header_unknown', { line });
  refuseEqual(headers);
  return headers.map((header) => ({ header, field: fieldOf(header) }));
}

/** Of two equal columns a reader of records keeps the last one, so that the other would be lost. */
function refuseEqual(headers: readonly string[]): void {
  const known = new Map<string, string>();
  for (const header of headers) {
    if (header === '') continue;
    const key = fieldOf(header) ?? `own ${header.toLowerCase()}`;
    const other = known.get(key);
    if (other !== undefined) refuseFile('header_twice', { column: other, other: header });
    known.set(key, header);
  }
}

function withoutEmptyEnd(headers: readonly string[]): string[] {
  const last = headers.findLastIndex((header) => header !== '');
  return headers.slice(0, last + 1);
}
