import { styleText } from 'node:util';

/** What a command found or did: one document for `--json`, and lines for people. */
export interface Result {
  readonly document: unknown;
  readonly lines: readonly string[];
  /** 0 where it is left out. */
  readonly exitCode?: number;
}

/** Prints the result, and sets the exit code of the process. */
export function print({ document, lines, exitCode = 0 }: Result, isJson: boolean): void {
  process.exitCode = exitCode;
  const text = isJson ? printableJson(JSON.stringify(document, null, 2)) : lines.join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Control characters but tab and newline: a candidate's text must not control a terminal. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Those of them that JSON leaves as they are. */
const CONTROL_IN_JSON = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe to write to a terminal. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '\uFFFD');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** JSON text, or a piece of it, that is safe to write to a terminal. */
export function printableJson(json: string): string {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(CONTROL_IN_JSON, escaped);
}

/** E.g. `2026-03-02 09:00 UTC`. */
export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Colours only what a terminal shows, and nothing where NO_COLOR is set (https://no-color.org). */
export function paint(format: 'green' | 'yellow' | 'red', text: string): string {
  return canPaint(process.stdout) ? styleText(format, text) : text;
}

function canPaint(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR = '', TERM = '' } = process.env;
  return stream.isTTY && NO_COLOR === '' && TERM !== 'dumb';
}

const PROGRESS_MS = 1000;

/**
 * Says on a terminal's standard error, once a second, how long `work` has been running. Work that
 * prints while it runs calls `stop` before, because the progress would stand in the middle of it.
 */
export async function withProgress<T>(
  label: string,
  work: (stop: () => void) => Promise<T>,
): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY || process.env.TERM === 'dumb') return work(() => undefined);
  let seconds = 0;
  let timer = setTimeout(show, PROGRESS_MS);
  function show(): void {
    seconds += 1;
    stderr.write(`\r${label}… ${String(seconds)} s`);
    timer = setTimeout(show, PROGRESS_MS);
  }
  function stop(): void {
    clearTimeout(timer);
    if (seconds > 0) stderr.write('\r\u001b[2K');
    seconds = 0;
  }
  try {
    return await work(stop);
  } finally {
    stop();
  }
}
