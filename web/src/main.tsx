/** Starts the page: connects the browser, the visit of the link in the address, and React. */
import { createRoot } from 'react-dom/client';
import { CandidateApi } from './api/client';
import { App } from './app';
import { browserPlatform } from './platform';
import { Visit } from './state/visit';
import './styles/tokens.css';
import './styles/base.css';
import './styles/pages.css';
import './styles/interview.css';
import './styles/transcript.css';
import './styles/composer.css';
import './styles/voice.css';
import './styles/files.css';

const token = /^\/i\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? '';
const visit = new Visit(decodeURIComponent(token), new CandidateApi(), browserPlatform);

function conversationOf(one: Visit) {
  const state = one.snapshot();
  return state.kind === 'conversation' ? state.session : null;
}

addEventListener('offline', () => conversationOf(visit)?.wentOffline());
addEventListener('online', () => {
  if (visit.snapshot().kind === 'unreachable') void visit.load();
  conversationOf(visit)?.cameOnline();
});
document.addEventListener('visibilitychange', () =>
  conversationOf(visit)?.visibilityChanged(document.visibilityState === 'visible'),
);

void visit.load();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App visit={visit} />);
