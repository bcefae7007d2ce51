/** Control characters but tab and newline: a candidate's text must not command a terminal. */
// oxlint-disable-next-line no-control-regex
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Of those, the ones that JSON leaves as they are. */
const JSON_COMMANDS = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe to write to a terminal. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(COMMANDS, '\uFFFD');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** E.g. `2026-03-02 09:00 UTC`. */
export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** JSON text, or a piece of it, safe for a terminal: what could command it is escaped. */
export function printableJson(json: string): string {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(JSON_COMMANDS, escaped);
}
