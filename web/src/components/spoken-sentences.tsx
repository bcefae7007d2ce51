/** The polite live region: whole sentences of the interviewer. See state/announcements. */
import type { Language } from '../api/wire';
import type { Announcer } from '../state/announcements';
import { useLanguage } from './language';

interface SpokenSentencesProps {
  announcer: Announcer;
  language: Language;
}

export function SpokenSentences({ announcer, language }: SpokenSentencesProps) {
  const { texts, language: ownLanguage } = useLanguage();
  return (
    <div className="for-readers" aria-live="polite" lang={language} data-testid="spoken">
      {announcer.recent.map(({ key, text, isFromPerson }) => (
        <p key={key}>
          {isFromPerson && <span lang={ownLanguage}>{texts.person}: </span>}
          {text}
        </p>
      ))}
    </div>
  );
}
