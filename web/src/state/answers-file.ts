/** The interview as a text file that people read. Pure. */
import type { Interviewer, Receipt, WireMessage } from '../api/wire';

interface Speakers {
  you: string;
  interviewer: Record<Interviewer, string>;
  person: string;
  system: string;
}

/** The title, every message that has words, each under the name of who said it, and the quotes. */
export function answersFile(
  title: string,
  {
    messages,
    receipt,
    interviewer,
  }: {
    messages: readonly WireMessage[];
    receipt: Receipt | null;
    interviewer: Interviewer;
  },
  texts: Speakers & { receipt: { title: string } },
): string {
  const said = messages.filter(({ text }) => text.trim() !== '');
  const parts = said.map(
    (message) =>
      `${speakerOf(message, { ...texts, interviewer: texts.interviewer[interviewer] })}:\n${message.text.trim()}`,
  );
  return `${[title, ...parts, ...quoteParts(receipt, texts.receipt.title)].join('\n\n')}\n`;
}

function quoteParts(receipt: Receipt | null, title: string): string[] {
  if (receipt === null || receipt.questions.length === 0) return [];
  const parts = receipt.questions.map(({ question, quotes }) =>
    [question, ...quotes.map((quote) => `> ${quote}`)].join('\n'),
  );
  return [title, ...parts];
}

function speakerOf(
  { role, fromPerson }: WireMessage,
  speakers: Record<keyof Speakers, string>,
): string {
  if (role === 'user') return speakers.you;
  if (role === 'system') return speakers.system;
  return fromPerson === true ? speakers.person : speakers.interviewer;
}
