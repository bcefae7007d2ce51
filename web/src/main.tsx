/** Starts the page: connects the browser, the visit of the link in the address, and React. */
import { useLayoutEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { CandidateApi } from './api/client';
import type { InviteView } from './api/wire';
import { App } from './app';
import { browserPlatform } from './platform';
import { Visit } from './state/visit';

const token = /^\/i\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? '';
const visit = new Visit(
  decodeURIComponent(token),
  new CandidateApi(),
  browserPlatform,
  inviteInDocument(),
);

/** What the link leads to, as the server wrote it next to the first view. */
function inviteInDocument(): InviteView | null {
  const json = document.getElementById('invite')?.textContent;
  return json ? (JSON.parse(json) as InviteView) : null;
}

addEventListener('offline', () => visit.session()?.wentOffline());
addEventListener('online', () => {
  if (visit.snapshot().kind === 'unreachable') void visit.load();
  visit.session()?.cameOnline();
});
addEventListener('beforeunload', (event) => {
  // The browser then asks whether to leave.
  if (visit.session()?.wouldLose()) event.preventDefault();
});
addEventListener('pagehide', () => visit.session()?.hidden());
document.addEventListener('visibilitychange', () =>
  visit.session()?.visibilityChanged(document.visibilityState === 'visible'),
);

/** Marks, for measurements, when the buttons of the first view work. */
function Page() {
  useLayoutEffect(() => {
    performance.mark('interactive');
  }, []);
  return <App visit={visit} />;
}

function start(root: HTMLElement) {
  const first = visit.snapshot();
  if (first.kind !== 'welcome') void visit.load();
  const chosen = visit.chosenLanguage();
  const isRendered =
    first.kind === 'welcome' && (chosen === null || chosen === first.invite.language);
  if (isRendered) hydrateRoot(root, <Page />);
  else createRoot(root).render(<Page />);
}

const root = document.getElementById('root');
if (root) start(root);
