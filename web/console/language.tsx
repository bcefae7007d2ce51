/** The language of the console, and its texts. */
import { createContext, use, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { Language } from '../src/api/wire';
import { chooseLanguage, chosenLanguage } from '../src/console/chosen-language';
import { dictionaries } from './texts/dictionary';
import type { Dictionary } from './texts/dictionary';

interface LanguageChoice {
  language: Language;
  texts: Dictionary;
  choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({
  language: 'en',
  texts: dictionaries.en,
  choose: () => undefined,
});

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosenLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(() => {
    const choose = (next: Language): void => {
      chooseLanguage(next);
      setLanguage(next);
    };
    return { language, texts: dictionaries[language], choose };
  }, [language]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

export function useTexts(): Dictionary {
  return use(LanguageContext).texts;
}
