/** Chooses the page by the state of the visit, and the language of the page's own texts. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Language } from './api/wire';
import { Branded, type CompanyBrand } from './components/brand';
import { Claim } from './components/claim';
import { LanguageContext } from './components/language';
import { Loading, MessagePage } from './components/message-page';
import { Welcome } from './components/welcome';
import { dictionaries } from './i18n/dictionary';
import type { Visit, VisitState } from './state/visit';

type RenderConversation = typeof import('./conversation-part').renderConversation;

/**
 * The view of a conversation: a part of its own, so that the first view does not wait for it. It is
 * loaded after the first view, and once more where that failed. Null: not loaded yet.
 */
function useConversationPart(isNeeded: boolean): RenderConversation | 'failed' | null {
  const [part, setPart] = useState<{ render: RenderConversation | 'failed' | null }>({
    render: null,
  });
  const isLoaded = part.render !== null && part.render !== 'failed';
  useEffect(() => {
    if (isLoaded) return;
    import('./conversation-part').then(
      ({ renderConversation }) => setPart({ render: renderConversation }),
      () => setPart({ render: 'failed' }),
    );
  }, [isLoaded, isNeeded]);
  return part.render;
}

export function App({ visit }: { visit: Visit }) {
  const state = useSyncExternalStore(visit.subscribe, visit.snapshot, visit.snapshot);
  const [chosen, setChosen] = useState(() => visit.chosenLanguage());
  const language = chosen ?? languageOf(state) ?? browserLanguage();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (next: Language) => {
    visit.chooseLanguage(next);
    setChosen(next);
  };
  return (
    <LanguageContext value={{ language, texts: dictionaries[language], choose }}>
      <Branded brand={brandOf(state)}>
        <Page visit={visit} state={state} />
      </Branded>
    </LanguageContext>
  );
}

interface InvitedProps {
  state: Extract<VisitState, { kind: 'welcome' }>;
  onBegin: () => void;
  onNotMine: () => void;
}

/** The first view of an open link. The server renders it too. */
export function Invited({ state, onBegin, onNotMine }: InvitedProps) {
  const { disclosure } = state.invite;
  if (disclosure === null) return <Welcome state={state} onBegin={onBegin} />;
  return <Claim state={state} disclosure={disclosure} onMine={onBegin} onNotMine={onNotMine} />;
}

function Page({ visit, state }: { visit: Visit; state: VisitState }) {
  const render = useConversationPart(state.kind === 'conversation');
  switch (state.kind) {
    case 'loading':
      return <Loading />;
    case 'welcome':
      return (
        <Invited
          state={state}
          onBegin={() => void visit.begin(state.invite)}
          onNotMine={() => {
            visit.disown(state.invite);
          }}
        />
      );
    case 'not_mine':
      return <MessagePage text={(texts) => texts.claim.notMine} />;
    case 'conversation':
      if (render === null) return <Loading />;
      if (render === 'failed') return <Unreachable onRetry={() => location.reload()} />;
      return render({ session: state.session, onReopen: () => void visit.load() });
    case 'erased':
      return <MessagePage text={(texts) => texts.erased} />;
    case 'left': {
      const { kind } = state.invite;
      return <MessagePage text={({ left }) => ({ title: left.title, text: left.text[kind] })} />;
    }
    case 'unknown':
      return <MessagePage text={(texts) => texts.unknown} />;
    case 'used':
      return <MessagePage text={(texts) => texts.continuation.used} />;
    case 'expired': {
      if (state.invite?.kind === 'continuation') {
        return <MessagePage text={(texts) => texts.continuation.expired} />;
      }
      const company = state.invite?.company ?? null;
      return (
        <MessagePage
          text={({ expired }) => ({ title: expired.title, text: expired.text(company) })}
        />
      );
    }
    case 'closed': {
      const company = state.invite?.company ?? null;
      return (
        <MessagePage text={({ closed }) => ({ title: closed.title, text: closed.text(company) })} />
      );
    }
    case 'full':
      return <MessagePage text={(texts) => texts.full} />;
    case 'unreachable':
      return <Unreachable onRetry={() => void visit.load()} />;
  }
}

function Unreachable({ onRetry }: { onRetry: () => void }) {
  return (
    <MessagePage
      text={(texts) => texts.unreachable}
      action={(texts) => texts.unreachable.retry}
      onAction={onRetry}
    />
  );
}

function languageOf(state: VisitState): Language | null {
  if (state.kind === 'conversation') return state.session.snapshot().conversation.view.language;
  return 'invite' in state ? (state.invite?.language ?? null) : null;
}

/** Whoever opened these may be a stranger, to whom no company is named. */
const UNBRANDED = new Set<VisitState['kind']>(['not_mine', 'used']);

/** Null where no company is known, or none may be named. */
export function brandOf(state: VisitState): CompanyBrand | null {
  if (UNBRANDED.has(state.kind)) return null;
  const about =
    state.kind === 'conversation'
      ? state.session.snapshot().conversation.view
      : 'invite' in state
        ? state.invite
        : null;
  if (about === null) return null;
  const { company, brand, isPreview } = about;
  return { company, ...brand, isPreview };
}

function browserLanguage(): Language {
  return navigator.language.startsWith('ru') ? 'ru' : 'en';
}
