/** Which words name which column: for the reader of files, and for the console's page that asks about the others. */

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

/** Which field the words of a header name; null: none that is known. */
export function fieldOf(header: string): Field | null {
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
