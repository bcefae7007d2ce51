/** The language of the page's own texts, and the switch for it. */
import { createContext, use } from 'react';
import type { Language } from '../api/wire';
import { dictionaries } from '../i18n/dictionary';
import type { Dictionary } from '../i18n/dictionary';

interface LanguageChoice {
  language: Language;
  texts: Dictionary;
  choose: (language: Language) => void;
}

export const LanguageContext = createContext<LanguageChoice>({
  language: 'en',
  texts: dictionaries.en,
  choose: () => undefined,
});

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

export function useTexts(): Dictionary {
  return use(LanguageContext).texts;
}

export function LanguageSwitch() {
  const { texts, choose } = useLanguage();
  const { other, switchTo } = texts.language;
  return (
    <button
      type="button"
      className="quiet-button language-button"
      lang={other}
      onClick={() => choose(other)}
    >
      {switchTo}
    </button>
  );
}
