/** The interview as a text file that people read. Pure. */
import type { WireMessage } from '../api/wire';

interface Speakers {
  you: string;
  interviewer: string;
  person: string;
  system: string;
}

/** The title, and every message that has words, each under the name of who said it. */
export function answersFile(
  title: string,
  messages: readonly WireMessage[],
  speakers: Speakers,
): string {
  const said = messages.filter(({ text }) => text.trim() !== '');
  const parts = said.map((message) => `${speakerOf(message, speakers)}:\n${message.text.trim()}`);
  return `${[title, ...parts].join('\n\n')}\n`;
}

function speakerOf({ role, fromPerson }: WireMessage, speakers: Speakers): string {
  if (role === 'user') return speakers.you;
  if (role === 'system') return speakers.system;
  return fromPerson === true ? speakers.person : speakers.interviewer;
}
