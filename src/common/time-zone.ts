/** What a clock on the wall shows. */
export interface LocalTime {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** 0 to 23. */
  readonly hour: number;
}

/** Whether this engine knows the time zone, by its name (IANA), such as Europe/Dublin. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Throws RangeError for an unknown time zone. */
export function localTime(timeZone: string, instant: Date): LocalTime {
  const parts = formatOf(timeZone).formatToParts(instant);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const day = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  return { day, hour: Number(part('hour')) };
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Cached, because creating a formatter takes longer than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  FORMATS.set(timeZone, format);
  return format;
}

/** The day that many days later, or earlier. */
export function daysAfter(day: string, days: number): string {
  const instant = new Date(`${day}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + days);
  return instant.toISOString().slice(0, 10);
}
