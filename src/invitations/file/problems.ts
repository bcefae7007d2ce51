import { ColloquyError } from '../../common/errors';

/** A sentence in both languages of recruiters. `{line}`, `{column}` and so on are filled in. */
type Sentence = Readonly<Record<'en' | 'ru', string>>;

const SAVE = {
  en: 'Save it as "CSV UTF-8" and send it again.',
  ru: 'Сохраните его как «CSV UTF-8» и пришлите снова.',
};

/** Why a file is refused as a whole: nothing of it is imported. */
const FILE_PROBLEMS = {
  empty: { en: 'The file is empty.', ru: 'Файл пуст.' },
  no_rows: {
    en: 'The file has a header and no rows below it.',
    ru: 'В файле есть заголовок, но под ним нет строк.',
  },
  too_many_rows: {
    en: 'The file has {count} rows. At most {max} are taken at a time.',
    ru: 'В файле {count} строк. За один раз принимается не больше {max}.',
  },
  too_many_columns: {
    en: 'The header has {count} columns. At most {max} are taken.',
    ru: 'В заголовке {count} столбцов. Принимается не больше {max}.',
  },
  workbook: {
    en: `This is a workbook of a spreadsheet (XLSX, XLS or ODS), not CSV. ${SAVE.en}`,
    ru: `Это книга электронной таблицы (XLSX, XLS или ODS), а не CSV. ${SAVE.ru}`,
  },
  packed: {
    en: 'This is a compressed file. Unpack it, and send the CSV.',
    ru: 'Это сжатый файл. Распакуйте его и пришлите CSV.',
  },
  document: {
    en: `This is a PDF, RTF, XML or web page, not CSV. ${SAVE.en}`,
    ru: `Это PDF, RTF, XML или веб-страница, а не CSV. ${SAVE.ru}`,
  },
  json: {
    en: 'This is JSON. Send it with the type application/json.',
    ru: 'Это JSON. Пришлите его с типом application/json.',
  },
  utf16_without_mark: {
    en: `The file is in UTF-16 without a byte order mark. ${SAVE.en}`,
    ru: `Файл в кодировке UTF-16 без метки порядка байтов. ${SAVE.ru}`,
  },
  utf32: { en: `The file is in UTF-32. ${SAVE.en}`, ru: `Файл в кодировке UTF-32. ${SAVE.ru}` },
  utf16_broken: {
    en: 'The file is in UTF-16 and is broken or cut off at line {line}. Save it again.',
    ru: 'Файл в кодировке UTF-16 повреждён или обрывается на строке {line}. Сохраните его заново.',
  },
  utf8_broken: {
    en: 'The file is in UTF-8, and line {line} has bytes that are not. Save it again as "CSV UTF-8".',
    ru: 'Файл в кодировке UTF-8, но в строке {line} есть чужие байты. Сохраните его заново как «CSV UTF-8».',
  },
  other_encoding: {
    en: `The file is in the encoding {name}. ${SAVE.en}`,
    ru: `Файл в кодировке {name}. ${SAVE.ru}`,
  },
  unknown_encoding: {
    en: `The file is neither in UTF-8 or UTF-16 nor, with Russian words, in windows-1251. ${SAVE.en}`,
    ru: `Файл не в UTF-8 и не в UTF-16, а русских слов в windows-1251 в нём не видно. ${SAVE.ru}`,
  },
  header_lost: {
    en: 'The header holds question marks instead of letters, which were lost when the file was saved. Save it as "CSV UTF-8".',
    ru: 'В заголовке вместо букв знаки вопроса: буквы потеряны при сохранении. Сохраните файл как «CSV UTF-8».',
  },
  header_unknown: {
    en: 'Line {line} has no known column. The first row names the columns, separated by commas, semicolons or tabs: name, email, phone, telegram, contact, externalId, validUntil.',
    ru: 'В строке {line} нет ни одного известного столбца. Первая строка называет столбцы через запятую, точку с запятой или табуляцию: имя, почта, телефон, телеграм, контакт, внешний id, действует до.',
  },
  header_twice: {
    en: 'The header has two columns for the same: "{column}" and "{other}". Leave one of them.',
    ru: 'В заголовке два столбца для одного и того же: «{column}» и «{other}». Оставьте один из них.',
  },
  header_too_long: {
    en: 'The name of column {count} is longer than {max} characters.',
    ru: 'Название столбца {count} длиннее {max} знаков.',
  },
  header_unstorable: {
    en: 'The name of column {count} holds a NUL or half a character.',
    ru: 'В названии столбца {count} есть NUL или половина знака.',
  },
  separator_unknown: {
    en: 'The first line says that cells are separated by "{name}". Use a comma, a semicolon or a tab.',
    ru: 'В первой строке указан разделитель «{name}». Используйте запятую, точку с запятой или табуляцию.',
  },
  quote_open: {
    en: 'A quotation mark that opens in line {line} is never closed, or closes in a later row. Close it, or remove it.',
    ru: 'Кавычка, открытая в строке {line}, не закрыта или закрывается в другой строке таблицы. Закройте её или уберите.',
  },
  not_json: { en: 'The body is not JSON in UTF-8.', ru: 'Тело запроса — не JSON в UTF-8.' },
  not_rows: {
    en: 'Send a list of rows: [{"name": "Ada Lovelace"}].',
    ru: 'Пришлите список строк: [{"name": "Ада Лавлейс"}].',
  },
} as const satisfies Readonly<Record<string, Sentence>>;

