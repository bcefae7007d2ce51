/** The language of the console: as chosen before, else that of the browser. */
import { createContext, use, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { Language } from '../src/api/wire';
import { keep, kept } from './kept';
import { dictionaries } from './texts/dictionary';
import type { Dictionary } from './texts/dictionary';

const KEY = 'colloquy.language';

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
  const [language, setLanguage] = useState<Language>(() =>
    languageOf(kept(KEY), navigator.language),
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(() => {
    const choose = (next: Language): void => {
      keep(KEY, next);
      setLanguage(next);
    };
    return { language, texts: dictionaries[language], choose };
  }, [language]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

function languageOf(chosen: string | null, browser: string): Language {
  if (chosen === 'ru' || chosen === 'en') return chosen;
  return browser.startsWith('ru') ? 'ru' : 'en';
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

export function useTexts(): Dictionary {
  return use(LanguageContext).texts;
}
