/** The disclosure, word for word from the server, in the interview's language. */
import type { Language } from '../api/wire';

export function DisclosureText({ text, language }: { text: string; language: Language }) {
  return (
    <div className="disclosure" lang={language}>
      {paragraphs(text).map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
}

function paragraphs(text: string): string[] {
  return text.split(/\n+/).filter((paragraph) => paragraph.trim() !== '');
}
