/** Chooses what the recruiter sees: the login, the interview, or why there is none. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Language } from '../api/wire';
import { Frame, PageTitle } from '../components/frame';
import { LanguageContext } from '../components/language';
import { dictionaries } from '../i18n/dictionary';
import type { ConsoleVisit } from './console-visit';
import { AdminLogin } from './admin-login';
import { chooseLanguage, chosenLanguage } from './chosen-language';
import { Reading } from './reading';
import { consoleTexts } from './texts';

export function ConsoleApp({ visit }: { visit: ConsoleVisit }) {
  const [language, setLanguage] = useState(chosenLanguage);
  const choose = (next: Language): void => {
    chooseLanguage(next);
    setLanguage(next);
  };
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <LanguageContext value={{ language, texts: dictionaries[language], choose }}>
      <Page visit={visit} language={language} />
    </LanguageContext>
  );
}

function Page({ visit, language }: { visit: ConsoleVisit; language: Language }) {
  const state = useSyncExternalStore(visit.subscribe, visit.snapshot);
  const texts = consoleTexts[language];
  switch (state.kind) {
    case 'login':
      return (
        <AdminLogin
          texts={texts}
          wasRefused={state.wasRefused}
          onToken={(token) => void visit.enter(token)}
        />
      );
    case 'reading':
      return (
        <Reading
          transcript={state.transcript}
          older={state.older}
          api={state.api}
          onOlder={() => void visit.showOlder()}
          onLock={() => visit.lock()}
        />
      );
    case 'loading':
      return <Sentence title={texts.loading} />;
    case 'unreachable': {
      const { title, text, retry } = texts.unreachable;
      const again = () => void visit.load();
      return <Sentence title={title} text={text} action={retry} onAction={again} />;
    }
    case 'tooMany': {
      const { title, text, retry } = texts.tooMany;
      const again = () => void visit.load();
      return <Sentence title={title} text={text(state.waitS)} action={retry} onAction={again} />;
    }
    case 'incomplete':
    case 'off':
    case 'gone':
      return <Sentence {...texts[state.kind]} />;
  }
}

interface SentenceProps {
  title: string;
  text?: string;
  action?: string;
  onAction?: () => void;
}

function Sentence({ title, text, action, onAction }: SentenceProps) {
  return (
    <Frame>
      <title>{title}</title>
      {/* A new key, so that each message takes the focus. */}
      <PageTitle key={title}>{title}</PageTitle>
      {text !== undefined && <p className="lead">{text}</p>}
      {action !== undefined && (
        <p className="actions">
          <button type="button" className="button" onClick={onAction}>
            {action}
          </button>
        </p>
      )}
    </Frame>
  );
}
