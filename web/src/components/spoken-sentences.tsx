/** The polite live region: whole sentences of the interviewer. See state/announcements. */
import type { Language } from '../api/wire';
import type { Announcer } from '../state/announcements';

interface SpokenSentencesProps {
  announcer: Announcer;
  language: Language;
}

export function SpokenSentences({ announcer, language }: SpokenSentencesProps) {
  return (
    <div className="for-readers" aria-live="polite" lang={language} data-testid="spoken">
      {announcer.recent.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}
