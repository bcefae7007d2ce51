/** A line of the conversation in a request for a reply. */
interface SentLine {
  readonly role: 'candidate' | 'interviewer' | 'team';
  readonly n?: number;
  readonly text?: string;
  readonly asked?: number;
  readonly from?: string;
  readonly repliesTo?: string;
  readonly isVoice?: boolean;
  readonly isCorrection?: boolean;
  readonly label?: string;
}

/** The data of a request for a reply, as a model reads them. */
export interface ReplyData {
  /** The candidate's own words of the answer, in paragraphs. */
  readonly answer: string;
  /** The lines of the answer. */
  readonly said: readonly SentLine[];
  /** The lines before it. */
  readonly transcript: readonly SentLine[];
  /** Which question waits, and about how many minutes are left; empty in another request. */
  readonly progress: string;
  /** The waiting question, with its words. */
  readonly question: {
    readonly n: number;
    readonly text: string;
    readonly shows: string | Readonly<Record<string, string>>;
    readonly followUp?: string;
  } | null;
  /** The program's sentences about this moment, and the verdicts that do not fit it. */
  readonly now: readonly string[];
  readonly notNow: readonly string[];
  readonly passages?: readonly {
    readonly n: number;
    readonly document: string;
    readonly headings: readonly string[];
    readonly text: string;
  }[];
  readonly searchedFor?: readonly string[];
  readonly corrections?: readonly string[];
}

interface SentData extends Partial<
  Omit<ReplyData, 'answer' | 'said' | 'question' | 'now' | 'notNow'>
> {
  readonly questions?: Readonly<Record<string, string>>;
  readonly question?: Omit<NonNullable<ReplyData['question']>, 'text'> | null;
  readonly now?: readonly string[];
  readonly notNow?: readonly string[];
  readonly answer?: readonly number[];
}

/** Reads the content of the user message. Of any other request's content, the answer is empty. */
export function replyDataOf(content: string | undefined): ReplyData {
  const sent = JSON.parse(content ?? '{}') as SentData;
  const { questions = {}, question = null, transcript = [], now = [], notNow = [] } = sent;
  const numbers = sent.answer ?? [];
  const isSaid = ({ n }: SentLine): boolean => n !== undefined && numbers.includes(n);
  const said = transcript.filter(isSaid);
  const own = said.filter(({ from }) => from === undefined).map(({ text = '' }) => text);
  return {
    ...sent,
    answer: own.join('\n\n'),
    progress: sent.progress ?? '',
    said,
    transcript: transcript.filter((line) => !isSaid(line)),
    question: question && { ...question, text: questions[question.n] ?? '' },
    now,
    notNow,
  };
}