/** Why a row is refused, while the others are imported. No sentence holds a value of the row. */
const ROW_PROBLEMS = {
  more_cells: {
    en: 'The row has more cells than the header has columns: a text with separators needs quotation marks.',
    ru: 'В строке больше ячеек, чем столбцов в заголовке: текст с разделителями берут в кавычки.',
  },
  nothing_known: {
    en: 'The row says nothing about the person: no name, contact, Telegram or externalId.',
    ru: 'В строке нет ничего о человеке: ни имени, ни контакта, ни Telegram, ни внешнего id.',
  },
  unstorable: {
    en: '"{column}" holds a NUL or half a character.',
    ru: 'В столбце «{column}» есть NUL или половина знака.',
  },
  control: {
    en: '"{column}" holds control characters.',
    ru: 'В столбце «{column}» есть управляющие символы.',
  },
  letters_lost: {
    en: 'Letters of "{column}" were lost when the file was saved: there are question marks or replacement signs instead.',
    ru: 'Буквы в столбце «{column}» потеряны при сохранении: вместо них знаки вопроса или замены.',
  },
  letters_garbled: {
    en: '"{column}" was read in the wrong encoding before it was saved.',
    ru: 'Столбец «{column}» прочитан в неверной кодировке и так сохранён.',
  },
  spreadsheet_error: {
    en: '"{column}" holds an error of the spreadsheet instead of a value.',
    ru: 'В столбце «{column}» ошибка электронной таблицы вместо значения.',
  },
  formula: {
    en: '"{column}" holds a formula instead of a value.',
    ru: 'В столбце «{column}» формула вместо значения.',
  },
  exponent: {
    en: 'The spreadsheet has turned "{column}" into a number like 7.9E+10 and lost its digits. Format the column as text, and type it again.',
    ru: 'Таблица превратила «{column}» в число вида 7,9E+10 и потеряла цифры. Сделайте столбец текстовым и введите значение заново.',
  },
  rounded: {
    en: '"{column}" ends in seven zeros or more: the spreadsheet has probably rounded it.',
    ru: '«{column}» оканчивается на семь нулей или больше: вероятно, таблица его округлила.',
  },
  too_long: {
    en: '"{column}" is longer than {max} characters.',
    ru: '«{column}» длиннее {max} знаков.',
  },
  name_invalid: {
    en: '"{column}" is not a name: it has no letters, or it is an address.',
    ru: '«{column}» — не имя: в нём нет букв, или это адрес.',
  },
  email_invalid: {
    en: '"{column}" is not one e-mail address like anna@example.org.',
    ru: '«{column}» — не один адрес вида anna@example.org.',
  },
  phone_invalid: {
    en: '"{column}" is not one phone number of 7 to 15 digits.',
    ru: '«{column}» — не один номер телефона из 7–15 цифр.',
  },
  telegram_invalid: {
    en: '"{column}" is not a Telegram user name like @anna_k.',
    ru: '«{column}» — не имя пользователя Telegram вида @anna_k.',
  },
  date_ambiguous: {
    en: '"{column}" may be read as two days. Write it as 2026-12-31.',
    ru: '«{column}» можно прочитать как две разные даты. Напишите её так: 2026-12-31.',
  },
  date_order: {
    en: '"{column}" has day and month in the wrong places. Write it as 2026-12-31.',
    ru: 'В «{column}» день и месяц стоят не на своих местах. Напишите дату так: 2026-12-31.',
  },
  date_number: {
    en: 'The spreadsheet has turned "{column}" into a number of days. Write it as 2026-12-31.',
    ru: 'Таблица превратила «{column}» в число дней. Напишите дату так: 2026-12-31.',
  },
  date_invalid: {
    en: '"{column}" is not a day like 2026-12-31.',
    ru: '«{column}» — не дата вида 2026-12-31.',
  },
  date_past: { en: '"{column}" is over.', ru: '«{column}» уже прошло.' },
  date_far: {
    en: '"{column}" is more than a year away.',
    ru: 'До «{column}» больше года.',
  },
  external_id_twice: {
    en: 'Row {row} has the same "{column}".',
    ru: 'В строке {row} такой же «{column}».',
  },
  external_id_taken: {
    en: 'The vacancy has an invitation with this externalId already, which was not revoked. Issue that one again instead.',
    ru: 'По этой вакансии уже есть неотозванное приглашение с таким внешним id. Перевыпустите его.',
  },
  metadata_invalid: { en: '"metadata" is not an object.', ru: '«metadata» — не объект.' },
  metadata_too_large: {
    en: 'The metadata is larger than {max} bytes.',
    ru: 'Метаданные больше {max} байт.',
  },
  metadata_key: {
    en: 'The metadata has a name that is empty or longer than {max} characters, or more than 50 names.',
    ru: 'В метаданных есть пустое или слишком длинное (больше {max} знаков) имя, или имён больше 50.',
  },
  not_an_object: {
    en: 'The row is not an object like {"name": "Ada Lovelace"}.',
    ru: 'Строка — не объект вида {"name": "Ада Лавлейс"}.',
  },
  not_text: { en: '"{column}" is not a text.', ru: '«{column}» — не текст.' },
  unknown_field: {
    en: 'A row has no field "{column}"; fields of your own belong into "metadata".',
    ru: 'Поля «{column}» нет; собственные поля передают в «metadata».',
  },
  vacancy_closed: {
    en: 'The vacancy was closed before the row was stored.',
    ru: 'Вакансию закрыли раньше, чем строка была сохранена.',
  },
  internal: {
    en: 'The row could not be stored because of an error of the server. Import it again.',
    ru: 'Строку не удалось сохранить из-за ошибки сервера. Импортируйте её ещё раз.',
  },
} as const satisfies Readonly<Record<string, Sentence>>;

