/**
 * Stems of words that state a condition of a job, in both languages. A sentence with one of them, or with a
 * number, is a fact about the job unless the evidence has it.
 */
const JOB_STEMS = [
  ...[
    'salar',
    'compensat',
    'bonus',
    'equity',
    'vacation',
    'holiday',
    'remote',
    'hybrid',
    'relocat',
  ],
  ...[
    'visa',
    'insuranc',
    'overtime',
    'probation',
    'headcount',
    'promot',
    'budget',
    'hired',
    'pension',
  ],
  ...[
    'зарплат',
    'оклад',
    'преми',
    'бонус',
    'опцион',
    'отпуск',
    'удален',
    'гибрид',
    'релокац',
    'виз',
  ],
  ...['дмс', 'страхов', 'переработ', 'испытательн', 'бюджет', 'повышен', 'наняты'],
];
/** Stems that are whole words, because longer words begin with them. */
const WHOLE_WORDS = new Set(['виз', 'преми', 'дмс']);
const ENDINGS = /^(а|у|ы|е|ой|ю|я|и|ей|ям)?$/u;

/** The words of a text that state a condition of a job, and its numbers. */
function claimsIn(text: string): string[] {
  const words = plain(text).match(/\p{L}+|\d+/gu) ?? [];
  return words.flatMap((word) => {
    if (/^\d/.test(word)) return [word];
    const stem = JOB_STEMS.find((one) => word.startsWith(one) && isOf(word, one));
    return stem === undefined ? [] : [stem];
  });
}

function isOf(word: string, stem: string): boolean {
  return !WHOLE_WORDS.has(stem) || ENDINGS.test(word.slice(stem.length));
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/ё/g, 'е');
}

/**
 * Lets a model's text through up to the first fact about the job that its evidence does not have: a number,
 * or a word like "salary". It works word by word, so that the rest of a reply is shown as it arrives. It
 * cannot tell whether a sentence is true; it ensures that none of these comes from nowhere.
 */
export class FactFilter {
  private readonly known: ReadonlySet<string>;
  private held = '';
  private shown = '';
  private stopped = false;

  /** `evidence`: every text that a reply may rest on. */
  constructor(evidence: readonly string[]) {
    this.known = new Set(evidence.flatMap(claimsIn));
  }

  /** A fact without evidence came; nothing behind it is shown. */
  get hasStopped(): boolean {
    return this.stopped;
  }

  /** The part of the text that may be shown now. */
  take(delta: string): string {
    if (this.stopped) return '';
    const text = this.held + delta;
    // An unfinished word waits for its end.
    const last = /[\p{L}\d]+$/u.exec(text)?.[0] ?? '';
    this.held = mayBecomeClaim(last) ? last : '';
    return this.check(text.slice(0, text.length - this.held.length));
  }

  /** The rest of the text, once nothing follows. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return this.stopped ? '' : this.check(rest);
  }

  private check(text: string): string {
    for (const { 0: word, index } of text.matchAll(/[\p{L}\d]+/gu)) {
      if (claimsIn(word).every((claim) => this.known.has(claim))) continue;
      this.stopped = true;
      return this.cut(text.slice(0, index));
    }
    this.shown += text;
    return text;
  }

  /** A sentence that breaks off ends in an ellipsis. */
  private cut(text: string): string {
    const whole = (this.shown + text).trimEnd();
    if (whole === '' || /[.!?…]$/u.test(whole)) return text;
    return `${text.trimEnd()}…`;
  }
}

function mayBecomeClaim(word: string): boolean {
  if (word === '') return false;
  const begun = plain(word);
  if (/\d/.test(begun)) return true;
  return JOB_STEMS.some((stem) => stem.startsWith(begun) || begun.startsWith(stem));
}
