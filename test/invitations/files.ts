/** Bytes of files as spreadsheets write them. */

const CODE_PAGES = [
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'koi8-r',
  'ibm866',
  'iso-8859-5',
];

/** From character to byte, by the decoder of the runtime. */
function tableOf(label: string): Map<string, number> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  return new Map(
    Array.from(new TextDecoder(label).decode(bytes), (sign, byte) => [sign, byte] as const),
  );
}

const TABLES = new Map(CODE_PAGES.map((label) => [label, tableOf(label)]));

/** What a program writes that has no letter for a sign: a question mark. */
export function inCodePage(label: string, text: string): Uint8Array {
  const table = TABLES.get(label);
  return Uint8Array.from(Array.from(text), (sign) => table?.get(sign) ?? 0x3f);
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function utf8WithMark(text: string): Uint8Array {
  return utf8(`\uFEFF${text}`);
}

/** Excel's "Unicode Text". */
export function utf16le(text: string): Uint8Array {
  return Buffer.from(`\uFEFF${text}`, 'utf16le');
}

export function utf16be(text: string): Uint8Array {
  return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
}