export type FileProblemCode = keyof typeof FILE_PROBLEMS;
export type RowProblemCode = keyof typeof ROW_PROBLEMS;

/** What the places in a sentence stand for; never a value of a row. */
interface Places {
  readonly line?: number;
  readonly row?: number;
  readonly count?: number;
  readonly max?: number;
  /** As the header or the field of JSON is called. */
  readonly column?: string;
  readonly other?: string;
  readonly name?: string;
}

export interface FileProblem extends Places {
  readonly code: FileProblemCode;
}

/** As it is stored with the row. */
export interface RowProblem extends Places {
  readonly code: RowProblemCode;
}

/** The file cannot be read as rows. Its message is the English sentence. */
export class InvitationFileError extends ColloquyError {
  readonly code = 'invitation_file_refused';
  readonly retryable = false;

  constructor(readonly problem: FileProblem) {
    super(filled(FILE_PROBLEMS[problem.code].en, problem));
  }

  /** For a person. */
  sentence(language: 'en' | 'ru'): string {
    return filled(FILE_PROBLEMS[this.problem.code][language], this.problem);
  }
}

export function refuseFile(code: FileProblemCode, places: Places = {}): never {
  throw new InvitationFileError({ code, ...places });
}

export function rowSentence(problem: RowProblem): Sentence {
  const { en, ru } = ROW_PROBLEMS[problem.code];
  return { en: filled(en, problem), ru: filled(ru, problem) };
}

function filled(sentence: string, places: Places): string {
  const values: Readonly<Record<string, string | number | undefined>> = { ...places };
  return sentence.replace(/\{(\w+)\}/g, (_, place: string) => String(values[place] ?? '?'));
}
